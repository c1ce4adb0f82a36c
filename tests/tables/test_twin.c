/* test_twin.c: the byte-coded matcher against its naive twin. For every rule of every target, graphs are made
 * from the rule's own pattern with random leaves, constants, types, flags and facts; at each of their nodes
 * and in each rule set both must find the same rule with the same values. Every rule must match at least
 * once, or it is named and the test fails. test_twin [-v] [target] */
#include <stdlib.h>
#include <string.h>

#include "gen/sources.h"
#include "match_naive.h"
#include "match_tables.h"

enum { ATTEMPTS = 30000 };

struct maker {
  const struct rule **rules; /* by number */
  const struct match_tables *t;
  struct matcher m;
  struct dag d;
  struct arena arena;
  const struct rule *rule;
  vt types[16];
  struct sdval var[64];
  bool bound[64];
  struct bv val[64];
  uint64_t seed;
  unsigned leaves;
  struct sdval chain; /* last out-chain */
  bool features[32], tastes[32];
  bool *disabled;
  bool generous, legal, ok;
};

static uint64_t rnd(struct maker *k) {
  k->seed ^= k->seed << 13;
  k->seed ^= k->seed >> 7;
  k->seed ^= k->seed << 17;
  return k->seed * 0x2545f4914f6cdd1du;
}
static unsigned below(struct maker *k, unsigned n) { return (unsigned)((rnd(k) >> 33) % n); }

/* ---- Facts: all or none. Contradictory ones do no harm, nothing is rewritten. ---- */

static void known(void *self, struct sdval v, struct bv *zero, struct bv *one) {
  struct maker *k = self;
  unsigned w = vt_bits(dag_type(&k->d, v));
  *zero = *one = k->generous ? bv_ones(w) : bv_u64(w, 0);
}
static unsigned sign_bits(void *self, struct sdval v) {
  struct maker *k = self;
  return k->generous ? vt_bits(dag_type(&k->d, v)) : 1;
}
static bool not_poison(void *self, struct sdval v) {
  (void)v;
  return ((struct maker *)self)->generous;
}
static struct bv demanded(void *self, struct sdval v) {
  struct maker *k = self;
  unsigned w = vt_bits(dag_type(&k->d, v));
  return k->generous ? bv_u64(w, 0) : bv_ones(w);
}
static uint64_t users_read(void *self, struct sdval v) {
  (void)v;
  return ((struct maker *)self)->generous ? 0 : ~0ull;
}
static uint32_t align(void *self, struct sdval v) {
  (void)v;
  return ((struct maker *)self)->generous ? 4096 : 1;
}
static bool is_legal(void *self, uint16_t op, vt type) {
  (void)op, (void)type;
  return ((struct maker *)self)->legal;
}
static struct sdval extend(void *self, struct sdval v, unsigned kind, vt wide) {
  (void)self, (void)kind, (void)wide;
  return v;
}

/* ---- Leaves ---- */

static struct bv random_constant(struct maker *k, unsigned w) {
  struct bv one = bv_u64(w, 1), v;
  switch (below(k, 20)) {
  case 0: return bv_u64(w, 0);
  case 1: return one;
  case 2: return bv_ones(w);
  case 3:
  case 4: /* a power of two */ return bv_shl(one, bv_u64(w, below(k, w)));
  case 5: /* a low mask */ return bv_sub(bv_shl(one, bv_u64(w, below(k, w))), one);
  case 6: return bv_not(bv_sub(bv_shl(one, bv_u64(w, below(k, w))), one));
  case 7:
  case 8: /* a shift amount */ return bv_u64(w, below(k, w));
  case 9: return bv_u64(w, below(k, 64));
  case 10: return bv_neg(bv_u64(w, below(k, 300)));
  case 11: return bv_u64(w, 8u * below(k, w / 8 + 1));
  case 12: return bv_u64(w, rnd(k) & 0xfff);
  case 13: return bv_u64(w, rnd(k) & 0xffffffff);
  case 14: return bv_s64(w, (int32_t)rnd(k));
  case 15: return bv_not(bv_shl(one, bv_u64(w, below(k, w))));
  case 16: /* a field, or a hole */
  case 17:
    v = bv_shl(bv_sub(bv_shl(one, bv_u64(w, below(k, w))), one), bv_u64(w, below(k, w)));
    return below(k, 2) ? v : bv_not(v);
  case 18: /* a hole in the low part */
    v = bv_shl(bv_sub(bv_shl(one, bv_u64(w, below(k, w))), one), bv_u64(w, below(k, w)));
    return bv_lshr(bv_not(v), bv_u64(w, w - (w > 16 ? 8u << below(k, 2) : w / 2)));
  default: v = bv_u64(w > 64 ? 64 : w, rnd(k)); return w > 64 ? bv_sext(v, w) : v;
  }
}

