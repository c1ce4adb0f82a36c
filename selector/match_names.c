/* match_names.c: what the tables say apart from matching: actions, names, the printed table. */
#include <string.h>

#include "match_run.h"

enum target_action target_action(const struct matcher *m, uint16_t op, vt type, const char **libcall) {
  const struct match_tables *t = m->tables;
  uint32_t lo = 0, hi = t->naction;
  *libcall = NULL;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    const struct match_action *a = &t->action[mid];
    if (a->op < op || (a->op == op && a->type < type))
      lo = mid + 1;
    else
      hi = mid;
  }
  const struct match_action *plain = NULL;
  for (; lo < t->naction && t->action[lo].op == op && t->action[lo].type == type; lo++) {
    const struct match_action *a = &t->action[lo];
    if (a->feature >= 0 && m->features && m->features[a->feature]) {
      *libcall = a->libcall;
      return (enum target_action)a->action;
    }
    if (a->feature < 0) plain = a;
  }
  /* a row without types holds at every type */
  if (!plain) return type ? target_action(m, op, VT_NONE, libcall) : TA_NONE;
  *libcall = plain->libcall;
  return (enum target_action)plain->action;
}

vt match_action_type(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  if (n->op >= OP_COUNT) return n->nres ? n->types[0] : VT_NONE;
  int at = op_descs[n->op].action_opnd;
  if (at < 0) return -1 - at < n->nres ? n->types[-1 - at] : VT_NONE;
  unsigned i = (unsigned)at + op_descs[n->op].chained;
  return i < n->nops ? dag_type(d, dag_operand(d, node, i)) : VT_NONE;
}

bool target_type_legal(const struct match_tables *t, vt type) {
  for (unsigned i = 0; i < t->nlegal_type; i++)
    if (t->legal_type[i] == type) return true;
  return false;
}

static bool pair_proven(const struct match_promote_row *row, uint32_t pair) {
  uint32_t lo = 0, hi = row->npair;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (row->pair[mid] < pair)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < row->npair && row->pair[lo] == pair;
}

const uint8_t *match_promote_ext(const struct match_tables *t, uint16_t op, vt narrow, vt wide) {
  uint32_t lo = 0, hi = t->npromote;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (t->promote[mid].op < op)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (lo >= t->npromote || t->promote[lo].op != op) return NULL;
  return pair_proven(&t->promote[lo], (uint32_t)narrow << 16 | wide) ? t->promote[lo].ext : NULL;
}

unsigned match_num_rules(const struct match_tables *t) { return t->nrule; }
const char *match_rule_name(const struct match_tables *t, unsigned rule) {
  return rule < t->nrule ? t->rule[rule].name : "?";
}
const char *match_rule_law(const struct match_tables *t, unsigned rule) {
  return rule < t->nrule ? t->rule[rule].law : NULL;
}
const char *match_rule_place(const struct match_tables *t, unsigned rule) {
  return rule < t->nrule ? t->rule[rule].place : "?";
}

int match_rule_number(const struct match_tables *t, const char *name) {
  for (unsigned i = 0; i < t->nrule; i++)
    if (strcmp(t->rule[i].name, name) == 0) return (int)i;
  return -1;
}

static int index_of(const char *const *names, unsigned n, const char *name) {
  for (unsigned i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) return (int)i;
  return -1;
}

int match_feature(const struct match_tables *t, const char *name) {
  return index_of(t->feature, t->nfeature, name);
}
int match_taste(const struct match_tables *t, const char *name) {
  return index_of(t->taste, t->ntaste, name);
}
unsigned match_num_features(const struct match_tables *t) { return t->nfeature; }
unsigned match_num_tastes(const struct match_tables *t) { return t->ntaste; }

const char *match_subreg_name(const struct match_tables *t, unsigned index) {
  return index < t->nsubreg ? t->subreg[index] : "?";
}

const char *match_op_name(const struct match_tables *t, uint16_t op) {
  if (op < OP_COUNT) return op_descs[op].name;
  return op >= OP_MACHINE && op - OP_MACHINE < t->ninst ? t->inst_name[op - OP_MACHINE] : "?";
}

bool match_zero_upper(const struct match_tables *t, const struct dag *d, struct sdval v) {
  uint16_t op = dag_opcode(d, v);
  return op < OP_COUNT && dag_type(d, v) == VT_I(32) && v.res == 0 && (t->zero_upper[op / 8] >> op % 8 & 1);
}

void match_print_table(const struct match_tables *t, FILE *out) {
  static const char *const sets[] = {"combine", "expand", "lower",  "expand-int",
                                     "promote", "select", "address"};
  for (unsigned s = 0; s <= MATCH_SETS; s++) {
    unsigned n = 0;
    for (unsigned i = 0; i < t->nrule; i++) n += t->rule[i].set == s;
    fprintf(out, "; %s: %u patterns\n", sets[s], n);
    for (unsigned i = 0; i < t->nrule; i++)
      if (t->rule[i].set == s)
        fprintf(out, "%4d  %s  ; %s %s\n", t->rule[i].complexity, t->rule[i].source ? t->rule[i].source : "",
                t->rule[i].name, t->rule[i].place);
  }
  fprintf(out, "; matcher table of %s: %u bytes, %u patterns in %u operand orders\n", t->target, t->ncode,
          t->nrule, t->nvariant);
}

const struct match_tables *match_tables_for(const char *target) {
  for (unsigned i = 0; all_match_tables[i]; i++)
    if (strcmp(all_match_tables[i]->target, target) == 0) return all_match_tables[i];
  return NULL;
}
