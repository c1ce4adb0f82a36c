/* pattern.c: one operand order of a rule's pattern as a straight line of checks on slots. A node's operands
 * are recorded and their operations checked before any of them is entered, so that a mismatch shows early. */
#include <string.h>

#include "rulec.h"

struct pc {
  struct gen *g;
  const struct rule *r;
  struct prog *prog;
  unsigned nslot;
  uint8_t var_slot[MATCH_MAX_VARS];
  struct match_tysrc ty[MATCH_MAX_TYVARS];
  bool ty_known[MATCH_MAX_TYVARS];
  uint8_t chained[MATCH_MAX_SLOTS], inner[MATCH_MAX_SLOTS];
  unsigned nchained, ninner;
  bool ok;
};

static void fail(struct pc *c, struct loc at, const char *what) {
  if (c->ok) diag_error(c->g->m->diag, at, NULL, "rule '%s': %s", c->r->name, what);
  c->ok = false;
}

static void step(struct pc *c, unsigned len, const unsigned *bytes) {
  struct step s = {.len = (uint8_t)len};
  for (unsigned i = 0; i < len; i++) s.byte[i] = (uint8_t)bytes[i];
  *vec_push(&c->prog->steps) = s;
}
#define STEP(c, ...)                                                                                         \
  step((c), sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned), (unsigned[]){__VA_ARGS__})

static unsigned new_slot(struct pc *c, struct loc at) {
  if (c->nslot == MATCH_MAX_SLOTS) fail(c, at, "the pattern is too large");
  return c->nslot++ % MATCH_MAX_SLOTS;
}

/* The type of a value (res 0), or of another result of the slot's node. */
static void bind_type(struct pc *c, struct tyref ty, unsigned slot, unsigned res) {
  if (ty.var < 0) {
    unsigned w = ty.fixed != VT_NONE ? gen_type(c->g, ty.fixed) : 0;
    if (ty.fixed != VT_NONE && res)
      STEP(c, M_RES_TYPE, slot, res, w & 255, w >> 8);
    else if (ty.fixed != VT_NONE)
      STEP(c, M_TYPE, slot, w & 255, w >> 8);
    return;
  }
  struct match_tysrc *src = &c->ty[ty.var];
  if (!c->ty_known[ty.var]) {
    c->ty_known[ty.var] = true;
    *src = (struct match_tysrc){.kind = res ? TS_RES : TS_TYPE, .slot = (uint8_t)slot, .res = (uint8_t)res};
  } else if (res || src->kind == TS_RES)
    STEP(c, M_RES_EQ, slot, res ? res : NO_SLOT, src->slot, src->kind == TS_RES ? src->res : NO_SLOT);
  else if (src->kind == TS_TYPE)
    STEP(c, M_TYPE_EQ, slot, src->slot);
  else if (src->kind == TS_SECOND)
    STEP(c, M_SECOND_TY, src->slot, slot);
}

static void bind_second(struct pc *c, struct tyref ty, unsigned slot) {
  if (ty.var < 0) {
    unsigned w = gen_type(c->g, ty.fixed);
    STEP(c, M_SECOND, slot, w & 255, w >> 8);
    return;
  }
  struct match_tysrc *src = &c->ty[ty.var];
  if (!c->ty_known[ty.var]) {
    c->ty_known[ty.var] = true;
    *src = (struct match_tysrc){.kind = TS_SECOND, .slot = (uint8_t)slot};
  } else
    STEP(c, src->kind == TS_SECOND ? M_SECOND_EQ : M_SECOND_TY, slot, src->slot);
}

static void bind_var(struct pc *c, int var, unsigned slot) {
  if (var < 0) return;
  if (c->var_slot[var] == NO_SLOT)
    c->var_slot[var] = (uint8_t)slot;
  else
    STEP(c, M_SAME, slot, c->var_slot[var]);
}

/* A literal that is a small number is checked at once, any other by the tail, which knows the types. */
static bool small_literal(const struct expr *e, int64_t *v) {
  while (e->op == X_LIT && e->nkid == 1) e = e->kid[0];
  if (e->op != N_LIT || e->num < -128 || e->num > 127) return false;
  *v = e->num;
  return true;
}

static void find_extras(const struct pat *p, struct extra *out, unsigned *n, unsigned max) {
  int64_t v;
  bool node = p->kind == P_OP && p->op->chained;
  if ((node || (p->kind == P_EXPR && !small_literal(p->value, &v))) && *n < max)
    out[(*n)++] = (struct extra){.pat = p, .node = node};
  for (unsigned i = 0; i < p->nkid; i++) find_extras(p->kid[i], out, n, max);
  if (p->chain) find_extras(p->chain, out, n, max);
}

