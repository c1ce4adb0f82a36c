/* check_cover.c: an operation that is legal on a target must have a pattern that always matches it; otherwise
 * a user's compilation would be the first to learn of the gap. */
#include "rulec/check.h"

#include <string.h>

/* A pattern's operand that any value satisfies; constants stand for operands that are immediates by nature.
 */
static bool takes_anything(const struct rule *r, const struct pat *p, const struct operand *o) {
  if (p->kind == P_ANY || p->kind == P_MEM) return true;
  if (p->kind == P_CONST) return o->ty.var < 0;
  return p->kind == P_VAR && !(p->var >= 0 && r->vars[p->var].imm);
}

static bool repeats(const struct rule *r) {
  for (uint32_t i = 0; i < r->lhs->nkid; i++)
    for (uint32_t k = 0; k < i; k++)
      if (r->lhs->kid[i]->var >= 0 && r->lhs->kid[i]->var == r->lhs->kid[k]->var) return true;
  return false;
}

/* The rule needs no feature beyond the row's. */
static bool features_allow(const struct rule *r, const struct action_row *row) {
  for (uint32_t i = 0; i < r->nrequires; i++)
    if (!row->requires || strcmp(row->requires, r->requires[i]) != 0) return false;
  return true;
}

static bool covers(const struct rule *r, const struct target *t, const struct action_row *row) {
  const struct pat *l = r->lhs;
  if (r->kind != RULE_SELECT || r->target != t || !l || l->op != row->op || r->nwhen || l->flags)
    return false;
  if (l->op->ntyvar && tyref_vt(l->optys[0], NULL) != row->ty) return false;
  for (uint32_t i = 0; i < l->nkid; i++)
    if (!takes_anything(r, l->kid[i], &l->op->in[i])) return false;
  return features_allow(r, row) && !repeats(r);
}

void check_coverage(struct checker *c) {
  char type[16];
  for (uint32_t k = 0; k < c->m->targets.n; k++) {
    const struct target *t = c->m->targets.at[k];
    for (uint32_t i = 0; i < t->actions.n; i++) {
      const struct action_row *row = &t->actions.at[i];
      bool found = row->action != ACT_LEGAL || row->op->structural;
      for (uint32_t j = 0; !found && j < c->m->rules.n; j++) found = covers(c->m->rules.at[j], t, row);
      if (!found)
        diag_error(c->d, row->loc, "add a pattern without a guard, or give the operation another action",
                   "'%s' is legal at %s, but no pattern covers it", row->op->name, vt_name(row->ty, type));
    }
  }
}
