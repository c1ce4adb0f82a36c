/* match_naive.c: see match_naive.h. Guards, folds and addresses are asked of the same code as the fast
 * matcher's; what is done twice here is everything that the tables decide: order, shape, types, flags,
 * constants, operand orders. */
#include "match_naive.h"

#include <stdlib.h>
#include <string.h>

#include "match_run.h"
#include "oracle.h"

struct walk {
  struct run *r;
  const struct rule *rule;
  uint32_t
      swaps; /* bit i: the i-th commutative node of the pattern, root first, is read with swapped operands */
  unsigned ncomm;
  uint8_t chained[MATCH_MAX_SLOTS], inner[MATCH_MAX_SLOTS];
  unsigned nchained, ninner;
  bool typed[MATCH_MAX_TYVARS];
};

static uint16_t number(const struct op *op) { return (uint16_t)(op->id + 1); }

static bool type_of(struct walk *w, struct tyref t, vt actual) {
  if (t.var < 0) return t.fixed == VT_NONE || t.fixed == actual;
  if (!w->typed[t.var]) {
    w->typed[t.var] = true;
    w->r->types[t.var] = actual;
    return true;
  }
  return w->r->types[t.var] == actual;
}

static bool bind(struct walk *w, int var, struct sdval v) {
  if (var < 0) return true;
  if (w->r->var[var].node) return sd_eq(w->r->var[var], v);
  w->r->var[var] = v;
  return true;
}

static bool is_constant_pattern(const struct pat *p) { return p->kind == P_CONST || p->kind == P_EXPR; }

/* Constants stand on the right of a commutative node, in patterns and in the graph. */
static bool may_swap(const struct pat *p) {
  return p->op->comm && p->nkid >= 2 && is_constant_pattern(p->kid[0]) == is_constant_pattern(p->kid[1]);
}

static bool match(struct walk *w, const struct pat *p, struct sdval v, bool root);

static bool match_op(struct walk *w, const struct pat *p, struct sdval v, bool root);

static bool match_chain(struct walk *w, const struct pat *p, uint32_t node) {
  if (!p || p->kind == P_ANY) return true;
  struct sdval c = chain_in_of(w->r->d, node);
  if (p->kind == P_VAR) return bind(w, p->var, c);
  if (p->kind == P_OP) return c.node && match_op(w, p, c, false);
  if (p->kind == P_OP) return c.node && chain_out_of(w->r->d, c.node).res == c.res && match(w, p, c, false);
  struct sdval of = w->r->var[p->var];
  return of.node && sd_eq(c, chain_out_of(w->r->d, of.node));
}

static bool match_types(struct walk *w, const struct pat *p, struct sdval v) {
  const struct op *op = p->op;
  const struct sdnode *n = dag_node(w->r->d, v.node);
  for (unsigned i = 0; i < op->nres; i++) {
    struct tyref t = op->res[i].ty.var >= 0 ? p->optys[op->res[i].ty.var] : op->res[i].ty;
    if (!type_of(w, t, n->types[i])) return false;
  }
  return op->second < 0 || type_of(w, p->ty2, second_type(w->r->d, v.node));
}

static void note(struct walk *w, const struct op *op, uint32_t node) {
  struct run *r = w->r;
  unsigned s = node == r->root ? 0 : r->nslot++;
  r->slot[s] = (struct sdval){node, s ? 0 : r->slot[0].res};
  w->inner[w->ninner++] = (uint8_t)s;
  if (op->chained) w->chained[w->nchained++] = (uint8_t)s;
}

