/* rungs.h: the rungs of the ladder, and what they share. A rung that returns VALID has proved that the
 * premises imply the claim (the goal is that implication, as one Bool); OPEN says nothing. Only bit-precise
 * rungs return INVALID. `steps` are solver steps, before the query's scale unless said otherwise. */
#ifndef VERIDAG_RUNGS_H
#define VERIDAG_RUNGS_H

#include "ladder.h"

/* Budgets in solver steps. */
enum {
  STEPS_SHORT = 400000,
  STEPS_INDEX = 400000,
  STEPS_LIA = 150000,
  STEPS_LEMMAS = 250000,
  STEPS_BLAST = 6000000,
  STEPS_UF = 8000000,
  STEPS_LAST = 30000000
};

/* propagate.c: substitutes what premises fix (x, not x, x = 5, x = y + z), until nothing changes. Fixing
 * premises move to `fixed`, so that a model still gives their inputs values. */
void propagate(Z3_context c, struct ast_list *premises, Z3_ast *claim, struct ast_list *fixed);
/* True when Bool `e` gives the input `what` its value. */
bool fixes(Z3_context c, Z3_ast e, Z3_ast *what, Z3_ast *value);

/* powers.c: writes inputs that premises confine to powers of two, or to runs of ones, by their exponents.
 * Adds to `values` what gives an input its value, and to `exponents` those of powers, all below their width.
 */
void name_powers(Z3_context c, struct ast_list *premises, Z3_ast *claim, struct ast_list *values,
                 struct ast_list *exponents);

/* solve.c */
bool ring_proves(Z3_context c, Z3_ast goal, bool bits); /* an identity of the ring: no solver */
/* Bit-blasts not `goal`: VALID, INVALID with a model, or OPEN. */
struct outcome blast(Z3_context c, Z3_ast goal, double steps);
/* Linear integer arithmetic over the ring's atoms, with both arithmetic solvers, then with lemmas. */
struct outcome integers(const struct query *q, const struct ast_list *premises, Z3_ast goal, double scale);
/* Bounds a solver's work (`steps` with the scale), and the context's count of it so far. */
void limit_steps(Z3_context c, Z3_solver s, double steps);
uint64_t steps_of(Z3_context c, Z3_solver s);

/* linear.c: sums of bits modulo 2. */
bool linear_proves(Z3_context c, Z3_ast claim);

/* index.c: bit by bit, for any bit, with shift amounts as integers: the same work at every width. */
struct outcome index_prove(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                           double steps);

/* abstract.c: products and quotients as unknown functions. */
struct outcome uf_prove(const struct query *q, Z3_ast goal);
/* The goal with every remainder by a constant replaced by some value below it: stronger. NULL when it has
 * none. */
Z3_ast forget_remainders(Z3_context c, Z3_ast goal);

/* split.c: for every shift amount; for every value of a constant that the premise confines to a family of few
 * members, such as the powers of two. */
struct outcome split_amounts(const struct query *q, Z3_ast goal);
struct outcome split_constants(const struct query *q, Z3_ast premise, Z3_ast goal);

/* cases.c: the goal once for each sign of up to two inputs; for each value of a named exponent; for each
 * value of a constant that a premise keeps below 128; where an input is a number that a choice asks for, and
 * where not; for an even and an odd input. */
struct outcome sign_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim, Z3_ast goal);
struct outcome exponent_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                              const struct ast_list *exponents);
struct outcome amount_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim);
struct outcome choice_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim);
struct outcome parity_cases(const struct query *q, Z3_ast goal);

#endif
