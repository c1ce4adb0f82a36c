/* index.c: equality of bit-vectors bit by bit, for any bit. The value of a term at bit i is a formula over
 * the integer i and the integer values of shift amounts: bit i of x << k is i >= k and bit i - k of x.
 * Inputs, and terms whose bits do not come from single bits of their operands, are unknown functions from
 * integers to Bools. a = b is the Bool e with e  implies  a and b agree at bit i, for every i (used at the
 * bits that other terms ask for); not e  implies  they differ at bit s, for some s, a fresh constant. So
 * shifts by unknown amounts take the same time at every width. What is proven this way is true; a failure
 * says nothing.
 *
 * This file is trusted; the tests compare what it proves at small widths with bit-blasting. */
#include "rungs.h"
#include "smt.h"
#include "terms.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORK_LIMIT = 6000, MAX_INSTANCES = 160, MAX_RUNS = 16 };

/* The image of a term, or of a term at a bit. */
struct image {
  Z3_ast term, at, image;
};

/* An equality of bit-vectors. */
struct equality {
  Z3_ast a, b, holds, differ;
};

/* A function of bits was applied. */
struct use {
  Z3_ast term, at;
};

struct index {
  Z3_context c;
  Z3_sort integer;
  VEC(struct image) amounts, bits, truths;
  VEC(struct equality) equalities;
  VEC(struct use) uses;
  struct ast_list axioms, exponents; /* exponents: k where 2^k was seen */
  unsigned work, lemmas;
  bool failed, in_lemma;
};

static Z3_ast bit_at(struct index *x, Z3_ast e, Z3_ast i);
static Z3_ast truth_of(struct index *x, Z3_ast e);
static Z3_ast amount(struct index *x, Z3_ast e);

/* ---- Integers ----------------------------------------------------------------------------------------- */

static Z3_ast whole(struct index *x, int64_t v) { return Z3_mk_int64(x->c, v, x->integer); }
static Z3_ast plus(struct index *x, Z3_ast a, Z3_ast b) { return Z3_mk_add(x->c, 2, (Z3_ast[]){a, b}); }
static Z3_ast minus(struct index *x, Z3_ast a, Z3_ast b) { return Z3_mk_sub(x->c, 2, (Z3_ast[]){a, b}); }
static Z3_ast both(struct index *x, Z3_ast a, Z3_ast b) { return Z3_mk_and(x->c, 2, (Z3_ast[]){a, b}); }

static Z3_ast two_to(struct index *x, unsigned w) {
  if (w >= VT_MAX_BITS)
    return Z3_simplify(x->c, Z3_mk_mul(x->c, 2, (Z3_ast[]){two_to(x, w / 2), two_to(x, w - w / 2)}));
  Z3_ast v = smt_const_bv(x->c, bv_shl(bv_u64(w + 1, 1), bv_u64(w + 1, w)));
  return Z3_mk_numeral(x->c, Z3_get_numeral_string(x->c, v), x->integer);
}

static Z3_ast in_range(struct index *x, Z3_ast i, unsigned w) {
  return both(x, Z3_mk_le(x->c, whole(x, 0), i), Z3_mk_lt(x->c, i, whole(x, w)));
}

static Z3_ast number_amount(struct index *x, Z3_ast e) {
  return Z3_mk_numeral(x->c, Z3_get_numeral_string(x->c, e), x->integer);
}

static Z3_ast wrapped_up(struct index *x, Z3_ast v, unsigned w) { /* 0 <= v < 2^(w+1) */
  return Z3_mk_ite(x->c, Z3_mk_lt(x->c, v, two_to(x, w)), v, minus(x, v, two_to(x, w)));
}

static Z3_ast wrapped_down(struct index *x, Z3_ast v, unsigned w) { /* -2^w <= v < 2^w */
  return Z3_mk_ite(x->c, Z3_mk_lt(x->c, v, whole(x, 0)), plus(x, v, two_to(x, w)), v);
}