static bool match_op(struct walk *w, const struct pat *p, struct sdval v, bool root) {
  const struct dag *d = w->r->d;
  const struct op *op = p->op;
  const struct sdnode *n = dag_node(d, v.node);
  bool chain = !root && dag_type(d, v) == VT_CHAIN;
  if (n->op != number(op) || (p->flags & ~n->flags) || (!root && !chain && op->nres && (int)v.res != p->res))
    return false;
  if (op->mem != MEM_NONE && n->mem &&
      (n->mem->atomic || (n->mem->is_volatile && !(root && w->rule->kind == RULE_SELECT))))
    return false;
  if (root && op->nres) w->r->slot[0].res = (uint32_t)p->res;
  note(w, op, v.node);
  bool swap = may_swap(p) && (w->swaps >> w->ncomm++ & 1);
  if (!bind(w, p->var, root && op->nres ? w->r->slot[0] : v) || !match_types(w, p, v)) return false;
  if (p->flagvar >= 0) w->r->var[p->flagvar] = v;
  for (unsigned i = 0; i < p->nkid; i++) {
    unsigned at = swap && i < 2 ? 1 - i : i;
    struct sdval kid = dag_operand(d, v.node, at + op->chained);
    struct tyref in = op->in[i].ty.var >= 0 ? p->optys[op->in[i].ty.var] : op->in[i].ty;
    if (!type_of(w, in, dag_type(d, kid)) || !match(w, p->kid[i], kid, false)) return false;
  }
  return match_chain(w, p->chain, v.node);
}

static bool match(struct walk *w, const struct pat *p, struct sdval v, bool root) {
  const struct dag *d = w->r->d;
  switch (p->kind) {
  case P_ANY: return true;
  case P_OP: return match_op(w, p, v, root);
  case P_CONST: return constant_value(d, v, NULL) && type_of(w, p->ty, dag_type(d, v)) && bind(w, p->var, v);
  case P_EXPR: /* the value is compared when the types are known */
    return constant_value(d, v, NULL) && type_of(w, p->ty, dag_type(d, v));
  case P_VAR:
  case P_MEM:
  case P_NODE: return type_of(w, p->ty, dag_type(d, v)) && bind(w, p->var, v);
  default: return false;
  }
}

/* Literals, once all types are known. */
static bool literals(struct walk *w, const struct pat *p, struct sdval v, unsigned *ncomm) {
  const struct dag *d = w->r->d;
  struct bv c;
  if (p->kind == P_EXPR)
    return constant_value(d, v, &c) && expr_applicable(p->value, &w->r->env) &&
           bv_eq(c, eval_bv(p->value, &w->r->env));
  if (p->kind != P_OP) return true;
  bool swap = may_swap(p) && (w->swaps >> (*ncomm)++ & 1);
  for (unsigned i = 0; i < p->nkid; i++) {
    unsigned at = swap && i < 2 ? 1 - i : i;
    if (!literals(w, p->kid[i], dag_operand(d, v.node, at + p->op->chained), ncomm)) return false;
  }
  return !p->chain || p->chain->kind != P_OP || literals(w, p->chain, chain_in_of(d, v.node), ncomm);
}

static bool proven(const struct run *r, const struct match_rule *m) {
  for (uint32_t i = 0; i < m->ntuple; i++)
    if (memcmp(&m->tuples[i * m->ntyvar], r->types, m->ntyvar * sizeof(vt)) == 0) return true;
  return m->ntyvar == 0;
}

static void outer_types(struct walk *w, const struct halves *halves, vt wide) {
  const struct rule *rule = w->rule;
  struct run *r = w->r;
  for (unsigned i = 0; rule->kind == RULE_EXPAND_INT && i < rule->nhalf; i++)
    if (rule->half[i].lo >= 0) {
      r->var[rule->half[i].lo] = halves[i].lo;
      r->var[rule->half[i].hi] = halves[i].hi;
      type_of(w, rule->vars[rule->half[i].lo].ty, dag_type(r->d, halves[i].lo));
    }
  for (unsigned v = 0; v < rule->ntyvar; v++) {
    if (w->typed[v]) continue;
    bool half = rule->kind == RULE_EXPAND_INT && strcmp(rule->tyvars[v], "H") == 0;
    bool is_wide = rule->kind == RULE_PROMOTE && strcmp(rule->tyvars[v], "W") == 0;
    r->types[v] = half      ? vt_int(vt_bits(dag_type(r->d, (struct sdval){r->root, 0})) / 2)
                  : is_wide ? wide
                            : r->m->bool_type;
  }
}

