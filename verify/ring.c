/* ring.c: see ring.h. */
#include "ring_ops.h"

#include <stdlib.h>
#include <string.h>

#include "util/diag.h"

void ring_init(struct ring *r, Z3_context ctx, bool bits, uint64_t work_limit) {
  *r = (struct ring){.ctx = ctx, .bits = bits, .nslot = 1 << 14};
  poly_ctx_init(&r->p, work_limit);
  for (unsigned i = 0; i < 1024; i++) r->buckets[i] = -1;
  r->slots = calloc(r->nslot, sizeof *r->slots);
  if (!r->slots) bug("out of memory");
}

void ring_free(struct ring *r) {
  poly_ctx_free(&r->p);
  for (uint32_t i = 0; i < r->monos.n; i++) mpz_clear(r->monos.at[i].t.c);
  vec_free(&r->defs);
  vec_free(&r->axioms);
  vec_free(&r->entries);
  vec_free(&r->monos);
  vec_free(&r->done);
  vec_free(&r->bool_atoms);
  vec_free(&r->inputs);
  vec_free(&r->equations);
  vec_free(&r->orders);
  for (uint32_t i = 0; i < r->ranges.n; i++) mpz_clears(r->ranges.at[i].lo, r->ranges.at[i].hi, NULL);
  vec_free(&r->ranges);
  free(r->slots);
}

/* ---- Integer terms ------------------------------------------------------------------------------------ */

static Z3_sort int_sort(struct ring *r) { return Z3_mk_int_sort(r->ctx); }

Z3_ast ring_int(struct ring *r, long v) { return Z3_mk_int64(r->ctx, v, int_sort(r)); }

Z3_ast ring_mpz(struct ring *r, const mpz_t v) {
  char *s = mpz_get_str(NULL, 10, v);
  Z3_ast e = Z3_mk_numeral(r->ctx, s, int_sort(r));
  free(s);
  return e;
}

void ring_axiom(struct ring *r, Z3_ast e) { *vec_push(&r->axioms) = e; }

void ring_bounds(struct ring *r, Z3_ast z, const mpz_t lo, const mpz_t hi) {
  ring_axiom(r, Z3_mk_ge(r->ctx, z, ring_mpz(r, lo)));
  ring_axiom(r, Z3_mk_le(r->ctx, z, ring_mpz(r, hi)));
}

uint32_t ring_new_atom(struct ring *r, struct atom_def def, const mpz_t lo, const mpz_t hi) {
  static const char *const prefix[] = {"x", "bit", "floor", "and", "pow2", "quot", "bool"};
  uint32_t a = poly_new_atom(&r->p, lo, hi);
  char name[32];
  snprintf(name, sizeof name, "%s!%u", prefix[def.kind], a);
  def.z = Z3_mk_const(r->ctx, Z3_mk_string_symbol(r->ctx, name), int_sort(r));
  *vec_push(&r->defs) = def;
  ring_bounds(r, def.z, lo, hi);
  if (a > 20000) r->p.failed = true;
  return a;
}

static bool same_mono(const struct term *a, const struct term *b) {
  return a->n == b->n && !memcmp(a->m, b->m, a->n * sizeof a->m[0]);
}

/* Axioms that tie a product to the product without one factor: exact for 0/1 factors, monotone for others. */
static void mono_axioms(struct ring *r, const struct term *t, Z3_ast z, bool nonneg) {
  Z3_context c = r->ctx;
  Z3_ast zero = ring_int(r, 0), one = ring_int(r, 1);
  for (uint32_t i = 0; i < t->n; i++) {
    bool boolean = r->p.atoms.at[t->m[i]].boolean;
    if (!boolean && !(t->n == 2 && nonneg && mpz_sgn(r->p.atoms.at[t->m[1 - i]].lo) >= 0)) continue;
    struct term rest = {.n = t->n - 1};
    for (uint32_t j = 0; j < rest.n; j++) rest.m[j] = t->m[j < i ? j : j + 1];
    Z3_ast a = r->defs.at[t->m[i]].z, rz = ring_mono(r, &rest);
    ring_axiom(r, Z3_mk_implies(c, Z3_mk_eq(c, a, zero), Z3_mk_eq(c, z, zero)));
    if (boolean)
      ring_axiom(r, Z3_mk_implies(c, Z3_mk_eq(c, a, one), Z3_mk_eq(c, z, rz)));
    else
      ring_axiom(r, Z3_mk_implies(c, Z3_mk_ge(c, a, one), Z3_mk_ge(c, z, rz)));
  }
}

