/* match_build.c: the emission part of a rule's tail, a postfix program. In the dry run it only computes types
 * and asks whether each node may be built; the second run builds. Memory nodes with an implied chain start
 * from the state of the accesses that the pattern matched and end in a token that replaces theirs. */
#include "match_run.h"

#include <string.h>

#include "util/diag.h"

struct sdval join_chains(struct dag *d, const struct sdval *chains, unsigned n) {
  struct sdval ops[MATCH_MAX_OPS];
  unsigned k = 0;
  for (unsigned i = 0; i < n && k < MATCH_MAX_OPS; i++) {
    bool seen = !chains[i].node || (n > 1 && sd_eq(chains[i], d->entry));
    for (unsigned j = 0; j < k; j++) seen |= sd_eq(ops[j], chains[i]);
    if (!seen) ops[k++] = chains[i];
  }
  if (k == 0) return n ? chains[0] : SDNONE;
  return k == 1 ? ops[0] : dag_get1(d, ISD_TOKENFACTOR, VT_CHAIN, ops, k, 0);
}

struct sdval target_form(struct dag *d, struct sdval v) {
  const struct sdnode *n = dag_node(d, v.node);
  uint16_t op = n->op == ISD_GLOBALADDR    ? ISD_TARGETGLOBALADDR
                : n->op == ISD_EXTERNALSYM ? ISD_TARGETEXTERNALSYM
                : n->op == ISD_FRAMEINDEX  ? ISD_TARGETFRAMEINDEX
                                           : n->op;
  return op == n->op ? v : dag_get(d, op, n->types, n->nres, NULL, 0, 0, n->imm);
}

static struct sdval target_const(struct dag *d, vt ty, int64_t value) {
  return dag_get(d, ISD_TARGETCONSTANT, &ty, 1, NULL, 0, 0, (uint64_t)value);
}

static int64_t sext64(struct bv v) { return bv_to_s64(v.width > 64 ? bv_trunc(v, 64) : v); }

static void push(struct run *r, struct sdval v, vt ty) {
  if (r->sp == RUN_STACK) bug("rule %s: the result is too deep", r->rule->name);
  r->stack[r->sp++] = (struct item){v, ty};
}

static bool may_build(struct run *r, uint16_t op, vt key, vt second) {
  return !r->m->may_build || r->m->may_build(r->m->self, op, key, second);
}

/* ---- Constants ---- */

static bool constant(struct run *r, const struct expr *e, vt ty, bool of_target) {
  if (!expr_applicable(e, &r->env) || !vt_is_int(ty)) return false;
  bool as_target = of_target && !target_type_legal(r->t, ty);
  if (r->dry) {
    push(r, SDNONE, ty);
    return as_target || may_build(r, ISD_CONSTANT, ty, VT_NONE);
  }
  struct bv v = e->sort == SORT_NUM ? bv_s64(vt_bits(ty), eval_num(e, &r->env)) : eval_bv(e, &r->env);
  if (v.width != vt_bits(ty))
    bug("rule %s: a constant of %u bits where %u are wanted", r->rule->name, v.width, vt_bits(ty));
  push(r, as_target ? target_const(r->d, ty, sext64(v)) : dag_const(r->d, v), ty);
  return true;
}

static bool target_constant(struct run *r, const struct expr *e) {
  if (!expr_applicable(e, &r->env)) return false;
  struct bv v = r->dry                ? bv_u64(64, 0)
                : e->sort == SORT_NUM ? bv_s64(64, eval_num(e, &r->env))
                                      : eval_bv(e, &r->env);
  push(r, r->dry ? SDNONE : target_const(r->d, vt_int(v.width), sext64(v)), VT_I(64));
  return true;
}

static void immediate(struct run *r, unsigned var) {
  struct sdval v = r->var[var];
  vt ty = v.node ? dag_type(r->d, v) : VT_I(64);
  if (!r->dry && (!v.node || dag_opcode(r->d, v) == ISD_CONSTANT))
    v = target_const(r->d, ty, sext64(r->val[var]));
  else if (!r->dry)
    v = target_form(r->d, v);
  push(r, v, ty);
}

/* ---- Nodes ---- */

static uint32_t align_at(uint32_t align, int64_t offset) {
  while (align > 1 && offset & (int64_t)(align - 1)) align /= 2;
  return align;
}

