/* ring_terms.c: bit-vector and Bool terms to polynomials and integer formulas; what premises say of ranges.
 */
#include "ring_ops.h"

#include <stdlib.h>

#include "terms.h"
#include "util/diag.h"

/* ---- Bit-vector terms ---------------------------------------------------------------------------------- */

static unsigned width_of(struct ring *r, Z3_ast e) {
  return Z3_get_bv_sort_size(r->ctx, Z3_get_sort(r->ctx, e));
}
static Z3_ast arg(struct ring *r, Z3_ast e, unsigned i) { return term_arg(r->ctx, e, i); }
static bool is_kind(struct ring *r, Z3_ast e, Z3_decl_kind k) { return term_kind(r->ctx, e) == k; }
static bool is_number(struct ring *r, Z3_ast e, unsigned v) {
  uint64_t got;
  return term_is_number(r->ctx, e) && Z3_get_numeral_uint64(r->ctx, e, &got) && got == v;
}
static const struct poly *canon_arg(struct ring *r, Z3_ast e, unsigned i) {
  Z3_ast a = arg(r, e, i);
  return ring_canon(r, ring_bv(r, a), width_of(r, a));
}

static const struct poly *all_ones(struct ring *r, unsigned w) {
  return poly_sub(&r->p, poly_shift(&r->p, poly_int(&r->p, 1), w), poly_int(&r->p, 1));
}

/* The range of an input; a new entry says all of [0, 2^w). */
static struct ring_range *range_of(struct ring *r, Z3_ast e, unsigned w) {
  for (uint32_t i = 0; i < r->ranges.n; i++)
    if (r->ranges.at[i].input == e) return &r->ranges.at[i];
  struct ring_range *k = vec_push(&r->ranges);
  k->input = e;
  mpz_inits(k->lo, k->hi, NULL);
  mpz_setbit(k->hi, w);
  mpz_sub_ui(k->hi, k->hi, 1);
  return k;
}

static void clip_range(struct ring_range *k, const mpz_t lo, const mpz_t hi) {
  if (mpz_cmp(lo, k->lo) > 0) mpz_set(k->lo, lo);
  if (mpz_cmp(hi, k->hi) < 0) mpz_set(k->hi, hi);
  if (mpz_cmp(k->lo, k->hi) > 0) mpz_set(k->lo, k->hi); /* contradictory premises: any range is right */
}

/* lo <= x <= hi for an input x, where one of the two is `bound` (moved by one when strict); as signed numbers
 * when that leaves x on one side of zero. */
static void clip_input(struct ring *r, Z3_ast x, Z3_ast bound, bool above, bool strict, bool is_signed) {
  unsigned w = width_of(r, x);
  struct ring_range *k = range_of(r, x, w);
  mpz_t v, half, full;
  mpz_init_set_str(v, Z3_get_numeral_string(r->ctx, bound), 10);
  mpz_inits(half, full, NULL);
  mpz_setbit(half, w - 1);
  mpz_setbit(full, w);
  bool negative = is_signed && mpz_cmp(v, half) >= 0;
  if (strict && above) mpz_add_ui(v, v, 1);
  if (strict && !above) mpz_sub_ui(v, v, 1);
  if (!is_signed)
    clip_range(k, above ? v : k->lo, above ? k->hi : v);
  else if (above && !negative && mpz_cmp(v, half) < 0) {
    mpz_sub_ui(half, half, 1);
    clip_range(k, v, half);
  } else if (!above && (negative || mpz_sgn(v) < 0)) { /* v <= -1, as unsigned */
    if (mpz_sgn(v) < 0) mpz_add(v, v, full);
    if (mpz_cmp(v, half) >= 0) clip_range(k, half, v);
  }
  mpz_clears(v, half, full, NULL);
}