Z3_ast ring_mono(struct ring *r, const struct term *t) {
  if (t->n == 0) return ring_int(r, 1);
  if (t->n == 1) return r->defs.at[t->m[0]].z;
  for (uint32_t i = 0; i < r->monos.n; i++)
    if (same_mono(&r->monos.at[i].t, t)) return r->monos.at[i].z;
  if (r->monos.n > 20000) r->p.failed = true;
  char name[32];
  snprintf(name, sizeof name, "mono!%u", r->monos.n);
  Z3_ast z = Z3_mk_const(r->ctx, Z3_mk_string_symbol(r->ctx, name), int_sort(r));
  struct mono_z *m = vec_push(&r->monos);
  *m = (struct mono_z){.t = *t, .z = z};
  mpz_init(m->t.c);
  mpz_t lo, hi;
  mpz_inits(lo, hi, NULL);
  mono_bounds(&r->p, t, lo, hi);
  ring_bounds(r, z, lo, hi);
  struct term copy = {.n = t->n};
  memcpy(copy.m, t->m, sizeof copy.m);
  mono_axioms(r, &copy, z, mpz_sgn(lo) >= 0);
  mpz_clears(lo, hi, NULL);
  return z;
}

Z3_ast ring_term(struct ring *r, const struct poly *p) {
  if (!p->n) return ring_int(r, 0);
  Z3_ast *s = calloc(p->n, sizeof *s);
  if (!s) bug("out of memory");
  for (uint32_t i = 0; i < p->n; i++) {
    s[i] = ring_mpz(r, p->t[i].c);
    if (p->t[i].n) s[i] = Z3_mk_mul(r->ctx, 2, (Z3_ast[]){s[i], ring_mono(r, &p->t[i])});
  }
  Z3_ast sum = p->n == 1 ? s[0] : Z3_mk_add(r->ctx, p->n, s);
  free(s);
  return sum;
}

const struct poly *ring_product(struct ring *r, const struct poly *a, const struct poly *b) {
  bool tightened;
  struct poly *p = poly_mul(&r->p, a, b, &tightened);
  if (tightened && p->n && p->n < 200 && !r->p.failed) ring_bounds(r, ring_term(r, p), p->lo, p->hi);
  return p;
}

/* ---- The table of definitions ------------------------------------------------------------------------- */

static unsigned entry_bucket(enum atom_kind kind, const struct poly *a, const struct poly *b, unsigned k) {
  uint64_t h = poly_hash(a) * 31 + kind * 7 + k * 1009;
  if (b) h = h * 31 + poly_hash(b);
  return (h ^ h >> 32) % 1024;
}

static const struct poly *entry_find(struct ring *r, enum atom_kind kind, const struct poly *a,
                                     const struct poly *b, unsigned k) {
  for (int i = r->buckets[entry_bucket(kind, a, b, k)]; i >= 0; i = r->entries.at[i].next) {
    const struct ring_entry *e = &r->entries.at[i];
    if (e->kind == kind && e->k == k && poly_eq(e->a, a) && (!b || poly_eq(e->b, b))) return e->value;
  }
  return NULL;
}

static const struct poly *entry_add(struct ring *r, enum atom_kind kind, const struct poly *a,
                                    const struct poly *b, unsigned k, const struct poly *value) {
  unsigned h = entry_bucket(kind, a, b, k);
  *vec_push(&r->entries) = (struct ring_entry){kind, a, b, k, value, r->buckets[h]};
  r->buckets[h] = (int)r->entries.n - 1;
  return value;
}

