/* abstract.c: rungs that forget part of the meaning of products and quotients. A proof holds for whatever
 * took their place, so for the real ones; a model means nothing. */
#include <stdlib.h>

#include "ladder.h"
#include "util/diag.h"
#include "util/vec.h"

struct rewritten {
  Z3_ast from, to;
};

struct rewriter {
  Z3_context c;
  VEC(struct rewritten) done;
};

static Z3_ast function(struct rewriter *r, const char *name, Z3_ast a, Z3_ast b) {
  Z3_sort s = Z3_get_sort(r->c, a);
  char text[32];
  snprintf(text, sizeof text, "%s_%u", name, Z3_get_bv_sort_size(r->c, s));
  Z3_func_decl f = Z3_mk_func_decl(r->c, Z3_mk_string_symbol(r->c, text), 2, (Z3_sort[]){s, s}, s);
  return Z3_mk_app(r->c, f, 2, (Z3_ast[]){a, b});
}

static Z3_ast product(struct rewriter *r, Z3_ast a, Z3_ast b) {
  if (Z3_get_ast_kind(r->c, a) == Z3_NUMERAL_AST || Z3_get_ast_kind(r->c, b) == Z3_NUMERAL_AST)
    return Z3_mk_bvmul(r->c, a, b);
  bool swap = Z3_get_ast_id(r->c, a) > Z3_get_ast_id(r->c, b);
  return swap ? function(r, "mul", b, a) : function(r, "mul", a, b);
}

static Z3_ast rewrite(struct rewriter *r, Z3_ast e) {
  if (Z3_get_ast_kind(r->c, e) != Z3_APP_AST) return e;
  for (uint32_t i = 0; i < r->done.n; i++)
    if (r->done.at[i].from == e) return r->done.at[i].to;
  Z3_app app = Z3_to_app(r->c, e);
  unsigned n = Z3_get_app_num_args(r->c, app);
  Z3_ast to = e, *a = calloc(n + 1, sizeof *a);
  if (!a) bug("out of memory");
  for (unsigned i = 0; i < n; i++) a[i] = rewrite(r, Z3_get_app_arg(r->c, app, i));
  switch (Z3_get_decl_kind(r->c, Z3_get_app_decl(r->c, app))) {
  case Z3_OP_BMUL:
    to = a[0];
    for (unsigned i = 1; i < n; i++) to = product(r, to, a[i]);
    break;
  case Z3_OP_BUDIV: to = function(r, "udiv", a[0], a[1]); break;
  case Z3_OP_BUREM: to = function(r, "urem", a[0], a[1]); break;
  case Z3_OP_BSDIV: to = function(r, "sdiv", a[0], a[1]); break;
  case Z3_OP_BSREM: to = function(r, "srem", a[0], a[1]); break;
  default:
    if (n) to = Z3_update_term(r->c, e, n, a);
  }
  free(a);
  *vec_push(&r->done) = (struct rewritten){e, to};
  return to;
}

/* ---- Remainders by a constant
 * ---------------------------------------------------------------------------------- */

struct remainders {
  Z3_context c;
  VEC(struct rewritten) done;
  VEC(struct rewritten) fresh; /* from: the constant that stands for it; to: the divisor */
  VEC(struct rewritten) of;    /* in the same order; from: the dividend; to: the constant */
  VEC(Z3_ast) facts;
};

static bool is_op(Z3_context c, Z3_ast e, Z3_decl_kind k) {
  return Z3_get_ast_kind(c, e) == Z3_APP_AST && Z3_get_decl_kind(c, Z3_get_app_decl(c, Z3_to_app(c, e))) == k;
}

static Z3_ast operand(Z3_context c, Z3_ast e, unsigned i) { return Z3_get_app_arg(c, Z3_to_app(c, e), i); }

/* x - (x udiv n)·n for a numeral n: the divisor, else NULL. */
static Z3_ast remainder_divisor(Z3_context c, Z3_ast e) {
  if (!is_op(c, e, Z3_OP_BSUB) || Z3_get_app_num_args(c, Z3_to_app(c, e)) != 2) return NULL;
  Z3_ast x = operand(c, e, 0), m = operand(c, e, 1);
  if (!is_op(c, m, Z3_OP_BMUL) || Z3_get_app_num_args(c, Z3_to_app(c, m)) != 2) return NULL;
  Z3_ast q = operand(c, m, 0), n = operand(c, m, 1);
  if (!is_op(c, q, Z3_OP_BUDIV) || Z3_get_ast_kind(c, n) != Z3_NUMERAL_AST) return NULL;
  uint64_t v;
  bool zero = Z3_get_numeral_uint64(c, n, &v) && v == 0;
  return !zero && operand(c, q, 0) == x && operand(c, q, 1) == n ? n : NULL;
}

