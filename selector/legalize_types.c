/* legalize_types.c: the driver of type legalization, the table of what became of each value, and the
 * operations that rules describe. Truncations, extensions and memory accesses are in legalize_ext.c and
 * legalize_access.c. */
#include "legalize_types.h"
#include "abstract.h"
#include "dag_print.h"
#include "type_legalizer.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TYVARS = 16, MAX_OPERANDS = 8 };

/* ---- Types ---------------------------------------------------------------------------------------- */

static enum type_action action_of(const struct match_tables *t, vt type) {
  if (!vt_is_int(type) || target_type_legal(t, type)) return TYPE_LEGAL;
  unsigned bits = vt_bits(type);
  return bits > vt_bits(legal_widest(t)) && !(bits & (bits - 1)) ? TYPE_EXPAND : TYPE_PROMOTE;
}

static vt promoted_of(const struct match_tables *t, vt type) {
  vt legal = legal_at_least(t, vt_bits(type));
  if (legal) return legal;
  unsigned bits = 1;
  while (bits < vt_bits(type)) bits *= 2;
  return VT_I(bits);
}

enum type_action type_action(struct type_legalizer *l, vt t) {
  if (!vt_is_scalar_int(t) || vt_bits(t) > VT_MAX_BITS) return TYPE_LEGAL;
  uint8_t *known = &l->action[vt_bits(t)];
  if (!*known) *known = (uint8_t)(1 + action_of(l->p->tables, t));
  return (enum type_action)(*known - 1);
}
vt promoted_type(struct type_legalizer *l, vt t) { return promoted_of(l->p->tables, t); }
vt half_type(vt t) { return VT_I(vt_bits(t) / 2); }

unsigned legal_parts(const struct match_tables *t, vt type, vt *part) {
  if (!vt_is_scalar_int(type) || !vt_bits(type) || vt_bits(type) > VT_MAX_BITS) return 0;
  if (action_of(t, type) == TYPE_PROMOTE) type = promoted_of(t, type);
  unsigned n = 1;
  for (; action_of(t, type) == TYPE_EXPAND; type = half_type(type)) n *= 2;
  *part = type;
  return n;
}

/* ---- What became of a value ----------------------------------------------------------------------- */

static struct lowered *slot_of(struct type_legalizer *l, struct sdval v) {
  uint32_t h = (v.node * 0x9e3779b1u) ^ (v.res * 0x85ebca6bu);
  while (l->table[h & (l->cap - 1)].fate && !sd_eq(l->table[h & (l->cap - 1)].key, v)) h++;
  return &l->table[h & (l->cap - 1)];
}

static void table_grow(struct type_legalizer *l) {
  struct lowered *old = l->table;
  uint32_t n = l->cap;
  l->cap = n ? n * 2 : 64;
  l->table = calloc(l->cap, sizeof *l->table);
  if (!l->table) bug("out of memory");
  for (uint32_t i = 0; i < n; i++)
    if (old[i].fate) *slot_of(l, old[i].key) = old[i];
  free(old);
}

static void set(struct type_legalizer *l, struct sdval v, enum fate fate, struct sdval lo, struct sdval hi) {
  if (l->used * 2 >= l->cap) table_grow(l);
  struct lowered *e = slot_of(l, v);
  if (!e->fate) l->used++;
  *e = (struct lowered){.key = v, .fate = (uint8_t)fate, .lo = lo, .hi = hi};
  l->done[v.node] = NODE_IN_TABLE;
}

void set_same(struct type_legalizer *l, struct sdval v, struct sdval to) {
  if (dag_type(l->d, v) != dag_type(l->d, to))
    bug("node %u becomes node %u of another type", v.node, to.node);
  if (!sd_eq(v, to)) set(l, v, FATE_SAME, to, SDNONE);
}

void set_promoted(struct type_legalizer *l, struct sdval v, struct sdval to) {
  if (dag_type(l->d, to) != promoted_type(l, dag_type(l->d, v)))
    bug("node %u promoted to the wrong type", v.node);
  set(l, v, FATE_PROMOTED, to, SDNONE);
}

void set_expanded(struct type_legalizer *l, struct sdval v, struct sdval lo, struct sdval hi) {
  vt half = half_type(dag_type(l->d, v));
  if (dag_type(l->d, lo) != half || dag_type(l->d, hi) != half)
    bug("node %u expanded to the wrong type", v.node);
  set(l, v, FATE_EXPANDED, lo, hi);
}

static void work_out(struct type_legalizer *l, uint32_t id);

