/* build_dag.c: one DAG per machine block. A fixed sequence of nodes per IR instruction: nothing is optimised
 * here. Simple loads hang on the last write, so that they may move among themselves; the next effect takes a
 * TokenFactor of them. Values that live across blocks are copied to and from virtual registers, part by part.
 */
#include "build_dag.h"
#include "gen/targets.h"
#include "legalize_types.h"
#include "util/diag.h"

#include <string.h>

enum { MAX_SPLIT = 64 };

bool build_unsupported(struct builder *b, const char *fmt, ...) {
  if (b->what) return false;
  va_list ap;
  va_start(ap, fmt);
  char buf[256];
  vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  b->what = arena_strdup(b->arena, buf);
  return false;
}

/* ---- Nodes --------------------------------------------------------------------------------------- */

struct sdval build_op(struct builder *b, uint16_t op, vt type, unsigned n, const struct sdval *ops,
                      uint16_t flags) {
  return dag_get1(&b->dag, op, type, ops, n, flags);
}

struct sdval build_chained(struct builder *b, uint16_t op, const vt *types, unsigned nres,
                           const struct sdval *ops, unsigned nops, uint64_t payload) {
  return dag_get(&b->dag, op, types, nres, ops, nops, 0, payload);
}

static struct sdval resize(struct builder *b, struct sdval v, vt type, uint16_t ext) {
  unsigned from = vt_bits(dag_type(&b->dag, v)), to = vt_bits(type);
  if (from == to) return v;
  return BUILD(b, from < to ? ext : ISD_TRUNC, type, 0, v);
}

struct sdval build_zext(struct builder *b, struct sdval v, vt type) {
  return resize(b, v, type, ISD_ZEXT);
}
struct sdval build_sext(struct builder *b, struct sdval v, vt type) {
  return resize(b, v, type, ISD_SEXT);
}
struct sdval build_anyext(struct builder *b, struct sdval v, vt type) {
  return resize(b, v, type, ISD_ANYEXT);
}

struct sdval build_block_node(struct builder *b, uint32_t block) {
  return dag_get(&b->dag, ISD_BASICBLOCK, (const vt[]){VT_BLOCK}, 1, NULL, 0, 0, block);
}

uint32_t build_vreg(struct builder *b, vt type) {
  const char *cls = b->target->value_class(type);
  if (!cls) bug("no register class for a value of %u bits", vt_bits(type));
  return mfunc_vreg(b->mf, cls);
}

struct sdval build_copy_from(struct builder *b, uint32_t reg, vt type, struct sdval chain) {
  return build_chained(b, ISD_COPYFROMREG, (const vt[]){type, VT_CHAIN}, 2, &chain, 1, reg);
}

struct sdval build_frame_index(struct builder *b, uint32_t slot) {
  return dag_get(&b->dag, ISD_FRAMEINDEX, &b->pointer, 1, NULL, 0, 0, slot);
}

struct sdval build_load(struct builder *b, vt type, struct sdval chain, struct sdval ptr,
                        const struct memref *mem) {
  return dag_mem(&b->dag, ISD_LOAD, (const vt[]){type, VT_CHAIN}, 2, (const struct sdval[]){chain, ptr}, 2,
                 mem);
}

struct sdval build_store(struct builder *b, struct sdval chain, struct sdval v, struct sdval ptr,
                         const struct memref *mem) {
  return dag_mem(&b->dag, ISD_STORE, (const vt[]){VT_CHAIN}, 1, (const struct sdval[]){chain, v, ptr}, 3,
                 mem);
}

/* ---- Parts --------------------------------------------------------------------------------------- */

unsigned build_split(struct builder *b, struct sdval v, struct sdval *parts) {
  vt part;
  unsigned n = legal_parts(b->pass.tables, dag_type(&b->dag, v), &part);
  if (!n || n > MAX_SPLIT) bug("a value of %u bits has no parts", vt_bits(dag_type(&b->dag, v)));
  v = build_anyext(b, v, vt_int(n * vt_bits(part)));
  /* halve until every piece is one part */
  parts[0] = v;
  for (unsigned have = 1; have < n; have *= 2) {
    vt half = vt_int(n / have / 2 * vt_bits(part));
    for (unsigned i = have; i-- > 0;) {
      struct sdval whole = parts[i];
      for (unsigned k = 0; k < 2; k++)
        parts[2 * i + k] =
            BUILD(b, ISD_EXTRACT_ELEMENT, half, 0, whole, dag_const_u64(&b->dag, vt_bits(half), k));
    }
  }
  return n;
}

