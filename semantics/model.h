/* model.h: what a set of .isel files says, checked and typed. Built by model_load; read by rulec (tables),
 * verify-rules (obligations), eval.c and smt.c. Everything lives in the model's arena and does not change
 * after loading. */
#ifndef VERIDAG_MODEL_H
#define VERIDAG_MODEL_H

#include "bv.h"
#include "flags.h"
#include "types.h"
#include "util/arena.h"
#include "util/diag.h"
#include "util/intern.h"
#include "util/vec.h"

/* A type in a form: fixed, or a type variable of the form (an index into its `tyvars`). */
struct tyref {
  vt fixed;    /* VT_NONE when a variable */
  int16_t var; /* -1 when fixed */
};

/* ---- Expressions -------------------------------------------------------------------------------- */

enum sort { SORT_NUM, SORT_BOOL, SORT_BV };

/* clang-format off */
enum xop {
  /* num */
  N_LIT,   /* `num` */
  N_WIDTH, /* width of the type `ty` */
  N_ADD, N_SUB, N_MUL, N_DIV, N_LOG2, N_MIN, N_MAX,
  /* bool */
  B_TRUE, B_FALSE, B_AND, B_OR, B_NOT, B_XOR, B_IMPLIES, B_ITE,
  B_EQ,     /* of two bv, or of two bools */
  B_ULT, B_ULE, B_SLT, B_SLE, /* the other four are written with swapped operands */
  B_UADDO, B_SADDO, B_USUBO, B_SSUBO, B_UMULO, B_SMULO,
  B_NLT, B_NLE, B_NEQ, /* on nums: <, <=, == */
  B_FLAG,   /* the flag bit `flag` of the operation or pattern node in scope (op bodies only) */
  B_POISON, /* the operand `var` is poison (op bodies only) */
  B_FACT,   /* an engine fact `fact` over kids; the proof assumes it (see enum fact) */
  /* bv */
  X_LIT,    /* the num kid[0] taken modulo 2^width; inapplicable when `strict` and it does not fit */
  X_VAR,    /* variable `var` */
  X_ADD, X_SUB, X_MUL, X_UDIV, X_UREM, X_SDIV, X_SREM, X_NEG, X_NOT, X_AND, X_OR, X_XOR,
  X_SHL, X_LSHR, X_ASHR, X_CONCAT,
  X_EXTRACT, /* kid: hi num, lo num, x */
  X_ZEXT, X_SEXT, X_TRUNC, /* kid[0] = x; the width is `width` */
  X_POPCOUNT, X_CLZ, X_CTZ, X_BITREV, X_BSWAP,
  X_ITE,    /* bool, x, y */
  X_B2BV,   /* bool */
  X_FRESH,  /* an unspecified value; every occurrence in a form is one choice, numbered `var` */
  X_READ,   /* instruction semantics: `num` bytes of memory at address kid[0], in the target's byte order */
  XOP_COUNT
};
/* clang-format on */

enum fact {
  FACT_KNOWN_ZERO, /* kid[0] is zero */
  FACT_KNOWN_BOOL, /* kid[0] is 0 or 1 */
  FACT_KNOWN_NONZERO,
  FACT_KNOWN_NONNEG,
  FACT_SIGN_BITS,   /* kid[0] has at least kid[1] (num) copies of its sign bit */
  FACT_NOT_POISON,  /* variable kid[0] */
  FACT_DEMANDED_IN, /* users of the root demand only bits in kid[0] */
  FACT_USERS_READ,  /* users of the flags result read only the flags in mask `num` */
  FACT_LITTLE_ENDIAN,
  FACT_ALIGNED,    /* the address kid[0] is a multiple of `num` bytes */
  FACT_ZERO_UPPER, /* the instruction selected for kid[0] clears the register above the value */
  /* heuristics, for only-if; a proof may not rely on them */
  FACT_ONE_USE,  /* node or variable `var` has one user */
  FACT_UNUSED,   /* result `num` of the root is unused */
  FACT_CONSTANT, /* variable `var` is a constant node */
  FACT_LEGAL,    /* operation `op` at type `ty` is legal or custom */
  FACT_LEVEL,    /* legality level of the combiner is at least `num` */
  FACT_TASTE,    /* target taste or feature named `name` */
};

