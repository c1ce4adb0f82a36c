/* target.h: what the passes ask of a target. The tables come from its .isel files; the hooks are what cannot be a
 * rule yet: the calling convention and frames. */
#ifndef VERIDAG_TARGET_H
#define VERIDAG_TARGET_H

#include "../selector/dag.h"

struct isel;      /* one compilation: selector/selector.h */
struct builder;   /* building one function: selector/build_dag.h */
struct ir_inst;

/* A machine instruction's operands as LLVM's MIR orders them. */
enum mo_kind { MO_REG, MO_IMM, MO_MEM, MO_BLOCK };
struct mo_desc {
  uint8_t kind;
  uint8_t nmir;      /* MIR operands it becomes (5 for an x86 address) */
  int8_t tied;       /* output number or -1 */
  uint16_t cls;      /* register class, or nonterminal */
};
struct inst_desc {
  const char *name;
  uint8_t nout, nin, nuse, ndef;
  bool load, store, term, pseudo;
  const struct mo_desc *opnd;  /* outs, then ins */
  const uint16_t *use, *def;   /* physical registers */
};
struct class_desc { const char *mir; uint16_t bits; };
struct reg_desc { const char *name; vt type; };

struct match_tables; /* selector/match_tables.h: generated */

struct target {
  const char *name, *triple_prefix;
  unsigned pointer_bits;
  bool big_endian;
  const struct match_tables *tables;
  const struct inst_desc *insts;
  const struct class_desc *classes;
  const struct reg_desc *regs;
  uint16_t ninst, nclass, nreg;
  const char *const *features;
  unsigned nfeature;
  /* Calling convention: see selector/build_dag.h for what the builder offers. Each returns false after
   * reporting what is unsupported. */
  bool (*lower_arguments)(struct builder *b);
  bool (*lower_call)(struct builder *b, const struct ir_inst *call);
  bool (*lower_return)(struct builder *b, const struct ir_inst *ret);
  bool (*lower_jump_table)(struct builder *b, struct sdval index, unsigned table);
  struct sdval (*lower_global)(struct builder *b, const struct sdsym *sym);
};

extern const struct target *const all_targets[];

#endif