struct sdval build_join(struct builder *b, const struct sdval *parts, unsigned n, vt type) {
  struct sdval v[MAX_SPLIT];
  memcpy(v, parts, n * sizeof *v);
  for (; n > 1; n /= 2)
    for (unsigned i = 0; i < n / 2; i++)
      v[i] = BUILD(b, ISD_BUILD_PAIR, vt_int(2 * vt_bits(dag_type(&b->dag, v[2 * i]))), 0, v[2 * i],
                   v[2 * i + 1]);
  return resize(b, v[0], type, ISD_ANYEXT);
}

/* Number of virtual registers of a value, over all its parts. */
static unsigned count_vregs(struct builder *b, const struct ir_type *t) {
  unsigned n = 0;
  vt part;
  for (unsigned i = 0; i < t->nparts; i++) n += legal_parts(b->pass.tables, t->parts[i], &part);
  return n;
}

/* New virtual registers, one after the other, for a value of the type; the first. */
static uint32_t type_vregs(struct builder *b, const struct ir_type *t) {
  uint32_t first = b->mf->vregs.n;
  for (unsigned i = 0; i < t->nparts; i++) {
    vt part;
    unsigned n = legal_parts(b->pass.tables, t->parts[i], &part);
    for (unsigned k = 0; k < n; k++) build_vreg(b, part);
  }
  return first;
}

/* The first virtual register of a value that lives across blocks. */
static uint32_t value_vreg(struct builder *b, uint32_t value) {
  if (b->value_vreg[value]) return b->value_vreg[value] - 1;
  uint32_t first = type_vregs(b, ir_val(b->f, value)->type);
  b->value_vreg[value] = first + 1;
  return first;
}

/* ---- Values -------------------------------------------------------------------------------------- */

static struct sdval *map_slot(struct builder *b, uint32_t value) {
  if (b->map_epoch[value] != b->epoch) {
    b->map_epoch[value] = b->epoch;
    b->map[value] = b->parts.n;
    unsigned n = ir_val(b->f, value)->type->nparts;
    for (unsigned i = 0; i < n; i++) *vec_push(&b->parts) = SDNONE;
  }
  return &b->parts.at[b->map[value]];
}

void build_set(struct builder *b, uint32_t value, unsigned part, struct sdval v) {
  map_slot(b, value)[part] = v;
}

static struct sdval from_registers(struct builder *b, uint32_t value, unsigned part) {
  const struct ir_type *t = ir_val(b->f, value)->type;
  uint32_t reg = value_vreg(b, value);
  vt legal;
  for (unsigned i = 0; i < part; i++) reg += legal_parts(b->pass.tables, t->parts[i], &legal);
  unsigned n = legal_parts(b->pass.tables, t->parts[part], &legal);
  struct sdval pieces[MAX_SPLIT];
  for (unsigned i = 0; i < n; i++)
    pieces[i] = build_copy_from(b, REG_VIRTUAL | (reg + i), legal, b->dag.entry);
  return build_join(b, pieces, n, t->parts[part]);
}

struct sdval build_symbol(struct builder *b, const char *name, bool external, bool dso_local, bool is_call) {
  struct sdsym *s = ARENA_NEW(b->arena, struct sdsym);
  *s = (struct sdsym){.name = name, .external = external};
  s->target_flags = b->target->symbol_flags(dso_local, is_call, b->isel->options->reloc == RELOC_PIC);
  uint16_t op = is_call ? ISD_TARGETGLOBALADDR : ISD_GLOBALADDR;
  return dag_get(&b->dag, op, &b->pointer, 1, NULL, 0, 0, (uint64_t)(uintptr_t)s);
}

static struct sdval global_address(struct builder *b, const struct ir_global *g) {
  struct sdval v = build_symbol(b, g->name, false, g->dso_local, false);
  return b->target->lower_global ? b->target->lower_global(b, v, g->dso_local) : v;
}

