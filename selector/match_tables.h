/* match_tables.h: what rulec generates for match.c, one `struct match_tables` per target. Nothing else reads
 * it.
 *
 * Matching works on slots: slot 0 is the root's value, M_CHILD records an operand as the next slot. A rule's
 * pattern may be there in several operand orders (variants); each ends in M_RULE, which says where the rule's
 * variables lie and jumps to the rule's tail: guards, then the emission code, a postfix program on a stack of
 * values. The tail runs twice, first dry (types, literals and legality are checked, nothing is built). */
#ifndef VERIDAG_MATCH_TABLES_H
#define VERIDAG_MATCH_TABLES_H

#include "match_set.h"
#include "model.h"

/* Operands follow the opcode: s = slot (1 byte), v = variable (1), b = byte, w = 16 bits, o = 24 bits of
 * offset; all little end first. A failed check goes on at the innermost M_TRY's alternative. */
enum match_code {
  M_TRY,       /* o: where the next alternative starts */
  M_SWITCH_OP, /* s w:n o:rest then n × (w:op o): by the operation of the slot's node, sorted; no rest: 0 */
  M_SWITCH_TYPE, /* the same by the slot's type, w: type[w] */
  M_CHILD,       /* s b: record operand b of the slot's node (chain not counted; CHAIN_OPERAND: the chain) */
  M_OP,          /* s w:op b:res: the slot is result `res` of a node of operation `op` */
  M_ROOTRES,     /* b: the root's value is result b */
  M_TYPE,        /* s w: type[w] */
  M_TYPE_EQ,     /* s s: equal types */
  M_RES_TYPE,    /* s b w: result b of the slot's node has type[w] */
  M_RES_EQ,      /* s b s b: equal types of two results */
  M_SECOND,      /* s w: the node's second type is type[w] */
  M_SECOND_EQ,   /* s s: the second type of the first slot's node is that of the other slot's node */
  M_SECOND_TY,   /* s s: the second type of the first slot's node is the type of the other slot */
  M_SAME,        /* s s: the same value */
  M_CHAINOF,     /* s s: the first slot is the out-chain of the second slot's node */
  M_CONST,       /* s: a constant */
  M_INT,         /* s b: the constant is the signed byte, sign-extended to its width */
  M_FLAGS,       /* s w: has all these flags */
  M_SIMPLE,      /* s: a memory access that is neither volatile nor atomic */
  M_RULE,        /* w:variant o:tail */
  /* in tails */
  T_LIT,         /* v w: the constant of variable v equals expression w */
  T_IMM,         /* v w: the constant of variable v is in immediate class w */
  T_IMMX,        /* w w: the value of the expression is in immediate class w */
  T_ADDR,        /* v b: match variable v as an address of nonterminal b */
  T_FIND,        /* w: ask oracle w */
  T_GUARD,       /* w: expression w holds; its literals fit at every proven type */
  T_ONLYIF,      /* w: expression w holds, if its literals fit */
  T_FOLD,        /* the accesses that the pattern swallows may be folded into one machine node */
  T_STATE,       /* all matched accesses see the same state of memory */
  T_ROOTRES,     /* b: results of the root other than those in mask b have no user */
  E_VAR,         /* v: push the value of a variable */
  E_CONST,       /* w w b: push a constant, expression w of type ty[w]; b: an operand of a target operation */
  E_TARGETCONST, /* w: push expression w as a TARGETCONSTANT */
  E_IMM,         /* v: push the constant (or symbol) of variable v as a TARGETCONSTANT */
  E_ADDR,        /* v: push the parts of an address */
  E_NODE,        /* w: build node w of its operands */
  E_INST,        /* w: build machine node w of its operands */
  E_PSEUDO,      /* w: build generic pseudo w */
  E_PHYSREG,     /* w w: push physical register w, of type[w], as an operand (REGISTER) */
  E_RES,         /* b w: the value on top becomes result b of its node, of type ty[w] */
  E_SET,         /* b: pop into let b */
  E_GET,         /* b: push let b */
  E_CHAIN,       /* v: push the out-chain of the node that variable v names (255: the root) */
  E_INCHAIN,     /* v: push its in-chain */
  E_TOKENS,      /* b: a TokenFactor of the b values on top */
  E_EXT,         /* b v: push variable v extended to the wide type */
  E_RESULT,      /* b: pop result b */
  E_HALVES,      /* b: pop the high and the low half of result b */
  E_DONE,        /* all results are there */
  A_DONE         /* w: address rule w matched (struct match_addr) */
};

struct match_entry {
  uint16_t op;
  uint32_t start;
};

enum {
  NO_SLOT = 255,
  CHAIN_OPERAND = 255,
  TY_BOOL = -2,
  MATCH_MAX_SLOTS = 64,
  MATCH_MAX_VARS = 64,
  MATCH_MAX_TYVARS = 12
};

enum tysrc_kind { TS_TYPE, TS_SECOND, TS_HALF, TS_WIDE, TS_RES, TS_BOOL };
struct match_tysrc {
  uint8_t kind, slot, res; /* TS_RES: type of result `res` of the slot's node */
};