static Z3_ast unknown_amount(struct index *x, Z3_ast e) {
  Z3_ast v = Z3_mk_fresh_const(x->c, "amount", x->integer);
  *vec_push(&x->axioms) = Z3_mk_le(x->c, whole(x, 0), v);
  *vec_push(&x->axioms) = Z3_mk_lt(x->c, v, two_to(x, smt_width(x->c, e)));
  return v;
}

/* x - (x div n) n for a number n: x mod n, else NULL. */
static Z3_ast remainder_amount(struct index *x, Z3_ast e) {
  Z3_context c = x->c;
  Z3_ast a = term_arg(c, e, 0), p = term_arg(c, e, 1);
  struct bv v;
  if (term_kind(c, p) != Z3_OP_BMUL) return NULL;
  Z3_ast q = term_arg(c, p, 0), n = term_arg(c, p, 1);
  if (term_kind(c, q) != Z3_OP_BUDIV || term_arg(c, q, 0) != a || term_arg(c, q, 1) != n) return NULL;
  if (!smt_value(c, n, &v) || bv_is_zero(v)) return NULL;
  return Z3_mk_mod(c, amount(x, a), number_amount(x, n));
}

static Z3_ast extracted_amount(struct index *x, Z3_ast e) {
  unsigned hi = term_parameter(x->c, e, 0), lo = term_parameter(x->c, e, 1);
  if (lo) return NULL;
  return Z3_mk_mod(x->c, amount(x, term_arg(x->c, e, 0)), two_to(x, hi + 1));
}

/* x & (2^n - 1) */
static Z3_ast masked_amount(struct index *x, Z3_ast e) {
  for (unsigned k = 0; k < 2; k++) {
    struct bv m;
    if (!smt_value(x->c, term_arg(x->c, e, k), &m) || bv_is_zero(m)) continue;
    if (!bv_is_zero(bv_and(m, bv_add(m, bv_u64(m.width, 1))))) continue;
    return Z3_mk_mod(x->c, amount(x, term_arg(x->c, e, 1 - k)), two_to(x, (unsigned)bv_popcount(m)));
  }
  return NULL;
}

static Z3_ast joined_amount(struct index *x, Z3_ast e) {
  struct bv v;
  if (term_nargs(x->c, e) != 2 || !smt_value(x->c, term_arg(x->c, e, 0), &v) || !bv_is_zero(v)) return NULL;
  return amount(x, term_arg(x->c, e, 1));
}

static Z3_ast compute_amount(struct index *x, Z3_ast e) {
  Z3_context c = x->c;
  unsigned w = smt_width(c, e);
  Z3_ast v = NULL;
  if (term_is_number(c, e)) return number_amount(x, e);
  switch (term_kind(c, e)) {
  case Z3_OP_BADD:
    if (term_nargs(c, e) == 2)
      v = wrapped_up(x, plus(x, amount(x, term_arg(c, e, 0)), amount(x, term_arg(c, e, 1))), w);
    break;
  case Z3_OP_BSUB:
    v = remainder_amount(x, e);
    if (!v) v = wrapped_down(x, minus(x, amount(x, term_arg(c, e, 0)), amount(x, term_arg(c, e, 1))), w);
    break;
  case Z3_OP_BNEG: v = wrapped_down(x, minus(x, whole(x, 0), amount(x, term_arg(c, e, 0))), w); break;
  case Z3_OP_BAND:
    if (term_nargs(c, e) == 2) v = masked_amount(x, e);
    break;
  case Z3_OP_ZERO_EXT: v = amount(x, term_arg(c, e, 0)); break;
  case Z3_OP_EXTRACT: v = extracted_amount(x, e); break;
  case Z3_OP_CONCAT: v = joined_amount(x, e); break;
  case Z3_OP_ITE:
    v = Z3_mk_ite(c, truth_of(x, term_arg(c, e, 0)), amount(x, term_arg(c, e, 1)),
                  amount(x, term_arg(c, e, 2)));
    break;
  default: break;
  }
  return v ? v : unknown_amount(x, e);
}