/* floor(p / d) for a constant d > 0. */
static const struct poly *floor_div(struct ring *r, const struct poly *p, const mpz_t d) {
  struct poly *whole, *part;
  poly_split(&r->p, p, d, &whole, &part);
  mpz_t lo, hi, span, zero, minus_d, one;
  mpz_inits(lo, hi, span, zero, minus_d, NULL);
  mpz_init_set_ui(one, 1);
  mpz_fdiv_q(lo, part->lo, d);
  mpz_fdiv_q(hi, part->hi, d);
  const struct poly *q;
  if (mpz_cmp(lo, hi) == 0) {
    q = poly_mpz(&r->p, lo);
  } else {
    const struct poly *dp = poly_mpz(&r->p, d);
    q = entry_find(r, ATOM_FLOOR, part, dp, 0);
    if (!q) {
      /* The atom starts at 0 so that a quotient with two values is a boolean. */
      mpz_sub(span, hi, lo);
      struct poly *base = poly_mpz(&r->p, lo);
      const struct poly *num = part;
      mpz_mul(minus_d, d, lo);
      num = poly_sub(&r->p, part, poly_mpz(&r->p, minus_d));
      struct atom_def def = {.kind = ATOM_FLOOR, .a = num, .b = dp};
      q = poly_add(&r->p, base, poly_atom(&r->p, ring_new_atom(r, def, zero, span)));
      mpz_neg(minus_d, d);
      Z3_ast rem = ring_term(r, poly_lin(&r->p, part, one, q, minus_d));
      ring_axiom(r, Z3_mk_ge(r->ctx, rem, ring_int(r, 0)));
      ring_axiom(r, Z3_mk_lt(r->ctx, rem, ring_mpz(r, d)));
      entry_add(r, ATOM_FLOOR, part, dp, 0, q);
    }
  }
  struct poly *sum = poly_add(&r->p, whole, q);
  mpz_fdiv_q(lo, p->lo, d);
  mpz_fdiv_q(hi, p->hi, d);
  poly_clip(sum, lo, hi);
  mpz_clears(lo, hi, span, zero, minus_d, one, NULL);
  return sum;
}

const struct poly *ring_floor_pow2(struct ring *r, const struct poly *p, unsigned k) {
  if (!k) return p;
  mpz_t d;
  mpz_init(d);
  mpz_setbit(d, k);
  const struct poly *q = floor_div(r, p, d);
  mpz_clear(d);
  return q;
}

/* raw - c·2^w when the bounds of `raw` leave only one c for which that is in [0, 2^w); else NULL. */
static const struct poly *shifted_into_range(struct ring *r, const struct poly *raw, unsigned w) {
  mpz_t lo, hi, one;
  mpz_inits(lo, hi, NULL);
  mpz_init_set_ui(one, 1);
  mpz_fdiv_q_2exp(lo, raw->lo, w);
  mpz_fdiv_q_2exp(hi, raw->hi, w);
  struct poly *v = NULL;
  if (mpz_cmp(lo, hi) == 0) {
    mpz_mul_2exp(lo, lo, w);
    mpz_neg(lo, lo);
    v = poly_lin(&r->p, raw, one, poly_int(&r->p, 1), lo);
  }
  mpz_clears(lo, hi, one, NULL);
  return v;
}

const struct poly *ring_canon(struct ring *r, const struct poly *raw, unsigned w) {
  if (poly_in_range(raw, w)) return raw;
  const struct poly *near = shifted_into_range(r, raw, w);
  if (near) return near;
  const struct poly *n = poly_reduce(&r->p, raw, w);
  if (poly_in_range(n, w)) return n;
  mpz_t d, one, lo, hi;
  mpz_inits(d, lo, hi, NULL);
  mpz_init_set_ui(one, 1);
  mpz_setbit(d, w);
  const struct poly *q = floor_div(r, n, d);
  mpz_sub(hi, d, one);
  mpz_neg(d, d);
  struct poly *v = poly_lin(&r->p, n, one, q, d);
  poly_clip(v, lo, hi);
  mpz_clears(d, one, lo, hi, NULL);
  return v;
}

const struct poly *ring_sign_bit(struct ring *r, const struct poly *canon, unsigned w) {
  return ring_floor_pow2(r, canon, w - 1);
}

/* The signed value of a canonical one. */
const struct poly *ring_signed_value(struct ring *r, const struct poly *canon, unsigned w) {
  mpz_t lo, hi;
  mpz_inits(lo, hi, NULL);
  mpz_setbit(hi, w - 1);
  mpz_neg(lo, hi);
  mpz_sub_ui(hi, hi, 1);
  struct poly *v = poly_sub(&r->p, canon, poly_shift(&r->p, ring_sign_bit(r, canon, w), w));
  poly_clip(v, lo, hi);
  mpz_clears(lo, hi, NULL);
  return v;
}

/* ---- Bitwise and, shifts, division --------------------------------------------------------------------- */

