/* create.c: see create.h. Every result gets a virtual register of the class that its instruction names; a use
 * that wants another class narrows the register to the common subclass, or gets a copy. Values in physical
 * registers are copied right before and right after their instruction, so that nothing can come between. */
#include "create.h"
#include "gen/targets.h"
#include "match.h"
#include "util/diag.h"

#include <string.h>

/* ---- Registers ----------------------------------------------------------------------------------- */

struct minst *emit_inst(struct emitter *e, const char *name, const struct mop *ops, unsigned n,
                        unsigned ndefs) {
  struct minst *i = mblock_add(&e->mf->blocks.at[e->block], name);
  memcpy(minst_ops(e->mf, i, n), ops, n * sizeof *ops);
  i->ndefs = (uint8_t)ndefs;
  return i;
}

struct mop emit_implicit(const char *reg, bool def, bool dead) {
  return (struct mop){.kind = MOP_PHYS, .text = reg, .implicit = true, .def = def, .dead = dead};
}

void emit_result(struct emitter *e, struct sdval v, uint32_t vreg) {
  e->vregs[e->first[v.node] + v.res] = vreg + 1;
}

static uint32_t copy_of(struct emitter *e, uint32_t from, const char *cls) {
  uint32_t to = mfunc_vreg(e->mf, cls);
  struct mop ops[] = {mop_def(to), mop_use(from)};
  emit_inst(e, "COPY", ops, 2, 1);
  return to;
}

static uint32_t constrain(struct emitter *e, uint32_t vreg, const char *cls) {
  const char *have = e->mf->vregs.at[vreg];
  if (!cls || !strcmp(have, cls)) return vreg;
  const char *common = e->t->common_class(have, cls);
  if (!common) return copy_of(e, vreg, cls);
  e->mf->vregs.at[vreg] = common;
  return vreg;
}

/* A register that nothing was put in: a new one, for each use may see another value. */
static uint32_t undefined(struct emitter *e, uint32_t node, const char *cls) {
  uint64_t number = dag_node(e->d, dag_operand(e->d, node, 0).node)->imm;
  struct mop op = mop_def(mfunc_vreg(e->mf, e->t->rows->classes[number].mir));
  emit_inst(e, "IMPLICIT_DEF", &op, 1, 1);
  return constrain(e, op.index, cls);
}

uint32_t emit_use(struct emitter *e, struct sdval v, const char *cls) {
  const struct sdnode *n = dag_node(e->d, v.node);
  if (n->op == OP_IMPLICIT_DEF) return undefined(e, v.node, cls);
  if (n->op == ISD_COPYFROMREG && n->imm >> 31 & 1) return constrain(e, (uint32_t)n->imm & ~REG_VIRTUAL, cls);
  uint32_t vreg = e->vregs[e->first[v.node] + v.res];
  if (!vreg) {
    e->fault = arena_printf(e->b->arena, "the value t%u:%u is used before it is made", v.node, v.res);
    return 0;
  }
  return constrain(e, vreg - 1, cls);
}

/* When a result's only use is a copy to a virtual register whose class agrees, it is made there. */
static bool sole_copy(struct emitter *e, struct sdval v, const char *cls, uint32_t *vreg) {
  const struct sdnode *n = dag_node(e->d, v.node);
  uint32_t found = 0, uses = 0;
  for (uint32_t u = n->first_use; u; u = e->d->uses.at[u].next) {
    if (e->d->uses.at[u].val.res != v.res) continue;
    uses++;
    const struct sdnode *user = dag_node(e->d, e->d->uses.at[u].user);
    if (user->op == ISD_COPYTOREG && user->imm >> 31 & 1) found = (uint32_t)user->imm;
  }
  if (uses != 1 || !found) return false;
  found &= ~REG_VIRTUAL;
  const char *common = e->t->common_class(e->mf->vregs.at[found], cls);
  if (!common) return false;
  e->mf->vregs.at[found] = common;
  *vreg = found;
  return true;
}

static uint32_t define(struct emitter *e, struct sdval v, const char *cls, bool again) {
  uint32_t vreg;
  if (again) return mfunc_vreg(e->mf, cls);
  if (!sole_copy(e, v, cls, &vreg)) vreg = mfunc_vreg(e->mf, cls);
  emit_result(e, v, vreg);
  return vreg;
}

/* ---- Leaves -------------------------------------------------------------------------------------- */