/* The value of a bit-vector as an integer. */
static Z3_ast amount(struct index *x, Z3_ast e) {
  for (uint32_t k = 0; k < x->amounts.n; k++)
    if (x->amounts.at[k].term == e) return x->amounts.at[k].image;
  if (x->work++ > WORK_LIMIT) x->failed = true;
  Z3_ast v = x->failed ? whole(x, 0) : compute_amount(x, e);
  *vec_push(&x->amounts) = (struct image){e, NULL, v};
  return v;
}

/* ---- Bits --------------------------------------------------------------------------------------------- */

/* The unknown function of a term's bits, applied. */
static Z3_ast unknown_bit(struct index *x, Z3_ast e, Z3_ast i) {
  char name[32];
  snprintf(name, sizeof name, "bit!%u", Z3_get_ast_id(x->c, e));
  Z3_func_decl f =
      Z3_mk_func_decl(x->c, Z3_mk_string_symbol(x->c, name), 1, &x->integer, Z3_mk_bool_sort(x->c));
  *vec_push(&x->uses) = (struct use){e, i};
  return Z3_mk_app(x->c, f, 1, &i);
}

/* A term that is 2^*log, or 0 when *log is its width or more. */
static bool power_of(struct index *x, Z3_ast e, Z3_ast *log) {
  Z3_context c = x->c;
  struct bv v;
  unsigned w = smt_width(c, e);
  if (smt_value(c, e, &v)) {
    if (bv_is_zero(v) || !bv_is_zero(bv_and(v, bv_sub(v, bv_u64(w, 1))))) return false;
    *log = whole(x, (int64_t)bv_popcount(bv_sub(v, bv_u64(w, 1))));
    return true;
  }
  Z3_ast inner;
  if (term_kind(c, e) == Z3_OP_BSHL && power_of(x, term_arg(c, e, 0), &inner)) {
    *log = plus(x, inner, amount(x, term_arg(c, e, 1)));
    if (x->exponents.n < 16) *vec_push(&x->exponents) = *log;
    return true;
  }
  if (term_kind(c, e) != Z3_OP_ZERO_EXT || !power_of(x, term_arg(c, e, 0), &inner)) return false;
  Z3_ast inside = Z3_mk_lt(c, inner, whole(x, smt_width(c, term_arg(c, e, 0))));
  *log = Z3_mk_ite(c, inside, inner, whole(x, w));
  return true;
}

static Z3_ast bit_of_number(struct index *x, struct bv v, Z3_ast i) {
  Z3_ast any[MAX_RUNS];
  unsigned n = 0;
  for (unsigned lo = 0; lo < v.width;) {
    unsigned hi = lo;
    while (hi < v.width && bv_bit(v, hi)) hi++;
    if (hi > lo && n == MAX_RUNS) {
      x->failed = true;
      break;
    }
    if (hi > lo) any[n++] = both(x, Z3_mk_le(x->c, whole(x, lo), i), Z3_mk_lt(x->c, i, whole(x, hi)));
    lo = hi + 1;
  }
  return n ? Z3_mk_or(x->c, n, any) : Z3_mk_false(x->c);
}

static Z3_ast left_by(struct index *x, Z3_ast e, Z3_ast k, Z3_ast i) {
  return both(x, Z3_mk_ge(x->c, i, k), bit_at(x, e, minus(x, i, k)));
}

static Z3_ast right_by(struct index *x, Z3_ast e, Z3_ast k, Z3_ast i) {
  Z3_ast from = plus(x, i, k);
  return both(x, Z3_mk_lt(x->c, from, whole(x, smt_width(x->c, e))), bit_at(x, e, from));
}

static Z3_ast right_with_sign(struct index *x, Z3_ast e, Z3_ast k, Z3_ast i) {
  unsigned w = smt_width(x->c, e);
  Z3_ast from = plus(x, i, k);
  return Z3_mk_ite(x->c, Z3_mk_lt(x->c, from, whole(x, w)), bit_at(x, e, from),
                   bit_at(x, e, whole(x, w - 1)));
}

static Z3_ast extended(struct index *x, Z3_ast e, bool sign, Z3_ast i) {
  Z3_ast a = term_arg(x->c, e, 0);
  return sign ? right_with_sign(x, a, whole(x, 0), i) : right_by(x, a, whole(x, 0), i);
}