struct expr {
  enum xop op;
  enum sort sort;
  struct loc loc;
  const struct expr *width; /* a num, for SORT_BV */
  uint32_t nkid;
  const struct expr **kid;
  int64_t num;             /* N_LIT, X_READ, some facts */
  struct tyref ty;         /* N_WIDTH, FACT_LEGAL */
  int var;                 /* X_VAR, B_POISON, X_FRESH, FACT_ONE_USE */
  int flag;                /* B_FLAG: bit number */
  enum fact fact;          /* B_FACT */
  const char *name;        /* FACT_TASTE */
  const struct op *ref_op; /* FACT_LEGAL */
  bool strict;             /* X_LIT: written by the author, must fit */
};

/* ---- Operations --------------------------------------------------------------------------------- */

enum mem_effect { MEM_NONE, MEM_READ, MEM_WRITE };

struct operand {
  const char *name;
  struct tyref ty;
};

struct result {
  const char *name;
  struct tyref ty;
  const struct expr *val; /* over the operands; NULL for structural and memory operations */
};

struct op {
  const char *name; /* "add", "setcc.ult", "x86.cmp" */
  struct loc loc;
  uint32_t id;     /* dense over all operations of all targets, in file order */
  bool structural; /* no meaning of its own */
  bool comm, assoc;
  bool target; /* belongs to one target */
  enum mem_effect mem;
  bool chained;   /* takes a chain first and makes one last: memory, and (props chain) */
  uint16_t flags; /* which flag bits it may carry */
  uint32_t ntyvar;
  const char *const *tyvars; /* `T`, by which actions and promotions go, is the first */
  int second;                /* type variable of the second type parameter, or -1 */
  const struct expr *where;  /* bool over widths, or NULL */
  uint32_t nin, nres;
  struct operand *in;        /* without the chain */
  struct result *res;        /* without the chain */
  const struct expr *poison; /* own poison, or NULL */
  bool poison_own;           /* operands' poison does not spread by itself */
  const struct expr *ub;     /* or NULL */
  const struct expr *taken;  /* branches: the condition, or NULL */
  uint32_t ub_if_poison;     /* mask of operands */
};

/* ---- Patterns and results ------------------------------------------------------------------------ */

enum pkind {
  P_OP, /* an operation; in a match, `m:(op …)` with `var` a VAR_MEM: this same value is also the address m */
  P_VAR,     /* a value variable: `var` */
  P_CONST,   /* a constant variable (pattern side): `var` */
  P_EXPR,    /* a constant expression `value`: literal in a pattern; computed constant in a result */
  P_ANY,     /* _ (pattern side) */
  P_NODE,    /* result side: a node named on the pattern side or by let: `var` */
  P_INST,    /* result side of select: machine instruction `inst` */
  P_PSEUDO,  /* result side of select: generic pseudo, `pseudo` */
  P_PHYSIN,  /* result side of select: kid[0] in the physical register `reg`; without kid: the zero register
                `reg` */
  P_MEM,     /* pattern side: an address, nonterminal `nonterm`, bound to `var` */
  P_RESULTS, /* root of a result: one kid per result of the replaced node */
  P_HALVES,  /* root of an expand-int result: low and high half */
  P_EXT,     /* promote custom: operand `var` extended; `num` is enum ext_kind */
  P_CHAIN,   /* the chain of node `var` */
  P_TF,      /* (tokenfactor …) */
};

enum pseudo {
  PSEUDO_IMPLICIT_DEF,
  PSEUDO_INSERT_SUBREG,
  PSEUDO_EXTRACT_SUBREG,
  PSEUDO_SUBREG_TO_REG,
  PSEUDO_COPY,
  PSEUDO_PHYSOUT
};

struct pat {
  enum pkind kind;
  struct loc loc;
  const struct op *op;
  const struct inst *inst;
  struct tyref ty;     /* type of the value this pattern stands for */
  struct tyref ty2;    /* second type parameter */
  struct tyref *optys; /* P_OP: the operation's type variables in terms of the rule's */
  int var;             /* variable bound (pattern) or used (result), or -1 */
  int res;             /* result number that the parent uses */
  uint16_t flags;      /* pattern: demanded flags; result: constant flags */
  int flagvar;         /* pattern: capture variable, or -1 */
  uint32_t flagvars;   /* result: mask of captures to intersect; with nflagvars == 0 only `flags` */
  uint16_t flagmask;   /* result with captures: which flags may survive (flags are the intersection & mask) */
  const struct expr *value;
  uint32_t nkid;
  struct pat **kid;  /* operands without the chain */
  struct pat *chain; /* explicit chain operand, or NULL when implied */
  enum pseudo pseudo;
  const struct regclass *cls; /* COPY, IMPLICIT_DEF */
  const struct physreg *reg;  /* P_PHYSIN, PSEUDO_PHYSOUT */
  const char *subreg;         /* sub-register index */
  const struct nonterm *nonterm;
  int64_t num;
};

