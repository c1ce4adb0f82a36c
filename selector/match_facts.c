/* match_facts.c: what the engine knows when a guard asks. Values that are constants are known exactly; about
 * others the pass's callbacks are asked, and without a callback nothing is known. */
#include "match_run.h"

#include <string.h>

#include "util/diag.h"

struct known_pair {
  struct bv zero, one;
};

static struct known_pair exactly(struct bv v) { return (struct known_pair){bv_not(v), v}; }

static struct known_pair nothing(unsigned width) {
  return (struct known_pair){bv_u64(width, 0), bv_u64(width, 0)};
}

static bool only_constants(const struct run *r, const struct expr *e) {
  if (e->op == X_VAR && r->var[e->var].node && !constant_value(r->d, r->var[e->var], NULL)) return false;
  if (e->op == X_FRESH || e->op == X_READ || e->op == B_FACT) return false;
  for (unsigned i = 0; i < e->nkid; i++)
    if (!only_constants(r, e->kid[i])) return false;
  return true;
}

static struct known_pair known_of(struct run *r, const struct expr *e, const struct eval_env *env) {
  if (only_constants(r, e)) return exactly(eval_bv(e, env));
  unsigned width = (unsigned)eval_num(e->width, env);
  struct known_pair k = nothing(width), a, b;
  switch (e->op) {
  case X_VAR:
    if (r->m->known) r->m->known(r->m->self, r->var[e->var], &k.zero, &k.one);
    return k;
  case X_NOT: a = known_of(r, e->kid[0], env); return (struct known_pair){a.one, a.zero};
  case X_AND:
  case X_OR:
  case X_XOR:
    k = known_of(r, e->kid[0], env);
    for (unsigned i = 1; i < e->nkid; i++) {
      a = k;
      b = known_of(r, e->kid[i], env);
      if (e->op == X_AND)
        k = (struct known_pair){bv_or(a.zero, b.zero), bv_and(a.one, b.one)};
      else if (e->op == X_OR)
        k = (struct known_pair){bv_and(a.zero, b.zero), bv_or(a.one, b.one)};
      else
        k = (struct known_pair){bv_or(bv_and(a.zero, b.zero), bv_and(a.one, b.one)),
                                bv_or(bv_and(a.zero, b.one), bv_and(a.one, b.zero))};
    }
    return k;
  case X_SHL: /* by a constant */
  case X_LSHR:
    if (!only_constants(r, e->kid[1])) return k;
    a = known_of(r, e->kid[0], env);
    b = exactly(eval_bv(e->kid[1], env));
    k.one = e->op == X_SHL ? bv_shl(a.one, b.one) : bv_lshr(a.one, b.one);
    k.zero = bv_not(e->op == X_SHL ? bv_shl(bv_not(a.zero), b.one) : bv_lshr(bv_not(a.zero), b.one));
    return k;
  default: return k;
  }
}

static unsigned sign_bits_of(struct run *r, const struct expr *e, const struct eval_env *env) {
  if (only_constants(r, e)) {
    struct bv v = eval_bv(e, env);
    return bv_clz(bv_sign(v) ? bv_not(v) : v);
  }
  if (e->op == X_VAR && r->m->sign_bits) return r->m->sign_bits(r->m->self, r->var[e->var]);
  return 1;
}

static int variable(const struct expr *e) {
  return e->nkid && e->kid[0]->op == X_VAR ? e->kid[0]->var : e->var;
}

static bool named(const char *const *names, unsigned n, const bool *on, const char *name) {
  for (unsigned i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) return on && on[i];
  return false;
}

static struct sdval flags_result(const struct run *r) {
  const struct sdnode *n = dag_node(r->d, r->root);
  for (unsigned i = 0; i < n->nres; i++)
    if (vt_kind(n->types[i]) == TK_FLAGS) return (struct sdval){r->root, i};
  return SDNONE;
}