static void values(struct run *r, const struct rule *rule) {
  for (unsigned i = 0; i < rule->nvar; i++)
    if (!r->var[i].node || !constant_value(r->d, r->var[i], &r->val[i])) {
      vt t = r->var[i].node ? dag_type(r->d, r->var[i]) : tyref_vt(rule->vars[i].ty, r->types);
      r->val[i] = bv_u64(vt_is_int(t) ? vt_bits(t) : 1, 0);
    }
}

static bool holds(struct run *r, const struct expr *const *e, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (!expr_applicable(e[i], &r->env) || !eval_bool(e[i], &r->env)) return false;
  return true;
}

static bool guards(struct walk *w) {
  struct run *r = w->r;
  const struct rule *rule = w->rule;
  if (rule->oracle) {
    struct bv arg[8], out[8];
    for (unsigned i = 0; i < rule->nfound_arg; i++) arg[i] = eval_bv(rule->found_arg[i], &r->env);
    for (unsigned i = 0; i < rule->nfound; i++) out[i] = r->val[rule->found[i]];
    if (!oracle_ask(rule->oracle, arg, rule->nfound_arg, out, rule->nfound)) return false;
    for (unsigned i = 0; i < rule->nfound; i++) r->val[rule->found[i]] = out[i];
  }
  return holds(r, rule->when, rule->nwhen) && holds(r, rule->onlyif, rule->nonlyif);
}

static bool immediate_fits(struct run *r, const struct pat *p) {
  for (unsigned i = 0; p->kind == P_INST && i < p->nkid && i < p->inst->nin; i++) {
    const struct inst_operand *o = &p->inst->in[i];
    const struct pat *k = p->kid[i];
    if (o->kind != OPND_IMM || !o->imm || (k->kind == P_EXPR && k->value->sort == SORT_NUM)) continue;
    if (k->kind == P_EXPR ? !expr_applicable(k->value, &r->env) : !constant_value(r->d, r->var[k->var], NULL))
      return false;
    struct bv v = k->kind == P_EXPR ? eval_bv(k->value, &r->env) : r->val[k->var];
    vt ty = vt_int(v.width);
    struct eval_env env = {.types = &ty, .vals = &v};
    if (!eval_bool(o->imm->check, &env)) return false;
  }
  for (unsigned i = 0; i < p->nkid; i++)
    if (!immediate_fits(r, p->kid[i])) return false;
  return true;
}

static bool addresses(struct walk *w, const struct pat *p) {
  struct run *r = w->r;
  struct addr_state a;
  const struct nonterm *nt = p->kind == P_MEM ? p->nonterm
                             : p->kind == P_OP && p->var >= 0 && w->rule->vars[p->var].kind == VAR_MEM
                                 ? w->rule->vars[p->var].nonterm
                                 : NULL;
  if (nt && !match_address(r, nt->id, r->var[p->var], r->var[p->var].node == r->root, &a)) return false;
  for (unsigned i = 0; i < p->nkid; i++)
    if (!addresses(w, p->kid[i])) return false;
  return true;
}

static bool explicit_chains(const struct pat *p) {
  if (p->kind == P_OP && p->op->chained && !p->chain) return false;
  for (unsigned i = 0; i < p->nkid; i++)
    if (!explicit_chains(p->kid[i])) return false;
  return true;
}

