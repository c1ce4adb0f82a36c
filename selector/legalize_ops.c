/* legalize_ops.c: the waterfall Custom, Expand, library call; Promote; and accesses of odd memory types.
 * Nodes are visited users first, so that a lowering rule sees the operands of its root as the combiner left
 * them (a branch its comparison); the nodes that a replacement makes come next. */
#include "legalize_ops.h"
#include "abstract.h"
#include "access.h"
#include "dag_print.h"
#include "legal.h"
#include "util/diag.h"
#include "workspace.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_PER_NODE = 64, STEPS_AT_LEAST = 4096, MAX_OPERANDS = 8 };

struct op_legalizer {
  struct legal legal; /* first: it is the callbacks' self */
  struct pass *p;
  struct dag *d;
  struct known *known;
  struct matcher m;
  struct ranks *ranks;    /* made when first needed */
  struct node_list *work; /* a stack */
  uint32_t seen;          /* nodes with a lower number are, or were, on it */
  uint64_t steps, budget;
  bool failed;
};

static void on_change(void *self, uint32_t node, bool deleted) {
  struct op_legalizer *l = self;
  if (deleted || node < l->seen) {
    known_forget(l->known);
    return;
  }
  l->seen = node + 1;
  *vec_push(l->work) = node;
}

static void cannot(struct op_legalizer *l, uint32_t node, const char *why) {
  if (!l->p->unsupported) bug("%s: node %u", why, node);
  if (!l->failed) l->p->unsupported(l->p->self, node, why);
  l->failed = true;
}

static struct sdval make1(struct op_legalizer *l, uint16_t op, vt t, struct sdval a) {
  return dag_get1(l->d, op, t, &a, 1, 0);
}
static struct sdval make2(struct op_legalizer *l, uint16_t op, vt t, struct sdval a, struct sdval b) {
  return dag_get1(l->d, op, t, (struct sdval[]){a, b}, 2, 0);
}
static struct sdval shift_const(struct op_legalizer *l, uint16_t op, struct sdval a, unsigned by) {
  vt t = dag_type(l->d, a);
  return make2(l, op, t, a, dag_const_u64(l->d, vt_bits(t), by));
}

/* ---- Replacement ---------------------------------------------------------------------------------- */

static void trace(struct op_legalizer *l, uint32_t id, const char *how) {
  if (!l->p->trace) return;
  fprintf(l->p->trace, "Legalizing: ");
  dag_print_node(l->p->trace, l->d, l->p->tables, id);
  fprintf(l->p->trace, "\n  %s\n", how);
}

static void replace(struct op_legalizer *l, uint32_t id, const struct sdval *to, unsigned n) {
  dag_replace_node(l->d, id, to, n);
  dag_delete_dead(l->d, id);
}

static bool apply(struct op_legalizer *l, enum match_set set, uint32_t id, const char *how) {
  struct rewrite r;
  if (!match_rewrite(&l->m, set, id, &r)) return false;
  trace(l, id, how);
  if (l->p->trace)
    fprintf(l->p->trace, "  by %s at %s\n", match_rule_name(l->p->tables, r.rule),
            match_rule_place(l->p->tables, r.rule));
  l->p->rewrites++;
  match_apply(&l->m, id, &r);
  dag_delete_dead(l->d, id);
  return true;
}

/* ---- The actions ---------------------------------------------------------------------------------- */

static bool call_library(struct op_legalizer *l, uint32_t id, const char *name) {
  const struct sdnode *n = dag_node(l->d, id);
  struct sdval args[MAX_OPERANDS], chain = l->d->entry;
  if (!l->p->libcall || n->nres != 1 || n->nops > MAX_OPERANDS) return false;
  unsigned nargs = n->nops;
  vt ret = n->types[0];
  for (unsigned i = 0; i < nargs; i++) args[i] = dag_operand(l->d, id, i);
  trace(l, id, name);
  struct sdval v = l->p->libcall(l->p->self, name, ret, args, nargs, &chain);
  replace(l, id, &v, 1);
  return true;
}

