/* check_fact.c: what rules may ask of the engine. */
#include "rulec/check.h"

#include <string.h>

enum args { NOTHING, VALUE, VALUE_NUM, VALUE_BYTES, FLAG_NAMES, NODE, RESULT, OP_TYPE, NUMBER };

static const struct fact_row {
  const char *name;
  enum fact fact;
  enum args args;
  bool heuristic;
} facts[] = {
    {"known-zero", FACT_KNOWN_ZERO, VALUE, false},
    {"known-bool", FACT_KNOWN_BOOL, VALUE, false},
    {"known-nonzero", FACT_KNOWN_NONZERO, VALUE, false},
    {"known-nonneg", FACT_KNOWN_NONNEG, VALUE, false},
    {"sign-bits", FACT_SIGN_BITS, VALUE_NUM, false},
    {"not-poison", FACT_NOT_POISON, VALUE, false},
    {"demanded-in", FACT_DEMANDED_IN, VALUE, false},
    {"users-read", FACT_USERS_READ, FLAG_NAMES, false},
    {"little-endian", FACT_LITTLE_ENDIAN, NOTHING, false},
    {"aligned", FACT_ALIGNED, VALUE_BYTES, false},
    {"zero-upper", FACT_ZERO_UPPER, VALUE, false},
    {"one-use", FACT_ONE_USE, NODE, true},
    {"constant", FACT_CONSTANT, NODE, true},
    {"unused", FACT_UNUSED, RESULT, true},
    {"constant", FACT_CONSTANT, NODE, true},
    {"legal", FACT_LEGAL, OP_TYPE, true},
    {"level", FACT_LEVEL, NUMBER, true},
};

static const struct fact_row *row_named(const char *name) {
  for (uint32_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
    if (strcmp(facts[i].name, name) == 0) return &facts[i];
  return NULL;
}

bool is_fact_name(const char *name) { return row_named(name) != NULL; }

static bool number_arg(struct scope *s, const struct sx *x, int64_t *out) {
  if (x->kind == SX_ATOM && parse_int(x->text, out)) return true;
  diag_error(s->c->d, x->loc, NULL, "a number was expected");
  return false;
}

/* The mask of (users-read zf sf …): names from the target's (flags …), or bit numbers. */
static bool flag_names_arg(struct scope *s, const struct sx *x, struct expr *e) {
  const struct target *t = s->c->target;
  const struct sx *names = t ? s->c->infos.at[t->id].flag_names : NULL;
  for (uint32_t i = 1; i < x->n; i++) {
    int64_t bit = -1;
    if (!want_atom(s->c, x->kid[i], "a flag")) return false;
    if (!parse_int(x->kid[i]->text, &bit))
      for (uint32_t k = 1; names && k < names->n; k++)
        if (names->kid[k]->text == x->kid[i]->text) bit = (int64_t)k - 1;
    if (bit < 0 || !t || bit >= t->flag_bits) {
      diag_error(s->c->d, x->kid[i]->loc, "flags are named in the target's (flags …), lowest bit first",
                 "unknown flag '%s'", x->kid[i]->text);
      return false;
    }
    e->num |= INT64_C(1) << bit;
  }
  return true;
}

static bool node_arg(struct scope *s, const struct sx *x, struct expr *e) {
  int v = x->kind == SX_ATOM ? var_find(s, x->text) : -1;
  if (v < 0) {
    diag_error(s->c->d, x->loc, "name the node: n:(op …)", "a variable or named node was expected");
    return false;
  }
  s->var_used.at[v] = 1;
  e->var = v;
  return true;
}

static bool result_arg(struct scope *s, const struct sx *x, struct expr *e) {
  const struct op *op = s->rule && s->rule->lhs ? s->rule->lhs->op : NULL;
  for (uint32_t i = 0; op && x->kind == SX_ATOM && i < op->nres; i++)
    if (strcmp(op->res[i].name, x->text) == 0) {
      e->num = i;
      return true;
    }
  diag_error(s->c->d, x->loc, NULL, "a result of the root operation was expected");
  return false;
}

static bool op_type_arg(struct scope *s, const struct sx *x, struct expr *e) {
  if (!want_atom(s->c, x->kid[1], "an operation") || !want_atom(s->c, x->kid[2], "a type")) return false;
  e->ref_op = find_op(s->c, x->kid[1]->text);
  if (!e->ref_op) {
    const char *near = NEAREST(s->c, x->kid[1]->text, SPACE_OP);
    diag_error(s->c->d, x->kid[1]->loc, hint_spelling(s->c, near), "unknown operation '%s'", x->kid[1]->text);
    return false;
  }
  if (is_tyvar_name(x->kid[2]->text) && !ty_is_named(s, x->kid[2]->text)) {
    diag_error(s->c->d, x->kid[2]->loc, NULL, "type variable '%s' does not occur in the rule",
               x->kid[2]->text);
    return false;
  }
  if (parse_type(s, x->kid[2]->text, &e->ty)) return true;
  diag_error(s->c->d, x->kid[2]->loc, NULL, "'%s' is not a type", x->kid[2]->text);
  return false;
}

static bool fact_args(struct scope *s, const struct sx *x, const struct fact_row *row, struct expr *e) {
  static const uint8_t count[] = {0, 1, 2, 2, 255, 1, 1, 2, 1};
  if (count[row->args] != 255 && x->n - 1 != count[row->args]) {
    diag_error(s->c->d, x->loc, NULL, "'%s' takes %u operand%s, not %u", row->name, count[row->args],
               PLURAL(count[row->args]), x->n - 1);
    return false;
  }
  if (row->args == VALUE || row->args == VALUE_NUM || row->args == VALUE_BYTES)
    if (!(e->kid[0] = check_bv(s, x->kid[1], NULL))) return false;
  switch (row->args) {
  case VALUE_NUM: return (e->kid[1] = check_num(s, x->kid[2])) != NULL;
  case VALUE_BYTES: return number_arg(s, x->kid[2], &e->num);
  case FLAG_NAMES: return flag_names_arg(s, x, e);
  case NODE: return node_arg(s, x->kid[1], e);
  case RESULT: return result_arg(s, x->kid[1], e);
  case OP_TYPE: return op_type_arg(s, x, e);
  case NUMBER: return number_arg(s, x->kid[1], &e->num);
  default: return true;
  }
}

const struct expr *check_fact(struct scope *s, const struct sx *x) {
  const struct fact_row *row = row_named(x->kid[0]->text);
  if (row && row->heuristic && !s->heuristics) {
    diag_error(s->c->d, x->loc, "move it to (only-if …)", "'%s' is a heuristic: a proof cannot assume it",
               row->name);
    return NULL;
  }
  uint32_t nkid = !row                                             ? 0
                  : row->args == VALUE_NUM                         ? 2
                  : row->args == VALUE || row->args == VALUE_BYTES ? 1
                                                                   : 0;
  struct expr *e = new_expr(s, B_FACT, SORT_BOOL, x->loc, nkid);
  if (row) {
    e->fact = row->fact;
    return fact_args(s, x, row, e) ? e : NULL;
  }
  if (!s->heuristics) {
    diag_error(s->c->d, x->loc, "move it to (only-if …)", "'%s' is not a fact that a proof can assume",
               x->kid[0]->text);
    return NULL;
  }
  e->fact = FACT_TASTE;
  e->name = x->kid[0]->text;
  *vec_push(&s->c->tastes) = (struct form){.sx = x, .target = s->c->target};
  return e;
}