/* Something is below a product of extended inputs: none of them is 0. */
static void factors_nonzero(struct ring *r, Z3_ast e) {
  if (!is_kind(r, e, Z3_OP_BMUL)) return;
  mpz_t one;
  mpz_init_set_ui(one, 1);
  for (unsigned i = 0; i < Z3_get_app_num_args(r->ctx, Z3_to_app(r->ctx, e)); i++) {
    Z3_ast x = arg(r, e, i);
    if (is_kind(r, x, Z3_OP_ZERO_EXT)) x = arg(r, x, 0);
    if (!term_is_input(r->ctx, x)) continue;
    struct ring_range *k = range_of(r, x, width_of(r, x));
    clip_range(k, one, k->hi);
  }
  mpz_clear(one);
}

void ring_assume(struct ring *r, Z3_ast premise) {
  bool negated = is_kind(r, premise, Z3_OP_NOT);
  Z3_ast e = negated ? arg(r, premise, 0) : premise;
  if (negated && is_kind(r, e, Z3_OP_EQ) && term_is_input(r->ctx, arg(r, e, 0)) &&
      is_number(r, arg(r, e, 1), 0)) {
    struct ring_range *k = range_of(r, arg(r, e, 0), width_of(r, arg(r, e, 0)));
    mpz_t one;
    mpz_init_set_ui(one, 1);
    clip_range(k, one, k->hi);
    mpz_clear(one);
    return;
  }
  bool is_signed = is_kind(r, e, Z3_OP_SLT) || is_kind(r, e, Z3_OP_SLEQ);
  bool less = is_kind(r, e, Z3_OP_ULT) || is_kind(r, e, Z3_OP_SLT);
  if (!is_signed && !less && !is_kind(r, e, Z3_OP_ULEQ)) return;
  Z3_ast a = arg(r, e, 0), b = arg(r, e, 1);
  /* not (a < b) is b <= a, not (a <= b) is b < a */
  bool strict = negated ? !less : less;
  Z3_ast low = negated ? b : a, high = negated ? a : b;
  if (strict && !is_signed) factors_nonzero(r, high);
  if (term_is_input(r->ctx, low) && Z3_get_ast_kind(r->ctx, high) == Z3_NUMERAL_AST)
    clip_input(r, low, high, false, strict, is_signed);
  else if (term_is_input(r->ctx, high) && Z3_get_ast_kind(r->ctx, low) == Z3_NUMERAL_AST)
    clip_input(r, high, low, true, strict, is_signed);
}

static const struct poly *input(struct ring *r, Z3_ast e, unsigned w) {
  mpz_t lo, hi;
  mpz_inits(lo, hi, NULL);
  const struct poly *p;
  if (r->bits) {
    mpz_set_ui(hi, 1);
    p = poly_int(&r->p, 0);
    for (unsigned i = 0; i < w; i++) {
      uint32_t a = ring_new_atom(r, (struct atom_def){.kind = ATOM_BIT, .ast = e, .k = i}, lo, hi);
      p = poly_add(&r->p, p, poly_shift(&r->p, poly_atom(&r->p, a), i));
    }
  } else {
    const struct ring_range *known = range_of(r, e, w);
    uint32_t a = ring_new_atom(r, (struct atom_def){.kind = ATOM_VAR, .ast = e}, known->lo, known->hi);
    *vec_push(&r->inputs) = a;
    p = poly_atom(&r->p, a);
  }
  mpz_clears(lo, hi, NULL);
  return p;
}

/* The top bit of a term: of a bitwise operation, that operation on the operands' top bits. */
static const struct poly *top_bit(struct ring *r, Z3_ast e, unsigned w) {
  if (is_kind(r, e, Z3_OP_BNOT)) return poly_sub(&r->p, poly_int(&r->p, 1), top_bit(r, arg(r, e, 0), w));
  bool and = is_kind(r, e, Z3_OP_BAND), or = is_kind(r, e, Z3_OP_BOR);
  if (!and&&! or &&!is_kind(r, e, Z3_OP_BXOR)) return ring_sign_bit(r, ring_canon(r, ring_bv(r, e), w), w);
  const struct poly *v = top_bit(r, arg(r, e, 0), w);
  for (unsigned i = 1; i < Z3_get_app_num_args(r->ctx, Z3_to_app(r->ctx, e)) && !r->p.failed; i++) {
    const struct poly *b = top_bit(r, arg(r, e, i), w), *both = ring_product(r, v, b);
    v = and? both : poly_lin_si(&r->p, poly_add(&r->p, v, b), 1, both, or ? -1 : -2);
  }
  return v;
}

