/* build_dag.h: from the compact IR of a function to one DAG per machine block, and what the calling
 * conventions and the switch lowering share with it.
 *
 * Nodes that only the builder makes and that pass through all passes as they are:
 *   copyfromreg   (chain [glue]) -> value chain [glue]   imm = register
 *   copytoreg     (chain value [glue]) -> chain glue     imm = register
 *   callseq_start (chain) -> chain                       imm = bytes of stack arguments
 *   call          (chain callee glue) -> chain glue      ptr = struct call_info
 *   callseq_end   (chain glue) -> chain glue             imm = bytes of stack arguments
 *   ret           (chain [glue]) -> chain                ptr = struct ret_info
 *   brjt          (chain index) -> chain                 imm = jump table
 *   lifetime_start, lifetime_end (chain) -> chain        imm = stack slot
 * A register is REG_VIRTUAL | n, or 1 + its number among the convention's physical registers. */
#ifndef VERIDAG_BUILD_DAG_H
#define VERIDAG_BUILD_DAG_H

#include "dag.h"
#include "ir.h"
#include "legalize_types.h"
#include "mir.h"
#include "pass.h"
#include "selector.h"

#define REG_VIRTUAL 0x80000000u
/* A frame index with this bit names a fixed object (an incoming stack argument). */
#define FRAME_FIXED 0x80000000u

struct call_info {
  uint32_t nuses, ndefs;
  const uint32_t *uses, *defs; /* physical registers, numbered from 1 */
};

struct ret_info {
  uint32_t nuses;
  const uint32_t *uses;
};

/* A comparison and jump of a lowered switch: done in a block of its own. */
struct case_block {
  uint32_t block;  /* the machine block that it fills */
  uint32_t lo, hi; /* range of cases (in order of value) still possible */
  bool jump_table; /* the block only jumps through a table */
  uint32_t table, index_vreg;
};

/* An edge of the machine CFG into an IR block. */
struct build_edge {
  uint32_t from, from_ir; /* machine block; the IR block it belongs to */
  uint32_t to;
};

/* A constant that a PHI reads on the edge from an IR block, in a register of its own. */
struct phi_copy {
  uint32_t pred, value, vreg;
};

struct builder {
  struct isel *isel;
  const struct target *target;
  const struct ir_function *f;
  struct mfunc *mf;
  struct arena *arena; /* lives as long as the machine function */
  struct dag dag;      /* of the block being built */
  struct pass pass;
  const char *what; /* the first unsupported construct, or NULL */
  bool no_schedule; /* the block's selection has no schedule */
  vt pointer;

  uint32_t *value_vreg; /* by value: first virtual register + 1 of a value that lives across blocks, or 0 */
  uint32_t *map, *map_epoch; /* by value: its parts in `parts`, valid when the epoch is the block's */
  uint32_t epoch;
  VEC(struct sdval) parts;
  struct sdval chain;        /* the last effect */
  VEC(struct sdval) loads;   /* out-chains of simple loads since then */
  VEC(struct sdval) exports; /* out-chains of copies to registers */
  uint32_t block;            /* machine block */
  uint32_t ir_block;
  VEC(struct case_block) cases; /* still to be built */
  const struct ir_inst *sw;     /* the switch that they are of */
  const uint32_t *case_order;   /* its cases sorted by value */
  uint32_t sw_vreg;             /* its value, for the case blocks */
  vt sw_type;
  uint32_t sret_vreg; /* + 1: the sret pointer that is returned too */
  VEC(struct build_edge) edges;
  uint32_t *edge_order;            /* sorted by target; for build_phis */
  VEC(struct phi_copy) phi_copies; /* in order of pred */
  VEC(uint32_t) frozen;            /* virtual registers of which a freeze made a copy */
};