static Z3_ast forget(struct remainders *r, Z3_ast e);

/* A numeral of another width, or NULL when it does not fit. */
static Z3_ast resized(Z3_context c, Z3_ast n, unsigned w) {
  uint64_t v;
  if (!Z3_get_numeral_uint64(c, n, &v) || (w < 64 && v >> w)) return NULL;
  return Z3_mk_unsigned_int64(c, v, Z3_mk_bv_sort(c, w));
}

/* A new constant below n; equal to x where x is below n. The remainder of one that is below n already is
 * itself, and that of an extended value is the extended remainder. */
static Z3_ast fresh_remainder(struct remainders *r, Z3_ast x, Z3_ast n) {
  if (is_op(r->c, x, Z3_OP_ZERO_EXT)) {
    Z3_ast y = operand(r->c, x, 0);
    unsigned w = Z3_get_bv_sort_size(r->c, Z3_get_sort(r->c, y)),
             wide = Z3_get_bv_sort_size(r->c, Z3_get_sort(r->c, x));
    Z3_ast m = resized(r->c, n, w);
    if (m) return Z3_mk_zero_ext(r->c, wide - w, fresh_remainder(r, y, m));
  }
  for (uint32_t i = 0; i < r->fresh.n; i++)
    if (r->fresh.at[i].from == x && r->fresh.at[i].to == n) return x;
  for (uint32_t i = 0; i < r->of.n; i++)
    if (r->of.at[i].from == x && r->fresh.at[i].to == n) return r->of.at[i].to;
  Z3_ast k = Z3_mk_fresh_const(r->c, "rem", Z3_get_sort(r->c, x));
  *vec_push(&r->of) = (struct rewritten){x, k};
  *vec_push(&r->fresh) = (struct rewritten){k, n};
  *vec_push(&r->facts) = Z3_mk_bvult(r->c, k, n);
  *vec_push(&r->facts) = Z3_mk_implies(r->c, Z3_mk_bvult(r->c, x, n), Z3_mk_eq(r->c, k, x));
  return k;
}

static Z3_ast forget(struct remainders *r, Z3_ast e) {
  if (Z3_get_ast_kind(r->c, e) != Z3_APP_AST) return e;
  for (uint32_t i = 0; i < r->done.n; i++)
    if (r->done.at[i].from == e) return r->done.at[i].to;
  Z3_app app = Z3_to_app(r->c, e);
  unsigned n = Z3_get_app_num_args(r->c, app);
  Z3_ast to = e, d = remainder_divisor(r->c, e);
  if (d) {
    to = fresh_remainder(r, forget(r, operand(r->c, e, 0)), d);
  } else if (n) {
    Z3_ast *a = calloc(n, sizeof *a);
    if (!a) bug("out of memory");
    for (unsigned i = 0; i < n; i++) a[i] = forget(r, Z3_get_app_arg(r->c, app, i));
    to = Z3_update_term(r->c, e, n, a);
    free(a);
  }
  *vec_push(&r->done) = (struct rewritten){e, to};
  return to;
}

Z3_ast forget_remainders(Z3_context c, Z3_ast goal) {
  struct remainders r = {.c = c};
  Z3_ast g = forget(&r, goal);
  if (r.facts.n)
    g = Z3_mk_implies(c, Z3_mk_and(c, r.facts.n, r.facts.at), g);
  else
    g = NULL;
  vec_free(&r.done);
  vec_free(&r.fresh);
  vec_free(&r.of);
  vec_free(&r.facts);
  return g;
}

struct outcome uf_prove(const struct query *q, Z3_ast goal) {
  struct rewriter r = {.c = q->c};
  Z3_ast g = rewrite(&r, goal);
  vec_free(&r.done);
  struct outcome out = {.answer = OPEN, .rung = RUNG_UF};
  Z3_solver s = Z3_mk_solver_for_logic(q->c, Z3_mk_string_symbol(q->c, "QF_UFBV"));
  Z3_solver_inc_ref(q->c, s);
  Z3_params p = Z3_mk_params(q->c);
  Z3_params_inc_ref(q->c, p);
  Z3_params_set_uint(q->c, p, Z3_mk_string_symbol(q->c, "rlimit"), (unsigned)(8e6 * q->scale));
  Z3_solver_set_params(q->c, s, p);
  Z3_params_dec_ref(q->c, p);
  Z3_solver_assert(q->c, s, Z3_mk_not(q->c, g));
  if (Z3_solver_check(q->c, s) == Z3_L_FALSE) out.answer = VALID;
  Z3_solver_dec_ref(q->c, s);
  return out;
}
