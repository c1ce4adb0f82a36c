/* ring_lemmas.c: consequences of the definitions that linear arithmetic cannot find by itself. Each is a
 * theorem about integers, given the axioms of ring.c. */
#include "ring_ops.h"

enum { INVERSE_BITS = 16 };

/* The factor e with e·c = 1 modulo d, when it is small: of a product with an inverse, the number inverted. */
static bool small_inverse(mpz_t e, const mpz_t c, const mpz_t d) {
  if (mpz_even_p(c) || !mpz_invert(e, c, d)) return false;
  if (mpz_sizeinbase(e, 2) < mpz_sizeinbase(d, 2) - 1) return mpz_sizeinbase(e, 2) <= INVERSE_BITS;
  mpz_sub(e, e, d);
  return mpz_sizeinbase(e, 2) <= INVERSE_BITS;
}

/* An integer of its own that equals p, for the solver to bound and to branch on. */
static const struct poly *named(struct ring *r, const struct poly *p) {
  struct atom_def def = {.kind = ATOM_FLOOR, .a = p, .b = poly_int(&r->p, 1)};
  const struct poly *name = poly_atom(&r->p, ring_new_atom(r, def, p->lo, p->hi));
  ring_axiom(r, Z3_mk_eq(r->ctx, ring_term(r, poly_sub(&r->p, name, p)), ring_int(r, 0)));
  return name;
}

/* y = P - d·q of an entry q = floor(P / d) for P = c·x + k: then e·y - x - e·k = d·z for an integer z. */
static void inverse_lemma(struct ring *r, struct ring_entry entry, const mpz_t d, const mpz_t e) {
  unsigned w = (unsigned)mpz_sizeinbase(d, 2) - 1;
  const struct poly *x = NULL, *k = poly_int(&r->p, 0);
  for (uint32_t i = 0; i < entry.a->n; i++)
    if (entry.a->t[i].n)
      x = poly_atom(&r->p, entry.a->t[i].m[0]);
    else
      k = poly_mpz(&r->p, entry.a->t[i].c);
  mpz_t minus_d, one, minus_one, top;
  mpz_inits(minus_d, top, NULL);
  mpz_init_set_si(one, 1);
  mpz_init_set_si(minus_one, -1);
  mpz_neg(minus_d, d);
  mpz_sub(top, d, one);
  struct poly *value = poly_lin(&r->p, entry.a, one, entry.value, minus_d);
  poly_clip_si(value, 0, top);
  const struct poly *y = named(r, value);
  const struct poly *left = poly_lin(&r->p, poly_sub(&r->p, y, k), e, x, minus_one);
  const struct poly *z = ring_floor_pow2(r, left, w);
  Z3_ast rest = ring_term(r, poly_lin(&r->p, left, one, z, minus_d));
  ring_axiom(r, Z3_mk_eq(r->ctx, rest, ring_int(r, 0)));
  mpz_clears(minus_d, one, minus_one, top, NULL);
}

void ring_add_inverses(struct ring *r) {
  mpz_t d, e;
  mpz_inits(d, e, NULL);
  for (uint32_t i = 0, n = r->entries.n; i < n && !r->p.failed; i++) {
    struct ring_entry q = r->entries.at[i];
    if (q.kind != ATOM_FLOOR || q.a->n > 2 || !poly_const(q.b, d) || mpz_popcount(d) != 1) continue;
    uint32_t linear = q.a->n;
    for (uint32_t t = 0; t < q.a->n; t++)
      if (q.a->t[t].n == 1) linear = linear == q.a->n ? t : UINT32_MAX;
    if (linear >= q.a->n || (q.a->n == 2 && q.a->t[1 - linear].n)) continue;
    if (small_inverse(e, q.a->t[linear].c, d) && mpz_cmp_ui(e, 1)) inverse_lemma(r, q, d, e);
  }
  mpz_clears(d, e, NULL);
}

/* An equation A = B modulo 2^w also holds after multiplication by an input. */
static void equation_lemmas(struct ring *r) {
  for (uint32_t q = 0; q < r->equations.n; q++) {
    struct ring_equation e = r->equations.at[q];
    unsigned w = Z3_get_bv_sort_size(r->ctx, Z3_get_sort(r->ctx, e.a));
    const struct poly *d = poly_reduce(&r->p, poly_sub(&r->p, ring_bv(r, e.a), ring_bv(r, e.b)), w);
    bool linear = true;
    for (uint32_t i = 0; i < d->n; i++) linear &= d->t[i].n < 2;
    if (linear || d->n >= 6) continue;
    for (uint32_t i = 0; i < r->inputs.n && i < 6; i++) {
      const struct poly *m =
          poly_reduce(&r->p, poly_mul(&r->p, poly_atom(&r->p, r->inputs.at[i]), d, NULL), w);
      if (!m->n) continue;
      Z3_ast zero = Z3_mk_eq(r->ctx, ring_term(r, ring_canon(r, m, w)), ring_int(r, 0));
      ring_axiom(r, Z3_mk_implies(r->ctx, e.z, zero));
    }
  }
}