static struct sdval reg(struct maker *k, vt t) {
  vt types[2] = {t, VT_CHAIN};
  return dag_get(&k->d, ISD_COPYFROMREG, dag_types(&k->d, types, 2), 2, &k->d.entry, 1, 0,
                 0x80000000u | ++k->leaves);
}

static struct sdval leaf(struct maker *k, vt t, bool plain) {
  if (vt_kind(t) == TK_CHAIN) return k->chain;
  if (vt_kind(t) == TK_BLOCK)
    return dag_get(&k->d, ISD_BASICBLOCK, dag_types(&k->d, &t, 1), 1, NULL, 0, 0, ++k->leaves);
  if (plain || !vt_is_int(t)) return reg(k, t);
  if (t == VT_I(64) && below(k, 4) == 0) { /* an extended index, shifted or not */
    struct sdval x = reg(k, VT_I(32));
    x = dag_get1(&k->d, below(k, 2) ? ISD_ZEXT : ISD_SEXT, t, &x, 1, 0);
    if (below(k, 2))
      x = dag_get1(&k->d, ISD_SHL, t, (struct sdval[]){x, dag_const_u64(&k->d, 64, below(k, 4))}, 2, 0);
    return dag_get1(&k->d, ISD_ADD, t, (struct sdval[]){reg(k, t), x}, 2, 0);
  }
  switch (below(k, 8)) {
  case 0: return dag_const(&k->d, random_constant(k, vt_bits(t)));
  case 1: return dag_get1(&k->d, ISD_ADD, t, (struct sdval[]){reg(k, t), reg(k, t)}, 2, 0);
  case 2:
    return dag_get1(
        &k->d, ISD_SHL, t,
        (struct sdval[]){reg(k, t), dag_const_u64(&k->d, vt_bits(t), below(k, 4) & (vt_bits(t) - 1))}, 2, 0);
  case 3: return dag_get1(&k->d, ISD_XOR, t, (struct sdval[]){reg(k, t), reg(k, t)}, 2, 0);
  case 4:
    return dag_get1(&k->d, ISD_ADD, t,
                    (struct sdval[]){reg(k, t), dag_const(&k->d, random_constant(k, vt_bits(t)))}, 2, 0);
  default: return reg(k, t);
  }
}

/* ---- Graphs from patterns ---- */

static struct sdval make(struct maker *k, const struct pat *p, struct tyref formal);
static struct sdval make_chain(struct maker *k, const struct pat *p);

static vt real(struct maker *k, struct tyref t) { return t.var >= 0 ? k->types[t.var] : t.fixed; }

static struct sdval make_op(struct maker *k, const struct pat *p) {
  const struct op *op = p->op;
  struct sdval ops[16];
  vt types[8];
  unsigned nop = 0, nres = op->nres;
  for (unsigned i = 0; i < p->nkid; i++) {
    struct tyref in = op->in[i].ty.var >= 0 ? p->optys[op->in[i].ty.var] : op->in[i].ty;
    ops[op->chained + i] = make(k, p->kid[i], in);
  }
  if (op->chained)
    ops[nop++] = p->chain && p->chain->kind == P_OP ? make_chain(k, p->chain)
                 : op->mem == MEM_READ              ? k->d.entry
                                                    : k->chain;
  nop += p->nkid;
  for (unsigned i = 0; i < nres; i++)
    types[i] = real(k, op->res[i].ty.var >= 0 ? p->optys[op->res[i].ty.var] : op->res[i].ty);
  if (op->chained) types[nres++] = VT_CHAIN;
  vt second = op->second >= 0 ? real(k, p->ty2) : VT_NONE;
  uint16_t flags = p->flags | (uint16_t)(below(k, 2) ? rnd(k) & op->flags : 0);
  struct sdval v;
  if (op->mem != MEM_NONE) {
    struct memref m = {.mem = second                ? second
                              : op->mem == MEM_READ ? types[0]
                                                    : dag_type(&k->d, ops[1]),
                       .align = 8};
    v = dag_mem(&k->d, (uint16_t)(op->id + 1), dag_types(&k->d, types, nres), nres, ops, nop, &m);
  } else
    v = dag_get(&k->d, (uint16_t)(op->id + 1), dag_types(&k->d, types, nres), nres, ops, nop, flags, second);
  if (op->chained) k->chain = (struct sdval){v.node, nres - 1};
  v.res = (uint32_t)(op->nres ? p->res : 0);
  return v;
}