unsigned pattern_extras(const struct rule *r, struct extra *out, unsigned max) {
  unsigned n = 0;
  if (r->lhs) find_extras(r->lhs, out, &n, max);
  return n;
}

/* Copies of a pattern keep the places of its parts. */
int extra_var(const struct rule *r, const struct pat *p) {
  struct extra e[16];
  unsigned n = pattern_extras(r, e, 16);
  for (unsigned i = 0; i < n; i++)
    if (e[i].node ? p->kind == P_OP && p->op == e[i].pat->op && p->loc.line == e[i].pat->loc.line &&
                        p->loc.col == e[i].pat->loc.col
                  : p->kind == P_EXPR && p->value == e[i].pat->value)
      return (int)(r->nvar + i);
  return -1;
}

/* The checks on an operand that do not enter it. */
static void leaf(struct pc *c, const struct pat *p, unsigned slot) {
  int64_t v;
  switch (p->kind) {
  case P_OP: {
    unsigned op = op_number(p->op);
    STEP(c, M_OP, slot, op & 255, op >> 8, (unsigned)p->res);
    break;
  }
  case P_VAR:
  case P_NODE: bind_var(c, p->var, slot); break;
  case P_CONST:
    STEP(c, M_CONST, slot);
    bind_var(c, p->var, slot);
    break;
  case P_MEM: bind_var(c, p->var, slot); break;
  case P_EXPR:
    STEP(c, M_CONST, slot);
    if (small_literal(p->value, &v))
      STEP(c, M_INT, slot, (unsigned)(v & 255));
    else
      bind_var(c, extra_var(c->r, p), slot);
    break;
  case P_ANY: break;
  default: fail(c, p->loc, "this cannot stand in a pattern");
  }
}

static void enter(struct pc *c, const struct pat *p, unsigned slot, bool root);

static void chain_checks(struct pc *c, const struct pat *p, unsigned slot) {
  if (!p->chain || p->chain->kind == P_ANY) return;
  unsigned s = new_slot(c, p->loc);
  STEP(c, M_CHILD, slot, CHAIN_OPERAND);
  if (p->chain->kind == P_VAR)
    bind_var(c, p->chain->var, s);
  else if (p->chain->kind == P_CHAIN && p->chain->var >= 0) {
    if (c->var_slot[p->chain->var] == NO_SLOT)
      fail(c, p->chain->loc, "the node of this chain is not matched");
    STEP(c, M_CHAINOF, s, c->var_slot[p->chain->var]);
  } else if (p->chain->kind == P_OP) { /* the access before: its last result is the chain */
    unsigned op = op_number(p->chain->op);
    STEP(c, M_OP, s, op & 255, op >> 8, p->chain->op->nres);
    enter(c, p->chain, s, false);
  } else
    fail(c, p->chain->loc, "a chain is a variable, (chain node) or an access");
}

/* Records the operands; a type that the operation's signature ties to a checked one needs no check. */
static void operands(struct pc *c, const struct pat *p, unsigned slot, bool *known) {
  unsigned kid[MATCH_MAX_SLOTS];
  for (unsigned i = 0; i < p->nkid; i++) {
    const struct tyref in = p->op->in[i].ty;
    bool check = in.var >= 0 && !known[in.var];
    kid[i] = NO_SLOT;
    if (p->kid[i]->kind == P_ANY && !check) continue;
    kid[i] = new_slot(c, p->loc);
    STEP(c, M_CHILD, slot, i);
    leaf(c, p->kid[i], kid[i]);
    if (check) {
      bind_type(c, p->kid[i]->ty, kid[i], 0);
      known[in.var] = true;
    }
  }
  for (unsigned i = 0; i < p->nkid; i++)
    if (p->kid[i]->kind == P_OP) enter(c, p->kid[i], kid[i], false);
}

/* Types of the results that the parent has not seen. */
static void result_types(struct pc *c, const struct pat *p, unsigned slot, bool root, bool *known) {
  const struct op *op = p->op;
  if (!op->nres) return;
  struct tyref own = op->res[p->res].ty;
  if (root) bind_type(c, p->ty, slot, 0);
  if (own.var >= 0) known[own.var] = true;
}

static void other_results(struct pc *c, const struct pat *p, unsigned slot, const struct tyref *binding,
                          bool *known) {
  for (unsigned i = 0; i < p->op->nres; i++) {
    struct tyref t = p->op->res[i].ty;
    if ((int)i == p->res || t.var < 0 || known[t.var]) continue;
    /* Result 0 is seen through its own slot when the pattern speaks of another one. */
    bind_type(c, binding[t.var], slot, i ? i : NO_SLOT - 1u);
    known[t.var] = true;
  }
}