enum { MAX_FACTORS = 12 };

/* Atoms g >= 0 that facts are multiplied by: those in divisors, quotients, inputs. */
struct factors {
  unsigned n;
  uint32_t at[MAX_FACTORS];
};

static void add_factor(struct ring *r, struct factors *f, uint32_t atom) {
  if (mpz_sgn(r->p.atoms.at[atom].lo) < 0 || r->p.atoms.at[atom].boolean) return;
  for (unsigned i = 0; i < f->n; i++)
    if (f->at[i] == atom) return;
  if (f->n < MAX_FACTORS) f->at[f->n++] = atom;
}

static void add_atoms_of(struct ring *r, struct factors *f, const struct poly *p) {
  for (uint32_t j = 0; j < p->n; j++)
    for (uint32_t m = 0; m < p->t[j].n; m++) add_factor(r, f, p->t[j].m[m]);
}

static struct factors choose_factors(struct ring *r) {
  struct factors f = {0};
  for (uint32_t i = 0; i < r->entries.n; i++)
    if (r->entries.at[i].kind == ATOM_QUOT) add_atoms_of(r, &f, r->entries.at[i].b);
  for (uint32_t i = 0; i < r->inputs.n; i++) add_factor(r, &f, r->inputs.at[i]);
  for (uint32_t i = 0; i < r->entries.n; i++)
    if (r->entries.at[i].kind == ATOM_QUOT) add_atoms_of(r, &f, r->entries.at[i].value);
  return f;
}

static Z3_ast times_nonneg(struct ring *r, uint32_t g, const struct poly *p) {
  return Z3_mk_ge(r->ctx, ring_term(r, poly_mul(&r->p, poly_atom(&r->p, g), p, NULL)), ring_int(r, 0));
}

/* 0 <= a - q·b <= b - 1 (b not 0), times g >= 0. */
static void remainder_lemmas(struct ring *r, const struct factors *f) {
  for (uint32_t i = 0, n = r->entries.n; i < n; i++) {
    struct ring_entry e = r->entries.at[i];
    if (e.kind != ATOM_QUOT && e.kind != ATOM_FLOOR) continue;
    Z3_ast nonzero = Z3_mk_not(r->ctx, Z3_mk_eq(r->ctx, ring_term(r, e.b), ring_int(r, 0)));
    const struct poly *rem = poly_sub(&r->p, e.a, poly_mul(&r->p, e.value, e.b, NULL));
    const struct poly *room = poly_sub(&r->p, poly_sub(&r->p, e.b, poly_int(&r->p, 1)), rem);
    for (unsigned k = 0; k < f->n && !r->p.failed; k++) {
      ring_axiom(r, Z3_mk_implies(r->ctx, nonzero, times_nonneg(r, f->at[k], rem)));
      ring_axiom(r, Z3_mk_implies(r->ctx, nonzero, times_nonneg(r, f->at[k], room)));
    }
  }
}

/* q >= k implies q·b >= k·b, and q <= 1 implies q·b <= b, for the divisor b >= 0 itself, which may be a sum.
 */
static void quotient_lemmas(struct ring *r) {
  Z3_context c = r->ctx;
  for (uint32_t i = 0, n = r->entries.n; i < n && !r->p.failed; i++) {
    struct ring_entry e = r->entries.at[i];
    if (e.kind != ATOM_QUOT || mpz_sgn(e.b->lo) < 0) continue;
    const struct poly *qb = poly_mul(&r->p, e.value, e.b, NULL);
    Z3_ast qz = ring_term(r, e.value), zero = ring_int(r, 0), one = ring_int(r, 1);
    Z3_ast over1 = ring_term(r, poly_sub(&r->p, qb, e.b)),
           over2 = ring_term(r, poly_lin_si(&r->p, qb, 1, e.b, -2));
    ring_axiom(r, Z3_mk_implies(c, Z3_mk_ge(c, qz, ring_int(r, 2)), Z3_mk_ge(c, over2, zero)));
    ring_axiom(r, Z3_mk_implies(c, Z3_mk_ge(c, qz, one), Z3_mk_ge(c, over1, zero)));
    ring_axiom(r, Z3_mk_implies(c, Z3_mk_le(c, qz, one), Z3_mk_le(c, over1, zero)));
  }
}

