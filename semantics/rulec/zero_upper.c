/* zero_upper.c: which operations leave the upper half of a 64-bit register zero when they make 32 bits. It
 * holds for an operation when every pattern that may produce its i32 value ends in an instruction that writes
 * a 32-bit register by a defined value. Pseudo nodes, copies from fixed registers and results that the manual
 * leaves open do not count. */
#include <string.h>

#include "rulec.h"

static bool has_fresh(const struct expr *e, unsigned depth) {
  if (e->op == X_FRESH || depth > 40) return true;
  for (unsigned i = 0; i < e->nkid; i++)
    if (e->kid[i]->op != N_LIT && has_fresh(e->kid[i], depth + 1)) return true;
  return false;
}

/* An instruction that may leave its destination as it was does not count either: its meaning then is the tied
 * input. */
static bool clears(const struct inst *in) {
  if (in->nout == 0 || !in->out[0].cls || in->out[0].cls->bits != 32) return false;
  if (strncmp(in->name, "BSF", 3) == 0 || strncmp(in->name, "BSR", 3) == 0) return false;
  for (unsigned i = 0; i < in->nset; i++)
    if (in->set[i].kind == SET_OUT && in->set[i].index == 0)
      return in->set[i].value && !has_fresh(in->set[i].value, 0);
  return false;
}

uint8_t *zero_upper_bits(struct gen *g) {
  unsigned n = g->m->ops.n + 1;
  uint8_t *bits = ARENA_ARRAY(g->a, uint8_t, n / 8 + 1), *bad = ARENA_ARRAY(g->a, uint8_t, n / 8 + 1);
  for (unsigned i = 0; i < g->m->rules.n; i++) {
    const struct rule *r = g->m->rules.at[i];
    if (r->kind != RULE_SELECT || r->target != g->t || r->lhs->kind == P_MEM || r->lhs->kind == P_VAR)
      continue;
    if (r->lhs->ty.var < 0 && r->lhs->ty.fixed != VT_I(32)) continue;
    unsigned op = r->lhs->kind == P_OP ? op_number(r->lhs->op) : op_number(g->constant);
    bool ok = r->rhs->kind == P_INST && r->lhs->res <= 0 && clears(r->rhs->inst);
    (ok ? bits : bad)[op / 8] |= (uint8_t)(1u << op % 8);
  }
  for (unsigned i = 0; i <= n / 8; i++) bits[i] &= (uint8_t)~bad[i];
  return bits;
}