struct mop emit_leaf(struct emitter *e, struct sdval v) {
  const struct sdnode *n = dag_node(e->d, v.node);
  switch (n->op) {
  case ISD_TARGETCONSTANT: return mop_imm((int64_t)n->imm);
  case ISD_BASICBLOCK: return mop_block((uint32_t)n->imm);
  case ISD_REGISTER: return mop_phys(n->imm ? e->t->rows->regs[n->imm - 1].name : "noreg");
  case ISD_FRAMEINDEX:
  case ISD_TARGETFRAMEINDEX:
    if (n->imm >> 31 & 1) return (struct mop){.kind = MOP_FIXED, .index = (uint32_t)n->imm & ~FRAME_FIXED};
    return (struct mop){.kind = MOP_STACK, .index = (uint32_t)n->imm};
  case ISD_TARGETGLOBALADDR:
  case ISD_TARGETEXTERNALSYM:
  case ISD_GLOBALADDR:
  case ISD_EXTERNALSYM: {
    const struct sdsym *s = n->sym;
    return (struct mop){.kind = s->external ? MOP_EXTERNAL : MOP_GLOBAL,
                        .text = s->name,
                        .imm = s->offset,
                        .target_flags = e->t->symbol_flags_text(s->target_flags)};
  }
  default: bug("node t%u (%u) is no leaf", v.node, n->op);
  }
}

static bool is_leaf(struct emitter *e, struct sdval v) {
  uint16_t op = dag_opcode(e->d, v);
  return node_is_silent(e->d, v.node) && op != ISD_COPYFROMREG && op != OP_IMPLICIT_DEF;
}

static struct mop operand(struct emitter *e, struct sdval v, const char *cls) {
  if (is_leaf(e, v)) return emit_leaf(e, v);
  struct mop o = mop_use(emit_use(e, v, cls));
  uint16_t op = dag_opcode(e->d, v);
  o.killed = op == OP_IMPLICIT_DEF || (op != ISD_COPYFROMREG && dag_num_uses(e->d, v) == 1);
  return o;
}

/* ---- Memory operands ----------------------------------------------------------------------------- */

static const char *memref_base(struct emitter *e, const struct memref *m) {
  if (!m->ir_value) return NULL;
  if (m->ir_value == MEMREF_STACK) return "stack";
  if (m->ir_value == MEMREF_GOT) return "got";
  const struct ir_value *v = ir_val(e->b->f, m->ir_value);
  if (v->kind == IRV_GLOBAL) {
    for (const char *p = v->global->name; *p; p++)
      if (!strchr("-._$", *p) && !(*p >= '0' && *p <= '9') && !((*p | 32) >= 'a' && (*p | 32) <= 'z'))
        return NULL;
    return arena_printf(e->b->arena, "@%s", v->global->name);
  }
  return v->name ? arena_printf(e->b->arena, "%%ir.%s", v->name) : NULL;
}

static void add_memrefs(struct emitter *e, struct minst *i, const struct memref *const *refs, unsigned n,
                        bool load, bool store) {
  static const char *const orderings[] = {NULL, "unordered", "monotonic"};
  struct mmo *out = ARENA_ARRAY(e->b->arena, struct mmo, 2 * n + 1);
  i->mmos = out;
  for (unsigned k = 0; k < n; k++) {
    const struct memref *m = refs[k];
    struct mmo x = {.is_volatile = m->is_volatile,
                    .bytes = vt_store_bytes(m->mem),
                    .align = m->align,
                    .base = memref_base(e, m),
                    .offset = m->ir_offset,
                    .ordering = m->ordering < 3 ? orderings[m->ordering] : NULL};
    x.load = load && (!store || k == 0 || n > 2);
    x.store = store && !x.load;
    if (load && store && n == 1) {
      /* one access of each kind at one place */
      out[i->nmmos++] = x;
      x.load = false;
      x.store = true;
    }
    out[i->nmmos++] = x;
  }
}

/* ---- Machine nodes ------------------------------------------------------------------------------- */

static const char *class_name(struct emitter *e, uint16_t cls) { return e->t->rows->classes[cls].mir; }

static void copy_to_phys(struct emitter *e, const char *reg, struct sdval v) {
  struct mop ops[] = {mop_phys(reg), mop_use(emit_use(e, v, NULL))};
  ops[0].def = true;
  emit_inst(e, "COPY", ops, 2, 1);
}