/* A comparison, or its negation, times g >= 0. */
static void order_lemmas(struct ring *r, const struct factors *f) {
  for (uint32_t i = 0; i < r->orders.n; i++) {
    struct ring_order o = r->orders.at[i];
    const struct poly *minus = poly_scale(&r->p, o.d, -1), *one = poly_int(&r->p, 1);
    const struct poly *holds = o.strict ? poly_sub(&r->p, minus, one) : minus; /* >= 0 when z */
    const struct poly *fails = o.strict ? o.d : poly_sub(&r->p, o.d, one);     /* >= 0 when not z */
    for (unsigned k = 0; k < f->n && !r->p.failed; k++) {
      ring_axiom(r, Z3_mk_implies(r->ctx, o.z, times_nonneg(r, f->at[k], holds)));
      ring_axiom(r, Z3_mk_or(r->ctx, 2, (Z3_ast[]){o.z, times_nonneg(r, f->at[k], fails)}));
    }
  }
}

/* near = 0, times g. */
static void near_lemmas(struct ring *r, const struct factors *f) {
  for (uint32_t i = 0; i < r->equations.n; i++) {
    struct ring_equation e = r->equations.at[i];
    if (!e.near || e.near->n > 6) continue;
    for (unsigned k = 0; k < f->n && !r->p.failed; k++) {
      Z3_ast t = ring_term(r, poly_mul(&r->p, poly_atom(&r->p, f->at[k]), e.near, NULL));
      ring_axiom(r, Z3_mk_implies(r->ctx, e.z, Z3_mk_eq(r->ctx, t, ring_int(r, 0))));
    }
  }
}

/* 2^(a + b) = 2^a · 2^b where all three are below their limits. */
static void power_lemmas(struct ring *r) {
  Z3_context c = r->ctx;
  for (uint32_t i = 0, n = r->entries.n; i < n; i++)
    for (uint32_t j = 0; j < n; j++)
      for (uint32_t k = j; k < n; k++) {
        struct ring_entry s = r->entries.at[i], a = r->entries.at[j], b = r->entries.at[k];
        if (s.kind != ATOM_POW2 || a.kind != ATOM_POW2 || b.kind != ATOM_POW2) continue;
        if (!poly_eq(s.a, poly_add(&r->p, a.a, b.a))) continue;
        Z3_ast small[3] = {Z3_mk_lt(c, ring_term(r, s.a), ring_int(r, (long)s.k)),
                           Z3_mk_lt(c, ring_term(r, a.a), ring_int(r, (long)a.k)),
                           Z3_mk_lt(c, ring_term(r, b.a), ring_int(r, (long)b.k))};
        Z3_ast product = ring_term(r, poly_mul(&r->p, a.value, b.value, NULL));
        ring_axiom(r, Z3_mk_implies(c, Z3_mk_and(c, 3, small), Z3_mk_eq(c, ring_term(r, s.value), product)));
      }
}

/* The monomial without factor number `skip`; false when a remaining factor may be negative. */
static bool cofactor(struct ring *r, const struct term *t, uint32_t skip, struct term *rest) {
  rest->n = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    if (i == skip) continue;
    if (mpz_sgn(r->p.atoms.at[t->m[i]].lo) < 0) return false;
    rest->m[rest->n++] = t->m[i];
  }
  return true;
}

static bool same_factors(const struct term *a, const struct term *b) {
  if (a->n != b->n) return false;
  for (uint32_t i = 0; i < a->n; i++)
    if (a->m[i] != b->m[i]) return false;
  return true;
}

/* u + v >= k implies f·u + f·v >= k·f, and the same for <=: for quotients of opposite signs. */
static void sum_lemmas(struct ring *r, struct mono_z m, Z3_ast uz, struct mono_z o, Z3_ast vz, Z3_ast fz) {
  Z3_context c = r->ctx;
  Z3_ast sum = Z3_mk_add(c, 2, (Z3_ast[]){uz, vz}), both = Z3_mk_add(c, 2, (Z3_ast[]){m.z, o.z});
  for (long k = -2; k <= 1; k++) {
    Z3_ast kz = ring_int(r, k), kf = Z3_mk_mul(c, 2, (Z3_ast[]){kz, fz});
    ring_axiom(r, Z3_mk_implies(c, Z3_mk_ge(c, sum, kz), Z3_mk_ge(c, both, kf)));
    ring_axiom(r, Z3_mk_implies(c, Z3_mk_le(c, sum, kz), Z3_mk_le(c, both, kf)));
  }
}