/* Guards often relate constants. */
static struct bv related_constant(struct maker *k, struct bv c) {
  struct bv known[64];
  unsigned n = 0;
  for (unsigned i = 0; i < k->rule->nvar; i++)
    if (k->bound[i] && k->val[i].width == c.width) known[n++] = k->val[i];
  if (!n) return c;
  struct bv a = known[below(k, n)], b = known[below(k, n)], one = bv_u64(c.width, 1);
  switch (below(k, 15)) {
  case 0: return bv_not(a);
  case 1: return bv_neg(a);
  case 2: return bv_shl(a, b);
  case 3: return bv_not(bv_shl(a, b));
  case 4: return below(k, 2) ? bv_add(a, one) : bv_sub(a, one);
  case 5: /* what a shift leaves */
    return bv_not(below(k, 2) ? bv_shl(bv_ones(c.width), a) : bv_lshr(bv_ones(c.width), a));
  case 6: return bv_add(a, b);
  case 7: return bv_shl(bv_sub(bv_shl(one, bv_u64(c.width, below(k, c.width))), one), a);
  case 8: return bv_lshr(bv_not(a), bv_u64(c.width, bv_ctz(bv_not(a))));
  case 9: return bv_u64(c.width, bv_ctz(below(k, 2) ? bv_not(a) : a));
  case 10: return bv_u64(c.width, bv_clz(below(k, 2) ? bv_not(a) : a));
  case 11: return bv_lshr(a, b);
  case 12:
  case 13: return bv_add(a, bv_u64(c.width, 1u << below(k, 6)));
  default: return a;
  }
}

/* The access before, whose pattern stands where the chain is. */
static struct sdval make_chain(struct maker *k, const struct pat *p) {
  struct sdval v = make(k, p, p->ty);
  return (struct sdval){v.node, dag_node(&k->d, v.node)->nres - 1u};
}

static struct eval_env env_of(struct maker *k) {
  return (struct eval_env){.types = k->types, .vals = k->val};
}

static struct sdval make(struct maker *k, const struct pat *p, struct tyref formal) {
  struct eval_env env = env_of(k);
  vt t = real(k, p->ty.var >= 0 || p->ty.fixed ? p->ty : formal);
  if (p->var >= 0 && k->bound[p->var]) return k->var[p->var];
  struct sdval v;
  switch (p->kind) {
  case P_OP: v = make_op(k, p); break;
  case P_CONST: {
    struct bv c = random_constant(k, vt_bits(t));
    if (below(k, 2)) c = related_constant(k, c);
    v = dag_const(&k->d, c);
    if (p->var >= 0) k->val[p->var] = c;
    break;
  }
  case P_EXPR:
    if (!expr_applicable(p->value, &env)) {
      k->ok = false;
      return reg(k, t);
    }
    v = dag_const(&k->d, eval_bv(p->value, &env));
    break;
  default: v = leaf(k, t, below(k, 2));
  }
  if (p->var >= 0) {
    k->var[p->var] = v;
    k->bound[p->var] = true;
  }
  return v;
}

static void start_graph(struct maker *k, const struct rule *r) {
  dag_free(&k->d);
  arena_reset(&k->arena);
  memset(&k->d, 0, sizeof k->d);
  dag_init(&k->d, &k->arena);
  k->m.dag = &k->d;
  memset(k->bound, 0, sizeof k->bound);
  k->chain = k->d.entry;
  k->leaves = 0;
  k->rule = r;
  k->ok = true;
  for (unsigned i = 0; i < r->nvar && i < 64; i++) k->val[i] = bv_u64(64, 0);
  for (unsigned i = 0; i < 32; i++) {
    k->features[i] = below(k, 2);
    k->tastes[i] = below(k, 4) != 0;
  }
  k->generous = below(k, 4) != 0;
  k->legal = below(k, 3) != 0;
  k->m.level = below(k, 3);
}