static const struct poly *shift_right(struct ring *r, Z3_ast e, unsigned w, bool arithmetic) {
  if (is_number(r, arg(r, e, 1), w - 1))
    return poly_scale(&r->p, top_bit(r, arg(r, e, 0), w), arithmetic ? -1 : 1);
  const struct poly *a = canon_arg(r, e, 0), *p = ring_pow2(r, arg(r, e, 1), w);
  const struct poly *fill = poly_int(&r->p, 0);
  if (arithmetic) {
    fill = poly_scale(&r->p, ring_sign_bit(r, a, w), -1);
    a = ring_signed_value(r, a, w);
  }
  return ring_quotient(r, a, p, fill);
}

static const struct poly *unsigned_rem(struct ring *r, Z3_ast e, unsigned w) {
  const struct poly *a = canon_arg(r, e, 0), *b = canon_arg(r, e, 1);
  const struct poly *q = ring_quotient(r, a, b, all_ones(r, w));
  struct poly *v = poly_sub(&r->p, a, ring_product(r, q, b));
  mpz_t k;
  mpz_init(k);
  poly_clip_si(v, 0, a->hi);
  if (poly_const(b, k) && mpz_sgn(k) > 0) {
    mpz_sub_ui(k, k, 1);
    poly_clip(v, NULL, k);
  }
  mpz_clear(k);
  return v;
}

/* The magnitude of a canonical value, and its sign as 1 or -1. */
static const struct poly *magnitude(struct ring *r, const struct poly *a, unsigned w,
                                    const struct poly **sign) {
  const struct poly *s = ring_sign_bit(r, a, w);
  *sign = poly_sub(&r->p, poly_int(&r->p, 1), poly_scale(&r->p, s, 2));
  const struct poly *m = ring_product(r, *sign, poly_sub(&r->p, a, poly_shift(&r->p, s, w)));
  struct poly *copy = poly_scale(&r->p, m, 1);
  mpz_t max;
  mpz_init(max);
  mpz_setbit(max, w - 1);
  poly_clip(copy, m->lo, m->hi);
  poly_clip_si(copy, 0, max);
  ring_bounds(r, ring_term(r, copy), copy->lo, copy->hi);
  mpz_clear(max);
  return copy;
}

static const struct poly *signed_div(struct ring *r, Z3_ast e, unsigned w, bool rem) {
  const struct poly *sa, *sb;
  const struct poly *ua = magnitude(r, canon_arg(r, e, 0), w, &sa),
                    *ub = magnitude(r, canon_arg(r, e, 1), w, &sb);
  const struct poly *q = ring_quotient(r, ua, ub, all_ones(r, w));
  if (!rem) return ring_product(r, ring_product(r, sa, sb), q);
  return ring_product(r, sa, poly_sub(&r->p, ua, ring_product(r, q, ub)));
}

/* The 0/1 value of a Bool term: a polynomial of sign bits and 1-bit values where its shape allows, so that
 * signs are not hidden behind formulas. */
