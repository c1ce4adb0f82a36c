/* create.h: "Instruction Creation": a scheduled block as MachineInstrs. */
#ifndef VERIDAG_CREATE_H
#define VERIDAG_CREATE_H

#include "build_dag.h"
#include "schedule.h"

struct emitter {
  struct builder *b;
  struct dag *d;
  struct mfunc *mf;
  const struct target *t;
  uint32_t block;    /* machine block */
  uint32_t *first;   /* by node: where its results start in `vregs` */
  uint32_t *vregs;   /* by result: virtual register + 1, or 0 */
  const char *fault; /* a node that cannot be emitted */
};

/* Emits the block's nodes in their order. Returns NULL or what is wrong. */
const char *create_insts(struct builder *b, const struct schedule *s);

/* For the targets' special nodes. */
struct minst *emit_inst(struct emitter *e, const char *name, const struct mop *ops, unsigned n,
                        unsigned ndefs);
/* The virtual register of a value, constrained to a class, or a copy in that class. */
uint32_t emit_use(struct emitter *e, struct sdval v, const char *cls);
void emit_result(struct emitter *e, struct sdval v, uint32_t vreg);
/* A leaf operand (constant, symbol, block, frame index) as MIR writes it. */
struct mop emit_leaf(struct emitter *e, struct sdval v);
struct mop emit_implicit(const char *reg, bool def, bool dead);
/* Appends registers of the convention as implicit operands; returns the new number of operands. */
unsigned emit_convention(struct emitter *e, struct mop *ops, unsigned n, const uint32_t *regs, uint32_t nregs,
                         bool def);
/* What a call node calls: a symbol (then true), or a register of the class. */
bool emit_callee(struct emitter *e, uint32_t call, const char *cls, struct mop *callee);
/* A return that takes nothing but the registers of the results. */
void emit_plain_return(struct emitter *e, uint32_t node, const char *name);

#endif