/* Reports an unsupported construct; returns false. */
bool build_unsupported(struct builder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Builds everything of one machine block into b->dag, ending with b->dag.root. */
bool build_block(struct builder *b, uint32_t ir_block);
/* Builds the next waiting block of a lowered switch. */
bool build_case_block(struct builder *b, const struct case_block *c);
/* Copies of the arguments into virtual registers, in the entry block. */
bool build_arguments(struct builder *b);
/* PHI instructions of all blocks, once every block is done. */
void build_phis(struct builder *b);
/* Puts 0 into every undefined register that a frozen copy reads, itself or through other copies and PHIs: a
 * copy of an undefined register is undefined, and each of its uses might see another value. Comes last. */
void build_frozen(struct builder *b);

/* ---- Values and chains --------------------------------------------------------------------------- */

struct sdval build_op(struct builder *b, uint16_t op, vt type, unsigned n, const struct sdval *ops,
                      uint16_t flags);
#define BUILD(b, op, type, flags, ...)                                                                       \
  build_op(b, op, type, sizeof((struct sdval[]){__VA_ARGS__}) / sizeof(struct sdval),                        \
           (const struct sdval[]){__VA_ARGS__}, flags)
/* A node with a chain: operands after the chain, results before it. Returns the node's first result; the new
 * chain is its last one. */
struct sdval build_chained(struct builder *b, uint16_t op, const vt *types, unsigned nres,
                           const struct sdval *ops, unsigned nops, uint64_t payload);
/* One part of a value. */
struct sdval build_value(struct builder *b, uint32_t value, unsigned part);
void build_set(struct builder *b, uint32_t value, unsigned part, struct sdval v);
/* The chain after all that was done so far: the next effect hangs on it. */
struct sdval build_root(struct builder *b);
/* The same with all copies to registers: what a terminator hangs on. */
struct sdval build_control_root(struct builder *b);
/* A value as legal parts, and back. */
unsigned build_split(struct builder *b, struct sdval v, struct sdval *parts);
struct sdval build_join(struct builder *b, const struct sdval *parts, unsigned n, vt type);
struct sdval build_copy_from(struct builder *b, uint32_t reg, vt type, struct sdval chain);
/* Resizes an integer: zero-, sign- or any-extended or truncated. */
struct sdval build_zext(struct builder *b, struct sdval v, vt type);
struct sdval build_sext(struct builder *b, struct sdval v, vt type);
struct sdval build_anyext(struct builder *b, struct sdval v, vt type);
/* A new virtual register for a legal type. */
uint32_t build_vreg(struct builder *b, vt type);
struct sdval build_load(struct builder *b, vt type, struct sdval chain, struct sdval ptr,
                        const struct memref *mem);
struct sdval build_store(struct builder *b, struct sdval chain, struct sdval v, struct sdval ptr,
                         const struct memref *mem);
struct sdval build_block_node(struct builder *b, uint32_t block);
void build_edge(struct builder *b, uint32_t to_ir_block, uint32_t prob);
void build_machine_edge(struct builder *b, uint32_t to_block, uint32_t prob);
uint32_t build_new_block(struct builder *b);
struct sdval build_symbol(struct builder *b, const char *name, bool external, bool dso_local, bool is_call);

/* ---- Instructions (build_inst.c, build_call.c, build_intrinsic.c, build_switch.c) ----------------- */

bool build_inst(struct builder *b, const struct ir_inst *i);
bool build_call(struct builder *b, const struct ir_inst *i);
bool build_return(struct builder *b, const struct ir_inst *i);
bool build_intrinsic(struct builder *b, const struct ir_inst *i);
bool build_switch(struct builder *b, const struct ir_inst *i);
/* A call of a C function by name with integer arguments; `ret` may be VT_NONE. */
struct sdval build_libcall(struct builder *b, const char *name, vt ret, const struct sdval *args, unsigned n,
                           struct sdval *chain);
uint16_t build_setcc_op(uint8_t pred);
uint16_t build_binary_op(uint8_t op);
struct sdval build_gep(struct builder *b, const struct ir_gep *g, const uint32_t *ops);
struct sdval build_frame_index(struct builder *b, uint32_t slot);
/* Starts the DAG of a machine block. */
void build_begin(struct builder *b, uint32_t block);
/* Copies a value that lives across blocks to its registers. */
void build_export(struct builder *b, uint32_t value);

#endif