static void copy_from_phys(struct emitter *e, const char *reg, struct sdval v) {
  uint32_t vreg = define(e, v, e->t->phys_class(reg, dag_type(e->d, v)), false);
  struct mop ops[] = {mop_def(vreg), mop_phys(reg)};
  emit_inst(e, "COPY", ops, 2, 1);
}

static bool is_flags(struct emitter *e, uint16_t reg) {
  return vt_kind(e->t->rows->regs[reg].type) == TK_FLAGS;
}

enum { MAX_OPS = 64 };

/* Is a defined physical register read, or one that overlaps it? */
static bool def_used(struct emitter *e, const struct inst_desc *d, uint32_t node, unsigned def) {
  const char *name = e->t->rows->regs[d->def[def]].name;
  for (unsigned i = 0; i < d->ndef; i++)
    if (mir_same_register(e->t->rows->regs[d->def[i]].name, name) &&
        dag_num_uses(e->d, (struct sdval){node, d->nout + i}))
      return true;
  return false;
}

/* May the scheduler repeat this node for its flags? Then its operands live on after it. */
static bool may_repeat(struct emitter *e, const struct inst_desc *d, uint32_t node) {
  for (unsigned i = 0; i < d->ndef; i++)
    if (is_flags(e, d->def[i]) && def_used(e, d, node, i)) return true;
  return false;
}

static unsigned in_operands(struct emitter *e, const struct inst_desc *d, uint32_t node, bool again,
                            struct mop *ops, unsigned *at) {
  unsigned n = d->nout;
  bool lives_on = again || may_repeat(e, d, node);
  for (unsigned i = 0; i < d->nin; i++) {
    const struct mo_desc *o = &d->opnd[d->nout + i];
    for (unsigned k = 0; k < o->nmir; k++) {
      struct sdval v = dag_operand(e->d, node, (*at)++);
      const char *cls = o->kind == MO_REG   ? class_name(e, o->cls)
                        : o->kind == MO_MEM ? e->t->address_class(k, dag_type(e->d, v))
                                            : NULL;
      ops[n] = operand(e, v, cls);
      if (lives_on || o->tied >= 0) ops[n].killed = false;
      n++;
    }
  }
  return n;
}

static void emit_machine(struct emitter *e, uint32_t node, bool again) {
  const struct sdnode *sn = dag_node(e->d, node);
  const struct inst_desc *d = &e->t->rows->insts[sn->op - OP_MACHINE];
  struct mop ops[MAX_OPS];
  unsigned at = 0, n = in_operands(e, d, node, again, ops, &at);
  for (unsigned i = 0; i < d->nuse; i++, at++)
    if (!is_flags(e, d->use[i]))
      copy_to_phys(e, e->t->rows->regs[d->use[i]].name, dag_operand(e->d, node, at));
  for (unsigned i = 0; i < d->nout; i++)
    ops[i] = mop_def(define(e, (struct sdval){node, i}, class_name(e, d->opnd[i].cls), again));
  if (e->t->fix_operands) e->t->fix_operands(e, d, ops, n);
  for (unsigned i = 0; i < d->ndef; i++) {
    /* flags: whether they are read is known when the block is done */
    bool used = !again && def_used(e, d, node, i);
    ops[n++] = emit_implicit(e->t->rows->regs[d->def[i]].name, true, !is_flags(e, d->def[i]) && !used);
  }
  for (unsigned i = 0; i < d->nuse; i++)
    ops[n++] = emit_implicit(e->t->rows->regs[d->use[i]].name, false, false);
  struct minst *mi = emit_inst(e, d->name, ops, n, d->nout);
  sn = dag_node(e->d, node);
  if (sn->nmemrefs) add_memrefs(e, mi, sn->memrefs, sn->nmemrefs, d->load, d->store);
  for (unsigned i = 0; i < d->ndef && !again; i++) {
    struct sdval v = {node, d->nout + i};
    if (!is_flags(e, d->def[i]) && dag_num_uses(e->d, v))
      copy_from_phys(e, e->t->rows->regs[d->def[i]].name, v);
  }
}

/* ---- Generic pseudos ----------------------------------------------------------------------------- */

static uint64_t target_constant(struct emitter *e, uint32_t node, unsigned i) {
  return dag_node(e->d, dag_operand(e->d, node, i).node)->imm;
}

static struct mop subreg_op(struct emitter *e, uint64_t index) {
  return (struct mop){.kind = MOP_SUBREG, .text = match_subreg_name(e->b->pass.tables, (unsigned)index)};
}

