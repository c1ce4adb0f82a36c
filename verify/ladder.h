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

#endif