static Z3_ast joined(struct index *x, Z3_ast e, Z3_ast i) {
  unsigned n = term_nargs(x->c, e);
  Z3_ast out = NULL;
  int64_t at = smt_width(x->c, e);
  for (unsigned k = 0; k < n; k++) { /* from the top down */
    Z3_ast part = term_arg(x->c, e, k);
    at -= smt_width(x->c, part);
    Z3_ast b = bit_at(x, part, minus(x, i, whole(x, at)));
    if (k == 0) {
      out = b;
      continue;
    }
    out = Z3_mk_ite(x->c, Z3_mk_ge(x->c, i, whole(x, at + smt_width(x->c, part))), out, b);
  }
  return out;
}

/* The same bit of all operands. */
static Z3_ast bitwise(struct index *x, Z3_ast e, Z3_decl_kind k, Z3_ast i) {
  Z3_ast out = bit_at(x, term_arg(x->c, e, 0), i);
  for (unsigned n = 1; n < term_nargs(x->c, e); n++) {
    Z3_ast two[2] = {out, bit_at(x, term_arg(x->c, e, n), i)};
    out = k == Z3_OP_BAND  ? Z3_mk_and(x->c, 2, two)
          : k == Z3_OP_BOR ? Z3_mk_or(x->c, 2, two)
                           : Z3_mk_xor(x->c, two[0], two[1]);
  }
  return out;
}

static bool check(struct index *x, Z3_ast goal, double steps, uint64_t *used) {
  Z3_solver s = Z3_mk_simple_solver(x->c);
  Z3_solver_inc_ref(x->c, s);
  limit_steps(x->c, s, steps);
  for (uint32_t k = 0; k < x->axioms.n; k++) Z3_solver_assert(x->c, s, x->axioms.at[k]);
  Z3_solver_assert(x->c, s, Z3_mk_not(x->c, goal));
  bool proved = Z3_solver_check(x->c, s) == Z3_L_FALSE;
  if (used) *used = steps_of(x->c, s);
  Z3_solver_dec_ref(x->c, s);
  return proved;
}

/* Are no bits set in both (or, for subset, all of b's in a), whatever the inputs? */
static bool related(struct index *x, Z3_ast a, Z3_ast b, bool subset) {
  if (x->in_lemma || x->lemmas++ > 8) return false;
  x->in_lemma = true;
  Z3_ast i = Z3_mk_fresh_const(x->c, "i", x->integer);
  Z3_ast in = in_range(x, i, smt_width(x->c, a));
  Z3_ast p = bit_at(x, a, i), q = bit_at(x, b, i);
  Z3_ast claim = subset ? Z3_mk_implies(x->c, q, p) : Z3_mk_not(x->c, both(x, p, q));
  bool yes = !x->failed && check(x, Z3_mk_implies(x->c, in, claim), 60000, NULL);
  x->in_lemma = false;
  return yes;
}

static bool is_ones(struct index *x, Z3_ast e) {
  struct bv v;
  return smt_value(x->c, e, &v) && bv_is_zero(bv_not(v));
}

static bool is_small(struct index *x, Z3_ast e, uint64_t n) {
  struct bv v;
  return smt_value(x->c, e, &v) && bv_eq(v, bv_u64(v.width, n));
}

/* Sums that no carry runs through: 2^k - 1, and disjoint bits. NULL for others. */
static Z3_ast bit_of_sum(struct index *x, Z3_ast e, Z3_ast i) {
  Z3_context c = x->c;
  if (term_nargs(c, e) != 2) return NULL;
  Z3_ast a = term_arg(c, e, 0), b = term_arg(c, e, 1), log;
  if (is_ones(x, a) && power_of(x, b, &log)) return Z3_mk_lt(c, i, log);
  if (is_ones(x, b) && power_of(x, a, &log)) return Z3_mk_lt(c, i, log);
  return related(x, a, b, false) ? bitwise(x, e, Z3_OP_BOR, i) : NULL;
}

