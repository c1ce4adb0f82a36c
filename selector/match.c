/* match.c: interprets the byte code of a rule set at a node, and the rules' guards. */
#include "match_naive.h"
#include "match_run.h"

#include <string.h>

#include "oracle.h"
#include "util/diag.h"

_Static_assert((int)TA_LEGAL == (int)ACT_LEGAL && (int)TA_PROMOTE == (int)ACT_PROMOTE &&
                   (int)TA_EXPAND == (int)ACT_EXPAND && (int)TA_LIBCALL == (int)ACT_LIBCALL &&
                   (int)TA_CUSTOM == (int)ACT_CUSTOM,
               "actions are numbered alike");
_Static_assert((int)MX_ANY == (int)EXT_ANY && (int)MX_ZERO == (int)EXT_ZERO &&
                   (int)MX_SIGN == (int)EXT_SIGN && (int)MX_KEEP == (int)EXT_KEEP,
               "extensions are numbered alike");

/* ---- Nodes as the tables see them ---- */

static bool is_chained(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  if (n->op < OP_COUNT) return op_descs[n->op].chained;
  return n->nres && n->types[n->nres - 1] == VT_CHAIN;
}

struct sdval chain_in_of(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  if (!is_chained(d, node) || !n->nops) return SDNONE;
  return n->op < OP_COUNT ? dag_operand(d, node, 0) : dag_operand(d, node, n->nops - 1u);
}

struct sdval chain_out_of(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  for (unsigned i = n->nres; i-- > 0;)
    if (n->types[i] == VT_CHAIN) return (struct sdval){node, i};
  return SDNONE;
}

unsigned result_count(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  unsigned k = n->nres;
  while (k && (n->types[k - 1] == VT_CHAIN || n->types[k - 1] == VT_GLUE)) k--;
  return k;
}

bool constant_value(const struct dag *d, struct sdval v, struct bv *out) {
  const struct sdnode *n = dag_node(d, v.node);
  if (n->op != ISD_CONSTANT && n->op != ISD_TARGETCONSTANT) return false;
  if (out && n->op == ISD_TARGETCONSTANT)
    *out = bv_s64(vt_bits(n->types[0]), (int64_t)n->imm);
  else if (out)
    dag_is_const(d, v, out);
  return true;
}

vt second_type(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  if (n->op < OP_COUNT && op_descs[n->op].mem) return n->mem ? n->mem->mem : VT_NONE;
  return (vt)n->imm;
}

vt resolve_type(const struct run *r, struct tyref t) {
  return t.var >= 0 ? r->types[t.var] : t.var == TY_BOOL ? r->m->bool_type : t.fixed;
}

