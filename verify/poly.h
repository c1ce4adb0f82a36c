/* poly.h: polynomials with big integer coefficients over bounded integer atoms, and an interval that holds
 * their value. The normal form under verify/ring.h: two polynomials are equal exactly when poly_eq says so.
 */
#ifndef VERIDAG_POLY_H
#define VERIDAG_POLY_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"

enum { MONO_MAX = 8 }; /* factors of a monomial */

struct term {
  mpz_t c;
  uint32_t n; /* factors; 0: the constant term */
  uint32_t m[MONO_MAX];
};

struct poly {
  struct term *t; /* sorted by monomial, no zero coefficients */
  uint32_t n, cap;
  mpz_t lo, hi; /* the value is within, both included */
};

/* What an atom ranges over. `boolean` atoms (0 or 1) are idempotent in products. */
struct atom_range {
  mpz_t lo, hi;
  bool boolean;
};

/* Owner of atoms' ranges and of every polynomial made. `failed` is set when a limit is passed; results are
 * then meaningless and the caller gives up. */
struct poly_ctx {
  VEC(struct atom_range) atoms;
  VEC(struct poly *) all;
  uint64_t work, work_limit; /* terms made so far, and how many may be made */
  bool failed;
};

void poly_ctx_init(struct poly_ctx *c, uint64_t work_limit);
void poly_ctx_free(struct poly_ctx *c);
uint32_t poly_new_atom(struct poly_ctx *c, const mpz_t lo, const mpz_t hi);

struct poly *poly_int(struct poly_ctx *c, long v);
struct poly *poly_mpz(struct poly_ctx *c, const mpz_t v);
struct poly *poly_atom(struct poly_ctx *c, uint32_t atom);
/* ca·a + cb·b */
struct poly *poly_lin(struct poly_ctx *c, const struct poly *a, const mpz_t ca, const struct poly *b,
                      const mpz_t cb);
struct poly *poly_lin_si(struct poly_ctx *c, const struct poly *a, long ca, const struct poly *b, long cb);
struct poly *poly_add(struct poly_ctx *c, const struct poly *a, const struct poly *b);
struct poly *poly_sub(struct poly_ctx *c, const struct poly *a, const struct poly *b);
struct poly *poly_scale(struct poly_ctx *c, const struct poly *a, long k);
struct poly *poly_shift(struct poly_ctx *c, const struct poly *a, unsigned k); /* a·2^k */
/* The product; `tightened` (may be NULL) tells that the interval is narrower than the terms' own bounds give.
 */
struct poly *poly_mul(struct poly_ctx *c, const struct poly *a, const struct poly *b, bool *tightened);
/* Coefficients reduced symmetrically modulo 2^w: equal modulo 2^w to `a`. */
struct poly *poly_reduce(struct poly_ctx *c, const struct poly *a, unsigned w);
/* p = d·whole + part with the coefficients of `part` in (-d/2, d/2] (constant term in [0, d)). */
void poly_split(struct poly_ctx *c, const struct poly *p, const mpz_t d, struct poly **whole,
                struct poly **part);
/* Narrows the interval of `p` (in place) to its intersection with [lo, hi]; either may be NULL. */
void poly_clip(struct poly *p, const mpz_t lo, const mpz_t hi);
void poly_clip_si(struct poly *p, long lo, const mpz_t hi);

bool poly_eq(const struct poly *a, const struct poly *b);
uint64_t poly_hash(const struct poly *p);
bool poly_const(const struct poly *p, mpz_t value);   /* true, with its value, when it has no atom */
bool poly_in_range(const struct poly *p, unsigned w); /* within [0, 2^w) */
/* Bounds of a monomial without its coefficient. */
void mono_bounds(const struct poly_ctx *c, const struct term *t, mpz_t lo, mpz_t hi);

#endif