static Z3_ast bit_of_difference(struct index *x, Z3_ast e, Z3_ast i) {
  Z3_context c = x->c;
  Z3_ast a = term_arg(c, e, 0), b = term_arg(c, e, 1), log;
  if (is_small(x, b, 1) && power_of(x, a, &log)) return Z3_mk_lt(c, i, log);
  if (is_small(x, a, 0) && power_of(x, b, &log)) return Z3_mk_ge(c, i, log);
  if (!related(x, a, b, true)) return NULL;
  return both(x, bit_at(x, a, i), Z3_mk_not(c, bit_at(x, b, i)));
}

static Z3_ast bit_of_product(struct index *x, Z3_ast e, Z3_ast i) {
  for (unsigned k = 0; k < 2 && term_nargs(x->c, e) == 2; k++) {
    Z3_ast log;
    if (power_of(x, term_arg(x->c, e, k), &log)) return left_by(x, term_arg(x->c, e, 1 - k), log, i);
  }
  return NULL;
}

static Z3_ast bit_of_quotient(struct index *x, Z3_ast e, Z3_ast i) {
  Z3_ast log;
  if (!power_of(x, term_arg(x->c, e, 1), &log)) return NULL;
  Z3_ast by_zero = Z3_mk_ge(x->c, log, whole(x, smt_width(x->c, e)));
  return Z3_mk_or(x->c, 2, (Z3_ast[]){by_zero, right_by(x, term_arg(x->c, e, 0), log, i)});
}

static Z3_ast bit_of_operation(struct index *x, Z3_ast e, Z3_ast i) {
  Z3_context c = x->c;
  Z3_decl_kind k = term_kind(c, e);
  Z3_ast log;
  switch (k) {
  case Z3_OP_BNOT: return Z3_mk_not(c, bit_at(x, term_arg(c, e, 0), i));
  case Z3_OP_BAND:
  case Z3_OP_BOR:
  case Z3_OP_BXOR: return bitwise(x, e, k, i);
  case Z3_OP_BSHL: return left_by(x, term_arg(c, e, 0), amount(x, term_arg(c, e, 1)), i);
  case Z3_OP_BLSHR: return right_by(x, term_arg(c, e, 0), amount(x, term_arg(c, e, 1)), i);
  case Z3_OP_BASHR: return right_with_sign(x, term_arg(c, e, 0), amount(x, term_arg(c, e, 1)), i);
  case Z3_OP_CONCAT: return joined(x, e, i);
  case Z3_OP_EXTRACT: return bit_at(x, term_arg(c, e, 0), plus(x, i, whole(x, term_parameter(c, e, 1))));
  case Z3_OP_ZERO_EXT:
  case Z3_OP_SIGN_EXT: return extended(x, e, k == Z3_OP_SIGN_EXT, i);
  case Z3_OP_ITE:
    return Z3_mk_ite(c, truth_of(x, term_arg(c, e, 0)), bit_at(x, term_arg(c, e, 1), i),
                     bit_at(x, term_arg(c, e, 2), i));
  case Z3_OP_BADD: return bit_of_sum(x, e, i);
  case Z3_OP_BSUB: return bit_of_difference(x, e, i);
  case Z3_OP_BNEG: return power_of(x, term_arg(c, e, 0), &log) ? Z3_mk_ge(c, i, log) : NULL;
  case Z3_OP_BMUL: return bit_of_product(x, e, i);
  case Z3_OP_BUDIV: return bit_of_quotient(x, e, i);
  default: return NULL;
  }
}

/* Bit i of a term, for 0 <= i < its width. */
static Z3_ast bit_at(struct index *x, Z3_ast e, Z3_ast i) {
  struct bv v;
  i = Z3_simplify(x->c, i);
  for (uint32_t k = 0; k < x->bits.n; k++)
    if (x->bits.at[k].term == e && x->bits.at[k].at == i) return x->bits.at[k].image;
  if (x->work++ > WORK_LIMIT) x->failed = true;
  if (x->failed) return Z3_mk_false(x->c);
  Z3_ast b = smt_value(x->c, e, &v) ? bit_of_number(x, v, i) : bit_of_operation(x, e, i);
  if (!b) b = unknown_bit(x, e, i);
  *vec_push(&x->bits) = (struct image){e, i, b};
  return b;
}