static struct memref memory(struct run *r, const struct match_node *n) {
  struct memref m = {.align = 1};
  if (n->base != NO_SLOT && r->var[n->base].node) {
    const struct memref *from = dag_node(r->d, r->var[n->base].node)->mem;
    if (from) m = *from;
    if (n->offset) {
      int64_t off =
          n->offset->sort == SORT_NUM ? eval_num(n->offset, &r->env) : sext64(eval_bv(n->offset, &r->env));
      m.align = align_at(m.align, off);
      m.ir_offset += off;
    }
  }
  vt second = resolve_type(r, n->ty2);
  m.mem = second != VT_NONE ? second : resolve_type(r, n->key);
  return m;
}

/* The state that a new access with an implied chain sees: that of a matched access of its kind. */
static struct sdval implied_chain(struct run *r, const struct match_node *n) {
  const struct match_variant *v = r->variant;
  struct sdval root = chain_in_of(r->d, r->root);
  if (n->write && root.node) return root;
  for (unsigned i = 0; i < v->nchained; i++) {
    uint32_t at = r->slot[v->chained[i]].node;
    if (at != r->root) return chain_in_of(r->d, at);
  }
  return root.node ? root : r->d->entry;
}

static uint16_t node_flags(struct run *r, const struct match_node *n) {
  uint16_t inter = 0xffff;
  if (!n->nflagvar) return n->flags;
  for (unsigned i = 0; i < n->nflagvar; i++) inter &= dag_node(r->d, r->var[n->flagvars[i]].node)->flags;
  return n->flags | (inter & n->flagmask);
}

static void note_chain(struct run *r, struct sdval chain, bool write) {
  if (r->nnew == RUN_CHAINS) bug("rule %s: too many accesses", r->rule->name);
  r->new_write[r->nnew] = write;
  r->new_chain[r->nnew++] = chain;
}

static struct sdval build(struct run *r, const struct match_node *n, const struct item *kids, unsigned nkid) {
  struct sdval ops[MATCH_MAX_OPS];
  vt types[MATCH_MAX_RES + 1];
  unsigned nop = 0, nres = n->nres;
  if (n->chained && !n->chain_on_stack) ops[nop++] = implied_chain(r, n);
  for (unsigned i = 0; i < nkid; i++) ops[nop++] = kids[i].v;
  for (unsigned i = 0; i < nres; i++) types[i] = resolve_type(r, n->types[i]);
  if (n->chained) types[nres++] = VT_CHAIN;
  struct sdval v;
  if (n->mem) {
    struct memref m = memory(r, n);
    v = dag_mem(r->d, n->op, dag_types(r->d, types, nres), nres, ops, nop, &m);
  } else
    v = dag_get(r->d, n->op, dag_types(r->d, types, nres), nres, ops, nop, node_flags(r, n),
                resolve_type(r, n->ty2));
  if (n->chained) note_chain(r, (struct sdval){v.node, nres - 1}, n->write);
  return (struct sdval){v.node, n->res};
}

static bool node(struct run *r, const struct match_node *n) {
  unsigned nkid = n->nkid + (n->chain_on_stack ? 1u : 0u);
  vt ty = n->nres ? resolve_type(r, n->types[n->res]) : VT_CHAIN;
  r->sp -= nkid;
  if (r->dry) {
    push(r, SDNONE, ty);
    /* From type legalization on, a result of another type than the key (a boolean) must be legal too. */
    for (unsigned i = 0; r->m->level && i < n->nres; i++) {
      vt res = resolve_type(r, n->types[i]);
      if (vt_is_int(res) && !target_type_legal(r->t, res)) return false;
    }
    return may_build(r, n->op, resolve_type(r, n->key), resolve_type(r, n->ty2));
  }
  struct sdval v = build(r, n, &r->stack[r->sp], nkid);
  push(r, v, ty);
  return true;
}

/* ---- Machine nodes ---- */

static void swallowed_memrefs(struct run *r, uint32_t node) {
  const struct match_variant *v = r->variant;
  const struct memref **list = ARENA_ARRAY(r->d->arena, const struct memref *, v->nchained + 1u);
  unsigned k = 0;
  for (unsigned i = 0; i < v->nchained; i++) {
    const struct sdnode *n = dag_node(r->d, r->slot[v->chained[i]].node);
    if (n->op < OP_COUNT && op_descs[n->op].mem && n->mem) list[k++] = n->mem;
  }
  dag_node(r->d, node)->memrefs = list;
  dag_node(r->d, node)->nmemrefs = (uint8_t)k;
}

