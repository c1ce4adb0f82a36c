/* check_widths.c: the checker's last step. A form is tried at telling widths: its operands must agree
 * wherever it applies, and it must apply somewhere. */
#include "rulec/check.h"

#include <string.h>

const unsigned telling_widths[12] = {1, 2, 3, 7, 8, 16, 24, 32, 33, 63, 64, 128};

struct trial {
  struct checker *c;
  const struct eval_env *env;
  const char *const *tyvars;
  uint32_t ntyvar;
};

static bool mismatch(const struct trial *t, struct loc at, int64_t a, int64_t b) {
  char buf[16], *text = arena_strdup(t->c->a, "");
  for (uint32_t i = 0; i < t->ntyvar; i++)
    text = arena_printf(t->c->a, "%s%s%s = %s", text, i ? ", " : "", t->tyvars[i],
                        vt_name(t->env->types[i], buf));
  const char *hint = t->ntyvar ? arena_printf(t->c->a, "seen with %s", text) : NULL;
  diag_error(t->c->d, at, hint, "operands of %lld and %lld bits meet", (long long)a, (long long)b);
  return false;
}

/* Operands of one operator have one width, and results the width that was declared. */
static bool agree(const struct trial *t, const struct expr *e) {
  if (e->sort == SORT_NUM) return true;
  for (uint32_t i = 0; i < e->nkid; i++)
    if (!agree(t, e->kid[i])) return false;
  bool free = e->op == X_CONCAT || e->op == X_EXTRACT || e->op == X_ZEXT || e->op == X_SEXT ||
              e->op == X_TRUNC || e->op == X_READ || e->op == B_FACT || e->nkid < 2;
  if (free) return true;
  uint32_t first = e->op == X_ITE ? 1 : 0;
  if (e->kid[first]->sort != SORT_BV) return true;
  int64_t w = eval_num(e->kid[first]->width, t->env);
  for (uint32_t i = first + 1; i < e->nkid; i++) {
    int64_t other = eval_num(e->kid[i]->width, t->env);
    if (other != w) return mismatch(t, e->kid[i]->loc, w, other);
  }
  return true;
}

static bool agree_with(const struct trial *t, const struct expr *e, int64_t width) {
  if (!agree(t, e)) return false;
  int64_t w = eval_num(e->width, t->env);
  return w == width || mismatch(t, e->loc, width, w);
}

/* ---- Operations and instructions ------------------------------------------------------------------- */

static const struct expr *op_exprs(const struct op *op, uint32_t i) {
  if (i < op->nres) return op->res[i].val;
  const struct expr *rest[] = {op->poison, op->ub, op->taken};
  return rest[i - op->nres];
}

static bool try_op(struct checker *c, const struct op *op, const vt *types, uint32_t *applied) {
  struct eval_env env = {.types = types};
  struct trial t = {.c = c, .env = &env, .tyvars = op->tyvars, .ntyvar = op->ntyvar};
  if (op->where && !eval_bool(op->where, &env)) return true;
  for (uint32_t i = 0; i < op->nres + 3; i++) {
    const struct expr *e = op_exprs(op, i);
    if (e && !expr_applicable(e, &env)) return true;
  }
  ++*applied;
  for (uint32_t i = 0; i < op->nres + 3; i++) {
    const struct expr *e = op_exprs(op, i);
    bool ok =
        !e || (i < op->nres ? agree_with(&t, e, vt_bits(tyref_vt(op->res[i].ty, types))) : agree(&t, e));
    if (!ok) return false;
  }
  return true;
}

/* Counts through all choices of widths for n type variables; false at the end. */
static bool next_choice(unsigned *pick, uint32_t n, unsigned base) {
  for (uint32_t i = 0; i < n; i++) {
    if (++pick[i] < base) return true;
    pick[i] = 0;
  }
  return false;
}

enum { MAX_TYVARS = 12 };
static const unsigned few_widths[] = {1, 8, 16, 32, 64};

/* The widths tried per type variable: all telling ones as long as the product stays small. */
static const unsigned *choices(uint32_t n, unsigned *base) {
  *base = n <= 2 ? 12 : n <= 4 ? 5 : 2;
  return n <= 2 ? telling_widths : n <= 4 ? few_widths : few_widths + 3;
}

void check_op_widths(struct checker *c, const struct op *op) {
  unsigned pick[MAX_TYVARS] = {0}, base;
  vt types[MAX_TYVARS];
  uint32_t applied = 0;
  const unsigned *widths = choices(op->ntyvar, &base);
  if (op->ntyvar > MAX_TYVARS) bug("operation '%s' has too many types", op->name);
  do {
    for (uint32_t i = 0; i < op->ntyvar; i++) types[i] = vt_int(widths[pick[i]]);
    if (!try_op(c, op, types, &applied)) return;
  } while (next_choice(pick, op->ntyvar, base));
  if (!applied) diag_error(c->d, op->loc, NULL, "operation '%s' applies at no width", op->name);
}

