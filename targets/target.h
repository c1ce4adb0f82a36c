/* target.h: what the passes ask of a target. The tables come from its .isel files; the hooks are what cannot
 * be a rule yet: the calling convention and frames. */
#ifndef VERIDAG_TARGET_H
#define VERIDAG_TARGET_H

#include "../selector/dag.h"

struct isel;    /* one compilation: selector/selector.h */
struct builder; /* building one function: selector/build_dag.h */
struct ir_inst;

/* A machine instruction's operands as LLVM's MIR orders them. */
enum mo_kind { MO_REG, MO_IMM, MO_MEM, MO_BLOCK };
struct mo_desc {
  uint8_t kind;
  uint8_t nmir; /* MIR operands it becomes (5 for an x86 address) */
  int8_t tied;  /* output number or -1 */
  uint16_t cls; /* register class, or nonterminal */
};
struct inst_desc {
  const char *name;
  uint8_t nout, nin, nuse, ndef;
  bool load, store, term, pseudo;
  const struct mo_desc *opnd; /* outs, then ins */
  const uint16_t *use, *def;  /* physical registers */
};
struct class_desc {
  const char *mir;
  uint16_t bits;
};
struct reg_desc {
  const char *name;
  vt type;
};

struct mop;
struct target_rows;

/* A convention for integers: registers by number (1 is regs[0]). Register lists are by part: the first
 * argument word takes the first register of the list for its width. */
struct call_conv {
  const char *const *regs; /* every physical register that the convention or a special node names */
  uint16_t nregs;
  const uint8_t *arg32, *arg64;
  uint8_t nargs;
  /* ret8 and ret16 are NULL when such results are 32 bits wide */
  const uint8_t *ret8, *ret16, *ret32, *ret64;
  uint8_t nrets;
  uint8_t sret;       /* where the sret pointer goes; 0: it is the first argument */
  bool sret_returned; /* the callee returns the sret pointer */
  /* 8-bit register that holds the number of vector registers of a variadic call, or 0 */
  uint8_t vector_count;
  uint8_t sp;
  bool wide_even; /* a value of two words starts at an even register */
  uint8_t word;   /* bits of a word; 0: 64 */
};

enum symbol_flags { SYM_NONE, SYM_PLT, SYM_GOT, SYM_GOTPCREL, SYM_PAGE, SYM_PAGEOFF };

struct emitter; /* selector/create.h */

struct target {
  const char *name, *arch;     /* folder; first part of the triple */
  const char *triple, *layout; /* when the module says nothing */
  unsigned pointer_bits;
  bool big_endian;
  unsigned bool_bits; /* type of comparison results after type legalization */
  uint32_t function_align;
  const char *jump;               /* opcode of the unconditional jump */
  const char *flags_reg;          /* name of the condition flags */
  const struct target_rows *rows; /* gen/targets.h */
  const struct call_conv *conv;
  /* The register class that holds values of a legal type; NULL when there is none. */
  const char *(*value_class)(vt type);
  /* The largest class inside both, or NULL. */
  const char *(*common_class)(const char *a, const char *b);
  /* Which way a symbol is reached: an enum symbol_flags. */
  uint8_t (*symbol_flags)(bool dso_local, bool is_call, bool pic);
  const char *(*symbol_flags_text)(uint8_t flags);
  /* The address of a global from its GLOBALADDR node. */
  struct sdval (*lower_global)(struct builder *b, struct sdval symbol, bool dso_local);
  /* Emits a node that only the builder makes: a call and its frame, a return, a jump through a table. */
  void (*emit_special)(struct emitter *e, uint32_t node);
  /* Adjusts the operands of an instruction made from a machine node (say, %rip as the base of a symbol). */
  void (*fix_operands)(struct emitter *e, const struct inst_desc *d, struct mop *ops, unsigned n);
  /* Class of the register that is part `part` of an address. */
  const char *(*address_class)(unsigned part, vt type);
  /* Class of a copy from a physical register. */
  const char *(*phys_class)(const char *reg, vt type);
  /* The instruction that puts 0 into a register of a class and leaves the flags alone; *source is its
   * operand. */
  const char *(*zero)(const char *cls, struct mop *source);
  const char *(*jump_table_kind)(bool pic);
  unsigned min_jump_table; /* cases */
};

extern const struct target *const all_targets[];

#endif