/* The value, worked out, of a node that is as it was. */
static bool settled(const struct type_legalizer *l, struct sdval v) {
  return v.node < l->ndone && l->done[v.node] == NODE_SAME && !dag_node(l->d, v.node)->dead;
}

/* Works the value out and follows what stands for it until the fate is another one. */
static struct sdval settle(struct type_legalizer *l, struct sdval v, struct lowered **fate) {
  for (;;) {
    v = dag_forward(l->d, v);
    work_out(l, v.node);
    v = dag_forward(l->d, v);
    *fate = slot_of(l, v);
    if ((*fate)->fate != FATE_SAME) return v;
    v = (*fate)->lo;
  }
}

/* Something to go on with after a failure. */
static struct sdval nothing(struct type_legalizer *l, vt t) { return dag_const_u64(l->d, vt_bits(t), 0); }

struct sdval legal_value(struct type_legalizer *l, struct sdval v) {
  struct lowered *e;
  return settled(l, v) ? v : settle(l, v, &e);
}

/* A part of a value that a rule made: itself worked out when its type is legal at last. */
static struct sdval final_form(struct type_legalizer *l, struct sdval v) {
  return type_action(l, dag_type(l->d, v)) == TYPE_LEGAL ? legal_value(l, v) : v;
}

struct sdval promoted_value(struct type_legalizer *l, struct sdval v) {
  struct lowered *e;
  vt wide = promoted_type(l, dag_type(l->d, v));
  v = settle(l, v, &e);
  if (e->fate == FATE_PROMOTED) return final_form(l, e->lo);
  if (!l->failed) bug("node %u is not promoted", v.node);
  return nothing(l, wide);
}

void expanded_value(struct type_legalizer *l, struct sdval v, struct sdval *lo, struct sdval *hi) {
  struct lowered *e;
  v = settle(l, v, &e);
  if (e->fate != FATE_EXPANDED && !l->failed) bug("node %u is not expanded", v.node);
  struct lowered found = *e;
  if (found.fate != FATE_EXPANDED) found.lo = found.hi = nothing(l, half_type(dag_type(l->d, v)));
  *lo = final_form(l, found.lo);
  *hi = final_form(l, found.hi);
}

/* A result that its definition makes 0 or 1 in any type. */
static bool is_boolean(struct type_legalizer *l, struct sdval v) {
  uint16_t op = dag_opcode(l->d, v);
  if (op >= OP_COUNT || !op_defs[op] || v.res >= op_defs[op]->nres) return false;
  const struct expr *val = op_defs[op]->res[v.res].val;
  return val && val->op == X_B2BV;
}

struct sdval zero_extended(struct type_legalizer *l, struct sdval v) {
  unsigned bits = vt_bits(dag_type(l->d, v));
  struct sdval wide = promoted_value(l, v);
  if (is_boolean(l, wide)) return wide;
  vt type = dag_type(l->d, wide);
  struct bv mask = bv_zext(bv_ones(bits), vt_bits(type)), value;
  if (dag_is_const(l->d, wide, &value)) return dag_const(l->d, bv_and(value, mask));
  return make2(l, ISD_AND, type, wide, dag_const(l->d, mask));
}

struct sdval sign_extended(struct type_legalizer *l, struct sdval v) {
  vt narrow = dag_type(l->d, v);
  struct sdval wide = promoted_value(l, v);
  vt type = dag_type(l->d, wide);
  struct bv value;
  if (dag_is_const(l->d, wide, &value))
    return dag_const(l->d, bv_sext(bv_trunc(value, vt_bits(narrow)), vt_bits(type)));
  return legal_sign_in_register(l->d, wide, narrow);
}

void cannot(struct type_legalizer *l, uint32_t node, const char *why) {
  if (!l->failed && l->p->unsupported)
    l->p->unsupported(l->p->self, node, why);
  else if (!l->failed)
    bug("%s: node %u", why, node);
  l->failed = true;
}

struct sdval make1(struct type_legalizer *l, uint16_t op, vt t, struct sdval a) {
  return dag_get1(l->d, op, t, &a, 1, 0);
}
struct sdval make2(struct type_legalizer *l, uint16_t op, vt t, struct sdval a, struct sdval b) {
  return dag_get1(l->d, op, t, (struct sdval[]){a, b}, 2, 0);
}

/* ---- Nodes whose types are all legal, or that only pass values on ---------------------------------- */