enum var_kind { VAR_VALUE, VAR_CONST, VAR_FLAGS, VAR_NODE, VAR_FOUND, VAR_IMM, VAR_MEM, VAR_BLOCK, VAR_HALF };

struct var {
  const char *name;
  enum var_kind kind;
  struct tyref ty;
  struct loc loc;
  const struct pat *node;        /* VAR_NODE: the pattern it names */
  const struct immclass *imm;    /* VAR_IMM */
  const struct nonterm *nonterm; /* VAR_MEM */
  const struct regclass *cls;    /* VAR_VALUE bound to a register operand, or NULL */
};

enum rule_kind {
  RULE_COMBINE,
  RULE_PROMOTE,
  RULE_EXPAND_INT,
  RULE_EXPAND,
  RULE_LOWER,
  RULE_SELECT,
  RULE_ADDR,
  RULE_LIBCALL, /* of an action: the operation => the routine */
};
enum ext_kind { EXT_ANY, EXT_ZERO, EXT_SIGN, EXT_KEEP /* not of the promoted type */ };

/* Variables of an expand-int rule, or -1. */
struct half {
  int whole, lo, hi;
};
/* field = var | value */
struct addr_set {
  int field;
  const struct expr *value;
  int var;
  bool add; /* accumulate */
};

struct rule {
  enum rule_kind kind;
  const char *name, *law; /* law may be NULL for instruction matches */
  struct loc loc;
  const struct target *target; /* NULL: generic */
  uint32_t index;              /* in the model's list */
  uint32_t ntyvar;
  const char *const *tyvars;
  uint32_t bool_tyvars; /* mask of those that only the result has: the target's boolean type */
  uint32_t nvar;
  struct var *vars;
  struct pat *lhs, *rhs;
  uint32_t nlet; /* shared result nodes, in order; vars[let_var[i]] names let_node[i] */
  struct pat **let_node;
  int *let_var;
  uint32_t nwhen; /* conjuncts */
  const struct expr **when;
  uint32_t nonlyif;
  const struct expr **onlyif;
  const char *oracle; /* (find …) or NULL */
  uint32_t nfound, nfound_arg;
  int *found; /* variables that the oracle proposes */
  const struct expr **found_arg;
  uint32_t nwidth; /* widths of (widths …), or 0 for the default set */
  const unsigned *widths;
  uint32_t nrequires;
  const char *const *requires;
  int added_complexity, complexity;
  uint32_t cost;
  /* RULE_PROMOTE with (ext …): the operation and one extension per operand; lhs and rhs are NULL then */
  const struct op *promote_op;
  enum ext_kind *ext;
  /* RULE_EXPAND_INT: for operand i of the pattern, the variables of the value and its halves, or -1 */
  uint32_t nhalf;
  struct half *half;
  /* RULE_ADDR */
  const struct nonterm *nonterm;
  uint32_t nset;
  struct addr_set *set;
  int addr_child; /* variable bound to the inner address of the same nonterminal, or -1 */
};

/* ---- Targets ------------------------------------------------------------------------------------- */

struct regclass {
  const char *name, *mir;
  unsigned bits;
  uint32_t id;
  const struct target *target;
  struct loc loc;
};
struct physreg {
  const char *name;
  vt ty;
  bool zero; /* always reads as 0 */
  uint32_t id;
  const struct target *target;
  struct loc loc;
};
struct immclass {
  const char *name;
  const struct expr *check; /* bool over variable 0 */
  unsigned bits;
  bool is_signed;
  const struct target *target;
  struct loc loc;
};

struct field {
  const char *name;
  bool reg;
  bool optional;
  const struct regclass *cls;
  const struct immclass *imm;
  uint32_t nchoice;
  const int64_t *choice;
  bool sym;
  vt ty; /* of the field in `value` */
};
struct nonterm {
  const char *name;
  struct loc loc;
  uint32_t id;
  const struct target *target;
  uint32_t nfield;
  struct field *fields;
  uint32_t nmir;
  const char *const *mir;   /* order of MIR operands: field names or "segment" */
  const struct expr *value; /* over variables 0..nfield-1 = fields; absent ones are 0 (scale 1) */
  const struct expr *legal; /* or NULL */
};

