/* ring.h: bit-vector goals as linear integer problems, through a ring normal form.
 *
 * Every bit-vector term of width w becomes a polynomial over bounded integer atoms that is congruent to it
 * modulo 2^w. Only operators outside the ring (extract, zero-extend, shifts right, comparisons, division) ask
 * for a canonical value in [0, 2^w); that makes one quotient atom, shared by all polynomials with the same
 * normal form. Every atom has a definition, and every axiom asserted about atoms is true under these
 * definitions; therefore "axioms and not goal" unsatisfiable over the integers proves the goal. The converse
 * does not hold: a model means only that the abstraction is too weak.
 *
 * This file is trusted. ring_check evaluates every definition, bound and axiom on concrete inputs. */
#ifndef VERIDAG_RING_H
#define VERIDAG_RING_H

#include <z3.h>

#include "poly.h"

enum atom_kind {
  ATOM_VAR,   /* a bit-vector constant of the goal: `ast` */
  ATOM_BIT,   /* bit `k` of the constant `ast` */
  ATOM_FLOOR, /* floor(a / d) for the positive constant polynomial d = b */
  ATOM_AND,   /* bitwise and of the canonical a and b */
  ATOM_POW2,  /* 2^a when a < k, else 0; `a` has no constant term */
  ATOM_QUOT,  /* floor(a / b) when b > 0; 0 when b = 0 */
  ATOM_BOOL,  /* 1 when the integer formula `ast` holds, else 0 */
};

struct atom_def {
  enum atom_kind kind;
  Z3_ast ast, z; /* z: the integer constant that stands for the atom */
  const struct poly *a, *b;
  unsigned k;
};

struct ring_entry {
  enum atom_kind kind;
  const struct poly *a, *b; /* the key; b may be NULL */
  unsigned k;
  const struct poly *value;
  int next; /* in its bucket, or -1 */
};

/* A term that was translated: of a bit-vector its polynomial, of a Bool its integer formula. */
struct ring_done {
  unsigned id;
  Z3_ast ast, z;
  const struct poly *poly;
};

/* a = b modulo 2^w, which is z: near = 0. */
struct ring_equation {
  Z3_ast a, b, z;
  const struct poly *near;
};

/* z holds exactly when d < 0 (strict) or d <= 0. */
struct ring_order {
  const struct poly *d;
  Z3_ast z;
  bool strict;
};

/* An input known to be within [lo, hi] wherever the goal's premises hold. */
struct ring_range {
  Z3_ast input;
  mpz_t lo, hi;
};

struct mono_z {
  struct term t; /* coefficient unused */
  Z3_ast z;
};

struct ring {
  Z3_context ctx;
  struct poly_ctx p;
  bool bits;                 /* constants become sums of their bits */
  VEC(struct atom_def) defs; /* by atom */
  VEC(Z3_ast) axioms;
  VEC(struct ring_entry) entries;
  int buckets[1024];
  VEC(struct mono_z) monos;   /* products of two or more atoms */
  VEC(struct ring_done) done; /* translated terms */
  int *slots;                 /* by ast id, open addressing: position in `done` + 1 */
  uint32_t nslot;
  VEC(uint32_t) bool_atoms;            /* ATOM_BOOL atoms */
  VEC(uint32_t) inputs;                /* ATOM_VAR atoms */
  VEC(struct ring_equation) equations; /* translated equalities and comparisons, for the lemmas */
  VEC(struct ring_order) orders;
  VEC(struct ring_range) ranges; /* what premises say of inputs */
};

/* `bits`: represent inputs by their bits, which turns masks and bit counting into ring identities. */
void ring_init(struct ring *r, Z3_context ctx, bool bits, uint64_t work_limit);
void ring_free(struct ring *r);
/* Before anything is translated: takes what a premise says of an input's range (x < 5, x != 0), on which the
 * translation may then rely. The goal must be proven under the premise. */
void ring_assume(struct ring *r, Z3_ast premise);
/* The integer formula of a Bool term. Check r->p.failed afterwards: when set, the result means nothing. */
Z3_ast ring_bool(struct ring *r, Z3_ast e);
/* The polynomial congruent to a bit-vector term modulo 2^width. */
const struct poly *ring_bv(struct ring *r, Z3_ast e);
/* Adds consequences of the definitions that linear arithmetic cannot find: products of remainder bounds with
 * divisors, monotonicity of products with a common factor, equations times inputs (ring_lemmas.c). */
void ring_add_lemmas(struct ring *r);
/* Adds, for products with the inverse of a small odd number, that multiplying by the number again gives the
 * factor back. */
void ring_add_inverses(struct ring *r);
/* The integer term of a polynomial; makes and axiomatises its products. */
Z3_ast ring_term(struct ring *r, const struct poly *p);
Z3_ast ring_mono(struct ring *r, const struct term *t);
void ring_axiom(struct ring *r, Z3_ast e);
Z3_ast ring_int(struct ring *r, long v);
Z3_ast ring_mpz(struct ring *r, const mpz_t v);
const struct poly *ring_canon(struct ring *r, const struct poly *raw, unsigned w);

/* Evaluates everything under the assignment inputs[i] := values[i] (numerals): each translated bit-vector
 * term is congruent to its polynomial and within its bounds, and each axiom holds. Returns NULL, or what is
 * wrong. */
const char *ring_check(struct ring *r, unsigned ninput, const Z3_ast *inputs, const Z3_ast *values);

#endif