/* ---- Truth -------------------------------------------------------------------------------------------- */

static Z3_ast agree(struct index *x, const struct equality *q, Z3_ast i) {
  return Z3_mk_iff(x->c, bit_at(x, q->a, i), bit_at(x, q->b, i));
}

/* The exponent of a power of two, in the order of the powers: -1 for 0. */
static bool rank_of(struct index *x, Z3_ast e, Z3_ast *rank) {
  Z3_ast log;
  if (!power_of(x, e, &log)) return false;
  Z3_ast inside = Z3_mk_lt(x->c, log, whole(x, smt_width(x->c, e)));
  *rank = Z3_mk_ite(x->c, inside, log, whole(x, -1));
  return true;
}

static Z3_ast equal(struct index *x, Z3_ast a, Z3_ast b) {
  Z3_context c = x->c;
  unsigned w = smt_width(c, a);
  Z3_ast p, r;
  if (rank_of(x, a, &p) && rank_of(x, b, &r)) return Z3_mk_eq(c, p, r);
  if (w == 1) return Z3_mk_iff(c, bit_at(x, a, whole(x, 0)), bit_at(x, b, whole(x, 0)));
  struct equality q = {a, b, Z3_mk_fresh_const(c, "equal", Z3_mk_bool_sort(c)),
                       Z3_mk_fresh_const(c, "differ", x->integer)};
  *vec_push(&x->equalities) = q;
  Z3_ast apart = both(x, in_range(x, q.differ, w), Z3_mk_not(c, agree(x, &q, q.differ)));
  *vec_push(&x->axioms) = Z3_mk_or(c, 2, (Z3_ast[]){q.holds, apart});
  *vec_push(&x->axioms) = Z3_mk_iff(c, q.holds, Z3_mk_eq(c, amount(x, a), amount(x, b)));
  return q.holds;
}

static Z3_ast signed_amount(struct index *x, Z3_ast e) {
  unsigned w = smt_width(x->c, e);
  Z3_ast v = amount(x, e);
  return Z3_mk_ite(x->c, Z3_mk_lt(x->c, v, two_to(x, w - 1)), v, minus(x, v, two_to(x, w)));
}

static Z3_ast below(struct index *x, Z3_ast e, Z3_decl_kind k) {
  Z3_context c = x->c;
  Z3_ast a = term_arg(c, e, 0), b = term_arg(c, e, 1);
  if (k == Z3_OP_SLT && is_small(x, b, 0)) return bit_at(x, a, whole(x, smt_width(c, a) - 1));
  Z3_ast p, q;
  if ((k == Z3_OP_ULT || k == Z3_OP_ULEQ) && rank_of(x, a, &p) && rank_of(x, b, &q))
    return k == Z3_OP_ULT ? Z3_mk_lt(c, p, q) : Z3_mk_le(c, p, q);
  bool is_signed = k == Z3_OP_SLT || k == Z3_OP_SLEQ;
  Z3_ast l = is_signed ? signed_amount(x, a) : amount(x, a),
         r = is_signed ? signed_amount(x, b) : amount(x, b);
  return k == Z3_OP_ULT || k == Z3_OP_SLT ? Z3_mk_lt(c, l, r) : Z3_mk_le(c, l, r);
}