/* 0/1 value of an integer formula. */
const struct poly *ring_bool_poly(struct ring *r, Z3_ast z) {
  z = Z3_simplify(r->ctx, z);
  Z3_lbool known = Z3_get_bool_value(r->ctx, z);
  if (known != Z3_L_UNDEF) return poly_int(&r->p, known == Z3_L_TRUE);
  for (uint32_t i = 0; i < r->bool_atoms.n; i++)
    if (r->defs.at[r->bool_atoms.at[i]].ast == z) return poly_atom(&r->p, r->bool_atoms.at[i]);
  mpz_t lo, hi;
  mpz_init(lo);
  mpz_init_set_ui(hi, 1);
  uint32_t a = ring_new_atom(r, (struct atom_def){.kind = ATOM_BOOL, .ast = z}, lo, hi);
  mpz_clears(lo, hi, NULL);
  ring_axiom(r, Z3_mk_iff(r->ctx, Z3_mk_eq(r->ctx, r->defs.at[a].z, ring_int(r, 1)), z));
  *vec_push(&r->bool_atoms) = a;
  return poly_atom(&r->p, a);
}

/* When `raw` is -s modulo 2^w for a product s of 0/1 atoms, that s; a mask of all zeros or all ones. */
static const struct poly *sign_mask(struct ring *r, const struct poly *raw, unsigned w) {
  const struct poly *n = poly_reduce(&r->p, raw, w);
  if (w < 2 || n->n != 1 || !n->t[0].n || mpz_cmp_si(n->t[0].c, -1)) return NULL;
  for (uint32_t i = 0; i < n->t[0].n; i++)
    if (!r->p.atoms.at[n->t[0].m[i]].boolean) return NULL;
  return poly_scale(&r->p, n, -1);
}

/* a & mask for a constant mask: the sum of its runs of ones. */
static const struct poly *and_const(struct ring *r, const struct poly *a, const mpz_t mask, unsigned w) {
  const struct poly *sum = poly_int(&r->p, 0);
  for (unsigned i = 0; i < w;) {
    if (!mpz_tstbit(mask, i)) {
      i++;
      continue;
    }
    unsigned j = i;
    while (j < w && mpz_tstbit(mask, j)) j++;
    const struct poly *q = ring_floor_pow2(r, a, i);
    if (j < w) q = ring_canon(r, q, j - i);
    sum = poly_add(&r->p, sum, poly_shift(&r->p, q, i));
    i = j;
  }
  return sum;
}

/* When `mask` is P - 1 for a power-of-two atom P: x & mask = x - P·floor(x / P). NULL otherwise. */
static const struct poly *and_low_mask(struct ring *r, const struct poly *mask, const struct poly *x) {
  if (mask->n != 2 || mask->t[0].n || mpz_cmp_si(mask->t[0].c, -1)) return NULL;
  if (mask->t[1].n != 1 || mpz_cmp_ui(mask->t[1].c, 1)) return NULL;
  uint32_t atom = mask->t[1].m[0];
  if (r->defs.at[atom].kind != ATOM_POW2) return NULL;
  const struct poly *p = poly_atom(&r->p, atom);
  ring_quotient(r, x, p, poly_int(&r->p, 0));
  const struct poly *q = entry_find(r, ATOM_QUOT, x, p, 0);
  if (!q) return NULL;
  struct poly *v = poly_sub(&r->p, x, ring_product(r, p, q));
  poly_clip_si(v, 0, x->hi);
  return v;
}

/* All of a's coefficients are multiples of a power of two above b: no common bits. */
static bool disjoint_by_alignment(const struct poly *a, const struct poly *b) {
  unsigned k = mpz_sgn(b->hi) ? (unsigned)mpz_sizeinbase(b->hi, 2) : 0;
  for (uint32_t i = 0; i < a->n; i++)
    if (!mpz_divisible_2exp_p(a->t[i].c, k)) return false;
  return true;
}

static Z3_ast both_equal(struct ring *r, const struct poly *a, const struct poly *b, const struct poly *c,
                         const struct poly *d) {
  Z3_ast e[2] = {Z3_mk_eq(r->ctx, ring_term(r, a), ring_term(r, b)),
                 Z3_mk_eq(r->ctx, ring_term(r, c), ring_term(r, d))};
  return Z3_mk_and(r->ctx, 2, e);
}