static bool unused_rest(struct walk *w) {
  const struct rule *rule = w->rule;
  const struct pat *l = rule->lhs;
  if (l->kind != P_OP || l->op->nres < 2 || rule->rhs->kind == P_INST ||
      (rule->rhs->kind == P_RESULTS && rule->rhs->nkid >= l->op->nres))
    return true;
  for (unsigned i = 0; i < l->op->nres; i++)
    if ((int)i != l->res && dag_num_uses(w->r->d, (struct sdval){w->r->root, i})) return false;
  return true;
}

static bool try_order(struct walk *w, const struct match_rule *table, const struct halves *halves, vt wide) {
  struct run *r = w->r;
  unsigned ncomm = 0;
  struct match_variant v = {.chained = w->chained, .inner = w->inner};
  r->slot[0] = (struct sdval){r->root, 0};
  r->nslot = 1;
  r->naddr = 0;
  memset(r->var, 0, sizeof r->var);
  w->ncomm = w->nchained = w->ninner = 0;
  memset(w->typed, 0, sizeof w->typed);
  if (!match(w, w->rule->lhs, r->slot[0], true)) return false;
  outer_types(w, halves, wide);
  if (!proven(r, table)) return false;
  values(r, w->rule);
  r->env = (struct eval_env){.types = r->types, .vals = r->val, .fact = answer_fact, .self = r};
  v.nchained = (uint8_t)w->nchained;
  v.ninner = (uint8_t)w->ninner;
  r->variant = &v;
  if (!literals(w, w->rule->lhs, r->slot[0], &ncomm) || !unused_rest(w) || !guards(w) ||
      !immediate_fits(r, w->rule->rhs))
    return false;
  for (unsigned i = 0; i < w->rule->nlet; i++)
    if (!immediate_fits(r, w->rule->let_node[i])) return false;
  if (w->rule->kind == RULE_SELECT ? !fold_is_legal(r)
                                   : w->nchained > 1 && !explicit_chains(w->rule->lhs) && !same_state(r))
    return false;
  return addresses(w, w->rule->lhs);
}

static unsigned count_comm(const struct pat *p) {
  unsigned n = p->kind == P_OP && may_swap(p);
  for (unsigned i = 0; i < p->nkid; i++) n += count_comm(p->kid[i]);
  return p->chain && p->chain->kind == P_OP ? n + count_comm(p->chain) : n;
}

static bool features_there(const struct run *r, const struct match_rule *m) {
  for (unsigned i = 0; i < m->nfeature; i++)
    if (!r->m->features || !r->m->features[m->features[i]]) return false;
  return true;
}

const struct rule **naive_rules(const struct match_tables *t, const struct model *model) {
  const struct rule **rules = calloc(t->nrule + 1, sizeof *rules);
  for (unsigned i = 0; rules && i < t->nrule; i++) rules[i] = model_rule(model, t->rule[i].name);
  return rules;
}

struct found match_naive(struct matcher *m, const struct rule *const *rules, enum match_set set,
                         uint32_t node, const struct halves *halves, vt wide) {
  struct run r = {.m = m,
                  .t = m->tables,
                  .d = m->dag,
                  .root = node,
                  .half = halves,
                  .wide = wide,
                  .selecting = set == MATCH_SELECT};
  struct found f = {.rule = -1};
  for (unsigned i = 0; i < m->tables->nrule; i++) {
    const struct match_rule *t = &m->tables->rule[i];
    if (t->set != set || (m->disabled && m->disabled[i]) || !features_there(&r, t)) continue;
    struct walk w = {.r = &r, .rule = rules[i]};
    if (w.rule->lhs->kind == P_OP && number(w.rule->lhs->op) != dag_node(m->dag, node)->op) continue;
    unsigned n = count_comm(w.rule->lhs);
    for (uint32_t s = 0; s < 1u << n; s++) {
      w.swaps = s;
      if (!try_order(&w, t, halves, wide)) continue;
      f.rule = (int)i;
      memcpy(f.var, r.var, w.rule->nvar * sizeof *f.var);
      return f;
    }
  }
  return f;
}
