/* mir.h: machine functions as MIR writes them: virtual registers, blocks, instructions by LLVM's opcode
 * names. Everything lives in one arena per function. */
#ifndef VERIDAG_MIR_H
#define VERIDAG_MIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/arena.h"
#include "util/vec.h"

enum mop_kind {
  MOP_VREG,      /* %index, with `text` = sub-register index or NULL */
  MOP_PHYS,      /* $text */
  MOP_IMM,       /* imm */
  MOP_BLOCK,     /* %bb.index */
  MOP_STACK,     /* %stack.index, imm = offset (printed only where the format has it) */
  MOP_FIXED,     /* %fixed-stack.index */
  MOP_GLOBAL,    /* @text + imm */
  MOP_EXTERNAL,  /* &text */
  MOP_JUMPTABLE, /* %jump-table.index */
  MOP_REGMASK,   /* a bare name: csr_64 */
  MOP_SUBREG,    /* %subreg.text */
};

struct mop {
  uint8_t kind;
  bool def, implicit, dead, killed, undef, early_clobber;
  uint32_t index;
  int64_t imm;
  const char *text;
  const char *target_flags; /* inside target-flags(…), or NULL */
};

/* A memory operand: what llc may believe about an access. */
struct mmo {
  bool load, store, is_volatile;
  const char *ordering; /* "monotonic", or NULL */
  uint32_t bytes;
  uint32_t align;   /* bytes */
  const char *base; /* "%ir.p", "@g", "stack", "got", "jump-table", …, or NULL */
  int64_t offset;
};

struct minst {
  const char *name;
  uint16_t nops;
  uint8_t ndefs; /* leading explicit definitions */
  uint8_t nmmos;
  struct mop *ops;
  const struct mmo *mmos;
};

struct msucc {
  uint32_t block;
  uint32_t prob; /* out of 2^31; 0 when not printed */
};

struct mlivein {
  const char *reg;
  uint32_t vreg;
};

struct mblock {
  const char *ir_name; /* inside (%ir-block.…), or NULL */
  VEC(struct minst) insts;
  VEC(struct msucc) succs;
  VEC(const char *) liveins;
  bool used;
};

struct mstack {
  const char *name;
  uint64_t size;
  uint32_t align;
};
struct mfixed {
  int64_t offset;
  uint64_t size;
  uint32_t align;
  bool immutable;
};
struct mjump {
  VEC(uint32_t) blocks;
};

struct mfunc {
  struct arena *arena;
  const char *name;
  uint32_t align;
  VEC(const char *) vregs; /* register class of each virtual register */
  VEC(struct mlivein) liveins;
  VEC(struct mblock) blocks; /* by number; printed in this order */
  VEC(struct mstack) stack;
  VEC(struct mfixed) fixed;
  VEC(struct mjump) jumps;
  const char *jump_kind;
  bool adjusts_stack, has_calls, is_pic;
  uint32_t max_align;
};

void mfunc_free(struct mfunc *f);
uint32_t mfunc_vreg(struct mfunc *f, const char *cls);
struct minst *mblock_add(struct mblock *b, const char *name);
/* Makes `n` operands in the arena the instruction's; returns them. */
struct mop *minst_ops(struct mfunc *f, struct minst *i, unsigned n);

struct mop mop_def(uint32_t vreg);
struct mop mop_use(uint32_t vreg);
struct mop mop_phys(const char *reg);
struct mop mop_imm(int64_t imm);
struct mop mop_block(uint32_t block);

/* Prints one function as a MIR document. */
void print_mir(const struct mfunc *f, FILE *out);
/* Prints the first document: the module's text. */
void print_mir_module(const char *text, FILE *out);
/* A name as MIR writes it after @ or &: quoted where needed. */
void print_mir_name(const char *name, FILE *out);

/* A MIR file as read back. */
struct mir_file {
  struct arena arena;
  const char *module; /* text of the first document */
  VEC(struct mfunc) functions;
};
/* Reads a MIR text that print_mir made. On failure returns false with the place and fault in *error (in the
 * arena). */
bool read_mir(struct mir_file *f, const char *text, size_t len, const char **error);
void mir_file_free(struct mir_file *f);
void print_mir_file(const struct mir_file *f, FILE *out);

/* Checks that nothing clobbers the condition flags or another physical register between its definition and
 * its use, that every virtual register has one definition, and that used registers are defined. Returns NULL
 * or a complaint (in the arena). */
const char *mir_check(const struct mfunc *f, struct arena *arena);

/* Do two physical registers share bits? (al and ah count as one.) */
bool mir_same_register(const char *a, const char *b);

#endif
