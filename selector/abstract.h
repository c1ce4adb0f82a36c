/* abstract.h: expressions of the rule language evaluated over partial knowledge of their variables. What an
 * operation tells about its results, and what it reads of its operands, both follow from its one definition.
 */
#ifndef VERIDAG_ABSTRACT_H
#define VERIDAG_ABSTRACT_H

#include "gen/ops.h"
#include "model.h"

/* The definition of every operation with its expressions, by number; NULL for pseudo nodes. Generated. */
extern const struct op *const op_defs[OP_COUNT];

/* Bits known to be zero, bits known to be one, and a lower bound (≥ 1) on the copies of the sign bit. */
struct fact_bits {
  struct bv zero, one;
  unsigned sign;
};
enum tri { TRI_FALSE, TRI_TRUE, TRI_UNKNOWN };

struct abs_env {
  const vt *types;             /* by type variable */
  const struct fact_bits *val; /* by variable */
  uint32_t not_poison;         /* mask of variables that are not poison */
  uint16_t flags;
  bool divisor_nonzero; /* the operation is undefined when a divisor is zero */
};

struct fact_bits fact_none(unsigned width);
struct fact_bits fact_const(struct bv value);
bool fact_is_const(const struct fact_bits *f);
/* Lets each part of the fact sharpen the others. */
void fact_settle(struct fact_bits *f);

struct fact_bits abs_bv(const struct expr *e, const struct abs_env *env);
enum tri abs_bool(const struct expr *e, const struct abs_env *env);
/* Adds to out[i] the bits of variable i on which the bits `mask` of the expression may depend;
 * abs_demand_bool the same for a truth value. Here env->val may know only what cannot change, that is,
 * constants: a fact that itself comes from the bits that are said not to be read would support itself. */
void abs_demand(const struct expr *e, struct bv mask, const struct abs_env *env, struct bv *out);
void abs_demand_bool(const struct expr *e, const struct abs_env *env, struct bv *out);

#endif
