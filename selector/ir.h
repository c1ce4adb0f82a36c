/* ir.h: the compact IR of one function, read from LLVM IR. Values, blocks and instructions are named by
 * 32-bit ids; a value of aggregate type is a list of scalar parts. Everything lives in the arena given to the
 * reader. */
#ifndef VERIDAG_IR_H
#define VERIDAG_IR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bv.h"
#include "types.h"
#include "util/arena.h"
#include "util/vec.h"

/* A first-class type as its scalar parts; pointers are integers of the target's pointer width. */
struct ir_type {
  uint32_t nparts; /* 0 for void and empty aggregates */
  const vt *parts;
  const uint32_t *offsets; /* byte offset of each part in memory */
  const bool *is_ptr;
  uint64_t bytes; /* allocation size */
  bool is_array;  /* an array by value: its parts stay together when they are passed */
};

enum ir_op {
  IR_ADD,
  IR_SUB,
  IR_MUL,
  IR_UDIV,
  IR_SDIV,
  IR_UREM,
  IR_SREM,
  IR_SHL,
  IR_LSHR,
  IR_ASHR,
  IR_AND,
  IR_OR,
  IR_XOR,
  IR_TRUNC,
  IR_ZEXT,
  IR_SEXT,
  IR_PTRCAST, /* ptrtoint, inttoptr, bitcast: resize without sign */
  IR_ICMP,
  IR_SELECT,
  IR_FREEZE,
  IR_PHI,
  IR_GEP,
  IR_ALLOCA,
  IR_LOAD,
  IR_STORE,
  IR_CALL,
  IR_EXTRACT,
  IR_INSERT,
  IR_BR,
  IR_CONDBR,
  IR_SWITCH,
  IR_RET,
  IR_UNREACHABLE,
  IR_FENCE,
  IR_OP_COUNT
};
extern const char *const ir_op_name[IR_OP_COUNT];

enum ir_pred { IP_EQ, IP_NE, IP_UGT, IP_UGE, IP_ULT, IP_ULE, IP_SGT, IP_SGE, IP_SLT, IP_SLE };
extern const char *const ir_pred_name[10];

enum ir_kind {
  IRV_NONE,
  IRV_ARG,
  IRV_INST,
  IRV_CONST,
  IRV_UNDEF,
  IRV_POISON,
  IRV_GLOBAL,
  IRV_EXPR,      /* constant expression: op over operands */
  IRV_AGGREGATE, /* constant aggregate: operands are its scalar parts */
};

struct ir_global {
  const char *name;
  bool dso_local, is_function, is_tls;
};

struct ir_value {
  uint8_t kind;
  uint8_t op;     /* IRV_EXPR */
  uint32_t index; /* IRV_ARG: position; IRV_INST: instruction */
  const struct ir_type *type;
  const char *name;      /* as MIR refers to it after %ir., or NULL */
  const struct bv *bits; /* IRV_CONST */
  const struct ir_global *global;
  const uint32_t *ops; /* IRV_EXPR, IRV_AGGREGATE */
  uint32_t nops;
  const struct ir_gep *gep; /* IRV_EXPR of IR_GEP */
  uint32_t nuses;           /* IRV_ARG, IRV_INST: by instructions */
  bool used_outside;        /* by another block, or by a PHI */
};

/* base + offset + Σ index[i] * scale[i]; the instruction's operands are the base and then the indices. */
struct ir_gep {
  int64_t offset;
  uint32_t nindex;
  const uint64_t *scale;
  bool nuw, inbounds;
};

struct ir_mem {
  uint32_t align;
  bool is_volatile, atomic;
  uint8_t ordering;
};

enum { ARG_ZEXT = 1, ARG_SEXT = 2, ARG_SRET = 4, ARG_NEST = 8, ARG_RETURNED = 16 };

