/* access.c: loads and stores by parts. */
#include "access.h"
#include "model.h"
#include "util/diag.h"

struct access access_of(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  struct access a = {.chain = dag_operand(d, node, 0), .mem = *n->mem};
  switch (n->op) {
  case ISD_STORE:
  case ISD_TRUNCSTORE:
    a.value = dag_operand(d, node, 1);
    a.ptr = dag_operand(d, node, 2);
    break;
  case ISD_LOAD:
  case ISD_EXTLOAD:
  case ISD_ZEXTLOAD:
  case ISD_SEXTLOAD:
    a.ptr = dag_operand(d, node, 1);
    a.kind = n->op == ISD_ZEXTLOAD ? LOAD_ZERO : n->op == ISD_SEXTLOAD ? LOAD_SIGN : LOAD_ANY;
    break;
  default: bug("node %u is no load or store", node);
  }
  return a;
}

static struct memref part_memref(const struct access *a, vt mem, int64_t offset) {
  struct memref m = a->mem;
  m.mem = mem;
  m.ir_offset += offset;
  /* The largest power of two that divides both. */
  while (offset & (int64_t)(m.align - 1)) m.align /= 2;
  return m;
}

static struct sdval address(struct dag *d, const struct access *a, int64_t offset) {
  if (!offset) return a->ptr;
  vt type = dag_type(d, a->ptr);
  struct sdval ops[] = {a->ptr, dag_const_u64(d, vt_bits(type), (uint64_t)offset)};
  return dag_get1(d, ISD_ADD, type, ops, 2, 0);
}

struct sdval access_load(struct dag *d, const struct access *a, vt type, vt mem, int64_t offset,
                         struct sdval *chain) {
  static const uint16_t extending[] = {
      [LOAD_ANY] = ISD_EXTLOAD, [LOAD_ZERO] = ISD_ZEXTLOAD, [LOAD_SIGN] = ISD_SEXTLOAD};
  struct memref m = part_memref(a, mem, offset);
  struct sdval ops[] = {*chain, address(d, a, offset)};
  vt types[] = {type, VT_CHAIN};
  struct sdval v = dag_mem(d, type == mem ? ISD_LOAD : extending[a->kind], types, 2, ops, 2, &m);
  *chain = (struct sdval){v.node, 1};
  return v;
}

struct sdval access_store(struct dag *d, const struct access *a, struct sdval value, vt mem, int64_t offset,
                          struct sdval chain) {
  struct memref m = part_memref(a, mem, offset);
  struct sdval ops[] = {chain, value, address(d, a, offset)};
  vt type = VT_CHAIN;
  return dag_mem(d, dag_type(d, value) == mem ? ISD_STORE : ISD_TRUNCSTORE, &type, 1, ops, 3, &m);
}

bool access_in_order(const struct access *a) { return a->mem.is_volatile || a->mem.atomic; }

struct sdval access_join(struct dag *d, struct sdval first, struct sdval second) {
  return dag_get1(d, ISD_TOKENFACTOR, VT_CHAIN, (struct sdval[]){first, second}, 2, 0);
}
