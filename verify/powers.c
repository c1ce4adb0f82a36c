/* powers.c: what premises say to be a power of two, or a mask of ones at the low end, is written by its
 * exponent, and so are its counts of zeros. C = 2^j with j < w is exact: premises must leave out C = 0. */
#include "ladder.h"
#include "smt.h"
#include "terms.h"

static Z3_ast number(Z3_context c, unsigned w, uint64_t v) { return smt_const_bv(c, bv_u64(w, v)); }

static bool among(const struct ast_list *l, Z3_ast e) {
  for (uint32_t i = 0; i < l->n; i++)
    if (l->at[i] == e) return true;
  return false;
}

static void substitute(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast from, Z3_ast to) {
  for (uint32_t i = 0; i < premises->n; i++)
    premises->at[i] = Z3_substitute(c, premises->at[i], 1, &from, &to);
  *claim = Z3_substitute(c, *claim, 1, &from, &to);
}

/* x & (x - 1) = 0 or x & (x + 1) = 0: x. */
static Z3_ast confined(Z3_context c, Z3_ast e, bool *mask) {
  if (term_kind(c, e) != Z3_OP_EQ || term_kind(c, term_arg(c, e, 0)) != Z3_OP_BAND) return NULL;
  Z3_ast x = term_arg(c, term_arg(c, e, 0), 0), y = term_arg(c, term_arg(c, e, 0), 1);
  Z3_ast one = number(c, smt_width(c, x), 1);
  *mask = y == Z3_mk_bvadd(c, x, one);
  if (!*mask && y != Z3_mk_bvsub(c, x, one)) return NULL;
  return term_arg(c, e, 1) == number(c, smt_width(c, x), 0) ? x : NULL;
}

/* The input x with t = x, -x, x + n, x - n or a negation of these, and its value for t = v; NULL when t is of
 * no such shape. */
static Z3_ast solve(Z3_context c, Z3_ast t, Z3_ast v, Z3_ast *value) {
  *value = v;
  if (term_is_input(c, t)) return t;
  Z3_decl_kind k = term_kind(c, t);
  if (k == Z3_OP_BNEG) return solve(c, term_arg(c, t, 0), Z3_mk_bvneg(c, v), value);
  if ((k != Z3_OP_BADD && k != Z3_OP_BSUB) || term_nargs(c, t) != 2) return NULL;
  Z3_ast a = term_arg(c, t, 0), b = term_arg(c, t, 1);
  Z3_ast x = solve(c, a, k == Z3_OP_BADD ? Z3_mk_bvsub(c, v, b) : Z3_mk_bvadd(c, v, b), value);
  return x && !term_mentions(c, b, x) ? x : NULL;
}

/* y of y + (y & -y): a run of ones with its lowest one added. NULL for other terms. */
static Z3_ast run_of(Z3_context c, Z3_ast t) {
  if (term_kind(c, t) != Z3_OP_BADD || term_nargs(c, t) != 2) return NULL;
  Z3_ast y = term_arg(c, t, 0);
  return term_is_input(c, y) && term_arg(c, t, 1) == Z3_mk_bvand(c, y, Z3_mk_bvneg(c, y)) ? y : NULL;
}

/* t is 2^j, with j < w. */
static Z3_ast name_power(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast t, Z3_ast j) {
  unsigned w = smt_width(c, t);
  Z3_ast top = number(c, w, w - 1), power = Z3_mk_bvshl(c, number(c, w, 1), j);
  substitute(c, premises, claim, Z3_mk_bvsub(c, top, smt_clz(c, t)), j);
  substitute(c, premises, claim, smt_clz(c, t), Z3_mk_bvsub(c, top, j));
  substitute(c, premises, claim, smt_ctz(c, t), j);
  substitute(c, premises, claim, t, power);
  *vec_push(premises) = Z3_mk_bvule(c, j, top);
  return power;
}

/* t is a mask of k ones, 0 < k <= w. */
static Z3_ast name_mask(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast t, Z3_ast k) {
  unsigned w = smt_width(c, t);
  Z3_ast mask = Z3_mk_bvnot(c, Z3_mk_bvshl(c, smt_const_bv(c, bv_ones(w)), k));
  substitute(c, premises, claim, smt_ctz(c, Z3_mk_bvnot(c, t)), k);
  substitute(c, premises, claim, t, mask);
  *vec_push(premises) = Z3_mk_bvule(c, k, number(c, w, w));
  *vec_push(premises) = Z3_mk_not(c, Z3_mk_eq(c, k, number(c, w, 0)));
  return mask;
}

/* y + (y & -y) = 2^j: y = 2^j - 2^a with a < j. For with y & -y = 2^a, y = 2^j - 2^a; a = j would make y
 * zero, and a > j its lowest one 2^j. */
static Z3_ast name_run(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast y, Z3_ast t, Z3_ast j) {
  unsigned w = smt_width(c, y);
  Z3_ast a = Z3_mk_fresh_const(c, "lowest", Z3_get_sort(c, y)), one = number(c, w, 1);
  name_power(c, premises, claim, t, j);
  substitute(c, premises, claim, smt_ctz(c, y), a);
  Z3_ast value = Z3_mk_bvsub(c, Z3_mk_bvshl(c, one, j), Z3_mk_bvshl(c, one, a));
  substitute(c, premises, claim, y, value);
  *vec_push(premises) = Z3_mk_bvult(c, a, j);
  return value;
}