static void compare_products(struct ring *r, struct mono_z m, uint32_t u, struct mono_z o, uint32_t v,
                             Z3_ast fz) {
  Z3_context c = r->ctx;
  Z3_ast uz = r->defs.at[u].z, vz = r->defs.at[v].z;
  Z3_ast above = Z3_mk_add(c, 2, (Z3_ast[]){vz, ring_int(r, 1)});
  Z3_ast product = Z3_mk_add(c, 2, (Z3_ast[]){o.z, fz});
  ring_axiom(r, Z3_mk_implies(c, Z3_mk_ge(c, uz, above), Z3_mk_ge(c, m.z, product)));
  ring_axiom(r, Z3_mk_implies(c, Z3_mk_eq(c, uz, vz), Z3_mk_eq(c, m.z, o.z)));
  if (r->defs.at[u].kind != ATOM_QUOT || r->defs.at[v].kind != ATOM_QUOT) return;
  Z3_ast two = Z3_mk_add(c, 2, (Z3_ast[]){vz, ring_int(r, 2)});
  Z3_ast more = Z3_mk_add(c, 3, (Z3_ast[]){o.z, fz, fz});
  ring_axiom(r, Z3_mk_implies(c, Z3_mk_ge(c, uz, two), Z3_mk_ge(c, m.z, more)));
  if (mpz_sgn(r->p.atoms.at[u].lo) < 0) sum_lemmas(r, m, uz, o, vz, fz);
}

/* u >= 2 implies f·u >= 2·f; u <= 1 implies f·u <= f. */
static void near_one(struct ring *r, struct mono_z m, uint32_t u, Z3_ast fz) {
  Z3_context c = r->ctx;
  Z3_ast uz = r->defs.at[u].z, twice = Z3_mk_add(c, 2, (Z3_ast[]){fz, fz});
  ring_axiom(r, Z3_mk_implies(c, Z3_mk_ge(c, uz, ring_int(r, 2)), Z3_mk_ge(c, m.z, twice)));
  ring_axiom(r, Z3_mk_implies(c, Z3_mk_le(c, uz, ring_int(r, 1)), Z3_mk_le(c, m.z, fz)));
}

/* u >= v + k implies f·u >= f·v + k·f for f >= 0; u = v implies f·u = f·v; u = 0 implies f·u = 0. Among the
 * first `nbase` products for all u and v, among the others for quotients. */
static void monotone_lemmas(struct ring *r, uint32_t nbase) {
  uint32_t n = r->monos.n < 400 ? r->monos.n : 400;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t a = 0; a < r->monos.at[i].t.n; a++) {
      struct mono_z m = r->monos.at[i];
      struct term f = {0}, g = {0};
      uint32_t u = m.t.m[a];
      bool quotient = r->defs.at[u].kind == ATOM_QUOT;
      if ((i >= nbase && !quotient) || !cofactor(r, &m.t, a, &f)) continue;
      Z3_ast fz = ring_mono(r, &f), zero = ring_int(r, 0);
      Z3_ast none = Z3_mk_eq(r->ctx, r->defs.at[u].z, zero);
      ring_axiom(r, Z3_mk_implies(r->ctx, none, Z3_mk_eq(r->ctx, m.z, zero)));
      if (quotient) near_one(r, m, u, fz);
      for (uint32_t j = 0; j < n; j++) {
        struct mono_z o = r->monos.at[j];
        for (uint32_t b = 0; j != i && b < o.t.n; b++) {
          uint32_t v = o.t.m[b];
          bool wanted = (i < nbase && j < nbase) || (quotient && r->defs.at[v].kind == ATOM_QUOT);
          if (v == u || !wanted || !cofactor(r, &o.t, b, &g) || !same_factors(&f, &g)) continue;
          compare_products(r, m, u, o, v, fz);
        }
      }
    }
}

/* lo·f <= u·f <= hi·f for lo <= u <= hi, f >= 0. */
static void bound_lemmas(struct ring *r) {
  uint32_t n = r->monos.n < 200 ? r->monos.n : 200;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t a = 0; a < r->monos.at[i].t.n; a++) {
      struct mono_z m = r->monos.at[i];
      struct term f = {0};
      if (m.t.n > 2 || !cofactor(r, &m.t, a, &f)) continue;
      const struct atom_range *u = &r->p.atoms.at[m.t.m[a]];
      if (u->boolean) continue;
      Z3_ast lo[2] = {ring_mpz(r, u->lo), NULL}, hi[2] = {ring_mpz(r, u->hi), NULL};
      lo[1] = hi[1] = ring_mono(r, &f);
      ring_axiom(r, Z3_mk_ge(r->ctx, m.z, Z3_mk_mul(r->ctx, 2, lo)));
      ring_axiom(r, Z3_mk_le(r->ctx, m.z, Z3_mk_mul(r->ctx, 2, hi)));
    }
}

void ring_add_lemmas(struct ring *r) {
  struct factors f = choose_factors(r);
  uint32_t nbase = r->monos.n;
  equation_lemmas(r);
  power_lemmas(r);
  remainder_lemmas(r, &f);
  quotient_lemmas(r);
  order_lemmas(r, &f);
  near_lemmas(r, &f);
  monotone_lemmas(r, nbase);
  bound_lemmas(r);
}