/* First with what the target has, then with what can be expanded in turn. */
static bool expand(struct op_legalizer *l, uint32_t id) {
  if (apply(l, MATCH_EXPAND, id, "expand")) return true;
  if (!l->ranks && l->p->ranks) l->ranks = *l->p->ranks;
  if (!l->ranks) l->ranks = ranks_make(l->p);
  l->legal.ranks = l->ranks;
  for (unsigned rank = 1; rank <= RANK_MAX; rank++) {
    l->legal.max_rank = rank;
    bool done = apply(l, MATCH_EXPAND, id, "expand");
    l->legal.max_rank = 0;
    if (done) return true;
  }
  return false;
}

static struct sdval extend(void *self, struct sdval v, unsigned kind, vt wide) {
  struct op_legalizer *l = self;
  if (dag_type(l->d, v) == wide) return v;
  return make1(l, kind == MX_ZERO ? ISD_ZEXT : kind == MX_SIGN ? ISD_SEXT : ISD_ANYEXT, wide, v);
}

/* The same operation on extended operands. Results of the promoted type are truncated again by the caller. */
static bool promote_generic(struct op_legalizer *l, uint32_t id, const uint8_t *ext, vt wide,
                            struct sdval *to) {
  const struct op *op = op_defs[dag_node(l->d, id)->op];
  struct sdval ops[MAX_OPERANDS];
  vt types[MATCH_MAX_RES];
  if (op->nin > MAX_OPERANDS || op->nres > MATCH_MAX_RES) return false;
  for (unsigned i = 0; i < op->nin; i++) {
    struct sdval v = dag_operand(l->d, id, i);
    ops[i] = op->in[i].ty.var == 0 ? extend(l, v, ext[i], wide) : v;
  }
  const struct sdnode *n = dag_node(l->d, id);
  for (unsigned i = 0; i < op->nres; i++) types[i] = op->res[i].ty.var == 0 ? wide : n->types[i];
  struct sdval v = dag_get(l->d, n->op, types, op->nres, ops, op->nin, 0, n->imm);
  for (unsigned i = 0; i < op->nres; i++) to[i] = (struct sdval){v.node, i};
  return true;
}

static bool promote(struct op_legalizer *l, uint32_t id) {
  vt narrow = match_action_type(l->d, id), wide = legal_at_least(l->p->tables, vt_bits(narrow) + 1);
  uint16_t op = dag_node(l->d, id)->op;
  const uint8_t *ext = match_promote_ext(l->p->tables, op, narrow, wide);
  struct rewrite r = {.n = op_defs[op]->nres};
  if (!wide || r.n > MATCH_MAX_RES) return false;
  if (ext ? !promote_generic(l, id, ext, wide, r.to) : !match_promote(&l->m, id, wide, &r)) return false;
  trace(l, id, "promote");
  for (unsigned i = 0; i < r.n; i++) {
    vt want = dag_node(l->d, id)->types[i];
    if (r.to[i].node && dag_type(l->d, r.to[i]) != want) r.to[i] = make1(l, ISD_TRUNC, want, r.to[i]);
  }
  replace(l, id, r.to, r.n);
  return true;
}

/* ---- Accesses ------------------------------------------------------------------------------------- */

static unsigned power_below(unsigned bits) {
  unsigned n = 8;
  while (n * 2 < bits) n *= 2;
  return n;
}

/* What an access of `mem` bits, a multiple of 8 but no power of two, is split into. */
struct parts {
  vt first, second; /* in order of address */
  int64_t offset;   /* of the second */
  vt low;           /* which of them has the low bits */
};

static struct parts split(const struct op_legalizer *l, vt mem) {
  struct parts p = {.first = VT_I(power_below(vt_bits(mem)))};
  p.second = VT_I(vt_bits(mem) - vt_bits(p.first));
  p.offset = vt_bits(p.first) / 8;
  p.low = l->p->big_endian ? p.second : p.first;
  return p;
}