static bool all_legal(struct type_legalizer *l, uint32_t id) {
  const struct sdnode *n = dag_node(l->d, id);
  for (unsigned i = 0; i < n->nres; i++)
    if (type_action(l, n->types[i]) != TYPE_LEGAL) return false;
  for (unsigned i = 0; i < n->nops; i++)
    if (type_action(l, dag_type(l->d, dag_operand(l->d, id, i))) != TYPE_LEGAL) return false;
  return true;
}

static struct sdval *operand_buffer(unsigned n, struct sdval small[MAX_OPERANDS]) {
  struct sdval *at = n <= MAX_OPERANDS ? small : malloc(n * sizeof *at);
  if (!at) bug("out of memory");
  return at;
}

/* Gives the node the legal forms of its operands, booleans zero-extended. */
static void update_operands(struct type_legalizer *l, uint32_t id) {
  struct sdval small[MAX_OPERANDS];
  unsigned n = dag_node(l->d, id)->nops;
  struct sdval *ops = operand_buffer(n, small);
  bool changed = false;
  for (unsigned i = 0; i < n; i++) {
    struct sdval v = dag_operand(l->d, id, i);
    enum type_action a = type_action(l, dag_type(l->d, v));
    if (a == TYPE_EXPAND) cannot(l, id, "operand wider than a register");
    ops[i] = a == TYPE_LEGAL ? legal_value(l, v) : a == TYPE_PROMOTE ? zero_extended(l, v) : v;
    changed |= !sd_eq(ops[i], v);
  }
  /* A wide node's zero-extended condition may be illegal still. */
  for (unsigned i = 0; i < n; i++)
    if (type_action(l, dag_type(l->d, ops[i])) == TYPE_LEGAL) ops[i] = legal_value(l, ops[i]);
  if (changed && !l->failed) dag_set_operands(l->d, id, ops);
  if (ops != small) free(ops);
}

static void legalize_constant(struct type_legalizer *l, uint32_t id) {
  struct sdval v = {id, 0};
  struct bv value;
  vt type = dag_type(l->d, v);
  dag_is_const(l->d, v, &value);
  if (type_action(l, type) == TYPE_PROMOTE) {
    unsigned wide = vt_bits(promoted_type(l, type));
    /* Bytes and words are taken as signed, so that small negative numbers stay small; booleans are 0 or 1. */
    set_promoted(l, v, dag_const(l->d, value.width % 8 ? bv_zext(value, wide) : bv_sext(value, wide)));
  } else if (type_action(l, type) == TYPE_EXPAND) {
    unsigned half = value.width / 2;
    set_expanded(l, v, dag_const(l->d, bv_extract(value, half - 1, 0)),
                 dag_const(l->d, bv_extract(value, value.width - 1, half)));
  }
}

/* ---- Operations described by rules ---------------------------------------------------------------- */

/* A pure node seen through its operation: T is the type that actions and promotions go by. */
struct view {
  uint32_t id;
  const struct op *op;
  vt type;                     /* T */
  bool has_type[MAX_OPERANDS]; /* operand i is of type T */
};

static void look(struct type_legalizer *l, uint32_t id, struct view *v) {
  const struct sdnode *n = dag_node(l->d, id);
  v->id = id;
  v->op = op_defs[n->op];
  v->type = VT_NONE;
  if (v->op->nin > MAX_OPERANDS) bug("%s has %u operands", v->op->name, v->op->nin);
  for (unsigned i = 0; i < v->op->nin; i++) {
    v->has_type[i] = v->op->in[i].ty.var == 0;
    if (v->has_type[i]) v->type = dag_type(l->d, dag_operand(l->d, id, i));
  }
  for (unsigned i = 0; i < v->op->nres; i++)
    if (v->op->res[i].ty.var == 0) v->type = n->types[i];
}

static bool result_has_type(const struct view *v, unsigned i) { return v->op->res[i].ty.var == 0; }

/* An operand that is not of type T: a condition or a carry. */
static struct sdval boolean_operand(struct type_legalizer *l, struct sdval v) {
  switch (type_action(l, dag_type(l->d, v))) {
  case TYPE_LEGAL: return legal_value(l, v);
  case TYPE_PROMOTE: return zero_extended(l, v);
  default: return v;
  }
}

/* Makes the operation at T = `wide`, on the given operands, other illegal results promoted (they are
 * booleans). */
