/* dag_eval.h: the meaning of a DAG, for tests: every operation by its definition, memory as bytes. */
#ifndef VERIDAG_DAG_EVAL_H
#define VERIDAG_DAG_EVAL_H

#include "dag.h"
#include "pass.h"

enum { EVAL_MEMORY = 256 };

struct eval_byte {
  uint8_t value;
  bool poison;
};

/* The world that a DAG runs in: registers by number (imm of copyfromreg), and memory. */
struct world {
  struct bv reg[64];
  bool reg_poison[64];
  struct eval_byte memory[EVAL_MEMORY];
  bool big_endian;
  /* What the DAG did: copies to registers, and whether it ran into undefined behaviour. */
  struct bv out[64];
  bool out_poison[64];
  bool undefined;
};

/* Runs the DAG: every node that the root needs, in an order that respects chains. */
void dag_run(struct dag *d, struct world *w);

/* A libcall for struct pass: an `intrinsic` node with the name, operands and results in legal parts. */
struct sdval eval_libcall(void *self, const char *name, vt ret, const struct sdval *args, unsigned n,
                          struct sdval *chain);

#endif
