/* abstract.c: rungs that forget part of the meaning of products and quotients. A proof holds for whatever
 * took their place, so for the real ones; a model means nothing. */
#include <stdlib.h>

#include "rungs.h"
#include "smt.h"
#include "terms.h"
#include "util/diag.h"
#include "util/vec.h"

static Z3_ast function(Z3_context c, const char *name, Z3_ast a, Z3_ast b) {
  Z3_sort s = Z3_get_sort(c, a);
  char text[32];
  snprintf(text, sizeof text, "%s_%u", name, Z3_get_bv_sort_size(c, s));
  Z3_func_decl f = Z3_mk_func_decl(c, Z3_mk_string_symbol(c, text), 2, (Z3_sort[]){s, s}, s);
  return Z3_mk_app(c, f, 2, (Z3_ast[]){a, b});
}

static Z3_ast product(Z3_context c, Z3_ast a, Z3_ast b) {
  if (term_is_number(c, a) || term_is_number(c, b)) return Z3_mk_bvmul(c, a, b);
  bool swap = Z3_get_ast_id(c, a) > Z3_get_ast_id(c, b);
  return swap ? function(c, "mul", b, a) : function(c, "mul", a, b);
}

static Z3_ast unknown_arithmetic(void *self, Z3_ast e, const Z3_ast *arg) {
  Z3_context c = self;
  Z3_ast to;
  switch (term_kind(c, e)) {
  case Z3_OP_BMUL:
    to = arg[0];
    for (unsigned i = 1; i < term_nargs(c, e); i++) to = product(c, to, arg[i]);
    return to;
  case Z3_OP_BUDIV: return function(c, "udiv", arg[0], arg[1]);
  case Z3_OP_BUREM: return function(c, "urem", arg[0], arg[1]);
  case Z3_OP_BSDIV: return function(c, "sdiv", arg[0], arg[1]);
  case Z3_OP_BSREM: return function(c, "srem", arg[0], arg[1]);
  default: return NULL;
  }
}

/* ---- Remainders by a constant -------------------------------------------------------------------------- */

struct remainder {
  Z3_ast of, by, is; /* dividend, divisor, and the constant that stands for the remainder */
};

struct remainders {
  Z3_context c;
  VEC(struct remainder) known;
  struct ast_list facts;
};

/* x - (x udiv n)·n for a numeral n: the divisor, else NULL. */
static Z3_ast remainder_divisor(Z3_context c, Z3_ast e) {
  if (term_kind(c, e) != Z3_OP_BSUB || term_nargs(c, e) != 2) return NULL;
  Z3_ast x = term_arg(c, e, 0), m = term_arg(c, e, 1);
  if (term_kind(c, m) != Z3_OP_BMUL || term_nargs(c, m) != 2) return NULL;
  Z3_ast q = term_arg(c, m, 0), n = term_arg(c, m, 1);
  if (term_kind(c, q) != Z3_OP_BUDIV || !term_is_number(c, n)) return NULL;
  uint64_t v;
  bool zero = Z3_get_numeral_uint64(c, n, &v) && v == 0;
  return !zero && term_arg(c, q, 0) == x && term_arg(c, q, 1) == n ? n : NULL;
}

/* A numeral of another width, or NULL when it does not fit. */
static Z3_ast resized(Z3_context c, Z3_ast n, unsigned w) {
  uint64_t v;
  if (!Z3_get_numeral_uint64(c, n, &v) || (w < 64 && v >> w)) return NULL;
  return Z3_mk_unsigned_int64(c, v, Z3_mk_bv_sort(c, w));
}

/* A new constant below n; equal to x where x is below n. The remainder of one that is below n already is
 * itself, and that of an extended value is the extended remainder. */
static Z3_ast fresh_remainder(struct remainders *r, Z3_ast x, Z3_ast n) {
  if (term_kind(r->c, x) == Z3_OP_ZERO_EXT) {
    Z3_ast y = term_arg(r->c, x, 0);
    unsigned w = smt_width(r->c, y), wide = smt_width(r->c, x);
    Z3_ast m = resized(r->c, n, w);
    if (m) return Z3_mk_zero_ext(r->c, wide - w, fresh_remainder(r, y, m));
  }
  for (uint32_t i = 0; i < r->known.n; i++) {
    const struct remainder *k = &r->known.at[i];
    if (k->by == n && (k->is == x || k->of == x)) return k->is;
  }
  Z3_ast k = Z3_mk_fresh_const(r->c, "rem", Z3_get_sort(r->c, x));
  *vec_push(&r->known) = (struct remainder){.of = x, .by = n, .is = k};
  *vec_push(&r->facts) = Z3_mk_bvult(r->c, k, n);
  *vec_push(&r->facts) = Z3_mk_implies(r->c, Z3_mk_bvult(r->c, x, n), Z3_mk_eq(r->c, k, x));
  return k;
}

static Z3_ast forget_remainder(void *self, Z3_ast e, const Z3_ast *arg) {
  struct remainders *r = self;
  Z3_ast by = remainder_divisor(r->c, e);
  return by ? fresh_remainder(r, arg[0], by) : NULL;
}

Z3_ast forget_remainders(Z3_context c, Z3_ast goal) {
  struct remainders r = {.c = c};
  Z3_ast g = rewrite_term(c, goal, forget_remainder, &r);
  g = r.facts.n ? Z3_mk_implies(c, conjunction(c, &r.facts), g) : NULL;
  vec_free(&r.known);
  vec_free(&r.facts);
  return g;
}

struct outcome uf_prove(const struct query *q, Z3_ast goal) {
  Z3_ast g = rewrite_term(q->c, goal, unknown_arithmetic, q->c);
  struct outcome out = {.answer = OPEN, .rung = RUNG_UF};
  Z3_solver s = Z3_mk_solver_for_logic(q->c, Z3_mk_string_symbol(q->c, "QF_UFBV"));
  Z3_solver_inc_ref(q->c, s);
  limit_steps(q->c, s, STEPS_UF * q->scale);
  Z3_solver_assert(q->c, s, Z3_mk_not(q->c, g));
  if (Z3_solver_check(q->c, s) == Z3_L_FALSE) out.answer = VALID;
  Z3_solver_dec_ref(q->c, s);
  return out;
}