static void emit_pseudo(struct emitter *e, uint32_t node) {
  const struct sdnode *n = dag_node(e->d, node);
  struct sdval v = {node, 0};
  const char *cls = e->t->value_class(n->types[0]);
  struct mop ops[4];
  switch (n->op) {
  case OP_COPY:
    ops[1] = operand(e, dag_operand(e->d, node, 0), NULL);
    ops[1].killed = false;
    if (ops[1].kind == MOP_VREG) *vec_push(&e->b->frozen) = ops[1].index;
    ops[0] = mop_def(define(e, v, class_name(e, (uint16_t)target_constant(e, node, 1)), false));
    emit_inst(e, "COPY", ops, 2, 1);
    break;
  case OP_SUBREG_TO_REG:
    ops[1] = mop_imm(0);
    ops[2] = operand(e, dag_operand(e->d, node, 0), NULL);
    ops[3] = subreg_op(e, target_constant(e, node, 1));
    ops[0] = mop_def(define(e, v, cls, false));
    emit_inst(e, "SUBREG_TO_REG", ops, 4, 1);
    break;
  case OP_INSERT_SUBREG:
    ops[1] = operand(e, dag_operand(e->d, node, 0), NULL);
    ops[1].killed = false; /* tied */
    ops[2] = operand(e, dag_operand(e->d, node, 1), NULL);
    ops[3] = subreg_op(e, target_constant(e, node, 2));
    ops[0] = mop_def(define(e, v, cls, false));
    emit_inst(e, "INSERT_SUBREG", ops, 4, 1);
    break;
  default: /* OP_EXTRACT_SUBREG */
    ops[1] = operand(e, dag_operand(e->d, node, 0), NULL);
    ops[1].killed = false;
    ops[1].text = match_subreg_name(e->b->pass.tables, (unsigned)target_constant(e, node, 1));
    ops[0] = mop_def(define(e, v, cls, false));
    emit_inst(e, "COPY", ops, 2, 1);
  }
}

/* ---- What the targets' special nodes share ------------------------------------------------------- */

unsigned emit_convention(struct emitter *e, struct mop *ops, unsigned n, const uint32_t *regs, uint32_t nregs,
                         bool def) {
  for (uint32_t i = 0; i < nregs; i++) ops[n++] = emit_implicit(e->t->conv->regs[regs[i] - 1], def, false);
  return n;
}

bool emit_callee(struct emitter *e, uint32_t call, const char *cls, struct mop *callee) {
  struct sdval v = dag_operand(e->d, call, 1);
  bool symbol = dag_opcode(e->d, v) == ISD_TARGETGLOBALADDR || dag_opcode(e->d, v) == ISD_TARGETEXTERNALSYM;
  *callee = symbol ? emit_leaf(e, v) : mop_use(emit_use(e, v, cls));
  return symbol;
}

void emit_plain_return(struct emitter *e, uint32_t node, const char *name) {
  const struct ret_info *info = dag_node(e->d, node)->ptr;
  struct mop ops[16];
  emit_inst(e, name, ops, emit_convention(e, ops, 0, info->uses, info->nuses, false), 0);
}

/* ---- The builder's nodes ------------------------------------------------------------------------- */

static void emit_copy_to(struct emitter *e, uint32_t node) {
  const struct sdnode *n = dag_node(e->d, node);
  struct sdval v = dag_operand(e->d, node, 1);
  if (!(n->imm >> 31 & 1)) {
    copy_to_phys(e, e->t->conv->regs[n->imm - 1], v);
    return;
  }
  uint32_t to = (uint32_t)n->imm & ~REG_VIRTUAL;
  if (dag_opcode(e->d, v) == OP_IMPLICIT_DEF) {
    struct mop op = mop_def(to);
    emit_inst(e, "IMPLICIT_DEF", &op, 1, 1);
    return;
  }
  uint32_t from = emit_use(e, v, NULL);
  if (from == to) return; /* its producer made it there */
  struct mop ops[] = {mop_def(to), mop_use(from)};
  emit_inst(e, "COPY", ops, 2, 1);
}

static void emit_lifetime(struct emitter *e, uint32_t node, const char *name) {
  struct mop op = {.kind = MOP_STACK, .index = (uint32_t)dag_node(e->d, node)->imm};
  emit_inst(e, name, &op, 1, 0);
}

