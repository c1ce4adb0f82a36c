/* ladder.h: proves that premises imply a claim, by the weakest method that does. Budgets are solver steps, so
 * that an answer does not depend on the machine. */
#ifndef VERIDAG_LADDER_H
#define VERIDAG_LADDER_H

#include <z3.h>

#include "terms.h"
#include "verify.h"

enum answer { VALID, INVALID, OPEN };

struct query {
  Z3_context c;
  const Z3_ast *premises;
  unsigned npremise;
  Z3_ast claim;
  const Z3_ast *constants; /* inputs that stand for constants of the rule: candidates for case splits */
  unsigned nconstant;
  double scale;      /* of all budgets */
  bool cross_check;  /* bit-blast what the ring and integer rungs proved, when narrow */
  unsigned min_rung; /* tests: skip weaker rungs */
};

struct outcome {
  enum answer answer;
  enum rung rung; /* of a proof */
  unsigned cases; /* of a split */
  uint64_t steps;
  Z3_model model; /* INVALID: a model of the premises and not the claim, from a bit-precise rung */
  bool disagree;  /* cross_check: bit-blasting refutes what another rung proved: a bug in this program */
};

struct outcome ladder_prove(const struct query *q);
/* A model of the premises (bit-precise); answer INVALID with a model, VALID when there is none. */
struct outcome ladder_satisfy(Z3_context c, const Z3_ast *premises, unsigned n, double scale);

/* split.c, abstract.c: rungs of their own. `goal` is one Bool. */
struct outcome split_amounts(const struct query *q, Z3_ast goal);
/* Splits on a constant that the premise confines to a family of few members, such as the powers of two. */
struct outcome split_constants(const struct query *q, Z3_ast premise, Z3_ast goal);
bool ring_proves(Z3_context c, Z3_ast goal, bool bits); /* an identity of the ring: no solver */
bool linear_proves(Z3_context c, Z3_ast claim);         /* linear.c: sums of bits modulo 2 */
/* Bit by bit, for any bit, with shift amounts as integers: the same work at every width. */
struct outcome index_prove(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                           double steps);
/* powers.c: writes inputs that premises confine to powers of two, or to low masks, by their exponents. Adds
 * to `values` what gives an input its value, and to `exponents` those of powers, all below their width. */
void name_powers(Z3_context c, struct ast_list *premises, Z3_ast *claim, struct ast_list *values,
                 struct ast_list *exponents);
struct outcome uf_prove(const struct query *q, Z3_ast goal);
/* The goal with every remainder by a constant replaced by some value below it: stronger. NULL when it has
 * none. */
Z3_ast forget_remainders(Z3_context c, Z3_ast goal);
/* Bit-blasts not `goal`: VALID, INVALID with a model, or OPEN. */
struct outcome blast(Z3_context c, Z3_ast goal, double steps);
/* Bounds a solver's work, and the context's count of it so far. */
void limit_steps(Z3_context c, Z3_solver s, double steps);
uint64_t steps_of(Z3_context c, Z3_solver s);
bool uses_products(Z3_context c, Z3_ast e); /* a product of two unknowns, or a division */

#endif