struct match_variant {
  uint16_t rule;
  uint8_t nchained;
  const uint8_t *var_slot;      /* by variable, NO_SLOT when the pattern does not bind it */
  const struct match_tysrc *ty; /* by type variable */
  const uint8_t *chained;       /* slots of the chained nodes of the pattern */
  uint8_t ninner;
  const uint8_t *inner; /* slots of all its nodes */
};

struct match_rule {
  const char *name, *law, *place, *source;
  uint8_t set;
  int complexity;
  uint8_t nvar, ntyvar, nlet;
  uint32_t ntuple; /* proven tuples of ntyvar types, sorted; a rule without type variables has none */
  const vt *tuples;
  uint8_t nfeature;
  const uint8_t *features;
  const uint8_t
      *var_half; /* expand-int: 2 × operand for its low half, + 1 for its high half; NO_SLOT: neither */
  const uint8_t *var_kind; /* enum var_kind */
  const struct tyref *var_ty;
};

struct match_node {
  uint16_t op;
  uint8_t nkid, nres, res;
  uint16_t flags, flagmask;
  uint8_t nflagvar;
  const uint8_t *flagvars;   /* captures whose intersection is taken */
  const struct tyref *types; /* of the results without the chain; var TY_BOOL: the matcher's bool type */
  struct tyref ty2;
  struct tyref key; /* the type its action goes by */
  bool mem, write, chained;
  uint8_t base; /* memory: variable of the matched access at the address it starts from, or NO_SLOT */
  const struct expr *offset; /* memory: bytes from there on, or NULL: none */
  bool chain_on_stack;       /* the chain is the first operand on the stack */
};

struct match_minst {
  uint16_t inst;
  uint8_t nkid, nres; /* stack operands; results without the chain */
  bool chained;
  const vt *types;
};

enum match_pseudo_kind { MP_IMPLICIT_DEF, MP_INSERT_SUBREG, MP_EXTRACT_SUBREG, MP_SUBREG_TO_REG, MP_COPY };
struct match_pseudo {
  uint8_t kind;
  uint16_t cls, subreg;
  vt type;
};

struct match_find {
  const char *oracle;
  uint8_t narg, nfound;
  const struct expr *const *arg;
  const uint8_t *found; /* variables */
};

struct match_addr_set {
  uint8_t field;
  bool add;
  int8_t var;       /* or -1 */
  bool target_node; /* the variable names a symbol or frame index node: its target form */
  const struct expr *value;
};
struct match_addr {
  uint16_t rule;
  int8_t child; /* variable bound to the inner address, or -1 */
  uint8_t nset;
  const struct match_addr_set *set;
};

struct match_field {
  const char *name;
  bool reg, optional, sym;
  const struct expr *imm; /* check over variable 0, or NULL */
  uint8_t bits;           /* of the immediate class */
  uint8_t nchoice;
  const int64_t *choice;
};
enum { MIR_PART_SEGMENT = 255 };
struct match_nonterm {
  const char *name;
  uint8_t nfield, nmir;
  const struct match_field *field;
  const uint8_t *mir; /* field numbers or MIR_PART_SEGMENT */
  const struct expr *legal;
  uint16_t nentry;
  const struct match_entry *entry; /* rules by the operation of the address */
  uint32_t fallback;               /* of the rules that match any value, 0: none */
};

struct match_action {
  uint16_t op;
  uint8_t action;
  int8_t feature; /* number, or -1 */
  vt type;
  const char *libcall;
};
struct match_promote_row {
  uint16_t op, npair;
  const uint8_t *ext;
  const uint32_t *pair; /* narrow << 16 | wide of the proven types, ascending */
};

struct match_tables {
  const char *target;
  bool big_endian;
  vt pointer, bool_type;
  unsigned flag_bits;
  const uint8_t *code;
  uint32_t ncode;
  const struct match_rule *rule;
  uint32_t nrule;
  const struct match_variant *variant;
  uint32_t nvariant;
  const struct match_entry *entry[MATCH_SETS]; /* sorted by op */
  uint16_t nentry[MATCH_SETS];
  const vt *type;
  const struct tyref *ty;
  const struct expr *const *expr;
  const struct match_node *node;
  const struct match_minst *minst;
  const struct match_pseudo *pseudo;
  const struct match_find *find;
  const struct match_addr *addr;
  const struct match_nonterm *nonterm;
  const struct expr *const *imm;
  uint32_t nnode, nminst, nexpr, nimm;
  uint8_t nnonterm;
  const struct match_action *action; /* sorted by op, then type */
  uint32_t naction;
  const struct match_promote_row *promote; /* sorted by op */
  uint32_t npromote;
  const vt *legal_type;
  uint8_t nlegal_type;
  const char *const *feature, *const *taste, *const *subreg, *const *inst_name;
  uint16_t nfeature, ntaste, nsubreg, ninst;
  const uint8_t *zero_upper; /* bit per operation number */
};

#endif
