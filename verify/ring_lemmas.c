/* ring_lemmas.c: consequences of the definitions that linear arithmetic cannot find by itself. Each is a theorem
 * about integers, given the axioms of ring.c. */
#include "ring.h"

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

/* The distinct atoms g >= 0 in divisors. */
static unsigned divisor_atoms(struct ring *r, uint32_t *g, unsigned max) {
  unsigned n = 0;
  for (uint32_t i = 0; i < r->entries.n; i++) {
    if (r->entries.at[i].kind != ATOM_QUOT) continue;
    const struct poly *b = r->entries.at[i].b;
    for (uint32_t j = 0; j < b->n; j++)
      for (uint32_t m = 0; m < b->t[j].n; m++) {
        uint32_t atom = b->t[j].m[m];
        bool known = mpz_sgn(r->p.atoms.at[atom].lo) < 0;
        for (unsigned q = 0; q < n; q++) known |= g[q] == atom;
        if (!known && n < max) g[n++] = atom;
      }
  }
  return n;
}

/* 0 <= rem <= b - 1 (b not 0), times g >= 0. */
static void remainder_lemmas(struct ring *r) {
  uint32_t g[16];
  unsigned ng = divisor_atoms(r, g, 16);
  for (uint32_t i = 0, n = r->entries.n; i < n; i++) {
    struct ring_entry e = r->entries.at[i];
    if (e.kind != ATOM_QUOT) continue;
    Z3_ast nonzero = Z3_mk_not(r->ctx, Z3_mk_eq(r->ctx, ring_term(r, e.b), ring_int(r, 0)));
    const struct poly *rem = poly_sub(&r->p, e.a, poly_mul(&r->p, e.value, e.b, NULL));
    const struct poly *room = poly_sub(&r->p, poly_sub(&r->p, e.b, poly_int(&r->p, 1)), rem);
    for (unsigned k = 0; k < ng && !r->p.failed; k++) {
      const struct poly *gp = poly_atom(&r->p, g[k]);
      Z3_ast zero = ring_int(r, 0);
      Z3_ast low = Z3_mk_ge(r->ctx, ring_term(r, poly_mul(&r->p, gp, rem, NULL)), zero);
      Z3_ast high = Z3_mk_ge(r->ctx, ring_term(r, poly_mul(&r->p, gp, room, NULL)), zero);
      ring_axiom(r, Z3_mk_implies(r->ctx, nonzero, low));
      ring_axiom(r, Z3_mk_implies(r->ctx, nonzero, high));
    }
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

/* u >= v + 1 implies f·u >= f·v + f for f >= 0; u = v implies f·u = f·v; u = 0 implies f·u = 0. */
static void monotone_lemmas(struct ring *r) {
  Z3_context c = r->ctx;
  uint32_t n = r->monos.n < 200 ? r->monos.n : 200;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t a = 0; a < r->monos.at[i].t.n; a++) {
      struct mono_z m = r->monos.at[i];
      struct term f = {0}, g = {0};
      if (!cofactor(r, &m.t, a, &f)) continue;
      Z3_ast fz = ring_mono(r, &f), uz = r->defs.at[m.t.m[a]].z, zero = ring_int(r, 0);
      ring_axiom(r, Z3_mk_implies(c, Z3_mk_eq(c, uz, zero), Z3_mk_eq(c, m.z, zero)));
      for (uint32_t j = 0; j < n; j++) {
        struct mono_z o = r->monos.at[j];
        for (uint32_t b = 0; j != i && b < o.t.n; b++) {
          if (o.t.m[b] == m.t.m[a] || !cofactor(r, &o.t, b, &g) || !same_factors(&f, &g)) continue;
          Z3_ast vz = r->defs.at[o.t.m[b]].z;
          Z3_ast above = Z3_mk_add(c, 2, (Z3_ast[]){vz, ring_int(r, 1)});
          Z3_ast product = Z3_mk_add(c, 2, (Z3_ast[]){o.z, fz});
          ring_axiom(r, Z3_mk_implies(c, Z3_mk_ge(c, uz, above), Z3_mk_ge(c, m.z, product)));
          ring_axiom(r, Z3_mk_implies(c, Z3_mk_eq(c, uz, vz), Z3_mk_eq(c, m.z, o.z)));
        }
      }
    }
}

void ring_add_lemmas(struct ring *r) {
  equation_lemmas(r);
  remainder_lemmas(r);
  monotone_lemmas(r);
}
