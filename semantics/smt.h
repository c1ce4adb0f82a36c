/* smt.h: expressions and operations of the model as Z3 terms. The counterpart of the evaluator in model.h:
 * the same bodies, with terms for values. Bit-vector widths are concrete (a query is about one choice of
 * types), so every num folds while terms are built.
 *
 * Shape of the terms, on which other encodings (the prover's ring form) may rely: only
 *   numerals, constants, bvadd bvsub bvmul bvudiv bvneg bvnot bvand bvor bvxor bvshl bvlshr bvashr concat
 * extract zero_extend sign_extend ite, = distinct-free booleans (and or not xor => ite true false), bvult
 * bvule bvslt bvsle occur. Remainders are x − (x div y)·y, signed division is sign and magnitude over bvudiv;
 * overflow predicates are comparisons or products of doubled width; popcount is a tree of sums, each as
 * wide as its value needs; clz and ctz are the popcount of what is not behind a one, of a rule's constants a
 * chain of ite from the far end to the near one. */
#ifndef VERIDAG_SMT_H
#define VERIDAG_SMT_H

#include "model.h"

#include <z3.h>

/* What an expression is translated in. The context must come from Z3_mk_context (terms live as long as it).
 * Callbacks may be NULL when the form cannot contain what they answer; a missing one is a broken invariant.
 */
struct smt_env {
  Z3_context ctx;
  const vt *types;      /* by type variable of the form (rule, op, instruction) */
  const Z3_ast *vals;   /* by variable: a bit-vector term of the variable's width */
  const Z3_ast *poison; /* by variable: a Bool; the array or an entry may be NULL: never poison */
  const Z3_ast *flags;  /* by flag bit: a Bool; the array or an entry may be NULL: the flag is off */
  Z3_ast (*fresh)(void *self, int number,
                  unsigned width); /* X_FRESH `number` of this form: same number, same term */
  Z3_ast (*fact)(void *self, const struct expr *e, const struct smt_env *env); /* B_FACT, as a Bool */
  Z3_ast (*read)(void *self, Z3_ast addr, unsigned bytes); /* X_READ: a term of 8·bytes bits */
  void *self;
  bool constants; /* the expression is about a rule's constants: see smt_clz */
};

/* Terms of an expression of sort bool and bv. The expression must be applicable at env->types
 * (smt_applicable), else this is a broken invariant. */
Z3_ast smt_bool(const struct expr *e, const struct smt_env *env);
Z3_ast smt_bv(const struct expr *e, const struct smt_env *env);
/* The value of a num at the environment's types. */
int64_t smt_num(const struct expr *e, const struct smt_env *env);
/* expr_applicable at the environment's types: every strict literal fits and every width is in place. */
bool smt_applicable(const struct expr *e, const struct smt_env *env);

/* One application of a non-structural operation without memory effect. env->types is by the operation's type
 * variables, vals and poison by operand. */
struct smt_applied {
  Z3_ast val[4]; /* by result; NULL when the operation gives the result no value (structural, memory) */
  Z3_ast poison; /* of every result: operands' poison (unless poison-own) or its own clause */
  Z3_ast ub;     /* immediate undefined behaviour, including ub-if-poison operands */
  Z3_ast taken;  /* branches: the condition; else NULL */
};
struct smt_applied smt_op(const struct op *op, const struct smt_env *env);

/* Small constructors that fold what is constant, so that terms stay readable. */
Z3_ast smt_and2(Z3_context c, Z3_ast a, Z3_ast b); /* either may be NULL: true */
Z3_ast smt_or2(Z3_context c, Z3_ast a, Z3_ast b);  /* either may be NULL: false */
Z3_ast smt_not(Z3_context c, Z3_ast a);
/* a = b; between 0/1 bit-vectors made from Bools, an equivalence of these. */
Z3_ast smt_eq(Z3_context c, Z3_ast a, Z3_ast b);
/* The terms of clz and ctz where `constants` is set: a choice at every bit. Elsewhere the bits that no one
 * covers are counted. */
Z3_ast smt_clz(Z3_context c, Z3_ast a);
Z3_ast smt_ctz(Z3_context c, Z3_ast a);
/* The term of popcount, as wide as a. */
Z3_ast smt_popcount(Z3_context c, Z3_ast a);
Z3_ast smt_const_bv(Z3_context c, struct bv value);
/* A new uninterpreted constant of `width` bits, or a Bool. */
Z3_ast smt_var_bv(Z3_context c, const char *name, unsigned width);
Z3_ast smt_var_bool(Z3_context c, const char *name);
unsigned smt_width(Z3_context c, Z3_ast a);
/* The value of a numeral term; false when it is not a numeral. */
bool smt_value(Z3_context c, Z3_ast a, struct bv *out);

#endif