static bool choose_types(struct maker *k, const struct match_rule *t) {
  if (!t->ntyvar) return true;
  if (!t->ntuple) return false;
  memcpy(k->types, &t->tuples[below(k, t->ntuple) * t->ntyvar], t->ntyvar * sizeof(vt));
  return true;
}

/* ---- Comparison ---- */

static void halves_of(struct maker *k, uint32_t node, struct halves *h) {
  const struct sdnode *n = dag_node(&k->d, node);
  bool chained = n->op < OP_COUNT && op_descs[n->op].chained;
  for (unsigned i = 0; i < 8; i++) h[i] = (struct halves){SDNONE, SDNONE};
  for (unsigned i = chained; i < dag_node(&k->d, node)->nops && i < 8; i++) {
    struct sdval v = dag_operand(&k->d, node, i);
    vt t = dag_type(&k->d, v);
    h[i - chained].lo = v;
    if (vt_is_int(t) && vt_bits(t) % 2 == 0)
      h[i - chained] = (struct halves){reg(k, vt_int(vt_bits(t) / 2)), reg(k, vt_int(vt_bits(t) / 2))};
  }
}

static unsigned long compared, matched;

static bool same(struct maker *k, struct found a, struct found b) {
  if (a.rule != b.rule) return false;
  if (a.rule < 0) return true;
  const struct rule *r = k->rules[a.rule];
  for (unsigned i = 0; i < r->nvar; i++)
    if (!sd_eq(a.var[i], b.var[i])) return false;
  return true;
}

static bool compare_node(struct maker *k, uint32_t node, bool *seen) {
  struct halves h[8];
  vt wide = VT_I(64);
  halves_of(k, node, h);
  k->m.dag = &k->d;
  for (int set = 0; set < MATCH_SETS; set++) {
    struct found a = match_find(&k->m, (enum match_set)set, node, h, wide);
    struct found b = match_naive(&k->m, k->rules, (enum match_set)set, node, h, wide);
    compared++;
    if (!same(k, a, b)) {
      fprintf(stderr, "FAIL: set %d at a %s made for rule %s: table says %s, twin says %s\n", set,
              match_op_name(k->t, dag_node(&k->d, node)->op), k->rule->name,
              a.rule < 0 ? "nothing" : k->t->rule[a.rule].name,
              b.rule < 0 ? "nothing" : k->t->rule[b.rule].name);
      return false;
    }
    if (a.rule >= 0) {
      matched++;
      seen[a.rule] = true;
    }
  }
  return true;
}

/* Of several expansions the first one counts whose result the target can handle: others are switched off to
 * see the rest. */
static bool hits(struct maker *k, unsigned set, uint32_t node, unsigned rule) {
  struct halves h[8];
  halves_of(k, node, h);
  int found = match_find(&k->m, (enum match_set)set, node, h, VT_I(64)).rule;
  if (found >= 0 && found != (int)rule && set == MATCH_EXPAND) k->disabled[found] = true;
  return found == (int)rule;
}

/* Guards may ask which results have users. */
static void use_some(struct maker *k, uint32_t node) {
  for (unsigned i = 0; i < dag_node(&k->d, node)->nres; i++) {
    struct sdval v = {node, i}, ops[2] = {k->d.entry, v};
    vt chain = VT_CHAIN;
    if (vt_is_int(dag_type(&k->d, v)) && below(k, 2))
      dag_get(&k->d, ISD_COPYTOREG, dag_types(&k->d, &chain, 1), 1, ops, 2, 0, 0x80000000u | ++k->leaves);
  }
}