static void rebuild(struct type_legalizer *l, const struct view *v, vt wide, const struct sdval *ops,
                    uint16_t flags) {
  const struct sdnode *n = dag_node(l->d, v->id);
  vt types[MATCH_MAX_RES] = {0};
  unsigned nres = n->nres;
  if (nres > MATCH_MAX_RES) bug("%s has %u results", v->op->name, nres);
  for (unsigned i = 0; i < nres; i++) {
    types[i] = n->types[i];
    if (result_has_type(v, i))
      types[i] = wide;
    else if (type_action(l, types[i]) == TYPE_PROMOTE)
      types[i] = promoted_type(l, types[i]);
  }
  struct sdval new = dag_get(l->d, n->op, types, nres, ops, n->nops, flags, n->imm);
  for (unsigned i = 0; i < nres; i++) {
    struct sdval from = {v->id, i}, to = {new.node, i};
    if (dag_type(l->d, from) == types[i])
      set_same(l, from, to);
    else
      set_promoted(l, from, to);
  }
}

static void legalize_booleans(struct type_legalizer *l, const struct view *v) {
  struct sdval ops[MAX_OPERANDS];
  for (unsigned i = 0; i < v->op->nin; i++) ops[i] = boolean_operand(l, dag_operand(l->d, v->id, i));
  rebuild(l, v, v->type, ops, dag_node(l->d, v->id)->flags);
}

static struct sdval extend(void *self, struct sdval v, unsigned kind, vt wide) {
  struct type_legalizer *l = self;
  vt type = dag_type(l->d, v);
  if (type == wide) return v;
  if (type_action(l, type) != TYPE_PROMOTE || promoted_type(l, type) != wide)
    return make1(l, kind == MX_ZERO ? ISD_ZEXT : kind == MX_SIGN ? ISD_SEXT : ISD_ANYEXT, wide, v);
  return kind == MX_ZERO ? zero_extended(l, v) : kind == MX_SIGN ? sign_extended(l, v) : promoted_value(l, v);
}

/* Result i of the node becomes `to`: of T (then expanded or promoted in turn), of the wide type, or a
 * boolean. */
static void set_result(struct type_legalizer *l, const struct view *v, unsigned i, struct sdval to) {
  struct sdval from = {v->id, i};
  vt want = dag_type(l->d, from), have = dag_type(l->d, to);
  if (want == have) {
    set_same(l, from, to);
  } else if (type_action(l, want) == TYPE_PROMOTE) {
    vt wide = promoted_type(l, want);
    set_promoted(l, from,
                 have == wide ? to
                              : make1(l, vt_bits(have) < vt_bits(wide) ? ISD_ZEXT : ISD_TRUNC, wide, to));
  } else {
    set_same(l, from, make1(l, vt_bits(have) < vt_bits(want) ? ISD_ZEXT : ISD_TRUNC, want, to));
  }
}

/* Operations that may be left out or written by shifts, at widths at which no rule is proven. */
static bool do_without_rule(struct type_legalizer *l, const struct view *v) {
  uint16_t op = dag_node(l->d, v->id)->op;
  struct sdval x = dag_operand(l->d, v->id, 0);
  if (op == ISD_ASSERTZEXT || op == ISD_ASSERTSEXT)
    set_same(l, (struct sdval){v->id, 0}, x);
  else if (op == ISD_SEXT_INREG)
    set_same(l, (struct sdval){v->id, 0}, legal_sign_in_register(l->d, x, (vt)dag_node(l->d, v->id)->imm));
  else
    return false;
  return true;
}

static void promote(struct type_legalizer *l, const struct view *v) {
  uint16_t op = dag_node(l->d, v->id)->op;
  vt wide = promoted_type(l, v->type);
  const uint8_t *ext = match_promote_ext(l->p->tables, op, v->type, wide);
  if (ext) {
    struct sdval ops[MAX_OPERANDS];
    for (unsigned i = 0; i < v->op->nin; i++) {
      struct sdval x = dag_operand(l->d, v->id, i);
      ops[i] = v->has_type[i] ? extend(l, x, ext[i], wide) : boolean_operand(l, x);
    }
    rebuild(l, v, wide, ops, 0);
    return;
  }
  struct rewrite r;
  if (!match_promote(&l->m, v->id, wide, &r)) {
    if (do_without_rule(l, v)) return;
    cannot(l, v->id, "no rule promotes the operation");
    return;
  }
  for (unsigned i = 0; i < r.n; i++)
    if (r.to[i].node) set_result(l, v, i, r.to[i]);
}

/* A call of a runtime routine with the node's operands. */
static void call_library(struct type_legalizer *l, const struct view *v, const char *name) {
  struct sdval args[MAX_OPERANDS], chain = l->d->entry;
  if (v->op->nres != 1 || !l->p->libcall) {
    cannot(l, v->id, "no call does the operation");
    return;
  }
  for (unsigned i = 0; i < v->op->nin; i++) args[i] = dag_operand(l->d, v->id, i);
  set_result(l, v, 0, l->p->libcall(l->p->self, name, v->type, args, v->op->nin, &chain));
}