static void enter(struct pc *c, const struct pat *p, unsigned slot, bool root) {
  const struct op *op = p->op;
  bool known[MATCH_MAX_TYVARS] = {false};
  struct tyref binding[MATCH_MAX_TYVARS];
  c->inner[c->ninner++ % MATCH_MAX_SLOTS] = (uint8_t)slot;
  if (op->chained) {
    c->chained[c->nchained++ % MATCH_MAX_SLOTS] = (uint8_t)slot;
    bind_var(c, extra_var(c->r, p), slot);
  }
  if (root && p->res > 0) STEP(c, M_ROOTRES, (unsigned)p->res);
  bind_var(c, p->var, slot);
  if (p->flags) STEP(c, M_FLAGS, slot, p->flags & 255u, (unsigned)p->flags >> 8);
  if (p->flagvar >= 0) c->var_slot[p->flagvar] = (uint8_t)slot;
  if (op->mem != MEM_NONE) STEP(c, M_SIMPLE, slot);
  result_types(c, p, slot, root, known);
  if (op->second >= 0) {
    bind_second(c, p->ty2, slot);
    known[op->second] = true;
  }
  if (p->nkid != op->nin)
    fail(c, p->loc, "wrong number of operands");
  else
    operands(c, p, slot, known);
  bind_op_types(p, binding);
  other_results(c, p, slot, binding, known);
  chain_checks(c, p, slot);
}

/* Types that come from elsewhere: halves of the wide type, the type promoted to. */
static void outer_types(struct pc *c) {
  const struct rule *r = c->r;
  if (r->kind == RULE_EXPAND_INT) {
    unsigned slot = 0;
    int half = -1;
    for (unsigned i = 0; i < r->nhalf; i++)
      if (r->half[i].lo >= 0) {
        slot = c->var_slot[r->half[i].whole];
        half = r->vars[r->half[i].lo].ty.var;
        break;
      }
    for (unsigned v = 0; v < r->ntyvar; v++)
      if (!c->ty_known[v] && ((int)v == half || (half < 0 && strcmp(r->tyvars[v], "H") == 0))) {
        c->ty[v] = (struct match_tysrc){.kind = TS_HALF, .slot = (uint8_t)slot};
        c->ty_known[v] = true;
      }
  }
  for (unsigned v = 0; v < r->ntyvar; v++) {
    if (!c->ty_known[v] && r->kind == RULE_PROMOTE && strcmp(r->tyvars[v], "W") == 0) {
      c->ty[v] = (struct match_tysrc){.kind = TS_WIDE};
      c->ty_known[v] = true;
    }
    if (!c->ty_known[v]) { /* only a boolean type may be left to the target */
      c->ty[v] = (struct match_tysrc){.kind = TS_BOOL};
      c->ty_known[v] = true;
    }
  }
}

static void *dup(struct arena *a, const void *p, size_t n) { return memcpy(arena_alloc(a, n + 1), p, n); }

static uint32_t make_variant(struct pc *c, uint32_t rule_index) {
  struct arena *a = c->g->a;
  struct match_variant v = {.rule = (uint16_t)rule_index,
                            .nchained = (uint8_t)c->nchained,
                            .ninner = (uint8_t)c->ninner,
                            .var_slot = dup(a, c->var_slot, c->r->nvar + 16),
                            .ty = dup(a, c->ty, c->r->ntyvar * sizeof *c->ty),
                            .chained = dup(a, c->chained, c->nchained),
                            .inner = dup(a, c->inner, c->ninner)};
  *vec_push(&c->g->variants) = v;
  return c->g->variants.n - 1;
}

bool compile_pattern(struct gen *g, const struct rule *r, const struct pat *lhs, uint32_t rule_index,
                     uint32_t tail, uint32_t serial) {
  struct prog prog = {.rule = r, .tail = tail, .serial = serial};
  struct pc c = {.g = g, .r = r, .prog = &prog, .nslot = 1, .ok = true};
  memset(c.var_slot, NO_SLOT, sizeof c.var_slot);
  if (r->nvar + 16 > MATCH_MAX_VARS || r->ntyvar > MATCH_MAX_TYVARS) {
    fail(&c, r->loc, "too many variables");
    return false;
  }
  if (lhs->kind == P_OP) {
    prog.root_op = op_number(lhs->op);
    enter(&c, lhs, 0, true);
  } else {
    if (lhs->kind == P_CONST || lhs->kind == P_EXPR) prog.root_op = op_number(g->constant);
    leaf(&c, lhs, 0);
    bind_type(&c, lhs->ty, 0, 0);
  }
  outer_types(&c);
  prog.variant = make_variant(&c, rule_index);
  prog.complexity = pattern_complexity(r, lhs) + r->added_complexity;
  *vec_push(&g->progs) = prog;
  return c.ok;
}
