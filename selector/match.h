/* match.h: runs the byte-coded tables that rulec makes from the .isel files. One interpreter serves the
 * combiner, the legalizers and selection.
 *
 * What a node looks like to the tables (the builder and the legalizers make nodes of this shape):
 * - operands: the chain first when the operation is chained (op_desc.chained), then the operands of its
 *   (op …) form in order; results: the form's results in order, then the chain.
 * - a second type (assertzext:T:S, sext_inreg:T:S, …) is the node's payload, `imm` = the vt; a memory
 *   operation's second type (zextload:T:S, truncstore:T:S) is memref->mem.
 * - CONSTANT holds the value; TARGETCONSTANT an `imm` that is an immediate of a machine node.
 *
 * Layout of a machine node (op = OP_MACHINE + instruction id); the scheduler and the printer rely on it:
 * - operands: the instruction's `in` operands in MIR order. A register operand is the value; an immediate is
 *   a TARGETCONSTANT (imm = the value, sign-extended to 64 bits) or a symbol node; a block is a BASICBLOCK; a
 *   memory operand is its nonterminal's MIR operands one after the other (`nmir` of mo_desc): a register part
 *   is a value or, when the part is absent, a REGISTER node with imm 0 ($noreg; n + 1: physical register n of
 *   the rows, so for zero registers too), every other part a TARGETCONSTANT, a FRAMEINDEX or a symbol node
 *   (TARGETGLOBALADDR …). Then one operand per implicit use (`nuse`), in the order of (uses …): the value
 *   that the physical register must hold. Then the chain when the node is chained.
 * - results: `out` operands, then every implicit definition (`ndef`) in the order of (defs …) with the
 *   physical register's type, whether it has users or not, then the chain when chained. Chained: the last
 *   result is a chain.
 * - memrefs: of the accesses that it swallowed.
 * Generic pseudos (COPY, SUBREG_TO_REG, INSERT_SUBREG, EXTRACT_SUBREG, IMPLICIT_DEF) are operations of their
 * own, numbered before OP_MACHINE, whose last operands are TARGETCONSTANTs:
 *   OP_IMPLICIT_DEF class      OP_COPY value class      OP_SUBREG_TO_REG value index
 *   OP_INSERT_SUBREG into value index                   OP_EXTRACT_SUBREG value index
 * class: a register class number; index: a number for match_subreg_name. */
#ifndef VERIDAG_MATCH_H
#define VERIDAG_MATCH_H

#include <stdio.h>

#include "dag.h"
#include "match_set.h"

struct match_tables; /* match_tables.h, generated per target */

/* How a target handles an operation at a type; the values of enum action in model.h. */
enum target_action { TA_NONE, TA_LEGAL, TA_PROMOTE, TA_EXPAND, TA_LIBCALL, TA_CUSTOM };

enum { MATCH_MAX_RES = 6, MATCH_MAX_EXTRA = 16, MATCH_MAX_OPS = 24 };

/* What the passes give the matcher. A callback that is NULL answers "not known" (and may_build: yes). */
struct matcher {
  struct dag *dag;
  const struct match_tables *tables;
  const bool *features; /* by match_feature's number; NULL: none */
  const bool *tastes;   /* by match_taste's number; NULL: none */
  const bool *disabled; /* by rule number; NULL: none (for bisecting and for tests) */
  vt bool_type;         /* type of a setcc, carry or overflow result that nothing else fixes: i1 before type
                           legalization */
  unsigned level;       /* of (level N): 0 before type legalization, 1 after types, 2 after operations */
  bool asked_level;     /* set when a guard failed that may hold at a later level */
  unsigned max_steps;   /* bound of the fold's cycle check; 0: none, 1: nothing is folded */
  uint64_t *steps_left; /* of all cycle checks together, or NULL; when none is left, folds that need one are
                           refused */
  uint32_t *fired;      /* counter per rule, or NULL */
  void *self;           /* of the callbacks */

  /* May a node be built now? `key` is the type its action goes by (op_desc.action_opnd), `second` its second
   * or memory type or VT_NONE. Asked for every node of a result (constants too) before anything is built. */
  bool (*may_build)(void *self, uint16_t op, vt key, vt second);
  /* Bits of v known to be zero and known to be one; both as wide as v. */
  void (*known)(void *self, struct sdval v, struct bv *zero, struct bv *one);
  unsigned (*sign_bits)(void *self, struct sdval v);
  bool (*not_poison)(void *self, struct sdval v);
  struct bv (*demanded)(void *self, struct sdval v);      /* bits of v that its users may read */
  uint64_t (*users_read)(void *self, struct sdval flags); /* flags that the users of v may read */
  uint32_t (*align)(void *self, struct sdval address);    /* bytes */
  /* Answers (legal op T); NULL: the target's action is Legal or Custom. */
  bool (*is_legal)(void *self, uint16_t op, vt type);
  /* The operand in the wide type for a custom promote; kind is enum match_ext. */
  struct sdval (*extend)(void *self, struct sdval v, unsigned kind, vt wide);
};

