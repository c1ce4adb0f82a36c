/* build_inst.c: the sequence of nodes of each IR instruction that is not a call or a switch. */
#include "build_dag.h"
#include "flags.h"
#include "util/diag.h"

static const uint16_t setcc_ops[] = {
    [IP_EQ] = ISD_SETCC_EQ,   [IP_NE] = ISD_SETCC_NE,   [IP_UGT] = ISD_SETCC_UGT, [IP_UGE] = ISD_SETCC_UGE,
    [IP_ULT] = ISD_SETCC_ULT, [IP_ULE] = ISD_SETCC_ULE, [IP_SGT] = ISD_SETCC_SGT, [IP_SGE] = ISD_SETCC_SGE,
    [IP_SLT] = ISD_SETCC_SLT, [IP_SLE] = ISD_SETCC_SLE};

uint16_t build_setcc_op(uint8_t pred) { return setcc_ops[pred]; }

static const uint16_t binary_ops[] = {
    [IR_ADD] = ISD_ADD,   [IR_SUB] = ISD_SUB,   [IR_MUL] = ISD_MUL,   [IR_UDIV] = ISD_UDIV,
    [IR_SDIV] = ISD_SDIV, [IR_UREM] = ISD_UREM, [IR_SREM] = ISD_SREM, [IR_SHL] = ISD_SHL,
    [IR_LSHR] = ISD_SRL,  [IR_ASHR] = ISD_SRA,  [IR_AND] = ISD_AND,   [IR_OR] = ISD_OR,
    [IR_XOR] = ISD_XOR};

uint16_t build_binary_op(uint8_t op) { return binary_ops[op]; }

/* ---- Memory -------------------------------------------------------------------------------------- */

static uint32_t align_at(uint32_t align, uint32_t offset) {
  uint32_t low = offset & -offset;
  return low && low < align ? low : align;
}

/* An unordered or monotonic access of a machine word is an access that nothing may touch: as a volatile one.
 */
static struct memref part_ref(struct builder *b, const struct ir_inst *i, uint32_t pointer, unsigned part) {
  uint32_t offset = i->type->offsets[part];
  struct memref m = {.mem = i->type->parts[part],
                     .align = align_at(i->mem.align, offset),
                     .is_volatile = i->mem.is_volatile || i->mem.atomic,
                     .ordering = i->mem.ordering,
                     .ir_offset = offset};
  const struct ir_value *v = ir_val(b->f, pointer);
  if (v->name || v->kind == IRV_GLOBAL) m.ir_value = pointer;
  return m;
}

static struct sdval part_address(struct builder *b, struct sdval base, uint32_t offset) {
  if (!offset) return base;
  return BUILD(b, ISD_ADD, b->pointer, 0, base, dag_const_u64(&b->dag, vt_bits(b->pointer), offset));
}

static bool build_ir_load(struct builder *b, const struct ir_inst *i) {
  struct sdval base = build_value(b, i->ops[0], 0);
  bool simple = !i->mem.is_volatile && !i->mem.atomic;
  struct sdval chain = simple ? b->chain : build_root(b);
  for (unsigned p = 0; p < i->type->nparts; p++) {
    struct memref m = part_ref(b, i, i->ops[0], p);
    struct sdval v = build_load(b, i->type->parts[p], chain, part_address(b, base, i->type->offsets[p]), &m);
    build_set(b, i->value, p, v);
    struct sdval out = {v.node, 1};
    if (simple)
      *vec_push(&b->loads) = out;
    else
      b->chain = chain = out;
  }
  return true;
}

static bool build_ir_store(struct builder *b, const struct ir_inst *i) {
  struct sdval base = build_value(b, i->ops[1], 0);
  for (unsigned p = 0; p < i->type->nparts; p++) {
    struct memref m = part_ref(b, i, i->ops[1], p);
    struct sdval v = build_value(b, i->ops[0], p);
    b->chain = build_store(b, build_root(b), v, part_address(b, base, i->type->offsets[p]), &m);
  }
  return true;
}

/* ---- Values -------------------------------------------------------------------------------------- */

static bool build_cast(struct builder *b, const struct ir_inst *i) {
  struct sdval x = build_value(b, i->ops[0], 0), out;
  vt type = i->type->parts[0];
  switch (i->op) {
  case IR_ZEXT: out = BUILD(b, ISD_ZEXT, type, i->flags, x); break;
  case IR_SEXT: out = BUILD(b, ISD_SEXT, type, 0, x); break;
  case IR_TRUNC: out = BUILD(b, ISD_TRUNC, type, i->flags, x); break;
  default: out = build_zext(b, x, type); /* ptrtoint and its kin */
  }
  build_set(b, i->value, 0, out);
  return true;
}

