/* ring_ops.h: what the two halves of the ring translation share: ring.c makes polynomials and their axioms,
 * ring_terms.c walks the terms. */
#ifndef VERIDAG_RING_OPS_H
#define VERIDAG_RING_OPS_H

#include "ring.h"

/* A new integer constant with its range and definition. */
uint32_t ring_new_atom(struct ring *r, struct atom_def def, const mpz_t lo, const mpz_t hi);
/* z is within [lo, hi]. */
void ring_bounds(struct ring *r, Z3_ast z, const mpz_t lo, const mpz_t hi);
const struct poly *ring_product(struct ring *r, const struct poly *a, const struct poly *b);
/* floor(p / 2^k) */
const struct poly *ring_floor_pow2(struct ring *r, const struct poly *p, unsigned k);
/* The top bit of a canonical value, and that value as a signed number. */
const struct poly *ring_sign_bit(struct ring *r, const struct poly *canon, unsigned w);
const struct poly *ring_signed_value(struct ring *r, const struct poly *canon, unsigned w);
/* 0/1 value of an integer formula. */
const struct poly *ring_bool_poly(struct ring *r, Z3_ast z);
/* a & b at width w. */
const struct poly *ring_and(struct ring *r, const struct poly *ra, const struct poly *rb, unsigned w);
/* 2^amount when amount < w, else 0. */
const struct poly *ring_pow2(struct ring *r, Z3_ast amount, unsigned w);
/* floor(a / b) for a canonical b, and `if_zero` where b is 0. */
const struct poly *ring_quotient(struct ring *r, const struct poly *a, const struct poly *b,
                                 const struct poly *if_zero);

#endif
