/* rulec.h: from the model to the tables of one target. The tables are first made in memory, as the structures
 * that match.c reads, and then written as C. */
#ifndef VERIDAG_RULEC_H
#define VERIDAG_RULEC_H

#include "match_tables.h"
#include "model.h"

/* An operation's number in gen/ops.h. */
static inline uint16_t op_number(const struct op *op) { return (uint16_t)(op->id + 1); }

/* One check of a pattern, as it stands in the byte code. */
struct step {
  uint8_t len;
  uint8_t byte[7];
};

/* A rule's pattern in one operand order, as a straight line of checks. */
struct prog {
  const struct rule *rule;
  uint16_t root_op; /* number; 0: matches any value (addresses only) */
  uint32_t variant, tail;
  uint32_t serial; /* file order */
  int complexity;
  VEC(struct step) steps;
};

/* Everything that goes into one target's tables. */
struct gen {
  const struct model *m;
  const struct target *t;
  struct arena *a;
  const struct op *constant, *target_constant; /* the operations that a literal may be */
  VEC(struct match_rule) rules;
  VEC(struct prog) progs; /* of the set being made */
  VEC(struct match_variant) variants;
  VEC(uint8_t) code;
  VEC(vt) types;
  VEC(struct tyref) tys;
  VEC(const struct expr *) exprs;
  unsigned *expr_number; /* by place in exprs, once written */
  VEC(struct match_node) nodes;
  VEC(struct match_minst) minsts;
  VEC(struct match_pseudo) pseudos;
  VEC(struct match_find) finds;
  VEC(struct match_addr) addrs;
  VEC(struct match_nonterm) nonterms;
  VEC(const struct expr *) imms;
  VEC(const char *) subregs;
  VEC(struct match_action) actions;
  VEC(struct match_promote_row) promotes;
  struct match_tables out;
};

/* ---- commute.c */
/* All operand orders of a pattern that differ, the written one first. At most `max`. */
unsigned commute(struct arena *a, const struct rule *r, struct pat **out, unsigned max);

/* ---- order.c */
/* How specific a pattern is: its nodes, fixed constants, immediates, repeated names. */
int pattern_complexity(const struct rule *r, const struct pat *p);
/* Reports rules of a set (most specific first) that an earlier one shadows completely. */
void check_shadowed(struct gen *g, const struct rule *const *rules, unsigned n);

/* ---- pattern.c */
/* Appends the straight-line program of one operand order; false after reporting what is wrong with the rule.
 */
bool compile_pattern(struct gen *g, const struct rule *r, const struct pat *lhs, uint32_t rule_index,
                     uint32_t tail, uint32_t serial);

/* Things in a pattern that have no name but that the tail asks for get variables after the rule's own:
 * literals that are not small numbers, and chained nodes. */
struct extra {
  const struct pat *pat;
  bool node; /* a chained node, else a literal */
};
unsigned pattern_extras(const struct rule *r, struct extra *out, unsigned max);
/* The variable of a pattern part among the extras, or -1. */
int extra_var(const struct rule *r, const struct pat *p);

/* ---- tail.c */
/* Writes the rule's guards and emission code; returns their offset, 0 after an error. */
uint32_t compile_tail(struct gen *g, const struct rule *r, uint32_t rule_index);
/* The type variables of the operation at a pattern node, in the rule's terms. */
void bind_op_types(const struct pat *p, struct tyref *binding);

/* ---- trie.c */
/* Joins programs (sorted) with the same root operation into byte code; returns its offset. */
uint32_t emit_trie(struct gen *g, struct prog **progs, unsigned n);
void put8(struct gen *g, unsigned v);
void put16(struct gen *g, unsigned v);
void put24(struct gen *g, uint32_t v);
void patch24(struct gen *g, uint32_t at, uint32_t v);

/* ---- build.c */
/* Makes the tables of a target in memory. Reports to the model's diag. */
void build_tables(struct gen *g, const struct model *m, const struct target *t, struct arena *a);
void free_tables(struct gen *g);
unsigned gen_type(struct gen *g, vt t);
unsigned gen_ty(struct gen *g, struct tyref t);
unsigned gen_expr(struct gen *g, const struct expr *e);
unsigned gen_imm(struct gen *g, const struct immclass *c);
/* Bit per operation: no pattern that may produce its i32 value leaves the upper half of the register set. */
uint8_t *zero_upper_bits(struct gen *g);

/* ---- emit_*.c: writing C; each returns false when the file cannot be written */
bool emit_ops(const struct model *m, const char *dir);
bool emit_op_defs(const struct model *m, const char *dir); /* gen/op_defs.c, see selector/abstract.h */
bool emit_match(struct gen *g, const char *dir);
bool emit_target(struct gen *g, const char *dir);
bool emit_sources(const char *dir, const char *const *paths, unsigned n);
bool emit_list(const struct model *m, const char *dir);
/* emit_expr.c: defines the expressions of the tables as static data and the array `exprs`; then refers to
 * one. */
void emit_exprs(FILE *f, struct gen *g);
void emit_expr_ref(FILE *f, const struct gen *g, const struct expr *e);
unsigned *emit_expr_numbers(FILE *f, const struct gen *g);
FILE *emit_open(const char *dir, const char *name, char path[512]);
void emit_string(FILE *f, const char *s);        /* a C string literal, or NULL */
char *c_name(struct arena *a, const char *name); /* dots and dashes as underscores */

#endif