static void emit_node(struct emitter *e, uint32_t node, bool again) {
  const struct sdnode *n = dag_node(e->d, node);
  if (node_is_silent(e->d, node)) return;
  if (n->op >= OP_MACHINE) {
    emit_machine(e, node, again);
    return;
  }
  switch (n->op) {
  case OP_COPY:
  case OP_SUBREG_TO_REG:
  case OP_INSERT_SUBREG:
  case OP_EXTRACT_SUBREG: emit_pseudo(e, node); break;
  case ISD_COPYTOREG: emit_copy_to(e, node); break;
  case ISD_COPYFROMREG:
    if (n->imm) copy_from_phys(e, e->t->conv->regs[n->imm - 1], (struct sdval){node, 0});
    break;
  case ISD_LIFETIME_START: emit_lifetime(e, node, "LIFETIME_START"); break;
  case ISD_LIFETIME_END: emit_lifetime(e, node, "LIFETIME_END"); break;
  default: e->t->emit_special(e, node);
  }
}

/* ---- Flags that nobody reads --------------------------------------------------------------------- */

/* Backwards through the block: a definition of the flags is dead unless a reader follows before the next one.
 */
static void mark_dead_flags(struct emitter *e) {
  struct mblock *b = &e->mf->blocks.at[e->block];
  bool live = false;
  for (uint32_t i = b->insts.n; i-- > 0;) {
    struct minst *mi = &b->insts.at[i];
    bool reads = false;
    for (unsigned k = 0; k < mi->nops; k++) {
      struct mop *o = &mi->ops[k];
      if (o->kind != MOP_PHYS || !o->implicit || strcmp(o->text, e->t->flags_reg)) continue;
      if (!o->def)
        reads = true;
      else {
        o->dead = !live;
        live = false;
      }
    }
    live |= reads;
  }
}

/* ---- Jumps that selection decided ---------------------------------------------------------------- */

/* Nothing follows an unconditional jump. */
static void cut_after_jump(struct emitter *e) {
  struct mblock *b = &e->mf->blocks.at[e->block];
  for (uint32_t i = 0; i + 1 < b->insts.n; i++)
    if (!strcmp(b->insts.at[i].name, e->t->jump)) b->insts.n = i + 1;
}

static bool jumps_to(const struct mfunc *f, const struct mblock *b, uint32_t to) {
  for (uint32_t i = b->insts.n; i-- > 0;) {
    const struct minst *mi = &b->insts.at[i];
    for (unsigned k = 0; k < mi->nops; k++) {
      if (mi->ops[k].kind == MOP_BLOCK && mi->ops[k].index == to) return true;
      if (mi->ops[k].kind != MOP_JUMPTABLE) continue;
      const struct mjump *t = &f->jumps.at[mi->ops[k].index];
      for (uint32_t n = 0; n < t->blocks.n; n++)
        if (t->blocks.at[n] == to) return true;
    }
  }
  return false;
}

/* A branch on a constant leaves one way: the other is no successor, and brings no value to PHIs there. */
static void drop_lost_successors(struct emitter *e) {
  struct mblock *b = &e->mf->blocks.at[e->block];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < b->succs.n; i++) {
    if (jumps_to(e->mf, b, b->succs.at[i].block)) {
      b->succs.at[kept++] = b->succs.at[i];
      continue;
    }
    for (uint32_t k = e->b->edges.n; k-- > 0 && e->b->edges.at[k].from == e->block;)
      if (e->b->edges.at[k].to == b->succs.at[i].block) {
        e->b->edges.at[k] = e->b->edges.at[--e->b->edges.n];
        break;
      }
  }
  b->succs.n = kept;
}

const char *create_insts(struct builder *b, const struct schedule *s) {
  struct emitter e = {.b = b, .d = &b->dag, .mf = b->mf, .t = b->target, .block = b->block};
  uint32_t total = 0;
  e.first = ARENA_ARRAY(&b->isel->scratch, uint32_t, e.d->nodes.n + 1);
  for (uint32_t i = 1; i < e.d->nodes.n; i++) {
    e.first[i] = total;
    total += e.d->nodes.at[i].nres;
  }
  e.vregs = ARENA_ARRAY(&b->isel->scratch, uint32_t, total + 1);
  bool *done = ARENA_ARRAY(&b->isel->scratch, bool, e.d->nodes.n + 1);
  for (uint32_t i = 0; i < s->seq.n && !e.fault; i++) {
    uint32_t node = s->seq.at[i];
    emit_node(&e, node, done[node]);
    done[node] = true;
  }
  cut_after_jump(&e);
  drop_lost_successors(&e);
  mark_dead_flags(&e);
  return e.fault;
}