static const struct poly *condition(struct ring *r, Z3_ast e) {
  Z3_context c = r->ctx;
  if (Z3_get_ast_kind(c, e) != Z3_APP_AST || r->p.failed) return ring_bool_poly(r, ring_bool(r, e));
  Z3_decl_kind k = Z3_get_decl_kind(c, Z3_get_app_decl(c, Z3_to_app(c, e)));
  unsigned n = Z3_get_app_num_args(c, Z3_to_app(c, e));
  if (k == Z3_OP_NOT) return poly_sub(&r->p, poly_int(&r->p, 1), condition(r, arg(r, e, 0)));
  if (k == Z3_OP_SLT && is_number(r, arg(r, e, 1), 0))
    return top_bit(r, arg(r, e, 0), width_of(r, arg(r, e, 0)));
  if (k == Z3_OP_EQ && Z3_get_sort_kind(c, Z3_get_sort(c, arg(r, e, 0))) == Z3_BV_SORT &&
      width_of(r, arg(r, e, 0)) == 1) {
    if (is_number(r, arg(r, e, 1), 1)) return canon_arg(r, e, 0);
    if (is_number(r, arg(r, e, 0), 1)) return canon_arg(r, e, 1);
  }
  if (n == 2 && (k == Z3_OP_XOR || k == Z3_OP_AND || k == Z3_OP_OR)) {
    const struct poly *a = condition(r, arg(r, e, 0)), *b = condition(r, arg(r, e, 1));
    if (a->n * b->n <= 16) {
      const struct poly *ab = ring_product(r, a, b);
      if (k == Z3_OP_AND) return ab;
      return poly_lin_si(&r->p, poly_add(&r->p, a, b), 1, ab, k == Z3_OP_OR ? -1 : -2);
    }
  }
  return ring_bool_poly(r, ring_bool(r, e));
}

static const struct poly *choose(struct ring *r, Z3_ast e, unsigned w) {
  Z3_ast x = arg(r, e, 1), y = arg(r, e, 2), cond = arg(r, e, 0);
  const struct poly *c = condition(r, cond), *sign;
  if (is_kind(r, x, Z3_OP_BNEG) && arg(r, x, 0) == y) {
    if (is_kind(r, cond, Z3_OP_SLT) && arg(r, cond, 0) == y && is_number(r, arg(r, cond, 1), 0))
      return magnitude(r, ring_canon(r, ring_bv(r, y), w), w, &sign);
    return ring_product(r, poly_sub(&r->p, poly_int(&r->p, 1), poly_scale(&r->p, c, 2)), ring_bv(r, y));
  }
  const struct poly *a = canon_arg(r, e, 1), *b = canon_arg(r, e, 2);
  const struct poly *m = ring_product(r, c, poly_sub(&r->p, a, b));
  struct poly *v = poly_add(&r->p, b, m);
  poly_clip(v, mpz_cmp(a->lo, b->lo) < 0 ? a->lo : b->lo, mpz_cmp(a->hi, b->hi) > 0 ? a->hi : b->hi);
  if (!r->p.failed) ring_bounds(r, ring_term(r, v), v->lo, v->hi);
  return v;
}

static const struct poly *concat(struct ring *r, Z3_ast e, unsigned n) {
  const struct poly *v = ring_bv(r, arg(r, e, 0));
  for (unsigned i = 1; i < n; i++)
    v = poly_add(&r->p, poly_shift(&r->p, v, width_of(r, arg(r, e, i))), canon_arg(r, e, i));
  return v;
}

static const struct poly *numeral(struct ring *r, Z3_ast e) {
  mpz_t v;
  mpz_init_set_str(v, Z3_get_numeral_string(r->ctx, e), 10);
  const struct poly *p = poly_mpz(&r->p, v);
  mpz_clear(v);
  return p;
}

/* Operators of the ring and bitwise ones, folded over their n operands. */
static const struct poly *fold(struct ring *r, Z3_ast e, Z3_decl_kind k, unsigned n, unsigned w) {
  const struct poly *v = ring_bv(r, arg(r, e, 0));
  for (unsigned i = 1; i < n && !r->p.failed; i++) {
    const struct poly *b = ring_bv(r, arg(r, e, i));
    switch (k) {
    case Z3_OP_BADD: v = poly_add(&r->p, v, b); break;
    case Z3_OP_BSUB: v = poly_sub(&r->p, v, b); break;
    case Z3_OP_BMUL: v = ring_product(r, v, b); break;
    case Z3_OP_BAND: v = ring_and(r, v, b, w); break;
    default: { /* a | b = a + b - (a & b), a ^ b = a + b - 2 (a & b) */
      const struct poly *common = ring_and(r, v, b, w);
      v = poly_lin_si(&r->p, poly_add(&r->p, v, b), 1, common, k == Z3_OP_BOR ? -1 : -2);
    }
    }
  }
  return v;
}