static bool is_demanded_in(struct run *r, struct bv mask) {
  struct sdval v = r->slot[0];
  if (bv_is_ones(mask)) return true;
  return r->m->demanded && bv_is_zero(bv_and(r->m->demanded(r->m->self, v), bv_not(mask)));
}

static bool is_aligned(struct run *r, const struct expr *e, const struct eval_env *env) {
  struct known_pair k = known_of(r, e->kid[0], env);
  if (bv_ctz(bv_not(k.zero)) >= (unsigned)__builtin_ctzll((unsigned long long)e->num)) return true;
  return e->kid[0]->op == X_VAR && r->m->align &&
         r->m->align(r->m->self, r->var[e->kid[0]->var]) >= (uint64_t)e->num;
}

static bool is_legal(struct run *r, const struct expr *e) {
  const char *libcall;
  if (r->m->is_legal)
    return r->m->is_legal(r->m->self, (uint16_t)(e->ref_op->id + 1), resolve_type(r, e->ty));
  enum target_action a = target_action(r->m, (uint16_t)(e->ref_op->id + 1), resolve_type(r, e->ty), &libcall);
  return a == TA_LEGAL || a == TA_CUSTOM;
}

/* The guard fails now, and the node is worth another look at the next level. */
static bool later(struct run *r) {
  r->m->asked_level = true;
  return false;
}

static bool heuristic(struct run *r, const struct expr *e) {
  const struct match_tables *t = r->t;
  int v = variable(e);
  switch (e->fact) {
  case FACT_ONE_USE: return v >= 0 && r->var[v].node && dag_has_one_use(r->d, r->var[v]);
  case FACT_UNUSED: return dag_num_uses(r->d, (struct sdval){r->root, (uint32_t)e->num}) == 0;
  case FACT_CONSTANT: return v >= 0 && r->var[v].node && constant_value(r->d, r->var[v], NULL);
  case FACT_LEGAL: return is_legal(r, e) || later(r);
  case FACT_LEVEL: return (int64_t)r->m->level >= e->num || later(r);
  case FACT_TASTE:
    return named(t->taste, t->ntaste, r->m->tastes, e->name) ||
           named(t->feature, t->nfeature, r->m->features, e->name);
  default: bug("fact %d is not known here", (int)e->fact);
  }
}

bool answer_fact(void *self, const struct expr *e, const struct eval_env *env) {
  struct run *r = self;
  struct known_pair k;
  int v;
  switch (e->fact) {
  case FACT_KNOWN_ZERO: return bv_is_ones(known_of(r, e->kid[0], env).zero);
  case FACT_KNOWN_BOOL:
    k = known_of(r, e->kid[0], env);
    return bv_is_zero(bv_lshr(bv_not(k.zero), bv_u64(k.zero.width, 1))) || k.zero.width == 1;
  case FACT_KNOWN_NONZERO: return !bv_is_zero(known_of(r, e->kid[0], env).one);
  case FACT_KNOWN_NONNEG: return bv_sign(known_of(r, e->kid[0], env).zero);
  case FACT_SIGN_BITS: return (int64_t)sign_bits_of(r, e->kid[0], env) >= eval_num(e->kid[1], env);
  case FACT_NOT_POISON:
    v = variable(e);
    return v >= 0 && (constant_value(r->d, r->var[v], NULL) ||
                      (r->m->not_poison && r->m->not_poison(r->m->self, r->var[v])));
  case FACT_DEMANDED_IN: return is_demanded_in(r, eval_bv(e->kid[0], env));
  case FACT_USERS_READ:
    return r->m->users_read && (r->m->users_read(r->m->self, flags_result(r)) & ~(uint64_t)e->num) == 0;
  case FACT_LITTLE_ENDIAN: return !r->t->big_endian;
  case FACT_ALIGNED: return is_aligned(r, e, env);
  case FACT_ZERO_UPPER: v = variable(e); return v >= 0 && match_zero_upper(r->t, r->d, r->var[v]);
  default: return heuristic(r, e);
  }
}