enum opnd_kind { OPND_REG, OPND_IMM, OPND_MEM, OPND_BLOCK };
struct inst_operand {
  const char *name;
  enum opnd_kind kind;
  const struct regclass *cls;
  const struct immclass *imm;
  const struct nonterm *nonterm;
  int var;
  int tied; /* input tied to output number, or -1 */
};

enum set_kind { SET_OUT, SET_PHYS, SET_WRITE, SET_BRANCH, SET_TRAP };
struct inst_set {
  enum set_kind kind;
  int index; /* out or def number */
  const struct expr *value, *addr;
  unsigned bytes;
};

struct inst {
  const char *name;
  struct loc loc;
  uint32_t id;
  const struct target *target;
  uint32_t nout, nin, nuse, ndef;
  struct inst_operand *out, *in;
  const struct physreg **use, **def;
  uint32_t nvar;
  struct var *vars; /* one per input operand, then one per implicit use */
  uint32_t nset;
  struct inst_set *set;
  uint32_t nmatch;
  struct rule **match; /* the select rules made from (match …) */
  unsigned cost, latency, size;
  bool pseudo, load, store, term;
  uint32_t nrequires;
  const char *const *requires;
};

enum action { ACT_NONE, ACT_LEGAL, ACT_PROMOTE, ACT_EXPAND, ACT_LIBCALL, ACT_CUSTOM };
struct action_row {
  const struct op *op;
  vt ty;
  enum action action;
  const char *libcall;
  const char *requires;
  struct loc loc;
};

struct target {
  const char *name;
  struct loc loc;
  uint32_t id;
  unsigned pointer_bits;
  bool big_endian;
  unsigned flag_bits;
  unsigned bool_bits; /* the type setcc results get */
  VEC(vt) types;
  VEC(struct regclass *) regclasses;
  VEC(struct physreg *) physregs;
  VEC(struct immclass *) immclasses;
  VEC(struct nonterm *) nonterms;
  VEC(struct inst *) insts;
  VEC(struct action_row) actions;
  VEC(const char *) features, tastes;
};

struct model {
  struct arena arena;
  struct interner names;
  struct diag *diag;
  VEC(struct source *) sources;
  VEC(struct op *) ops;
  VEC(struct op *) routines; /* of the run-time library: no nodes, only calls */
  VEC(struct rule *) rules;
  VEC(struct target *) targets;
};

/* Reads and checks files in order; generic ones first, then each target's after its (target …) form. Reports
 * to `d`; returns NULL when anything was wrong. `paths` are opened relative to the working directory. */
struct model *model_load(const char *const *paths, unsigned n, struct diag *d);
/* The same from memory (built-in files), then `nextra` files of a user on top. */
struct model *model_load_sources(const struct source *sources, unsigned n, const char *const *extra,
                                 unsigned nextra, struct diag *d);
void model_free(struct model *m);
const struct op *model_op(const struct model *m, const char *name);
const struct rule *model_rule(const struct model *m, const char *name);

/* The default widths at which width-generic combines are proven and fire. */
extern const unsigned telling_widths[12];

/* ---- Evaluation ---------------------------------------------------------------------------------- */

/* What an expression is evaluated in: a width per type variable, values per variable. */
struct eval_env {
  const vt *types;        /* by type variable */
  const struct bv *vals;  /* by variable */
  const bool *poison;     /* by variable; may be NULL when nothing asks */
  uint16_t flags;         /* of the operation in scope */
  const struct bv *fresh; /* by X_FRESH number; NULL: zeros */
  bool (*fact)(void *self, const struct expr *e, const struct eval_env *env); /* answers B_FACT */
  bool (*read)(void *self, struct bv addr, unsigned bytes, struct bv *out);   /* answers X_READ */
  void *self;
};

vt tyref_vt(struct tyref t, const vt *types);
int64_t eval_num(const struct expr *e, const struct eval_env *env);
bool eval_bool(const struct expr *e, const struct eval_env *env);
struct bv eval_bv(const struct expr *e, const struct eval_env *env);
/* False when a strict literal of `e` does not fit its width, or a num is out of place (a negative width, hi <
 * lo). */
bool expr_applicable(const struct expr *e, const struct eval_env *env);

/* One operation on concrete operands. `val` and `poison` are indexed by operand on input; results by result
 * number. Returns false when the operation is immediate undefined behaviour. */
bool eval_op(const struct op *op, const vt *types, uint16_t flags, const struct bv *val, const bool *poison,
             struct bv *res_val, bool *res_poison);

#endif