/* base + offset + Σ index * scale */
struct sdval build_gep(struct builder *b, const struct ir_gep *g, const uint32_t *ops) {
  struct sdval v = build_value(b, ops[0], 0);
  for (uint32_t i = 0; i < g->nindex; i++) {
    struct sdval index = build_sext(b, build_value(b, ops[i + 1], 0), b->pointer);
    uint64_t scale = g->scale[i];
    if (scale & (scale - 1))
      index = BUILD(b, ISD_MUL, b->pointer, 0, index, dag_const_u64(&b->dag, vt_bits(b->pointer), scale));
    else if (scale > 1)
      index = BUILD(b, ISD_SHL, b->pointer, 0, index,
                    dag_const_u64(&b->dag, vt_bits(b->pointer), (uint64_t)__builtin_ctzll(scale)));
    v = BUILD(b, ISD_ADD, b->pointer, 0, v, index);
  }
  if (g->offset)
    v = BUILD(b, ISD_ADD, b->pointer, 0, v, dag_const(&b->dag, bv_s64(vt_bits(b->pointer), g->offset)));
  return v;
}

static struct sdval const_expr(struct builder *b, const struct ir_value *v) {
  vt type = v->type->parts[0];
  if (v->op == IR_GEP) return build_gep(b, v->gep, v->ops);
  struct sdval x = build_value(b, v->ops[0], 0);
  if (v->op == IR_PTRCAST || v->op == IR_TRUNC) return build_zext(b, x, type);
  return BUILD(b, build_binary_op(v->op), type, 0, x, build_value(b, v->ops[1], 0));
}

struct sdval build_value(struct builder *b, uint32_t value, unsigned part) {
  const struct ir_value *v = ir_val(b->f, value);
  if (v->kind == IRV_AGGREGATE) return build_value(b, v->ops[part], 0);
  struct sdval *slot = map_slot(b, value) + part;
  if (slot->node) return *slot;
  struct sdval out;
  uint32_t order = b->dag.order;
  switch (v->kind) {
  case IRV_CONST: out = dag_const(&b->dag, *v->bits); break;
  case IRV_POISON: out = dag_get1(&b->dag, ISD_POISON, v->type->parts[part], NULL, 0, 0); break;
  case IRV_UNDEF: out = dag_const(&b->dag, bv_u64(vt_bits(v->type->parts[part]), 0)); break;
  case IRV_GLOBAL: out = global_address(b, v->global); break;
  case IRV_EXPR: out = const_expr(b, v); break;
  case IRV_ARG: out = from_registers(b, value, part); break;
  case IRV_INST: {
    const struct ir_inst *def = &b->f->insts.at[v->index];
    out = def->op == IR_ALLOCA ? build_frame_index(b, def->alloca.slot) : from_registers(b, value, part);
    break;
  }
  default: bug("value %u of kind %d", value, v->kind);
  }
  b->dag.order = order;
  map_slot(b, value)[part] = out; /* the pool may have moved */
  return out;
}

/* ---- Chains -------------------------------------------------------------------------------------- */

static struct sdval token_factor(struct builder *b, struct sdval *v, uint32_t n) {
  if (n == 1) return v[0];
  return build_op(b, ISD_TOKENFACTOR, VT_CHAIN, n, v, 0);
}

struct sdval build_root(struct builder *b) {
  if (b->loads.n) {
    b->chain = token_factor(b, b->loads.at, b->loads.n);
    b->loads.n = 0;
  }
  return b->chain;
}

struct sdval build_control_root(struct builder *b) {
  struct sdval root = build_root(b);
  if (!b->exports.n) return root;
  if (!sd_eq(root, b->dag.entry)) *vec_push(&b->exports) = root;
  b->chain = token_factor(b, b->exports.at, b->exports.n);
  b->exports.n = 0;
  return b->chain;
}

/* Copies one part of a value to its registers. */
static void copy_to(struct builder *b, uint32_t reg, struct sdval v) {
  struct sdval pieces[MAX_SPLIT];
  unsigned n = build_split(b, v, pieces);
  for (unsigned i = 0; i < n; i++) {
    struct sdval ops[] = {b->dag.entry, pieces[i]};
    *vec_push(&b->exports) =
        build_chained(b, ISD_COPYTOREG, (const vt[]){VT_CHAIN}, 1, ops, 2, REG_VIRTUAL | (reg + i));
  }
}

static void copy_value(struct builder *b, uint32_t reg, uint32_t value) {
  const struct ir_type *t = ir_val(b->f, value)->type;
  for (unsigned i = 0; i < t->nparts; i++) {
    vt legal;
    copy_to(b, reg, build_value(b, value, i));
    reg += legal_parts(b->pass.tables, t->parts[i], &legal);
  }
}