static const struct poly *and_atom(struct ring *r, const struct poly *a, const struct poly *b, unsigned w) {
  const struct poly *v = entry_find(r, ATOM_AND, a, b, w);
  if (!v) v = entry_find(r, ATOM_AND, b, a, w);
  if (v) return v;
  Z3_context c = r->ctx;
  mpz_t lo, max;
  mpz_inits(lo, max, NULL);
  mpz_setbit(max, w);
  mpz_sub_ui(max, max, 1);
  struct atom_def def = {.kind = ATOM_AND, .a = a, .b = b, .k = w};
  uint32_t atom = ring_new_atom(r, def, lo, mpz_cmp(a->hi, b->hi) < 0 ? a->hi : b->hi);
  Z3_ast z = r->defs.at[atom].z;
  v = poly_atom(&r->p, atom);
  ring_axiom(r, Z3_mk_le(c, z, ring_term(r, a)));
  ring_axiom(r, Z3_mk_le(c, z, ring_term(r, b)));
  const struct poly *either = poly_sub(&r->p, poly_add(&r->p, a, b), v); /* a | b */
  ring_axiom(r, Z3_mk_le(c, ring_term(r, either), ring_mpz(r, max)));
  for (uint32_t i = 0; i < r->entries.n; i++) {
    struct ring_entry e = r->entries.at[i];
    if (e.kind != ATOM_AND || e.k != w) continue;
    Z3_ast either_way[2] = {both_equal(r, a, e.a, b, e.b), both_equal(r, a, e.b, b, e.a)};
    ring_axiom(r, Z3_mk_implies(c, Z3_mk_or(c, 2, either_way), Z3_mk_eq(c, z, ring_term(r, e.value))));
  }
  mpz_clears(lo, max, NULL);
  return entry_add(r, ATOM_AND, a, b, w, v);
}

const struct poly *ring_and(struct ring *r, const struct poly *ra, const struct poly *rb, unsigned w) {
  const struct poly *a = ring_canon(r, ra, w), *b = ring_canon(r, rb, w), *v = NULL;
  if (poly_eq(a, b)) return a;
  mpz_t k;
  mpz_init(k);
  if (poly_const(a, k))
    v = and_const(r, b, k, w);
  else if (poly_const(b, k))
    v = and_const(r, a, k, w);
  mpz_clear(k);
  if (v) return v;
  if ((v = sign_mask(r, ra, w))) return ring_product(r, v, b);
  if ((v = sign_mask(r, rb, w))) return ring_product(r, v, a);
  if ((v = and_low_mask(r, ra, b)) || (v = and_low_mask(r, rb, a))) return v;
  if (disjoint_by_alignment(a, b) || disjoint_by_alignment(b, a)) return poly_int(&r->p, 0);
  return and_atom(r, a, b, w);
}

/* The atom 2^k where k < limit, else 0. */
static const struct poly *pow2_atom(struct ring *r, const struct poly *k, unsigned limit) {
  if (mpz_cmp_ui(k->hi, limit) < 0 && mpz_sgn(k->hi) >= 0) limit = (unsigned)mpz_get_ui(k->hi) + 1;
  const struct poly *p = entry_find(r, ATOM_POW2, k, NULL, limit);
  if (p) return p;
  Z3_context c = r->ctx;
  mpz_t lo, hi;
  mpz_inits(lo, hi, NULL);
  mpz_setbit(hi, limit - 1);
  if (mpz_cmp_ui(k->hi, limit) < 0) mpz_set_ui(lo, 1);
  uint32_t a = ring_new_atom(r, (struct atom_def){.kind = ATOM_POW2, .a = k, .k = limit}, lo, hi);
  mpz_clears(lo, hi, NULL);
  Z3_ast z = r->defs.at[a].z, kz = ring_term(r, k), small = Z3_mk_lt(c, kz, ring_int(r, (long)limit));
  ring_axiom(r, Z3_mk_implies(c, small, Z3_mk_ge(c, z, ring_int(r, 1))));
  ring_axiom(r, Z3_mk_implies(c, Z3_mk_not(c, small), Z3_mk_eq(c, z, ring_int(r, 0))));
  p = poly_atom(&r->p, a);
  for (uint32_t i = 0; i < r->entries.n; i++) { /* the same power under another limit */
    struct ring_entry e = r->entries.at[i];
    if (e.kind != ATOM_POW2 || !poly_eq(e.a, k)) continue;
    Z3_ast both = Z3_mk_lt(c, kz, ring_int(r, (long)(e.k < limit ? e.k : limit)));
    ring_axiom(r, Z3_mk_implies(c, both, Z3_mk_eq(c, z, ring_term(r, e.value))));
  }
  return entry_add(r, ATOM_POW2, k, NULL, limit, p);
}