static const struct poly *translate(struct ring *r, Z3_ast e) {
  if (Z3_get_ast_kind(r->ctx, e) == Z3_NUMERAL_AST) return numeral(r, e);
  if (Z3_get_ast_kind(r->ctx, e) != Z3_APP_AST) goto fail;
  Z3_app app = Z3_to_app(r->ctx, e);
  Z3_func_decl d = Z3_get_app_decl(r->ctx, app);
  Z3_decl_kind k = Z3_get_decl_kind(r->ctx, d);
  unsigned n = Z3_get_app_num_args(r->ctx, app), w = width_of(r, e);
  switch (k) {
  case Z3_OP_UNINTERPRETED:
    if (n) goto fail;
    return input(r, e, w);
  case Z3_OP_BADD:
  case Z3_OP_BSUB:
  case Z3_OP_BMUL:
  case Z3_OP_BAND:
  case Z3_OP_BOR:
  case Z3_OP_BXOR: return fold(r, e, k, n, w);
  case Z3_OP_BNEG: return poly_scale(&r->p, ring_bv(r, arg(r, e, 0)), -1);
  case Z3_OP_BNOT: return poly_sub(&r->p, poly_int(&r->p, -1), ring_bv(r, arg(r, e, 0)));
  case Z3_OP_BSHL: return ring_product(r, ring_bv(r, arg(r, e, 0)), ring_pow2(r, arg(r, e, 1), w));
  case Z3_OP_BLSHR: return shift_right(r, e, w, false);
  case Z3_OP_BASHR: return shift_right(r, e, w, true);
  case Z3_OP_BUDIV:
  case Z3_OP_BUDIV_I: return ring_quotient(r, canon_arg(r, e, 0), canon_arg(r, e, 1), all_ones(r, w));
  case Z3_OP_BUREM:
  case Z3_OP_BUREM_I: return unsigned_rem(r, e, w);
  case Z3_OP_BSDIV:
  case Z3_OP_BSDIV_I: return signed_div(r, e, w, false);
  case Z3_OP_BSREM:
  case Z3_OP_BSREM_I: return signed_div(r, e, w, true);
  case Z3_OP_EXTRACT: {
    unsigned lo = (unsigned)Z3_get_decl_int_parameter(r->ctx, d, 1), from = width_of(r, arg(r, e, 0));
    if (lo && lo == from - 1) return top_bit(r, arg(r, e, 0), from);
    return lo ? ring_floor_pow2(r, canon_arg(r, e, 0), lo) : ring_bv(r, arg(r, e, 0));
  }
  case Z3_OP_CONCAT: return concat(r, e, n);
  case Z3_OP_ZERO_EXT: return canon_arg(r, e, 0);
  case Z3_OP_SIGN_EXT: return ring_signed_value(r, canon_arg(r, e, 0), width_of(r, arg(r, e, 0)));
  case Z3_OP_ITE: return choose(r, e, w);
  default: break;
  }
fail:
  r->p.failed = true;
  return poly_int(&r->p, 0);
}

/* The slot of a term in the table of translated ones. */
static uint32_t slot_of(const struct ring *r, unsigned id) {
  uint32_t at = id * 2654435761u % r->nslot;
  while (r->slots[at] && r->done.at[r->slots[at] - 1].id != id) at = (at + 1) % r->nslot;
  return at;
}