static bool build_select(struct builder *b, const struct ir_inst *i) {
  struct sdval c = build_value(b, i->ops[0], 0);
  for (unsigned p = 0; p < i->type->nparts; p++)
    build_set(b, i->value, p,
              BUILD(b, ISD_SELECT, i->type->parts[p], 0, c, build_value(b, i->ops[1], p),
                    build_value(b, i->ops[2], p)));
  return true;
}

static bool build_freeze(struct builder *b, const struct ir_inst *i) {
  for (unsigned p = 0; p < i->type->nparts; p++)
    build_set(b, i->value, p, BUILD(b, ISD_FREEZE, i->type->parts[p], 0, build_value(b, i->ops[0], p)));
  return true;
}

static bool build_extract(struct builder *b, const struct ir_inst *i) {
  for (uint32_t p = 0; p < i->part.count; p++)
    build_set(b, i->value, p, build_value(b, i->ops[0], i->part.first + p));
  return true;
}

static bool build_insert(struct builder *b, const struct ir_inst *i) {
  for (uint32_t p = 0; p < i->type->nparts; p++) {
    bool in = p >= i->part.first && p < i->part.first + i->part.count;
    build_set(b, i->value, p,
              in ? build_value(b, i->ops[1], p - i->part.first) : build_value(b, i->ops[0], p));
  }
  return true;
}

/* ---- Terminators --------------------------------------------------------------------------------- */

enum { HALF = 0x40000000, ALWAYS = (int)0x80000000 };

static void jump(struct builder *b, uint32_t block) {
  struct sdval ops[] = {build_control_root(b), build_block_node(b, block)};
  b->chain = build_chained(b, ISD_BR, (const vt[]){VT_CHAIN}, 1, ops, 2, 0);
  b->dag.root = b->chain;
}

static bool build_condbr(struct builder *b, const struct ir_inst *i) {
  uint32_t yes = i->blocks[0], no = i->blocks[1];
  if (yes != no) {
    struct sdval c = build_value(b, i->ops[0], 0);
    if (yes == b->block + 1 && b->isel->options->opt_level) { /* fall through to it */
      vt type = dag_type(&b->dag, c);
      c = BUILD(b, ISD_XOR, type, 0, c, dag_const_u64(&b->dag, vt_bits(type), 1));
      uint32_t other = yes;
      yes = no;
      no = other;
    }
    struct sdval ops[] = {build_control_root(b), c, build_block_node(b, yes)};
    b->chain = build_chained(b, ISD_BRCOND, (const vt[]){VT_CHAIN}, 1, ops, 3, 0);
    build_edge(b, yes, HALF);
  }
  build_edge(b, no, yes == no ? (uint32_t)ALWAYS : HALF);
  jump(b, no);
  return true;
}

bool build_inst(struct builder *b, const struct ir_inst *i) {
  switch (i->op) {
  case IR_ADD:
  case IR_SUB:
  case IR_MUL:
  case IR_UDIV:
  case IR_SDIV:
  case IR_UREM:
  case IR_SREM:
  case IR_SHL:
  case IR_LSHR:
  case IR_ASHR:
  case IR_AND:
  case IR_OR:
  case IR_XOR: {
    struct sdval x = build_value(b, i->ops[0], 0), y = build_value(b, i->ops[1], 0);
    build_set(b, i->value, 0, BUILD(b, binary_ops[i->op], i->type->parts[0], i->flags, x, y));
    return true;
  }
  case IR_TRUNC:
  case IR_ZEXT:
  case IR_SEXT:
  case IR_PTRCAST: return build_cast(b, i);
  case IR_ICMP: {
    struct sdval x = build_value(b, i->ops[0], 0), y = build_value(b, i->ops[1], 0);
    build_set(b, i->value, 0, BUILD(b, setcc_ops[i->pred], i->type->parts[0], i->flags, x, y));
    return true;
  }
  case IR_SELECT: return build_select(b, i);
  case IR_FREEZE: return build_freeze(b, i);
  case IR_GEP: build_set(b, i->value, 0, build_gep(b, i->gep, i->ops)); return true;
  case IR_ALLOCA: return true;
  case IR_LOAD: return build_ir_load(b, i);
  case IR_STORE: return build_ir_store(b, i);
  case IR_CALL: return i->call->intrinsic ? build_intrinsic(b, i) : build_call(b, i);
  case IR_EXTRACT: return build_extract(b, i);
  case IR_INSERT: return build_insert(b, i);
  case IR_BR:
    build_edge(b, i->blocks[0], (uint32_t)ALWAYS);
    jump(b, i->blocks[0]);
    return true;
  case IR_CONDBR: return build_condbr(b, i);
  case IR_SWITCH: return build_switch(b, i);
  case IR_RET: return build_return(b, i);
  case IR_UNREACHABLE: b->dag.root = build_control_root(b); return true;
  default: bug("instruction %s in the builder", ir_op_name[i->op]);
  }
}