/* What replaces a node: to[i] for result i of the node (its chain is the last), SDNONE where nothing does
 * because the result has no use. `extra` are values of other matched nodes to replace: out-chains of accesses
 * that the rule merged or moved. */
struct rewrite {
  uint16_t rule;
  unsigned n, nextra;
  struct sdval to[MATCH_MAX_RES];
  struct {
    struct sdval from, to;
    bool join; /* keep `from` too: a TokenFactor of both */
  } extra[MATCH_MAX_EXTRA];
};

/* Finds the first rule of the set that matches at the node, whose types are proven, whose guards hold and
 * whose result may be built; builds the result. The node itself is left alone. For MATCH_COMBINE,
 * MATCH_EXPAND, MATCH_LOWER. */
bool match_rewrite(struct matcher *m, enum match_set set, uint32_t node, struct rewrite *out);
/* Performs a rewrite: replaces the node's results and the extra values. Does not delete the node. */
void match_apply(struct matcher *m, uint32_t node, const struct rewrite *r);

struct halves {
  struct sdval lo, hi; /* hi is SDNONE for a value that is not split */
};
/* Expands an operation of a wide integer type. op[i] are the halves of operand i of the (op …) form (chain
 * not counted), or {value, SDNONE} for an operand that is not split. out[i] likewise for each result. On
 * success *nout results are set; a chained node's out-chain follows them, unsplit. */
bool match_expand_int(struct matcher *m, uint32_t node, const struct halves *op, struct halves *out,
                      unsigned *nout, uint16_t *rule);
/* Custom promotion: out[i] is the result in the wide type, upper bits unspecified. The wide type is `wide`.
 */
bool match_promote(struct matcher *m, uint32_t node, vt wide, struct rewrite *out);
/* (promote op (ext …)): the kind of extension per operand of the form, or NULL when no such row is proven for
 * narrow and wide. */
const uint8_t *match_promote_ext(const struct match_tables *t, uint16_t op, vt narrow, vt wide);

/* Selects one node: morphs it into the machine node (see the layout above), swallowed nodes lose their uses.
 * False when nothing matches; the node is unchanged then. */
bool match_select(struct matcher *m, uint32_t node);
/* Numbers nodes in topological order by the last effect that they depend on (its place in `order`; 1: none),
 * in `topo`. Then cycle checks need not look at nodes with too small a number; without numbers they look at
 * all. */
void match_number_states(struct dag *d, const uint32_t *order, uint32_t n);
/* True when selection leaves the node as it is: tokens, copies from and to registers, target constants,
 * machine nodes. */
bool match_is_selected(const struct dag *d, uint32_t node);

/* The action of an operation at a type, its library call if that is the action (else *libcall is NULL). A row
 * that requires a feature counts only with the feature; without any row the action is TA_NONE. */
enum target_action target_action(const struct matcher *m, uint16_t op, vt type, const char **libcall);
/* The type by which a node's action is looked up. */
vt match_action_type(const struct dag *d, uint32_t node);
/* Is the type legal for the target (a register class holds it)? */
bool target_type_legal(const struct match_tables *t, vt type);

/* Names. A rule's number is node->place - 1. */
unsigned match_num_rules(const struct match_tables *t);
const char *match_rule_name(const struct match_tables *t, unsigned rule);
const char *match_rule_law(const struct match_tables *t, unsigned rule); /* or NULL */
const char *match_rule_place(const struct match_tables *t,
                             unsigned rule);                           /* "selector/combine/mul.isel:12" */
int match_rule_number(const struct match_tables *t, const char *name); /* -1: none */
int match_feature(const struct match_tables *t, const char *name);     /* -1: none */
int match_taste(const struct match_tables *t, const char *name);
unsigned match_num_features(const struct match_tables *t);
unsigned match_num_tastes(const struct match_tables *t);
/* Name of a sub-register index ("sub_8bit"). */
const char *match_subreg_name(const struct match_tables *t, unsigned index);
/* Name of an operation or machine instruction. */
const char *match_op_name(const struct match_tables *t, uint16_t op);
/* -print-matcher-table: each pattern's source form and complexity, then the size in bytes. */
void match_print_table(const struct match_tables *t, FILE *out);

/* Does every pattern that may produce a value of this operation (an i32 one) clear the register above it? */
bool match_zero_upper(const struct match_tables *t, const struct dag *d, struct sdval v);

extern const struct match_tables *const all_match_tables[]; /* NULL at the end; generated */
/* The tables of a target by name ("x86-64"), or NULL. */
const struct match_tables *match_tables_for(const char *target);

#endif