static void remember(struct ring *r, struct ring_done d) {
  if (r->done.n + 1 >= r->nslot / 2) r->p.failed = true;
  if (r->p.failed) return;
  *vec_push(&r->done) = d;
  r->slots[slot_of(r, d.id)] = (int)r->done.n;
}

const struct poly *ring_bv(struct ring *r, Z3_ast e) {
  if (r->p.failed) return poly_int(&r->p, 0);
  unsigned id = Z3_get_ast_id(r->ctx, e), w = width_of(r, e);
  uint32_t at = slot_of(r, id);
  if (r->slots[at]) return r->done.at[r->slots[at] - 1].poly;
  const struct poly *p = translate(r, e);
  if (!poly_in_range(p, w) && poly_reduce(&r->p, p, w)->n == 0) p = poly_int(&r->p, 0);
  remember(r, (struct ring_done){.id = id, .ast = e, .poly = p});
  return p;
}

/* ---- Bool terms ---------------------------------------------------------------------------------------- */

static Z3_ast equal_bv(struct ring *r, Z3_ast x, Z3_ast y) {
  unsigned w = width_of(r, x);
  const struct poly *a = ring_bv(r, x), *b = ring_bv(r, y);
  const struct poly *d = poly_reduce(&r->p, poly_sub(&r->p, a, b), w), *exact = poly_sub(&r->p, a, b);
  if (!d->n) return Z3_mk_true(r->ctx);
  mpz_t k, m, neg;
  mpz_inits(k, m, neg, NULL);
  mpz_setbit(m, w);
  mpz_neg(neg, m);
  Z3_ast z;
  const struct poly *near = NULL;
  if (poly_const(d, k)) {
    z = Z3_mk_false(r->ctx);
  } else { /* congruent modulo 2^w and nearer than 2^w: equal */
    if (mpz_cmp(exact->hi, m) < 0 && mpz_cmp(exact->lo, neg) > 0)
      near = exact;
    else if (mpz_cmp(d->hi, m) < 0 && mpz_cmp(d->lo, neg) > 0)
      near = d;
    else
      near = poly_sub(&r->p, ring_canon(r, a, w), ring_canon(r, b, w));
    z = Z3_mk_eq(r->ctx, ring_term(r, near), ring_int(r, 0));
  }
  mpz_clears(k, m, neg, NULL);
  if (Z3_get_bool_value(r->ctx, z) == Z3_L_UNDEF && r->equations.n < 64)
    *vec_push(&r->equations) = (struct ring_equation){x, y, z, near};
  return z;
}

static Z3_ast compare(struct ring *r, Z3_ast e, Z3_decl_kind k) {
  const struct poly *a = canon_arg(r, e, 0), *b = canon_arg(r, e, 1);
  unsigned w = width_of(r, arg(r, e, 0));
  if (k == Z3_OP_SLT || k == Z3_OP_SLEQ || k == Z3_OP_SGT || k == Z3_OP_SGEQ) {
    a = ring_signed_value(r, a, w);
    b = ring_signed_value(r, b, w);
  }
  const struct poly *d = poly_sub(&r->p, a, b);
  Z3_ast z = ring_term(r, d), zero = ring_int(r, 0);
  bool below = mpz_sgn(d->hi) < 0, at_most = mpz_sgn(d->hi) <= 0;
  bool above = mpz_sgn(d->lo) > 0, at_least = mpz_sgn(d->lo) >= 0;
  bool strict = k == Z3_OP_ULT || k == Z3_OP_SLT || k == Z3_OP_UGEQ || k == Z3_OP_SGEQ;
  bool negated = k == Z3_OP_UGT || k == Z3_OP_SGT || k == Z3_OP_UGEQ || k == Z3_OP_SGEQ;
  Z3_ast less; /* d < 0 or d <= 0; the two others are their negations */
  if (strict ? below : at_most)
    less = Z3_mk_true(r->ctx);
  else if (strict ? at_least : above)
    less = Z3_mk_false(r->ctx);
  else {
    less = strict ? Z3_mk_lt(r->ctx, z, zero) : Z3_mk_le(r->ctx, z, zero);
    if (r->orders.n < 24) *vec_push(&r->orders) = (struct ring_order){d, less, strict};
  }
  return negated ? Z3_mk_not(r->ctx, less) : less;
}