/* ---- Edges and PHIs ------------------------------------------------------------------------------ */

uint32_t build_new_block(struct builder *b) {
  *vec_push(&b->mf->blocks) = (struct mblock){.ir_name = b->f->blocks.at[b->ir_block].name, .used = true};
  return b->mf->blocks.n - 1;
}

void build_machine_edge(struct builder *b, uint32_t to, uint32_t prob) {
  struct mblock *m = &b->mf->blocks.at[b->block];
  for (uint32_t i = 0; i < m->succs.n; i++)
    if (m->succs.at[i].block == to) {
      uint64_t sum = (uint64_t)m->succs.at[i].prob + prob;
      m->succs.at[i].prob = sum > 0x80000000u ? 0x80000000u : (uint32_t)sum;
      return;
    }
  *vec_push(&m->succs) = (struct msucc){to, prob};
}

void build_edge(struct builder *b, uint32_t to, uint32_t prob) {
  build_machine_edge(b, to, prob);
  for (uint32_t i = b->edges.n; i-- > 0 && b->edges.at[i].from == b->block;)
    if (b->edges.at[i].to == to) return;
  *vec_push(&b->edges) = (struct build_edge){.from = b->block, .from_ir = b->ir_block, .to = to};
}

static uint32_t incoming_value(const struct ir_inst *phi, uint32_t pred) {
  for (uint32_t k = 0; k < phi->nops; k++)
    if (phi->blocks[k] == pred) return phi->ops[k];
  bug("a PHI has no value for block %u", pred);
}

static bool is_register(struct builder *b, uint32_t value) {
  const struct ir_value *v = ir_val(b->f, value);
  return v->kind == IRV_ARG || (v->kind == IRV_INST && b->f->insts.at[v->index].op != IR_ALLOCA);
}

/* The first register that holds an incoming value at the end of block `pred`: the value's own, or for what is
 * not in a register the copy that the block made. 0 when there is none yet, else the register + 1. */
static uint32_t phi_register(struct builder *b, uint32_t value, uint32_t pred) {
  if (is_register(b, value)) return value_vreg(b, value) + 1;
  for (uint32_t i = b->phi_copies.n; i-- > 0;) {
    const struct phi_copy *c = &b->phi_copies.at[i];
    if (c->pred < pred) break;
    if (c->pred == pred && c->value == value) return c->vreg + 1;
  }
  return 0;
}

/* What PHIs of a successor read and is in no register yet (a constant, the address of a local) goes to one.
 */
static void export_phi_inputs(struct builder *b, uint32_t succ) {
  const struct ir_block *blk = &b->f->blocks.at[succ];
  for (uint32_t i = 0; i < blk->n; i++) {
    const struct ir_inst *phi = &b->f->insts.at[blk->first + i];
    if (phi->op != IR_PHI) break;
    uint32_t value = incoming_value(phi, b->ir_block);
    if (phi_register(b, value, b->ir_block)) continue;
    uint32_t reg = type_vregs(b, ir_val(b->f, value)->type);
    *vec_push(&b->phi_copies) = (struct phi_copy){.pred = b->ir_block, .value = value, .vreg = reg};
    copy_value(b, reg, value);
  }
}

static void export_to_successors(struct builder *b, const struct ir_inst *i) {
  switch (i->op) {
  case IR_BR: export_phi_inputs(b, i->blocks[0]); break;
  case IR_CONDBR:
    export_phi_inputs(b, i->blocks[0]);
    export_phi_inputs(b, i->blocks[1]);
    break;
  case IR_SWITCH:
    export_phi_inputs(b, i->sw->fallback);
    for (uint32_t k = 0; k < i->sw->ncases; k++) export_phi_inputs(b, i->sw->cases[k].block);
    break;
  default: break;
  }
}

