/* powers.c: what premises say to be a power of two, or a mask of ones at the low end, is written by its
 * exponent, and so are its counts of zeros. C = 2^j with j < w is exact: premises must leave out C = 0. */
#include "rungs.h"
#include "smt.h"
#include "terms.h"

static Z3_ast number(Z3_context c, unsigned w, uint64_t v) { return smt_const_bv(c, bv_u64(w, v)); }

/* y of y + (y & -y): a run of ones with its lowest one added. NULL for other terms. */
static Z3_ast run_of(Z3_context c, Z3_ast t) {
  if (term_kind(c, t) != Z3_OP_BADD || term_nargs(c, t) != 2) return NULL;
  Z3_ast y = term_arg(c, t, 0);
  return term_is_input(c, y) && term_arg(c, t, 1) == Z3_mk_bvand(c, y, Z3_mk_bvneg(c, y)) ? y : NULL;
}

enum shape { POWER, MASK, FIELD };

/* x & (x - 1) = 0, x & (x + 1) = 0 or (x + (x & -x)) & x = 0: x, which is a power of two, a mask of low ones
 * or one run of ones; or 0. */
static Z3_ast confined(Z3_context c, Z3_ast e, enum shape *shape) {
  if (term_kind(c, e) != Z3_OP_EQ || term_kind(c, term_arg(c, e, 0)) != Z3_OP_BAND) return NULL;
  Z3_ast x = term_arg(c, term_arg(c, e, 0), 0), y = term_arg(c, term_arg(c, e, 0), 1);
  unsigned w = smt_width(c, x);
  Z3_ast one = number(c, w, 1);
  if (term_arg(c, e, 1) != number(c, w, 0)) return NULL;
  *shape = y == Z3_mk_bvadd(c, x, one) ? MASK : y == Z3_mk_bvsub(c, x, one) ? POWER : FIELD;
  if (*shape != FIELD) return x;
  return run_of(c, x) == y ? y : NULL;
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

static Z3_ast low_ones(Z3_context c, Z3_ast k) {
  return Z3_mk_bvnot(c, Z3_mk_bvshl(c, smt_const_bv(c, bv_ones(smt_width(c, k))), k));
}

/* t is a mask of k ones, 0 < k <= w. */
static Z3_ast name_mask(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast t, Z3_ast k) {
  unsigned w = smt_width(c, t);
  Z3_ast mask = low_ones(c, k);
  substitute(c, premises, claim, smt_ctz(c, Z3_mk_bvnot(c, t)), k);
  substitute(c, premises, claim, smt_popcount(c, t), k);
  substitute(c, premises, claim, t, mask);
  *vec_push(premises) = Z3_mk_bvule(c, k, number(c, w, w));
  *vec_push(premises) = Z3_mk_not(c, Z3_mk_eq(c, k, number(c, w, 0)));
  return mask;
}

/* x >> s is a mask of k ones, 0 < k: so s < w, s + k <= w, and the low s bits of x are any. */
static Z3_ast name_high_mask(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast t, Z3_ast k) {
  Z3_ast x = term_arg(c, t, 0), s = term_arg(c, t, 1), any = Z3_mk_fresh_const(c, "any", Z3_get_sort(c, x));
  Z3_ast high = Z3_mk_bvshl(c, name_mask(c, premises, claim, t, k), s);
  Z3_ast value = Z3_mk_bvor(c, high, Z3_mk_bvand(c, any, low_ones(c, s)));
  substitute(c, premises, claim, x, value);
  unsigned w = smt_width(c, x);
  *vec_push(premises) = Z3_mk_bvule(c, s, Z3_mk_bvsub(c, number(c, w, w), k));
  return value;
}

/* x is a run of n ones from bit p on: 0 < n and p + n <= w. */
static Z3_ast name_field(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast x, Z3_ast n) {
  unsigned w = smt_width(c, x);
  Z3_ast p = Z3_mk_fresh_const(c, "place", Z3_get_sort(c, x)), width = number(c, w, w);
  Z3_ast value = Z3_mk_bvshl(c, low_ones(c, n), p);
  substitute(c, premises, claim, smt_ctz(c, x), p);
  substitute(c, premises, claim, smt_clz(c, x), Z3_mk_bvsub(c, Z3_mk_bvsub(c, width, n), p));
  substitute(c, premises, claim, smt_popcount(c, x), n);
  substitute(c, premises, claim, x, value);
  *vec_push(premises) = Z3_mk_bvule(c, n, width);
  *vec_push(premises) = Z3_mk_not(c, Z3_mk_eq(c, n, number(c, w, 0)));
  *vec_push(premises) = Z3_mk_bvule(c, p, Z3_mk_bvsub(c, width, n));
  return value;
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
    return list_has(exponents, term_arg(c, e, 1)) ? term_arg(c, e, 1) : NULL;
  if (term_kind(c, e) != Z3_OP_ZERO_EXT) return NULL;
  Z3_ast j = exponent_of(c, term_arg(c, e, 0), exponents);
  return j ? Z3_mk_zero_ext(c, w - smt_width(c, j), j) : NULL;
}

struct shifter {
  Z3_context c;
  const struct ast_list *exponents;
};

/* Products with a named power are shifts, and so are quotients by one: j < w is a premise. */
static Z3_ast as_shift(void *self, Z3_ast e, const Z3_ast *arg) {
  const struct shifter *s = self;
  Z3_decl_kind k = term_kind(s->c, e);
  if (term_nargs(s->c, e) != 2 || (k != Z3_OP_BMUL && k != Z3_OP_BUDIV)) return NULL;
  Z3_ast j = exponent_of(s->c, arg[1], s->exponents);
  if (j) return (k == Z3_OP_BMUL ? Z3_mk_bvshl : Z3_mk_bvlshr)(s->c, arg[0], j);
  j = k == Z3_OP_BMUL ? exponent_of(s->c, arg[0], s->exponents) : NULL;
  return j ? Z3_mk_bvshl(s->c, arg[1], j) : NULL;
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

/* The names given so far: see name_powers. */
struct naming {
  Z3_context c;
  struct ast_list *premises;
  Z3_ast *claim;
  struct ast_list *values, *exponents;
};

static void name_value(struct naming *n, Z3_ast x, Z3_ast value) {
  *vec_push(n->values) = Z3_mk_eq(n->c, x, value);
}

static bool name_as_power(struct naming *n, Z3_ast t, Z3_ast j) {
  Z3_context c = n->c;
  Z3_ast run = run_of(c, t), value, x = run ? run : solve(c, t, t, &value);
  if (!x) return false;
  if (run) {
    name_value(n, run, name_run(c, n->premises, n->claim, run, t, j));
  } else {
    solve(c, t, name_power(c, n->premises, n->claim, t, j), &value);
    substitute(c, n->premises, n->claim, x, value);
    name_value(n, x, value);
  }
  *vec_push(n->exponents) = j;
  return true;
}

static bool name_as_mask(struct naming *n, Z3_ast t, Z3_ast k) {
  Z3_context c = n->c;
  Z3_ast value, x = solve(c, t, t, &value);
  if (x) {
    solve(c, t, name_mask(c, n->premises, n->claim, t, k), &value);
    substitute(c, n->premises, n->claim, x, value);
    name_value(n, x, value);
    return true;
  }
  if (term_kind(c, t) != Z3_OP_BLSHR || !term_is_input(c, term_arg(c, t, 0))) return false;
  x = term_arg(c, t, 0);
  if (term_mentions(c, term_arg(c, t, 1), x)) return false;
  name_value(n, x, name_high_mask(c, n->premises, n->claim, t, k));
  return true;
}

/* Premise `at` says that a term is of one of the shapes; another one, that it is not 0. */
static void name_confined(struct naming *n, uint32_t at) {
  Z3_context c = n->c;
  enum shape shape;
  Z3_ast premise = n->premises->at[at], t = confined(c, premise, &shape);
  if (!t || smt_width(c, t) < 2) return;
  Z3_ast zero = number(c, smt_width(c, t), 0);
  if (!list_has(n->premises, Z3_mk_not(c, Z3_mk_eq(c, t, zero)))) return;
  n->premises->at[at] = Z3_mk_true(c);
  Z3_ast k = Z3_mk_fresh_const(c, "exponent", Z3_get_sort(c, t));
  bool named = true;
  switch (shape) {
  case POWER: named = name_as_power(n, t, k); break;
  case MASK: named = name_as_mask(n, t, k); break;
  case FIELD: name_value(n, t, name_field(c, n->premises, n->claim, t, k)); break;
  }
  if (!named) n->premises->at[at] = premise;
}

void name_powers(Z3_context c, struct ast_list *premises, Z3_ast *claim, struct ast_list *values,
                 struct ast_list *exponents) {
  struct naming n = {c, premises, claim, values, exponents};
  for (uint32_t i = 0; i < premises->n; i++)
    if (!name_moved_mask(c, premises, claim, i, values)) name_confined(&n, i);
  if (!exponents->n) return;
  struct shifter s = {.c = c, .exponents = exponents};
  for (uint32_t i = 0; i < premises->n; i++) premises->at[i] = rewrite_term(c, premises->at[i], as_shift, &s);
  *claim = rewrite_term(c, *claim, as_shift, &s);
}
