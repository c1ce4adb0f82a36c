/* commute.c: authors write one operand order; here are the others. */
#include "rulec.h"

static unsigned count_uses(const struct pat *p, int var) {
  unsigned n =
      p->var == var && (p->kind == P_VAR || p->kind == P_CONST || p->kind == P_MEM || p->kind == P_CHAIN);
  for (unsigned i = 0; i < p->nkid; i++) n += count_uses(p->kid[i], var);
  return n + (p->chain ? count_uses(p->chain, var) : 0);
}

static bool free_var(const struct rule *r, const struct pat *k) {
  return k->kind == P_ANY || (k->kind == P_VAR && count_uses(r->lhs, k->var) == 1);
}

/* Swapping two variables that the rule does not tell apart only renames them. */
static bool swap_renames(const struct rule *r, const struct pat *p) {
  const struct pat *a = p->kid[0], *b = p->kid[1];
  if (a->kind == P_VAR && b->kind == P_VAR && a->var == b->var) return true;
  return free_var(r, a) && free_var(r, b) && !r->nwhen && !r->nonlyif && !r->oracle &&
         (r->kind != RULE_ADDR) &&
         (a->kind == P_ANY || b->kind == P_ANY || r->vars[a->var].cls == r->vars[b->var].cls);
}

static bool is_constant(const struct pat *p) { return p->kind == P_CONST || p->kind == P_EXPR; }

/* The constructor puts constants to the right of a commutative operation. */
static bool swap_is_canonical(const struct pat *p) {
  return !(is_constant(p->kid[1]) && !is_constant(p->kid[0]));
}

static struct pat *copy(struct arena *a, const struct pat *p) {
  struct pat *c = ARENA_NEW(a, struct pat);
  *c = *p;
  c->kid = ARENA_ARRAY(a, struct pat *, p->nkid + 1);
  for (unsigned i = 0; i < p->nkid; i++) c->kid[i] = copy(a, p->kid[i]);
  if (p->chain) c->chain = copy(a, p->chain);
  return c;
}

/* A literal on the left of a variable would never match; write it as the constructor does. */
static void canonicalize(struct pat *p) {
  for (unsigned i = 0; i < p->nkid; i++) canonicalize(p->kid[i]);
  if (p->chain) canonicalize(p->chain);
  if (p->kind == P_OP && p->op->comm && p->nkid >= 2 && is_constant(p->kid[0]) && !is_constant(p->kid[1])) {
    struct pat *k = p->kid[0];
    p->kid[0] = p->kid[1];
    p->kid[1] = k;
  }
}

static void collect(const struct rule *r, struct pat *p, struct pat **nodes, unsigned *n, unsigned max) {
  if (p->kind == P_OP && p->op->comm && p->nkid >= 2 && *n < max && !swap_renames(r, p) &&
      swap_is_canonical(p))
    nodes[(*n)++] = p;
  for (unsigned i = 0; i < p->nkid; i++) collect(r, p->kid[i], nodes, n, max);
}

unsigned commute(struct arena *a, const struct rule *r, struct pat **out, unsigned max) {
  struct pat *nodes[6], *lhs = copy(a, r->lhs);
  unsigned n = 0, made = 0;
  canonicalize(lhs);
  collect(r, lhs, nodes, &n, 6);
  for (unsigned mask = 0; mask < 1u << n && made < max; mask++) {
    struct pat *c = copy(a, lhs), *at[6];
    unsigned k = 0;
    collect(r, c, at, &k, 6);
    for (unsigned i = 0; i < n; i++)
      if (mask >> i & 1) {
        struct pat *t = at[i]->kid[0];
        at[i]->kid[0] = at[i]->kid[1];
        at[i]->kid[1] = t;
      }
    out[made++] = c;
  }
  return made;
}