struct ir_call {
  const char *intrinsic; /* base name without "llvm." and type suffix, or NULL */
  uint32_t callee;       /* value; the last word of the call */
  uint32_t nargs;
  const uint32_t *args;
  const uint8_t *arg_flags;
  uint8_t ret_flags;
  bool variadic;
  uint32_t nfixed; /* arguments that are not variadic */
};

struct ir_case {
  struct bv value;
  uint32_t block;
};

struct ir_switch {
  uint32_t fallback; /* default block */
  uint32_t ncases;
  const struct ir_case *cases;
};

struct ir_inst {
  uint8_t op;
  uint8_t pred;   /* IR_ICMP */
  uint16_t flags; /* FLAG_* bits of model.h */
  uint32_t value; /* result, or 0 */
  uint32_t block;
  uint32_t nops;
  const uint32_t *ops;
  const struct ir_type *type; /* of the result, of the stored value, of the returned value */
  uint32_t loc;               /* line of the IR instruction's debug location, or 0 */
  union {
    struct ir_mem mem;
    const struct ir_gep *gep;
    const struct ir_call *call;
    const struct ir_switch *sw;
    const uint32_t *blocks; /* IR_PHI: incoming blocks; IR_BR, IR_CONDBR: targets */
    struct {
      uint64_t bytes;
      uint32_t align;
      uint32_t slot;
    } alloca;
    struct {
      uint32_t first, count;
    } part; /* IR_EXTRACT, IR_INSERT: parts of the aggregate */
  };
};

struct ir_block {
  const char *name;  /* as MIR refers to it after %ir-block. */
  uint32_t first, n; /* instructions */
};

struct ir_slot { /* a static alloca */
  uint64_t bytes;
  uint32_t align;
  uint32_t value;
  const char *name;
};

struct ir_function {
  const char *name;
  struct ir_global global;
  const struct ir_type *ret;
  uint8_t ret_flags;
  bool variadic, optnone;
  const char *features; /* "+sse2,+x87", or NULL */
  uint32_t nargs;
  const uint32_t *args; /* values */
  const uint8_t *arg_flags;
  VEC(struct ir_value) values; /* index 0 is not used */
  VEC(struct ir_inst) insts;
  VEC(struct ir_block) blocks;
  VEC(struct ir_slot) slots;
};

static inline const struct ir_value *ir_val(const struct ir_function *f, uint32_t id) {
  return &f->values.at[id];
}

/* Releases what is not in the arena. */
void ir_function_free(struct ir_function *f);
/* The type of one part of a value. */
vt ir_part(const struct ir_function *f, uint32_t value, unsigned part);
/* Prints a function in the compact form of -print-isel-input. */
void print_ir(const struct ir_function *f, FILE *out);

/* ---- Reading LLVM IR (read_llvm.c) ------------------------------------------------------------- */

struct ir_module; /* an open LLVM module */

/* Opens a .ll or .bc file. On failure returns NULL and puts one line, with the place if there is one, in
 * *error (from malloc). `triple` overrides the module's; NULL keeps it. */
struct ir_module *ir_open(const char *path, const char *triple, char **error);
void ir_close(struct ir_module *m);
const char *ir_triple(const struct ir_module *m);
/* The module as text, as the header of the MIR file; owned by the module. */
const char *ir_text(struct ir_module *m);
unsigned ir_num_functions(const struct ir_module *m); /* with bodies */
const char *ir_function_name(const struct ir_module *m, unsigned i);
/* Gives the module a triple and a data layout where it has none; call once before reading functions. */
void ir_set_layout(struct ir_module *m, const char *triple, const char *layout);
enum ir_status { IR_OK, IR_UNSUPPORTED };
/* Reads function i. When it holds something that is not supported, *what names the construct. */
enum ir_status ir_read(struct ir_module *m, unsigned i, struct arena *arena, struct ir_function *out,
                       const char **what);
/* Turns function i into a declaration, so that the printed module does not define it. */
void ir_drop_body(struct ir_module *m, unsigned i);

#endif