/* One PHI instruction per register of the value. */
static void build_phi(struct builder *b, const struct ir_inst *phi, uint32_t first_edge, uint32_t nedges) {
  unsigned n = count_vregs(b, ir_val(b->f, phi->value)->type);
  uint32_t reg = value_vreg(b, phi->value);
  struct mblock *m = &b->mf->blocks.at[phi->block];
  for (unsigned k = 0; k < n; k++) {
    /* without a way into the block any value will do */
    struct minst *mi = mblock_add(m, nedges ? "PHI" : "IMPLICIT_DEF");
    struct mop *ops = minst_ops(b->mf, mi, 1 + 2 * nedges);
    mi->ndefs = 1;
    ops[0] = mop_def(reg + k);
    for (uint32_t e = 0; e < nedges; e++) {
      const struct build_edge *edge = &b->edges.at[b->edge_order[first_edge + e]];
      uint32_t from = phi_register(b, incoming_value(phi, edge->from_ir), edge->from_ir);
      ops[1 + 2 * e] = mop_use(from - 1 + k);
      ops[2 + 2 * e] = mop_block(edge->from);
    }
  }
}

/* The PHIs go in front of what the block already holds. */
static void prepend_phis(struct builder *b, uint32_t block, uint32_t first_edge, uint32_t nedges) {
  struct mblock *m = &b->mf->blocks.at[block];
  uint32_t body = m->insts.n;
  const struct ir_block *blk = &b->f->blocks.at[block];
  for (uint32_t i = 0; i < blk->n && b->f->insts.at[blk->first + i].op == IR_PHI; i++)
    build_phi(b, &b->f->insts.at[blk->first + i], first_edge, nedges);
  uint32_t phis = m->insts.n - body;
  if (!phis || !body) return;
  struct minst *copy = ARENA_ARRAY(b->arena, struct minst, body);
  memcpy(copy, m->insts.at, body * sizeof *copy);
  memmove(m->insts.at, m->insts.at + body, phis * sizeof *copy);
  memcpy(m->insts.at + phis, copy, body * sizeof *copy);
}

void build_phis(struct builder *b) {
  /* edges in order of their target: a counting sort */
  uint32_t nblocks = b->f->blocks.n, *start = ARENA_ARRAY(b->arena, uint32_t, nblocks + 1);
  b->edge_order = ARENA_ARRAY(b->arena, uint32_t, b->edges.n + 1);
  for (uint32_t i = 0; i < b->edges.n; i++) start[b->edges.at[i].to + 1]++;
  for (uint32_t i = 1; i <= nblocks; i++) start[i] += start[i - 1];
  uint32_t *next = ARENA_ARRAY(b->arena, uint32_t, nblocks + 1);
  memcpy(next, start, nblocks * sizeof *next);
  for (uint32_t i = 0; i < b->edges.n; i++) b->edge_order[next[b->edges.at[i].to]++] = i;
  for (uint32_t i = 0; i < nblocks; i++)
    if (b->mf->blocks.at[i].used) prepend_phis(b, i, start[i], next[i] - start[i]);
}

/* ---- Blocks -------------------------------------------------------------------------------------- */

/* Copies number the registers of the calling convention from 1, REGISTER nodes those of the target's rows. */
static const char *reg_name(const void *names, uint16_t op, uint64_t reg) {
  const struct target *t = names;
  if (op == ISD_REGISTER) return reg <= t->rows->nreg ? t->rows->regs[reg - 1].name : NULL;
  return reg <= t->conv->nregs ? t->conv->regs[reg - 1] : NULL;
}

void build_begin(struct builder *b, uint32_t block) {
  b->epoch++;
  b->parts.n = 0;
  b->loads.n = b->exports.n = 0;
  b->block = block;
  dag_init(&b->dag, &b->isel->scratch);
  b->dag.reg_name = reg_name;
  b->dag.names = b->target;
  b->chain = b->dag.entry;
}

bool build_block(struct builder *b, uint32_t ir_block) {
  const struct ir_block *blk = &b->f->blocks.at[ir_block];
  b->ir_block = ir_block;
  build_begin(b, ir_block);
  if (ir_block == 0 && !build_arguments(b)) return false;
  for (uint32_t i = 0; i < blk->n; i++) {
    const struct ir_inst *inst = &b->f->insts.at[blk->first + i];
    if (inst->op == IR_PHI) continue;
    b->dag.order = i + 1;
    b->dag.loc = inst->loc;
    if (i + 1 == blk->n) export_to_successors(b, inst);
    if (!build_inst(b, inst)) return false;
    if (inst->value && ir_val(b->f, inst->value)->used_outside && inst->op != IR_ALLOCA)
      copy_value(b, value_vreg(b, inst->value), inst->value);
  }
  return b->what == NULL;
}

void build_export(struct builder *b, uint32_t value) { copy_value(b, value_vreg(b, value), value); }