static void machine(struct run *r, const struct match_minst *n) {
  struct sdval ops[RUN_STACK];
  vt types[MATCH_MAX_RES + 4];
  unsigned nop = 0, nres = n->nres;
  r->sp -= n->nkid;
  if (!r->dry) {
    for (unsigned i = 0; i < n->nkid; i++) ops[nop++] = r->stack[r->sp + i].v;
    for (unsigned i = 0; i < nres; i++) types[i] = n->types[i];
    if (n->chained) {
      if (!r->chain_in.node) r->chain_in = fold_chain_in(r);
      ops[nop++] = r->chain_in;
      types[nres++] = VT_CHAIN;
    }
    struct sdval v =
        dag_get(r->d, (uint16_t)(OP_MACHINE + n->inst), dag_types(r->d, types, nres), nres, ops, nop, 0, 0);
    if (n->chained) {
      r->chain_in = (struct sdval){v.node, nres - 1};
      r->mem_node = v.node;
      r->nmem_node++;
    }
    push(r, v, n->nres ? n->types[0] : VT_CHAIN);
  } else
    push(r, SDNONE, n->nres ? n->types[0] : VT_CHAIN);
}

static void pseudo(struct run *r, const struct match_pseudo *p) {
  static const uint16_t op[] = {[MP_IMPLICIT_DEF] = OP_IMPLICIT_DEF,
                                [MP_INSERT_SUBREG] = OP_INSERT_SUBREG,
                                [MP_EXTRACT_SUBREG] = OP_EXTRACT_SUBREG,
                                [MP_SUBREG_TO_REG] = OP_SUBREG_TO_REG,
                                [MP_COPY] = OP_COPY};
  unsigned nkid = p->kind == MP_IMPLICIT_DEF ? 0 : p->kind == MP_INSERT_SUBREG ? 2 : 1;
  bool by_class = p->kind == MP_IMPLICIT_DEF || p->kind == MP_COPY;
  struct sdval ops[3];
  r->sp -= nkid;
  for (unsigned i = 0; i < nkid; i++) ops[i] = r->stack[r->sp + i].v;
  if (r->dry) {
    push(r, SDNONE, p->type);
    return;
  }
  ops[nkid] = target_const(r->d, VT_I(32), by_class ? p->cls : p->subreg);
  push(r, dag_get(r->d, op[p->kind], dag_types(r->d, &p->type, 1), 1, ops, nkid + 1, 0, 0), p->type);
}

/* ---- The program ---- */

static void result(struct run *r, unsigned i, bool halves) {
  struct sdval hi = halves ? r->stack[--r->sp].v : SDNONE;
  struct sdval lo = r->stack[--r->sp].v;
  if (i >= MATCH_MAX_RES) bug("rule %s: too many results", r->rule->name);
  r->result[i] = (struct halves){lo, hi};
  r->have |= 1u << i;
}

static void chain(struct run *r, unsigned var, bool in) {
  uint32_t node = var == NO_SLOT ? r->root : r->var[var].node;
  struct sdval v = in || node == r->root ? chain_in_of(r->d, node) : chain_out_of(r->d, node);
  push(r, v, VT_CHAIN);
}

static void tokens(struct run *r, unsigned n) {
  struct sdval ops[MATCH_MAX_OPS];
  r->sp -= n;
  for (unsigned i = 0; i < n && i < MATCH_MAX_OPS; i++) ops[i] = r->stack[r->sp + i].v;
  push(r, r->dry ? SDNONE : join_chains(r->d, ops, n), VT_CHAIN);
}

static void extend(struct run *r, unsigned kind, unsigned var) {
  struct sdval v = SDNONE;
  if (!r->dry) v = r->m->extend(r->m->self, r->var[var], kind, r->wide);
  push(r, v, r->wide);
}

static bool known_var(struct run *r, unsigned var) {
  if (r->var[var].node) {
    struct sdval v = r->var[var];
    /* the root as an operand of what replaces it: a frame index or a symbol */
    if (!r->dry && r->selecting && v.node == r->root) v = target_form(r->d, v);
    push(r, v, dag_type(r->d, v));
  } else { /* found by an oracle */
    vt ty = vt_int(r->val[var].width);
    if (r->dry && !may_build(r, ISD_CONSTANT, ty, VT_NONE)) return false;
    push(r, r->dry ? SDNONE : dag_const(r->d, r->val[var]), ty);
  }
  return true;
}

