/* obligation.h: what has to be proven of one instance, as Z3 terms. */
#ifndef VERIDAG_OBLIGATION_H
#define VERIDAG_OBLIGATION_H

#include "smt.h"
#include "verify.h"

/* What an input of the query stands for. */
enum input_role {
  IN_VALUE,  /* a rule's variable: its value (for VAR_FLAGS see IN_FLAG) */
  IN_POISON, /* whether the variable is poison */
  IN_FLAG,   /* flag `number` of the captured set or of the pattern node */
  IN_FRESH_LEFT,
  IN_FRESH_RIGHT, /* an unspecified value */
  IN_BYTE,        /* a byte of the initial memory, at address `addr` */
  IN_BYTE_POISON,
  IN_BYTE_OK, /* the byte may be accessed */
  IN_LITTLE,  /* the machine is little-endian */
};

struct input {
  enum input_role role;
  const char *name; /* as shown and as given with --values */
  int var;          /* IN_VALUE, IN_POISON, captured IN_FLAG: the rule's variable; else -1 */
  const void *at;   /* IN_FLAG of a node, IN_FRESH: the pattern (or operand) it belongs to */
  int number;       /* IN_FLAG: flag bit; IN_FRESH: number in the form */
  Z3_ast term;
  Z3_ast addr; /* IN_BYTE…: the address */
};

/* One byte written, on top of older ones; NULL is the initial memory. */
struct write {
  const struct write *older;
  Z3_ast addr, byte, poison;
};

struct value {
  Z3_ast val, poison;      /* val is NULL for a chain */
  const struct write *mem; /* of a chain */
};

struct clause {
  enum clause_kind kind;
  Z3_ast premise, claim; /* premise (and the assumptions) imply the claim */
};

struct done_pat {
  const struct pat *p;
  struct value res[8];
  unsigned nres;
};

/* One tree of the rule under evaluation. */
struct side {
  struct obligation *o;
  bool right;
  Z3_ast ub;               /* undefined behaviour, as a Bool */
  Z3_ast taken;            /* of a branch, or NULL */
  const struct write *mem; /* after the implied accesses so far */
  VEC(struct done_pat) done;
};

struct obligation {
  Z3_context c;
  const struct instance *in;
  const struct target *target;
  struct arena arena;
  Z3_ast *vals, *poison; /* by variable of the rule (of the operation, for promote-ext) */
  uint32_t nvar;
  VEC(struct input) inputs;
  VEC(Z3_ast) assume; /* consistency of memory bytes: true in every concrete memory */
  VEC(Z3_ast) guard;  /* what `when` and immediates say; assumed */
  VEC(struct clause) clauses;
  Z3_ast defined;    /* the left side: neither undefined behaviour nor wholly poison */
  Z3_ast demanded;   /* mask of demanded bits, or NULL */
  Z3_ast flags_mask; /* mask of the flags that users read, or NULL */
  struct side left, right;
  struct value left_root, right_root; /* first results, for witnesses */
  const char *unsupported;            /* why there is no obligation, or NULL */
};

/* Builds the obligation in the given context. False with `unsupported` set when the rule has something the
 * prover cannot express. */
bool obligation_build(struct obligation *o, Z3_context c, const struct instance *in);
void obligation_free(struct obligation *o);
/* Operand i of an expand-int is the concatenation of its halves' variables; of a rule that does not look at
 * them it is one variable, which is easier to prove about. */
bool made_of_halves(const struct rule *r, uint32_t i);

/* Inputs: a new one of `width` bits (0: a Bool). */
Z3_ast new_input(struct obligation *o, struct input in, unsigned width);
bool give_up(struct obligation *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* side.c: the value of a pattern or result tree. */
struct value side_value(struct side *s, const struct pat *p);
const struct done_pat *side_node(struct side *s, const struct pat *p); /* all results of a node */
vt pat_type(const struct obligation *o, const struct pat *p);
/* Types of an operation's variables at a pattern node. */
void op_types(const struct obligation *o, const struct pat *p, vt *types);
Z3_ast side_fresh(struct side *s, const void *at, int number, unsigned width);
Z3_ast expr_bv(struct obligation *o, const struct expr *e);
Z3_ast expr_bool(struct obligation *o, const struct expr *e);
/* The pattern that a P_NODE or P_CHAIN names. */
const struct pat *named_pat(const struct rule *r, int var);

/* machine.c: instructions and pseudos on the right. */
struct done_pat machine_node(struct side *s, const struct pat *p);

/* memory.c */
Z3_ast memory_read(struct side *s, const struct write *mem, Z3_ast addr, unsigned bytes, Z3_ast *poison);
const struct write *memory_write(struct side *s, const struct write *mem, Z3_ast addr, Z3_ast value,
                                 Z3_ast poison);
void memory_refines(struct obligation *o); /* adds the memory clause */

#endif