uint32_t find_entry(const struct match_entry *e, unsigned n, uint16_t op) {
  unsigned lo = 0, hi = n;
  while (lo < hi) {
    unsigned mid = (lo + hi) / 2;
    if (e[mid].op < op)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < n && e[lo].op == op ? e[lo].start : 0;
}

/* ---- Setting up a rule ---- */

static bool types_proven(const struct run *r) {
  const struct match_rule *m = r->rule;
  uint32_t lo = 0, hi = m->ntuple, k = m->ntyvar;
  if (!k) return true;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    int order = 0;
    for (uint32_t i = 0; i < k && !order; i++)
      order = (m->tuples[mid * k + i] > r->types[i]) - (m->tuples[mid * k + i] < r->types[i]);
    if (!order) return true;
    if (order < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return false;
}

/* The type of result b of a slot's node; NO_SLOT: of the slot's own value; NO_SLOT - 1: of result 0. */
static vt result_type(const struct run *r, unsigned slot, unsigned b) {
  struct sdval v = r->slot[slot];
  if (b != NO_SLOT) v.res = b == NO_SLOT - 1u ? 0 : b;
  return v.res < dag_node(r->d, v.node)->nres ? dag_type(r->d, v) : VT_NONE;
}

static vt source_type(const struct run *r, const struct match_tysrc *s) {
  struct sdval v = r->slot[s->slot];
  switch (s->kind) {
  case TS_TYPE: return dag_type(r->d, v);
  case TS_SECOND: return second_type(r->d, v.node);
  case TS_HALF: return vt_int(vt_bits(dag_type(r->d, v)) / 2);
  case TS_RES: return result_type(r, s->slot, s->res);
  case TS_WIDE: return r->wide;
  default: return r->m->bool_type;
  }
}

static void set_variables(struct run *r) {
  const struct match_rule *rule = r->rule;
  for (unsigned i = 0; i < rule->nvar; i++) {
    unsigned s = r->variant->var_slot[i];
    r->var[i] = SDNONE;
    if (rule->var_half[i] != NO_SLOT && r->half) {
      const struct halves *h = &r->half[rule->var_half[i] / 2];
      r->var[i] = rule->var_half[i] % 2 ? h->hi : h->lo;
    } else if (s != NO_SLOT)
      r->var[i] = r->slot[s];
    if (!r->var[i].node || !constant_value(r->d, r->var[i], &r->val[i])) {
      vt t = r->var[i].node ? dag_type(r->d, r->var[i]) : resolve_type(r, rule->var_ty[i]);
      unsigned width = vt_is_int(t) ? vt_bits(t) : 1;
      if (bv_is_small(width))
        bv_set_small(&r->val[i], width, 0);
      else
        r->val[i] = bv_u64(width, 0);
    }
  }
}

static bool features_there(const struct run *r) {
  for (unsigned i = 0; i < r->rule->nfeature; i++)
    if (!r->m->features || !r->m->features[r->rule->features[i]]) return false;
  return true;
}

static bool begin_rule(struct run *r, unsigned variant) {
  r->variant = &r->t->variant[variant];
  r->rule = &r->t->rule[r->variant->rule];
  if ((r->m->disabled && r->m->disabled[r->variant->rule]) || !features_there(r)) return false;
  for (unsigned i = 0; i < r->rule->ntyvar; i++) r->types[i] = source_type(r, &r->variant->ty[i]);
  if (!types_proven(r)) return false;
  set_variables(r);
  r->env = (struct eval_env){.types = r->types, .vals = r->val, .fact = answer_fact, .self = r};
  r->naddr = 0;
  r->have = 0;
  return true;
}

/* ---- Tails ---- */

static bool literal_equal(struct run *r, unsigned var, const struct expr *e) {
  return expr_applicable(e, &r->env) && bv_eq(r->val[var], eval_bv(e, &r->env));
}

static bool in_class(struct run *r, unsigned var, const struct expr *check) {
  if (!r->var[var].node || !constant_value(r->d, r->var[var], NULL))
    return r->var[var].node && dag_opcode(r->d, r->var[var]) != ISD_CONSTANT; /* a symbol */
  vt ty = vt_int(r->val[var].width);
  struct eval_env env = {.types = &ty, .vals = &r->val[var]};
  return !check || eval_bool(check, &env);
}

static bool value_in_class(struct run *r, const struct expr *e, const struct expr *check) {
  if (!expr_applicable(e, &r->env)) return false;
  struct bv v = e->sort == SORT_NUM ? bv_s64(64, eval_num(e, &r->env)) : eval_bv(e, &r->env);
  vt ty = vt_int(v.width);
  struct eval_env env = {.types = &ty, .vals = &v};
  return eval_bool(check, &env);
}

static bool ask_oracle(struct run *r, const struct match_find *f) {
  struct bv arg[8], out[8];
  for (unsigned i = 0; i < f->narg && i < 8; i++) arg[i] = eval_bv(f->arg[i], &r->env);
  for (unsigned i = 0; i < f->nfound && i < 8; i++) out[i] = r->val[f->found[i]]; /* for its width */
  if (!oracle_ask(f->oracle, arg, f->narg, out, f->nfound)) return false;
  for (unsigned i = 0; i < f->nfound; i++) r->val[f->found[i]] = out[i];
  return true;
}

static bool others_unused(struct run *r, unsigned mask) {
  for (unsigned i = 0, n = result_count(r->d, r->root); i < n; i++)
    if (!(mask >> i & 1) && dag_num_uses(r->d, (struct sdval){r->root, i})) return false;
  return true;
}

static bool take_address(struct run *r, unsigned var, unsigned nonterm) {
  if (r->naddr == ADDR_MAX) return false;
  for (unsigned i = 0; i < r->naddr; i++)
    if (r->addr_var[i] == var) return true;
  r->addr_var[r->naddr] = (uint8_t)var;
  r->addr_nonterm[r->naddr] = (uint8_t)nonterm;
  bool whole = r->var[var].node == r->root;
  return match_address(r, nonterm, r->var[var], whole, &r->addr[r->naddr]) && ++r->naddr;
}

static bool guard(struct run *r, const struct expr *e) {
  return expr_applicable(e, &r->env) && eval_bool(e, &r->env);
}

/* One guard of the tail; *p moves past it. */
static bool run_guard(struct run *r, const uint8_t **p) {
  const uint8_t *c = *p;
  const struct match_tables *t = r->t;
  switch (c[0]) {
  case T_LIT: *p += 4; return literal_equal(r, c[1], t->expr[code16(c + 2)]);
  case T_IMM: *p += 4; return in_class(r, c[1], t->imm[code16(c + 2)]);
  case T_IMMX: *p += 5; return value_in_class(r, t->expr[code16(c + 1)], t->imm[code16(c + 3)]);
  case T_ADDR: *p += 3; return take_address(r, c[1], c[2]);
  case T_FIND: *p += 3; return ask_oracle(r, &t->find[code16(c + 1)]);
  case T_GUARD: *p += 3; return eval_bool(t->expr[code16(c + 1)], &r->env);
  case T_ONLYIF: *p += 3; return guard(r, t->expr[code16(c + 1)]);
  case T_FOLD: *p += 1; return fold_is_legal(r);
  case T_STATE: *p += 1; return same_state(r);
  case T_ROOTRES: *p += 2; return others_unused(r, c[1]);
  default: bug("byte %u is no guard", c[0]);
  }
}

static bool run_tail(struct run *r, uint32_t pc) {
  const uint8_t *p = r->t->code + pc;
  while (*p >= T_LIT && *p <= T_ROOTRES)
    if (!run_guard(r, &p)) return false;
  if (*p == A_DONE) return address_done(r, &r->t->addr[code16(p + 1)]);
  if (r->look_only) return true;
  r->dry = true;
  if (!run_emission(r, p)) return false;
  r->dry = false;
  struct sdnode *root = dag_node(r->d, r->root);
  uint32_t order = r->d->order, loc = r->d->loc;
  uint16_t place = r->d->place;
  r->d->order = root->order;
  r->d->loc = root->loc;
  r->d->place = (uint16_t)(r->variant->rule + 1);
  run_emission(r, p);
  r->d->order = order;
  r->d->loc = loc;
  r->d->place = place;
  if (r->m->fired) r->m->fired[r->variant->rule]++;
  return true;
}

/* ---- Patterns ---- */

static bool child(struct run *r, const uint8_t *c) {
  uint32_t node = r->slot[c[1]].node;
  unsigned i = c[2];
  const struct sdnode *n = dag_node(r->d, node);
  if (i == CHAIN_OPERAND)
    i = 0;
  else if (is_chained(r->d, node))
    i++;
  if (i >= n->nops || r->nslot == MATCH_MAX_SLOTS) return false;
  r->slot[r->nslot++] = dag_operand(r->d, node, i);
  return true;
}

static bool small_constant(const struct run *r, struct sdval v, int8_t want) {
  struct bv c;
  if (!constant_value(r->d, v, &c)) return false;
  struct bv w = bv_s64(c.width, want);
  bool fits = want >= 0 ? c.width >= 8 || (unsigned)want >> c.width == 0
                        : c.width >= 8 || want >= -(1 << (c.width - 1));
  return fits && bv_eq(c, w);
}

/* A volatile access is selected by patterns of that access alone; atomic ones match nothing. */
static bool is_simple(const struct run *r, unsigned slot, bool selecting) {
  const struct memref *m = dag_node(r->d, r->slot[slot].node)->mem;
  return !m || (!m->atomic && (!m->is_volatile || (selecting && slot == 0)));
}

/* Checks of one byte of code; *p moves past it. */
static bool run_check(struct run *r, const uint8_t **p, bool selecting) {
  const uint8_t *c = *p;
  const struct sdval *s = r->slot;
  const struct dag *d = r->d;
  switch (c[0]) {
  case M_CHILD: *p += 3; return child(r, c);
  case M_OP: *p += 5; return dag_opcode(d, s[c[1]]) == code16(c + 2) && s[c[1]].res == c[4];
  case M_ROOTRES:
    *p += 2;
    r->slot[0].res = c[1];
    return true;
  case M_TYPE: *p += 4; return dag_type(d, s[c[1]]) == r->t->type[code16(c + 2)];
  case M_TYPE_EQ: *p += 3; return dag_type(d, s[c[1]]) == dag_type(d, s[c[2]]);
  case M_RES_TYPE: *p += 5; return result_type(r, c[1], c[2]) == r->t->type[code16(c + 3)];
  case M_RES_EQ: *p += 5; return result_type(r, c[1], c[2]) == result_type(r, c[3], c[4]);
  case M_SECOND: *p += 4; return second_type(d, s[c[1]].node) == r->t->type[code16(c + 2)];
  case M_SECOND_EQ: *p += 3; return second_type(d, s[c[1]].node) == second_type(d, s[c[2]].node);
  case M_SECOND_TY: *p += 3; return second_type(d, s[c[1]].node) == dag_type(d, s[c[2]]);
  case M_SAME: *p += 3; return sd_eq(s[c[1]], s[c[2]]);
  case M_CHAINOF: *p += 3; return sd_eq(s[c[1]], chain_out_of(d, s[c[2]].node));
  case M_CONST: *p += 2; return constant_value(d, s[c[1]], NULL);
  case M_INT: *p += 3; return small_constant(r, s[c[1]], (int8_t)c[2]);
  case M_FLAGS: *p += 4; return (code16(c + 2) & ~dag_node(d, s[c[1]].node)->flags) == 0;
  case M_SIMPLE: *p += 2; return is_simple(r, c[1], selecting);
  default: bug("byte %u is no check", c[0]);
  }
}

struct retry {
  uint32_t pc;
  unsigned nslot;
};

/* The case of a switch, or 0. */
static uint32_t switch_op(const struct run *r, const uint8_t *c) {
  uint16_t op = dag_opcode(r->d, r->slot[c[1]]);
  unsigned lo = 0, n = code16(c + 2), hi = n;
  const uint8_t *table = c + 7;
  while (lo < hi) {
    unsigned mid = (lo + hi) / 2;
    if (code16(table + 5 * mid) < op)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < n && code16(table + 5 * lo) == op ? code24(table + 5 * lo + 2) : code24(c + 4);
}

static uint32_t switch_type(const struct run *r, const uint8_t *c) {
  vt type = dag_type(r->d, r->slot[c[1]]);
  const uint8_t *table = c + 7;
  for (unsigned i = 0, n = code16(c + 2); i < n; i++)
    if (r->t->type[code16(table + 5 * i)] == type) return code24(table + 5 * i + 2);
  return code24(c + 4);
}

bool run_pattern(struct run *r, uint32_t pc) {
  struct retry stack[128];
  unsigned sp = 0;
  const uint8_t *base = r->t->code, *p = base + pc;
  for (;;) {
    bool ok = true;
    if (*p == M_TRY) {
      if (sp == 128) bug("the matcher's table is too deep");
      stack[sp++] = (struct retry){code24(p + 1), r->nslot};
      p += 4;
    } else if (*p == M_SWITCH_OP || *p == M_SWITCH_TYPE) {
      uint32_t at = *p == M_SWITCH_OP ? switch_op(r, p) : switch_type(r, p);
      ok = at != 0;
      if (ok) p = base + at;
    } else if (*p == M_RULE) {
      if (begin_rule(r, code16(p + 1)) && run_tail(r, code24(p + 3))) return true;
      ok = false;
    } else
      ok = run_check(r, &p, r->selecting);
    if (ok) continue;
    if (!sp) return false;
    p = base + stack[--sp].pc;
    r->nslot = stack[sp].nslot;
  }
}

/* ---- Entry points ---- */

static bool start(struct run *r, struct matcher *m, enum match_set set, uint32_t node,
                  const struct halves *half, vt wide) {
  uint32_t pc = find_entry(m->tables->entry[set], m->tables->nentry[set], dag_node(m->dag, node)->op);
  if (!pc) return false;
  r->m = m;
  r->t = m->tables;
  r->d = m->dag;
  r->root = node;
  r->slot[0] = (struct sdval){node, 0};
  r->nslot = 1;
  r->half = half;
  r->wide = wide;
  r->nonterm = NULL;
  r->selecting = set == MATCH_SELECT;
  return run_pattern(r, pc);
}

struct found match_find(struct matcher *m, enum match_set set, uint32_t node, const struct halves *halves,
                        vt wide) {
  struct run r;
  struct found f = {.rule = -1};
  r.look_only = true;
  if (start(&r, m, set, node, halves, wide)) {
    f.rule = r.variant->rule;
    memcpy(f.var, r.var, r.rule->nvar * sizeof *f.var);
  }
  return f;
}

bool match_rewrite(struct matcher *m, enum match_set set, uint32_t node, struct rewrite *out) {
  struct run r;
  r.look_only = false;
  if (!start(&r, m, set, node, NULL, VT_NONE)) return false;
  run_outputs(&r, out);
  return true;
}

static void replace_chain(struct dag *d, struct sdval from, struct sdval to, bool join) {
  if (sd_eq(from, to)) return;
  if (!join) {
    dag_replace_value(d, from, to);
    return;
  }
  /* The token must go on naming `from` while every other user of it comes to name the token. */
  struct sdval tf = join_chains(d, (struct sdval[]){to, from}, 2);
  if (sd_eq(tf, from) || sd_eq(tf, to)) {
    dag_replace_value(d, from, tf);
    return;
  }
  dag_replace_value(d, from, tf);
  for (unsigned i = 0; i < dag_node(d, tf.node)->nops; i++)
    if (sd_eq(dag_operand(d, tf.node, i), tf)) dag_set_operand(d, tf.node, i, from);
}

void match_apply(struct matcher *m, uint32_t node, const struct rewrite *r) {
  dag_replace_node(m->dag, node, r->to, r->n);
  for (unsigned i = 0; i < r->nextra; i++)
    replace_chain(m->dag, r->extra[i].from, r->extra[i].to, r->extra[i].join);
}

bool match_expand_int(struct matcher *m, uint32_t node, const struct halves *op, struct halves *out,
                      unsigned *nout, uint16_t *rule) {
  struct run r;
  struct rewrite w;
  r.look_only = false;
  if (!start(&r, m, MATCH_EXPAND_INT, node, op, VT_NONE)) return false;
  run_outputs(&r, &w);
  *nout = w.n;
  for (unsigned i = 0; i < w.n; i++)
    out[i] = r.have >> i & 1 ? r.result[i] : (struct halves){w.to[i], SDNONE};
  if (rule) *rule = w.rule;
  return true;
}

bool match_promote(struct matcher *m, uint32_t node, vt wide, struct rewrite *out) {
  struct run r;
  r.look_only = false;
  if (!start(&r, m, MATCH_PROMOTE, node, NULL, wide)) return false;
  run_outputs(&r, out);
  return true;
}

bool match_select(struct matcher *m, uint32_t node) {
  struct run r;
  struct rewrite w;
  uint32_t first = m->dag->nodes.n;
  r.look_only = false;
  if (!start(&r, m, MATCH_SELECT, node, NULL, VT_NONE)) return false;
  run_outputs(&r, &w);
  number_new_states(m->dag, first, node);
  first = m->dag->nodes.n;
  match_apply(m, node, &w);
  number_new_states(m->dag, first, node);
  for (unsigned i = 0; i < w.nextra; i++) lift_states(m->dag, w.extra[i].to.node);
  return true;
}