static Z3_ast compute_truth(struct index *x, Z3_ast e) {
  Z3_context c = x->c;
  Z3_decl_kind k = term_kind(c, e);
  Z3_ast a[64];
  unsigned n = term_nargs(c, e);
  switch (k) {
  case Z3_OP_ULT:
  case Z3_OP_ULEQ:
  case Z3_OP_SLT:
  case Z3_OP_SLEQ: return below(x, e, k);
  case Z3_OP_EQ:
    if (term_is_bv(c, term_arg(c, e, 0))) return equal(x, term_arg(c, e, 0), term_arg(c, e, 1));
    break;
  case Z3_OP_AND:
  case Z3_OP_OR:
  case Z3_OP_NOT:
  case Z3_OP_XOR:
  case Z3_OP_IFF:
  case Z3_OP_IMPLIES:
  case Z3_OP_ITE: break;
  default: return e; /* an input, or a constant */
  }
  if (n > 64) return x->failed = true, e;
  for (unsigned i = 0; i < n; i++) a[i] = truth_of(x, term_arg(c, e, i));
  return Z3_update_term(c, e, n, a);
}

static Z3_ast truth_of(struct index *x, Z3_ast e) {
  for (uint32_t k = 0; k < x->truths.n; k++)
    if (x->truths.at[k].term == e) return x->truths.at[k].image;
  if (x->work++ > WORK_LIMIT) x->failed = true;
  Z3_ast t = x->failed ? Z3_mk_false(x->c) : compute_truth(x, e);
  *vec_push(&x->truths) = (struct image){e, NULL, t};
  return t;
}

/* ---- Instances of the equalities ----------------------------------------------------------------------- */

static bool add_instance(struct index *x, const struct equality *q, Z3_ast i) {
  unsigned w = smt_width(x->c, q->a);
  Z3_ast all[2] = {q->holds, in_range(x, i, w)};
  *vec_push(&x->axioms) = Z3_mk_implies(x->c, Z3_mk_and(x->c, 2, all), agree(x, q, i));
  return !x->failed;
}

/* The bits at which an equality may say something of what the other formulas ask: where it differs by
 * assumption, and where its own uses at a bit i + d fall on a use at bit u: i = u - d. */
static void bits_of_interest(struct index *x, const struct equality *q, uint32_t nuse, struct ast_list *out) {
  Z3_ast i = Z3_mk_fresh_const(x->c, "i", x->integer);
  agree(x, q, i);
  uint32_t end = x->uses.n;
  for (uint32_t k = nuse; k < end; k++) {
    Z3_ast d = Z3_simplify(x->c, minus(x, x->uses.at[k].at, i));
    if (term_mentions(x->c, d, i)) continue;
    for (uint32_t j = 0; j < nuse && out->n < MAX_INSTANCES; j++) {
      if (x->uses.at[j].term != x->uses.at[k].term) continue;
      Z3_ast t = Z3_simplify(x->c, minus(x, x->uses.at[j].at, d));
      bool known = false;
      for (uint32_t m = 0; m < out->n; m++) known |= out->at[m] == t;
      if (!known) *vec_push(out) = t;
    }
  }
  x->uses.n = nuse;
}

static void instantiate(struct index *x) {
  uint32_t n = x->equalities.n, nuse = x->uses.n;
  for (uint32_t k = 0; k < n && !x->failed; k++) {
    struct ast_list at = {0};
    struct equality q = x->equalities.at[k];
    for (uint32_t j = 0; j < n; j++) *vec_push(&at) = x->equalities.at[j].differ;
    for (uint32_t j = 0; j < x->exponents.n; j++) *vec_push(&at) = x->exponents.at[j];
    bits_of_interest(x, &q, nuse, &at);
    for (uint32_t j = 0; j < at.n; j++)
      if (!add_instance(x, &q, at.at[j])) break;
    vec_free(&at);
  }
}

struct outcome index_prove(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                           double steps) {
  struct outcome out = {.answer = OPEN, .rung = RUNG_INDEX};
  struct index x = {.c = q->c, .integer = Z3_mk_int_sort(q->c)};
  Z3_ast goal = truth_of(&x, Z3_mk_implies(q->c, conjunction(q->c, premises), claim));
  if (!x.failed) instantiate(&x);
  if (!x.failed && check(&x, goal, steps, &out.steps)) out.answer = VALID;
  vec_free(&x.amounts);
  vec_free(&x.bits);
  vec_free(&x.truths);
  vec_free(&x.equalities);
  vec_free(&x.uses);
  vec_free(&x.axioms);
  vec_free(&x.exponents);
  return out;
}