static struct sdval load_split(struct op_legalizer *l, const struct access *a, vt type, struct sdval *chain) {
  struct parts p = split(l, a->mem.mem);
  struct access low = *a;
  low.kind = LOAD_ZERO;
  bool big = l->p->big_endian;
  struct sdval first = a->chain, second;
  struct sdval x = access_load(l->d, big ? a : &low, type, p.first, 0, &first);
  second = access_in_order(a) ? first : a->chain;
  struct sdval y = access_load(l->d, big ? &low : a, type, p.second, p.offset, &second);
  *chain = access_in_order(a) ? second : access_join(l->d, first, second);
  struct sdval high = shift_const(l, ISD_SHL, big ? x : y, vt_bits(p.low));
  return make2(l, ISD_OR, type, high, big ? y : x);
}

/* Reads whole bytes; a stored value was zero-extended to them. */
static struct sdval load_bytes(struct op_legalizer *l, const struct access *a, vt type, struct sdval *chain) {
  vt bytes = VT_I(8 * vt_store_bytes(a->mem.mem));
  struct access wide = *a;
  if (a->kind == LOAD_SIGN) wide.kind = LOAD_ANY;
  struct sdval v = access_load(l->d, &wide, type, bytes, 0, chain);
  return a->kind == LOAD_SIGN ? legal_sign_in_register(l->d, v, a->mem.mem) : v;
}

/* An extending load that the target has not, by one that it has. */
static bool load_by_other(struct op_legalizer *l, struct access *a, vt type, struct sdval *v,
                          struct sdval *chain) {
  vt mem = a->mem.mem;
  enum load_kind kind = a->kind;
  bool zero = legal_may_build(&l->legal, ISD_ZEXTLOAD, type, mem);
  a->kind = zero ? LOAD_ZERO : LOAD_ANY;
  if (kind == a->kind || !legal_may_build(&l->legal, zero ? ISD_ZEXTLOAD : ISD_EXTLOAD, type, mem))
    return false;
  *v = access_load(l->d, a, type, mem, 0, chain);
  if (kind == LOAD_SIGN) *v = legal_sign_in_register(l->d, *v, mem);
  if (kind == LOAD_ZERO)
    *v = make2(l, ISD_AND, type, *v, dag_const(l->d, bv_zext(bv_ones(vt_bits(mem)), vt_bits(type))));
  return true;
}

static bool legalize_load(struct op_legalizer *l, uint32_t id, bool legal) {
  struct access a = access_of(l->d, id);
  vt type = dag_node(l->d, id)->types[0], mem = a.mem.mem;
  struct sdval to[] = {SDNONE, a.chain};
  if (vt_bits(mem) % 8)
    to[0] = load_bytes(l, &a, type, &to[1]);
  else if (!legal_memory_type(l->p->tables, mem))
    to[0] = load_split(l, &a, type, &to[1]);
  else if (legal || type == mem || !load_by_other(l, &a, type, &to[0], &to[1]))
    return false;
  trace(l, id, "load by parts");
  replace(l, id, to, 2);
  return true;
}

static bool legalize_store(struct op_legalizer *l, uint32_t id) {
  struct access a = access_of(l->d, id);
  vt type = dag_type(l->d, a.value), mem = a.mem.mem;
  struct sdval out;
  if (vt_bits(mem) % 8) {
    struct bv mask = bv_zext(bv_ones(vt_bits(mem)), vt_bits(type));
    struct sdval v = make2(l, ISD_AND, type, a.value, dag_const(l->d, mask));
    out = access_store(l->d, &a, v, VT_I(8 * vt_store_bytes(mem)), 0, a.chain);
  } else if (!legal_memory_type(l->p->tables, mem)) {
    struct parts p = split(l, mem);
    struct sdval high = shift_const(l, ISD_SRL, a.value, vt_bits(p.low));
    bool big = l->p->big_endian, in_order = access_in_order(&a);
    struct sdval first = access_store(l->d, &a, big ? high : a.value, p.first, 0, a.chain);
    out = access_store(l->d, &a, big ? a.value : high, p.second, p.offset, in_order ? first : a.chain);
    if (!in_order) out = access_join(l->d, first, out);
  } else {
    return false;
  }
  trace(l, id, "store by parts");
  replace(l, id, &out, 1);
  return true;
}