/* Graphs for one rule until it matches; false when the twins differ. */
static bool try_rule(struct maker *k, unsigned rule, bool *seen) {
  const struct match_rule *t = &k->t->rule[rule];
  const struct rule *r = k->rules[rule];
  memset(k->disabled, 0, k->t->nrule);
  for (unsigned n = 0; n < ATTEMPTS && (n < 4 || !seen[rule]); n++) {
    start_graph(k, r);
    if (!choose_types(k, t)) return true;
    struct sdval root = make(k, r->lhs, r->lhs->ty);
    if (!k->ok) continue;
    use_some(k, root.node);
    if (n >= 4 && !hits(k, t->set, root.node, rule)) continue;
    if (!compare_node(k, root.node, seen)) return false;
    if (n < 4) {
      uint32_t *order, count = dag_topo(&k->d, &order);
      for (uint32_t i = 0; i < count; i++)
        if (!compare_node(k, order[i], seen)) return false;
    }
  }
  return true;
}

/* A rule whose tastes this target has not may match on another one only: `all` remembers by rule of the
 * model. */
static int test_target(const struct model *model, const struct match_tables *t, bool verbose, bool *all) {
  struct maker k = {.rules = naive_rules(t, model), .t = t, .seed = 0x9e3779b97f4a7c15u};
  bool *seen = calloc(t->nrule + 1, sizeof *seen);
  unsigned missing = 0, rules = 0;
  compared = matched = 0;
  k.disabled = calloc(t->nrule + 1, sizeof *k.disabled);
  k.m = (struct matcher){.tables = t,
                         .disabled = k.disabled,
                         .features = k.features,
                         .tastes = k.tastes,
                         .bool_type = t->bool_type,
                         .self = &k,
                         .known = known,
                         .sign_bits = sign_bits,
                         .not_poison = not_poison,
                         .demanded = demanded,
                         .users_read = users_read,
                         .align = align,
                         .extend = extend,
                         .is_legal = is_legal};
  for (unsigned i = 0; seen && i < t->nrule; i++) {
    if (t->rule[i].set == MATCH_SETS) continue;
    rules++;
    if (verbose) fprintf(stderr, "%s\n", t->rule[i].name);
    if (!try_rule(&k, i, seen)) return 1;
    all[k.rules[i]->index] |= seen[i];
    missing += !seen[i];
  }
  printf("%s: %u rules, %u not matched here, %lu comparisons, %lu matches\n", t->target, rules, missing,
         compared, matched);
  free(seen);
  free(k.rules);
  free(k.disabled);
  dag_free(&k.d);
  arena_free(&k.arena);
  return 0;
}

static bool has_name(const char *const *names, unsigned n, const char *name) {
  for (unsigned i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* Does a target of this build have every taste that the rule asks for? */
static bool some_target_wants(const struct rule *r) {
  for (unsigned i = 0; all_match_tables[i]; i++) {
    const struct match_tables *t = all_match_tables[i];
    bool ok = true;
    for (unsigned k = 0; k < r->nonlyif; k++) {
      const struct expr *e = r->onlyif[k];
      if (e->op == B_FACT && e->fact == FACT_TASTE)
        ok &= has_name(t->taste, t->ntaste, e->name) || has_name(t->feature, t->nfeature, e->name);
    }
    if (ok) return true;
  }
  return false;
}

int main(int argc, char **argv) {
  struct diag d = {0};
  bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
  const char *only = argc > 1 + verbose ? argv[1 + verbose] : NULL;
  struct model *m = model_load_sources(builtin_sources, builtin_source_count, NULL, 0, &d);
  int status = m == NULL;
  bool *all = calloc(m ? m->rules.n + 1 : 1, sizeof *all);
  for (unsigned i = 0; m && all_match_tables[i]; i++)
    if (!only || strcmp(only, all_match_tables[i]->target) == 0)
      status |= test_target(m, all_match_tables[i], verbose, all);
  unsigned untried = 0;
  for (unsigned i = 0; m && !only && i < m->rules.n; i++) {
    const struct rule *r = m->rules.at[i];
    if (all[i] || !r->lhs || r->kind == RULE_ADDR || r->kind == RULE_LIBCALL) continue;
    if (!some_target_wants(r)) {
      untried++;
      continue;
    }
    status = 1;
    fprintf(stderr, "FAIL: %s:%u: %s never matched\n", r->loc.src->path, r->loc.line, r->name);
  }
  if (untried) printf("not tried: %u rules that ask for a taste that no target of this build has\n", untried);
  free(all);
  if (m) model_free(m);
  return status;
}