/* 2^amount when amount < w, else 0. A constant part of the amount becomes a factor. */
const struct poly *ring_pow2(struct ring *r, Z3_ast amount, unsigned w) {
  const struct poly *k = ring_canon(r, ring_bv(r, amount), w), *p;
  mpz_t v;
  mpz_init(v);
  if (poly_const(k, v)) {
    p = mpz_cmp_ui(v, w) >= 0 ? poly_int(&r->p, 0)
                              : poly_shift(&r->p, poly_int(&r->p, 1), (unsigned)mpz_get_ui(v));
  } else {
    unsigned c = 0;
    if (k->n && !k->t[0].n && mpz_sgn(k->t[0].c) > 0) { /* k = c + rest with rest >= 0 */
      const struct poly *rest = poly_sub(&r->p, k, poly_mpz(&r->p, k->t[0].c));
      if (mpz_sgn(rest->lo) >= 0 && mpz_cmp_ui(k->t[0].c, w) < 0) {
        c = (unsigned)mpz_get_ui(k->t[0].c);
        k = rest;
      } else if (mpz_sgn(rest->lo) >= 0) {
        mpz_clear(v);
        return poly_int(&r->p, 0);
      }
    }
    p = poly_shift(&r->p, pow2_atom(r, k, w - c), c);
  }
  mpz_clear(v);
  return p;
}

/* The quotient atom of a / b, b not constant, with 0 <= a - q·b < b where b is not 0. */
static const struct poly *quotient_atom(struct ring *r, const struct poly *a, const struct poly *b) {
  const struct poly *v = entry_find(r, ATOM_QUOT, a, b, 0);
  if (v) return v;
  Z3_context c = r->ctx;
  mpz_t lo, hi;
  mpz_init_set(lo, a->lo);
  mpz_init_set(hi, a->hi);
  if (mpz_sgn(lo) > 0) mpz_set_ui(lo, 0);
  if (mpz_sgn(hi) < 0) mpz_set_ui(hi, 0);
  v = poly_atom(&r->p, ring_new_atom(r, (struct atom_def){.kind = ATOM_QUOT, .a = a, .b = b}, lo, hi));
  mpz_clears(lo, hi, NULL);
  Z3_ast rem = ring_term(r, poly_sub(&r->p, a, ring_product(r, v, b))), bz = ring_term(r, b);
  Z3_ast nonzero = Z3_mk_not(c, Z3_mk_eq(c, bz, ring_int(r, 0)));
  ring_axiom(r, Z3_mk_implies(c, nonzero, Z3_mk_ge(c, rem, ring_int(r, 0))));
  ring_axiom(r, Z3_mk_implies(c, nonzero, Z3_mk_lt(c, rem, bz)));
  for (uint32_t i = 0; i < r->entries.n; i++) {
    struct ring_entry e = r->entries.at[i];
    if (e.kind != ATOM_QUOT) continue;
    ring_axiom(r, Z3_mk_implies(c, both_equal(r, a, e.a, b, e.b),
                                Z3_mk_eq(c, ring_term(r, v), ring_term(r, e.value))));
  }
  return entry_add(r, ATOM_QUOT, a, b, 0, v);
}

/* floor(a / b) for a canonical b, and `if_zero` where b is 0. */
const struct poly *ring_quotient(struct ring *r, const struct poly *a, const struct poly *b,
                                 const struct poly *if_zero) {
  mpz_t k;
  mpz_init(k);
  const struct poly *v = NULL;
  if (poly_const(b, k)) v = mpz_sgn(k) > 0 ? floor_div(r, a, k) : if_zero;
  mpz_clear(k);
  if (v) return v;
  if (mpz_sgn(a->hi) <= 0 && mpz_sgn(a->lo) < 0) /* floor(a / b) = -floor((b - 1 - a) / b) */
    v = poly_scale(&r->p, quotient_atom(r, poly_sub(&r->p, poly_sub(&r->p, b, poly_int(&r->p, 1)), a), b),
                   -1);
  else
    v = quotient_atom(r, a, b);
  if (mpz_sgn(b->lo) > 0) return v;
  const struct poly *zero = ring_bool_poly(r, Z3_mk_eq(r->ctx, ring_term(r, b), ring_int(r, 0)));
  return zero->n ? poly_add(&r->p, v, ring_product(r, zero, poly_sub(&r->p, if_zero, v))) : v;
}