/* The exponent of 2^j, also of a wider type; NULL for other terms. */
static Z3_ast exponent_of(Z3_context c, Z3_ast e, const struct ast_list *exponents) {
  unsigned w = smt_width(c, e);
  if (term_kind(c, e) == Z3_OP_BSHL && term_arg(c, e, 0) == number(c, w, 1))
    return among(exponents, term_arg(c, e, 1)) ? term_arg(c, e, 1) : NULL;
  if (term_kind(c, e) != Z3_OP_ZERO_EXT) return NULL;
  Z3_ast j = exponent_of(c, term_arg(c, e, 0), exponents);
  return j ? Z3_mk_zero_ext(c, w - smt_width(c, j), j) : NULL;
}

struct shifter {
  Z3_context c;
  const struct ast_list *exponents;
  struct ast_list from, to;
};

/* Products with a named power are shifts, and so are quotients by one: j < w is a premise. */
static Z3_ast as_shifts(struct shifter *s, Z3_ast e) {
  Z3_context c = s->c;
  unsigned n = term_nargs(c, e);
  if (n == 0) return e;
  for (uint32_t i = 0; i < s->from.n; i++)
    if (s->from.at[i] == e) return s->to.at[i];
  struct ast_list a = {0};
  for (unsigned i = 0; i < n; i++) *vec_push(&a) = as_shifts(s, term_arg(c, e, i));
  Z3_decl_kind k = term_kind(c, e);
  Z3_ast j = NULL, to = NULL;
  if (n == 2 && (k == Z3_OP_BMUL || k == Z3_OP_BUDIV)) {
    if ((j = exponent_of(c, a.at[1], s->exponents)))
      to = (k == Z3_OP_BMUL ? Z3_mk_bvshl : Z3_mk_bvlshr)(c, a.at[0], j);
    else if (k == Z3_OP_BMUL && (j = exponent_of(c, a.at[0], s->exponents)))
      to = Z3_mk_bvshl(c, a.at[1], j);
  }
  if (!to) to = Z3_update_term(c, e, n, a.at);
  vec_free(&a);
  *vec_push(&s->from) = e;
  *vec_push(&s->to) = to;
  return to;
}

/* ~x = m << ctz(~x) for an odd number m: with k <= w for that count, x = ~(m << k), and k is its count. */
static bool name_moved_mask(Z3_context c, struct ast_list *premises, Z3_ast *claim, uint32_t at,
                            struct ast_list *values) {
  struct bv m;
  Z3_ast e = premises->at[at];
  if (term_kind(c, e) != Z3_OP_EQ || term_kind(c, term_arg(c, e, 0)) != Z3_OP_BNOT) return false;
  Z3_ast moved = term_arg(c, e, 1), inverse = term_arg(c, e, 0), x = term_arg(c, inverse, 0);
  if (!term_is_input(c, x) || term_kind(c, moved) != Z3_OP_BSHL) return false;
  if (!smt_value(c, term_arg(c, moved, 0), &m) || !bv_bit(m, 0)) return false;
  Z3_ast count = smt_ctz(c, inverse), k = Z3_mk_fresh_const(c, "place", Z3_get_sort(c, x));
  if (term_arg(c, moved, 1) != count) return false;
  premises->at[at] = Z3_mk_bvule(c, k, number(c, m.width, m.width));
  substitute(c, premises, claim, count, k);
  Z3_ast value = Z3_mk_bvnot(c, Z3_mk_bvshl(c, smt_const_bv(c, m), k));
  substitute(c, premises, claim, x, value);
  *vec_push(values) = Z3_mk_eq(c, x, value);
  return true;
}

void name_powers(Z3_context c, struct ast_list *premises, Z3_ast *claim, struct ast_list *values,
                 struct ast_list *exponents) {
  for (uint32_t i = 0; i < premises->n; i++) {
    bool mask;
    if (name_moved_mask(c, premises, claim, i, values)) continue;
    Z3_ast v, t = confined(c, premises->at[i], &mask);
    if (!t) continue;
    unsigned w = smt_width(c, t);
    Z3_ast run = w < 2 || mask ? NULL : run_of(c, t), x = w < 2 ? NULL : run ? run : solve(c, t, t, &v);
    if (!x || !among(premises, Z3_mk_not(c, Z3_mk_eq(c, t, number(c, w, 0))))) continue;
    premises->at[i] = Z3_mk_true(c);
    Z3_ast j = Z3_mk_fresh_const(c, "exponent", Z3_get_sort(c, t));
    if (run) {
      *vec_push(values) = Z3_mk_eq(c, run, name_run(c, premises, claim, run, t, j));
      *vec_push(exponents) = j;
      continue;
    }
    Z3_ast named = (mask ? name_mask : name_power)(c, premises, claim, t, j);
    solve(c, t, named, &v);
    substitute(c, premises, claim, x, v);
    *vec_push(values) = Z3_mk_eq(c, x, v);
    if (!mask) *vec_push(exponents) = j;
  }
  if (!exponents->n) return;
  struct shifter s = {.c = c, .exponents = exponents};
  for (uint32_t i = 0; i < premises->n; i++) premises->at[i] = as_shifts(&s, premises->at[i]);
  *claim = as_shifts(&s, *claim);
  vec_free(&s.from);
  vec_free(&s.to);
}