static void expand(struct type_legalizer *l, const struct view *v) {
  struct halves ops[MAX_OPERANDS], out[MATCH_MAX_RES];
  const char *libcall;
  unsigned nout;
  uint16_t rule;
  if (target_action(&l->m, dag_node(l->d, v->id)->op, v->type, &libcall) == TA_LIBCALL) {
    call_library(l, v, libcall);
    return;
  }
  for (unsigned i = 0; i < v->op->nin; i++) {
    struct sdval x = dag_operand(l->d, v->id, i);
    if (v->has_type[i])
      expanded_value(l, x, &ops[i].lo, &ops[i].hi);
    else
      ops[i] = (struct halves){x, SDNONE};
  }
  if (!match_expand_int(&l->m, v->id, ops, out, &nout, &rule)) {
    if (do_without_rule(l, v)) return;
    cannot(l, v->id, "no rule expands the operation in halves");
    return;
  }
  l->p->rewrites++;
  for (unsigned i = 0; i < nout && i < v->op->nres; i++) {
    struct sdval from = {v->id, i};
    if (out[i].hi.node)
      set_expanded(l, from, out[i].lo, out[i].hi);
    else if (out[i].lo.node)
      set_result(l, v, i, out[i].lo);
  }
}

/* ---- One node ------------------------------------------------------------------------------------- */

static void legalize_node(struct type_legalizer *l, uint32_t id) {
  uint16_t op = dag_node(l->d, id)->op;
  if (op == ISD_CONSTANT) {
    legalize_constant(l, id);
    return;
  }
  if (all_legal(l, id) || op >= OP_COUNT || op_defs[op]->structural || op_defs[op]->chained) {
    if (op < OP_COUNT && op_defs[op]->mem != MEM_NONE && legalize_access(l, id)) return;
    update_operands(l, id);
    return;
  }
  if (legalize_resize(l, id)) return;
  struct view v;
  look(l, id, &v);
  switch (type_action(l, v.type)) {
  case TYPE_LEGAL: legalize_booleans(l, &v); break;
  case TYPE_PROMOTE: promote(l, &v); break;
  case TYPE_EXPAND: expand(l, &v); break;
  }
}

static void trace(struct type_legalizer *l, uint32_t id) {
  static const char *const what[] = {"legal: ", "promote integer result: ", "expand integer result: "};
  const struct sdnode *n = dag_node(l->d, id);
  fprintf(l->p->trace, "Legalizing node: ");
  dag_print_node(l->p->trace, l->d, l->p->tables, id);
  for (unsigned i = 0; i < n->nres; i++)
    if (type_action(l, n->types[i]) != TYPE_LEGAL)
      fprintf(l->p->trace, "\n  %sresult %u", what[type_action(l, n->types[i])], i);
  fputc('\n', l->p->trace);
}

static void work_out(struct type_legalizer *l, uint32_t id) {
  if (id >= l->ndone) {
    uint32_t n = id * 2;
    l->done = realloc(l->done, n);
    if (!l->done) bug("out of memory");
    memset(l->done + l->ndone, 0, n - l->ndone);
    l->ndone = n;
  }
  if (l->done[id] || dag_node(l->d, id)->dead) return;
  l->done[id] = NODE_SAME;
  uint32_t order = l->d->order, loc = l->d->loc;
  l->d->order = dag_node(l->d, id)->order;
  l->d->loc = dag_node(l->d, id)->loc;
  if (l->p->trace && !all_legal(l, id)) trace(l, id);
  legalize_node(l, id);
  l->d->order = order;
  l->d->loc = loc;
}

bool legalize_types(struct pass *p) {
  struct type_legalizer l = {.p = p, .d = p->dag};
  l.legal = (struct legal){.pass = p, .level = LEGAL_NOTHING};
  legal_matcher(&l.legal, &l.m);
  l.m.bool_type = p->bool_type;
  l.m.extend = extend;
  table_grow(&l);
  uint32_t *order, n = dag_topo(p->dag, &order);
  /* Operands first, so that working out on demand never goes deep. */
  for (uint32_t i = 0; i < n && !l.failed; i++) work_out(&l, order[i]);
  if (!l.failed) p->dag->root = legal_value(&l, p->dag->root);
  p->dag->order = p->dag->loc = 0;
  p->dag->place = 0;
  dag_sweep(p->dag);
  free(l.table);
  free(l.done);
  return !l.failed;
}