/* ---- One node ------------------------------------------------------------------------------------- */

static bool is_load(uint16_t op) {
  return op == ISD_LOAD || op == ISD_EXTLOAD || op == ISD_ZEXTLOAD || op == ISD_SEXTLOAD;
}

static void visit(struct op_legalizer *l, uint32_t id) {
  struct dag *d = l->d;
  const struct sdnode *n = dag_node(d, id);
  if (n->dead || n->op >= OP_COUNT) return;
  if (!n->nuses && id != d->root.node && id != d->entry.node) {
    dag_delete_dead(d, id);
    return;
  }
  const struct op *op = op_defs[n->op];
  if (!op || op->structural || op->target) return;
  d->order = n->order;
  d->loc = n->loc;
  const char *libcall;
  enum target_action a = target_action(&l->m, n->op, match_action_type(d, id), &libcall);
  if (is_load(n->op) && legalize_load(l, id, a == TA_LEGAL)) return;
  if ((n->op == ISD_STORE || n->op == ISD_TRUNCSTORE) && legalize_store(l, id)) return;
  l->steps++;
  if (n->op == ISD_SEXT_INREG && !legal_memory_type(l->p->tables, (vt)n->imm)) {
    struct sdval v = legal_sign_in_register(d, dag_operand(d, id, 0), (vt)n->imm);
    replace(l, id, &v, 1);
    return;
  }
  switch (a) {
  case TA_LEGAL: return;
  case TA_PROMOTE:
    if (!promote(l, id)) cannot(l, id, "no rule promotes the operation");
    return;
  case TA_LIBCALL:
    if (!call_library(l, id, libcall)) cannot(l, id, "no call does the operation");
    return;
  case TA_CUSTOM:
    if (apply(l, MATCH_LOWER, id, "custom")) return;
    if (!expand(l, id)) cannot(l, id, "no rule lowers the operation");
    return;
  case TA_EXPAND:
    if (!expand(l, id)) cannot(l, id, "no rule expands the operation");
    return;
  case TA_NONE:
    apply(l, MATCH_EXPAND, id, "expand");
    return; /* or a pattern of the target takes it as it is */
  }
}

bool legalize_ops(struct pass *p) {
  struct workspace *w = workspace_start(p);
  struct op_legalizer l = {.p = p, .d = p->dag, .known = &w->known, .work = &w->work};
  l.legal = (struct legal){.pass = p, .level = LEGAL_OPS, .known = l.known, .lowering = true};
  legal_matcher(&l.legal, &l.m);
  l.m.extend = extend;
  uint32_t *order, n = dag_topo(p->dag, &order);
  for (uint32_t i = 0; i < n; i++) *vec_push(l.work) = order[i];
  l.budget = (uint64_t)n * STEPS_PER_NODE + STEPS_AT_LEAST;
  l.seen = p->dag->nodes.n;
  p->dag->listen = on_change;
  p->dag->listener = &l;
  while (l.work->n && !l.failed) {
    uint32_t id = l.work->at[--l.work->n];
    if (l.steps > l.budget) {
      cannot(&l, id, "the operation's expansion does not end");
      break;
    }
    visit(&l, id);
  }
  p->dag->listen = NULL;
  p->dag->listener = NULL;
  p->dag->order = p->dag->loc = 0;
  p->dag->place = 0;
  dag_sweep(p->dag);
  if (p->ranks)
    *p->ranks = l.ranks ? l.ranks : *p->ranks;
  else
    ranks_free(l.ranks);
  return !l.failed;
}