void check_inst_widths(struct checker *c, const struct inst *inst) {
  struct eval_env env = {.types = NULL};
  struct trial t = {.c = c, .env = &env};
  for (uint32_t i = 0; i < inst->nset; i++) {
    const struct inst_set *s = &inst->set[i];
    if (!expr_applicable(s->value, &env) || (s->addr && !expr_applicable(s->addr, &env))) {
      diag_error(c->d, s->value->loc, NULL, "a literal or width of this does not fit");
      return;
    }
    if (s->addr && !agree_with(&t, s->addr, inst->target->pointer_bits)) return;
    bool ok = s->kind == SET_OUT     ? agree_with(&t, s->value, inst->out[s->index].cls->bits)
              : s->kind == SET_PHYS  ? agree_with(&t, s->value, vt_bits(inst->def[s->index]->ty))
              : s->kind == SET_WRITE ? agree_with(&t, s->value, 8 * s->bytes)
                                     : agree(&t, s->value);
    if (!ok) return;
  }
}

/* ---- Rules ----------------------------------------------------------------------------------------- */

/* Whether the operations of a tree exist at the types and its literals fit. */
static bool tree_applies(const struct pat *p, const struct eval_env *env) {
  if (p->kind == P_OP && p->op->where) {
    vt types[MAX_TYVARS];
    for (uint32_t i = 0; i < p->op->ntyvar; i++) types[i] = tyref_vt(p->optys[i], env->types);
    struct eval_env own = {.types = types};
    if (!eval_bool(p->op->where, &own)) return false;
  }
  if (p->value && !expr_applicable(p->value, env)) return false;
  for (uint32_t i = 0; i < p->nkid; i++)
    if (!tree_applies(p->kid[i], env)) return false;
  return true;
}

static bool tree_agrees(const struct trial *t, const struct pat *p) {
  if (p->value && !agree_with(t, p->value, vt_bits(tyref_vt(p->ty, t->env->types)))) return false;
  for (uint32_t i = 0; i < p->nkid; i++)
    if (!tree_agrees(t, p->kid[i])) return false;
  return true;
}

static bool all_trees(const struct rule *r, bool (*each)(const void *, const struct pat *), const void *arg) {
  if (r->lhs && !each(arg, r->lhs)) return false;
  if (r->rhs && !each(arg, r->rhs)) return false;
  for (uint32_t i = 0; i < r->nlet; i++)
    if (!each(arg, r->let_node[i])) return false;
  return true;
}

static bool each_applies(const void *env, const struct pat *p) { return tree_applies(p, env); }
static bool each_agrees(const void *t, const struct pat *p) { return tree_agrees(t, p); }

static bool rule_applies(const struct rule *r, const vt *types) {
  struct eval_env env = {.types = types};
  if (!all_trees(r, each_applies, &env)) return false;
  for (uint32_t i = 0; i < r->nwhen; i++)
    if (!expr_applicable(r->when[i], &env)) return false;
  for (uint32_t i = 0; i < r->nset; i++)
    if (r->set[i].value && !expr_applicable(r->set[i].value, &env)) return false;
  return true;
}

static bool try_rule(struct checker *c, const struct rule *r, const vt *types, uint32_t *applied) {
  struct eval_env env = {.types = types};
  struct trial t = {.c = c, .env = &env, .tyvars = r->tyvars, .ntyvar = r->ntyvar};
  if (!rule_applies(r, types)) return true;
  ++*applied;
  if (!all_trees(r, each_agrees, &t)) return false;
  for (uint32_t i = 0; i < r->nwhen; i++)
    if (!agree(&t, r->when[i])) return false;
  for (uint32_t i = 0; i < r->nonlyif; i++)
    if (expr_applicable(r->onlyif[i], &env) && !agree(&t, r->onlyif[i])) return false;
  for (uint32_t i = 0; i < r->nset; i++)
    if (r->set[i].value && !agree_with(&t, r->set[i].value, vt_bits(r->nonterm->fields[r->set[i].field].ty)))
      return false;
  return true;
}

static int tyvar_named(const struct rule *r, const char *name) {
  for (uint32_t i = 0; i < r->ntyvar; i++)
    if (strcmp(r->tyvars[i], name) == 0) return (int)i;
  return -1;
}

void check_rule_widths(struct checker *c, const struct rule *r) {
  unsigned pick[MAX_TYVARS] = {0}, base;
  vt types[MAX_TYVARS];
  uint32_t applied = 0;
  const unsigned *widths = choices(r->ntyvar, &base);
  if (r->nwidth) widths = r->widths, base = r->nwidth;
  if (r->ntyvar > MAX_TYVARS) bug("rule '%s' has too many types", r->name);
  int h = r->kind == RULE_EXPAND_INT ? tyvar_named(r, "H") : -1;
  do {
    for (uint32_t i = 0; i < r->ntyvar; i++) types[i] = vt_int(widths[pick[i]]);
    /* The expanded type is twice the half. */
    for (uint32_t i = 0; h >= 0 && r->lhs && i < r->nhalf; i++)
      if (r->half[i].lo >= 0 && r->vars[r->half[i].whole].ty.var >= 0)
        types[r->vars[r->half[i].whole].ty.var] = vt_int(2 * vt_bits(types[h]));
    if (h >= 0 && r->lhs->ty.var >= 0 && r->rhs->kind == P_HALVES)
      types[r->lhs->ty.var] = vt_int(2 * vt_bits(types[h]));
    if (!try_rule(c, r, types, &applied)) return;
  } while (next_choice(pick, r->ntyvar, base));
  if (!applied)
    diag_error(c->d, r->loc, "a literal does not fit, or an operation does not exist, at any of its widths",
               "rule '%s' applies at no width", r->name);
}