static Z3_ast connective(struct ring *r, Z3_ast e, Z3_decl_kind k, unsigned n) {
  Z3_ast *a = calloc(n ? n : 1, sizeof *a), z;
  if (!a) bug("out of memory");
  for (unsigned i = 0; i < n; i++) a[i] = ring_bool(r, arg(r, e, i));
  switch (k) {
  case Z3_OP_AND: z = Z3_mk_and(r->ctx, n, a); break;
  case Z3_OP_OR: z = Z3_mk_or(r->ctx, n, a); break;
  case Z3_OP_NOT: z = Z3_mk_not(r->ctx, a[0]); break;
  case Z3_OP_IMPLIES: z = Z3_mk_implies(r->ctx, a[0], a[1]); break;
  case Z3_OP_XOR: z = Z3_mk_xor(r->ctx, a[0], a[1]); break;
  case Z3_OP_ITE: z = Z3_mk_ite(r->ctx, a[0], a[1], a[2]); break;
  default: z = Z3_mk_iff(r->ctx, a[0], a[1]); break;
  }
  free(a);
  return z;
}

static Z3_ast translate_bool(struct ring *r, Z3_ast e) {
  if (Z3_get_ast_kind(r->ctx, e) != Z3_APP_AST) goto fail;
  Z3_app app = Z3_to_app(r->ctx, e);
  Z3_decl_kind k = Z3_get_decl_kind(r->ctx, Z3_get_app_decl(r->ctx, app));
  unsigned n = Z3_get_app_num_args(r->ctx, app);
  switch (k) {
  case Z3_OP_TRUE:
  case Z3_OP_FALSE: return e;
  case Z3_OP_UNINTERPRETED:
    if (n) goto fail;
    return e;
  case Z3_OP_XOR:
    if (n != 2) goto fail;
    return connective(r, e, k, n);
  case Z3_OP_AND:
  case Z3_OP_OR:
  case Z3_OP_NOT:
  case Z3_OP_IMPLIES:
  case Z3_OP_ITE:
  case Z3_OP_IFF: return connective(r, e, k, n);
  case Z3_OP_EQ:
  case Z3_OP_DISTINCT: {
    if (n != 2) goto fail;
    Z3_sort_kind s = Z3_get_sort_kind(r->ctx, Z3_get_sort(r->ctx, arg(r, e, 0)));
    if (s != Z3_BOOL_SORT && s != Z3_BV_SORT) goto fail;
    Z3_ast eq = s == Z3_BOOL_SORT ? connective(r, e, Z3_OP_IFF, n) : equal_bv(r, arg(r, e, 0), arg(r, e, 1));
    return k == Z3_OP_EQ ? eq : Z3_mk_not(r->ctx, eq);
  }
  case Z3_OP_ULT:
  case Z3_OP_ULEQ:
  case Z3_OP_UGT:
  case Z3_OP_UGEQ:
  case Z3_OP_SLT:
  case Z3_OP_SLEQ:
  case Z3_OP_SGT:
  case Z3_OP_SGEQ: return compare(r, e, k);
  default: break;
  }
fail:
  r->p.failed = true;
  return Z3_mk_false(r->ctx);
}

Z3_ast ring_bool(struct ring *r, Z3_ast e) {
  if (r->p.failed) return Z3_mk_false(r->ctx);
  unsigned id = Z3_get_ast_id(r->ctx, e);
  uint32_t at = slot_of(r, id);
  if (r->slots[at]) return r->done.at[r->slots[at] - 1].z;
  Z3_ast z = Z3_simplify(r->ctx, translate_bool(r, e));
  remember(r, (struct ring_done){.id = id, .ast = e, .z = z});
  return z;
}
