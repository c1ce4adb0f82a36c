/* order.c: which pattern comes first, and which could never be reached. */
#include <string.h>

#include "rulec.h"

enum {
  NODE_WEIGHT = 100,
  LITERAL_WEIGHT = 60,
  CONST_WEIGHT = 30,
  ADDRESS_WEIGHT = 20,
  SAME_WEIGHT = 10,
  FEATURE_WEIGHT = 4,
  GUARD_WEIGHT = 2,
  TYPE_WEIGHT = 1
};

static int weight(const struct rule *r, const struct pat *p, uint64_t *seen) {
  int w = 0;
  switch (p->kind) {
  case P_OP: w = NODE_WEIGHT + 2 * __builtin_popcount(p->flags); break;
  case P_EXPR: w = LITERAL_WEIGHT; break;
  case P_CONST: /* a narrow immediate is more specific than a wide one */
    w = CONST_WEIGHT;
    if (p->var >= 0 && r->vars[p->var].imm && r->vars[p->var].imm->bits && r->vars[p->var].imm->bits < 64)
      w += (int)(64 - r->vars[p->var].imm->bits) / 8;
    break;
  case P_MEM: w = ADDRESS_WEIGHT; break;
  default: break;
  }
  if ((p->kind == P_VAR || p->kind == P_CONST || p->kind == P_MEM) && p->var >= 0 && p->var < 64) {
    w += *seen >> p->var & 1 ? SAME_WEIGHT : 0;
    *seen |= 1ull << p->var;
  }
  for (unsigned i = 0; i < p->nkid; i++) w += weight(r, p->kid[i], seen);
  if (p->chain && p->chain->kind == P_OP) w += weight(r, p->chain, seen);
  return w;
}

/* Of two equal patterns, the one that asks for more comes first. */
int pattern_complexity(const struct rule *r, const struct pat *p) {
  uint64_t seen = 0;
  bool feature = r->nrequires || (r->rhs && r->rhs->kind == P_INST && r->rhs->inst->nrequires);
  bool guarded = r->nwhen || r->nonlyif || r->oracle;
  return weight(r, p, &seen) + (feature ? FEATURE_WEIGHT : 0) + (guarded ? GUARD_WEIGHT : 0) +
         (p->ty.var < 0 ? TYPE_WEIGHT : 0);
}

/* ---- Shadowing ---- */

struct cover {
  const struct rule *early, *late;
  const struct pat *bound[MATCH_MAX_VARS]; /* early's variables in late's pattern */
  struct tyref ty[MATCH_MAX_TYVARS];       /* early's type variables in late's pattern */
  bool ty_bound[MATCH_MAX_TYVARS];
};

static bool same_tree(const struct pat *a, const struct pat *b) {
  if (a->kind != b->kind || a->op != b->op || a->var != b->var || a->res != b->res || a->nkid != b->nkid)
    return false;
  if (a->kind == P_EXPR && a->value != b->value) return false;
  for (unsigned i = 0; i < a->nkid; i++)
    if (!same_tree(a->kid[i], b->kid[i])) return false;
  return true;
}

static const struct expr *literal(const struct expr *e) {
  while (e->op == X_LIT && e->nkid == 1) e = e->kid[0];
  return e;
}

/* One type variable stands for one type. */
static bool same_type(struct cover *c, struct tyref early, struct tyref late) {
  if (early.var < 0) return late.var < 0 && early.fixed == late.fixed;
  struct tyref *t = &c->ty[early.var];
  if (c->ty_bound[early.var]) return t->var == late.var && (t->var >= 0 || t->fixed == late.fixed);
  c->ty_bound[early.var] = true;
  *t = late;
  return true;
}

static bool narrower(const struct immclass *early, const struct immclass *late) {
  return early == NULL || early == late;
}

static bool covers(struct cover *c, const struct pat *e, const struct pat *l);

static bool covers_var(struct cover *c, const struct pat *e, const struct pat *l) {
  if (e->var < 0) return true;
  const struct pat **b = &c->bound[e->var];
  if (*b) return same_tree(*b, l);
  *b = l;
  return true;
}

static bool covers_op(struct cover *c, const struct pat *e, const struct pat *l) {
  if (l->kind != P_OP || e->op != l->op || e->res != l->res || (e->flags & ~l->flags) || e->nkid != l->nkid)
    return false;
  if (!same_type(c, e->ty, l->ty) || (e->op->second >= 0 && !same_type(c, e->ty2, l->ty2)) || e->chain)
    return false;
  for (unsigned i = 0; i < e->nkid; i++)
    if (!covers(c, e->kid[i], l->kid[i])) return false;
  return true;
}

/* Does every value that `l` matches match `e` too? */
static bool covers(struct cover *c, const struct pat *e, const struct pat *l) {
  switch (e->kind) {
  case P_ANY: return true;
  case P_OP: return covers_op(c, e, l);
  case P_VAR: return same_type(c, e->ty, l->ty) && covers_var(c, e, l);
  case P_CONST: {
    if ((l->kind != P_CONST && l->kind != P_EXPR) || !same_type(c, e->ty, l->ty)) return false;
    const struct immclass *li = l->kind == P_CONST && l->var >= 0 ? c->late->vars[l->var].imm : NULL;
    return narrower(e->var >= 0 ? c->early->vars[e->var].imm : NULL, li) && covers_var(c, e, l);
  }
  case P_EXPR:
    return l->kind == P_EXPR && literal(e->value)->op == N_LIT && literal(l->value)->op == N_LIT &&
           literal(e->value)->num == literal(l->value)->num && same_type(c, e->ty, l->ty);
  case P_MEM: return l->kind == P_MEM && l->nonterm == e->nonterm && covers_var(c, e, l);
  default: return false;
  }
}

static bool unguarded(const struct rule *r) {
  if (r->nwhen || r->nonlyif || r->oracle || r->nrequires || r->nwidth) return false;
  return !(r->rhs->kind == P_INST && r->rhs->inst->nrequires) &&
         !(r->lhs->kind == P_OP && r->lhs->op->nres > 1);
}

static bool shadows(struct gen *g, const struct rule *early, const struct rule *late) {
  struct pat *orders[16];
  if (!unguarded(early) || early->lhs->kind != late->lhs->kind || early->lhs->op != late->lhs->op)
    return false;
  unsigned n = commute(g->a, early, orders, 16);
  for (unsigned i = 0; i < n; i++) {
    struct cover c = {.early = early, .late = late};
    if (covers(&c, orders[i], late->lhs)) return true;
  }
  return false;
}

/* Several expansions and lowerings of one operation may stand side by side: the engine takes the first whose
 * result the target can handle. */
void check_shadowed(struct gen *g, const struct rule *const *rules, unsigned n) {
  for (unsigned j = 0; j < n; j++)
    for (unsigned i = 0; i < j; i++) {
      if ((rules[i]->kind != RULE_COMBINE && rules[i]->kind != RULE_SELECT) ||
          !shadows(g, rules[i], rules[j]))
        continue;
      diag_error(g->m->diag, rules[j]->loc, "make the earlier guard narrower, or delete this rule",
                 "'%s' is shadowed by '%s' (%s:%u): it can never fire", rules[j]->name, rules[i]->name,
                 rules[i]->loc.src ? rules[i]->loc.src->path : "?", rules[i]->loc.line);
      break;
    }
}