/* Runs one instruction and returns its length, 0 when it may not be built. */
static unsigned emission(struct run *r, const uint8_t *c) {
  const struct match_tables *t = r->t;
  switch (c[0]) {
  case E_VAR: return known_var(r, c[1]) ? 2 : 0;
  case E_CONST:
    return constant(r, t->expr[code16(c + 1)], resolve_type(r, t->ty[code16(c + 3)]), c[5]) ? 6 : 0;
  case E_TARGETCONST: return target_constant(r, t->expr[code16(c + 1)]) ? 3 : 0;
  case E_IMM: immediate(r, c[1]); return 2;
  case E_ADDR: push_address(r, c[1]); return 2;
  case E_NODE: return node(r, &t->node[code16(c + 1)]) ? 3 : 0;
  case E_INST: machine(r, &t->minst[code16(c + 1)]); return 3;
  case E_PSEUDO: pseudo(r, &t->pseudo[code16(c + 1)]); return 3;
  case E_PHYSREG: {
    vt ty = t->type[code16(c + 3)];
    push(r,
         r->dry ? SDNONE
                : dag_get(r->d, ISD_REGISTER, dag_types(r->d, &ty, 1), 1, NULL, 0, 0, code16(c + 1) + 1),
         ty);
    return 5;
  }
  case E_RES:
    r->stack[r->sp - 1].v.res = c[1];
    r->stack[r->sp - 1].ty = resolve_type(r, t->ty[code16(c + 2)]);
    return 4;
  case E_SET: r->let[c[1]] = r->stack[--r->sp]; return 2;
  case E_GET: push(r, r->let[c[1]].v, r->let[c[1]].ty); return 2;
  case E_CHAIN:
  case E_INCHAIN: chain(r, c[1], c[0] == E_INCHAIN); return 2;
  case E_TOKENS: tokens(r, c[1]); return 2;
  case E_EXT: extend(r, c[1], c[2]); return 3;
  case E_RESULT:
  case E_HALVES: result(r, c[1], c[0] == E_HALVES); return 2;
  default: bug("byte %u is no emission code", c[0]);
  }
}

bool run_emission(struct run *r, const uint8_t *code) {
  r->sp = r->have = r->nnew = r->nmem_node = 0;
  r->chain_in = SDNONE;
  while (*code != E_DONE) {
    unsigned n = emission(r, code);
    if (!n) return false;
    code += n;
  }
  if (!r->dry && r->nmem_node == 1) swallowed_memrefs(r, r->mem_node);
  return true;
}

/* ---- What it replaces ---- */

/* The tokens of the new accesses, of the reads alone or of all. */
static struct sdval new_token(struct run *r, bool reads_only) {
  struct sdval list[RUN_CHAINS];
  unsigned n = 0;
  if (r->selecting) return r->nmem_node ? r->chain_in : SDNONE;
  for (unsigned i = 0; i < r->nnew; i++)
    if (!reads_only || !r->new_write[i]) list[n++] = r->new_chain[i];
  return n ? join_chains(r->d, list, n) : SDNONE;
}

void run_outputs(struct run *r, struct rewrite *out) {
  const struct match_variant *v = r->variant;
  struct sdval root_chain = chain_out_of(r->d, r->root);
  *out = (struct rewrite){.rule = v->rule};
  out->n = dag_node(r->d, r->root)->nres;
  for (unsigned i = 0; i < out->n && i < MATCH_MAX_RES; i++)
    out->to[i] = r->have >> i & 1 ? r->result[i].lo : SDNONE;
  if (root_chain.node && !(r->have >> root_chain.res & 1)) {
    struct sdval token = new_token(r, false);
    out->to[root_chain.res] = token.node ? token : chain_in_of(r->d, r->root);
  }
  struct sdval reads = new_token(r, true);
  for (unsigned i = 0; i < v->nchained && reads.node; i++) {
    struct sdval from = r->slot[v->chained[i]];
    if (from.node == r->root) continue;
    unsigned k = out->nextra++;
    out->extra[k].from = chain_out_of(r->d, from.node);
    out->extra[k].to = reads;
    out->extra[k].join = !r->selecting && dag_num_uses(r->d, from) > 1;
  }
}
