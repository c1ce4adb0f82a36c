/* legalize_access.c: loads and stores of values of illegal type. */
#include "access.h"
#include "model.h"
#include "type_legalizer.h"
#include "util/diag.h"

static struct sdval high_of(struct type_legalizer *l, enum load_kind kind, struct sdval lo) {
  vt half = dag_type(l->d, lo);
  if (kind == LOAD_ANY) return lo;
  if (kind == LOAD_ZERO) return dag_const_u64(l->d, vt_bits(half), 0);
  return make2(l, ISD_SRA, half, lo, dag_const_u64(l->d, vt_bits(half), vt_bits(half) - 1));
}

/* Where the halves of a value of `mem` bits lie: the low one is a whole half, the high one has the rest. */
struct layout {
  vt rest;
  int64_t lo, hi;
};

static struct layout halves_in_memory(struct type_legalizer *l, vt mem, vt half) {
  struct layout y = {.rest = VT_I(vt_bits(mem) - vt_bits(half))};
  if (l->p->big_endian)
    y.lo = vt_store_bytes(y.rest);
  else
    y.hi = vt_bits(half) / 8;
  return y;
}

static void expand_load(struct type_legalizer *l, uint32_t id, struct access *a) {
  struct sdval v = {id, 0}, out = {id, 1}, first = a->chain, lo, hi;
  vt half = half_type(dag_type(l->d, v)), mem = a->mem.mem;
  if (vt_bits(mem) <= vt_bits(half)) {
    lo = access_load(l->d, a, half, mem, 0, &first);
    hi = high_of(l, a->kind, lo);
    set_same(l, out, first);
  } else {
    struct layout y = halves_in_memory(l, mem, half);
    lo = access_load(l->d, a, half, half, y.lo, &first);
    struct sdval second = access_in_order(a) ? first : a->chain;
    hi = access_load(l->d, a, half, y.rest, y.hi, &second);
    set_same(l, out, access_in_order(a) ? second : access_join(l->d, first, second));
  }
  set_expanded(l, v, lo, hi);
}

static void legalize_load(struct type_legalizer *l, uint32_t id, struct access *a) {
  struct sdval v = {id, 0}, out = {id, 1};
  vt type = dag_type(l->d, v);
  a->chain = legal_value(l, a->chain);
  a->ptr = legal_value(l, a->ptr);
  if (type_action(l, type) == TYPE_EXPAND) {
    expand_load(l, id, a);
    return;
  }
  struct sdval chain = a->chain;
  set_promoted(l, v, access_load(l->d, a, promoted_type(l, type), a->mem.mem, 0, &chain));
  set_same(l, out, chain);
}

static void expand_store(struct type_legalizer *l, uint32_t id, struct access *a) {
  struct sdval out = {id, 0}, lo, hi;
  vt half = half_type(dag_type(l->d, a->value)), mem = a->mem.mem;
  expanded_value(l, a->value, &lo, &hi);
  if (vt_bits(mem) <= vt_bits(half)) {
    set_same(l, out, access_store(l->d, a, lo, mem, 0, a->chain));
    return;
  }
  struct layout y = halves_in_memory(l, mem, half);
  struct sdval first = access_store(l->d, a, lo, half, y.lo, a->chain);
  bool in_order = access_in_order(a);
  struct sdval second = access_store(l->d, a, hi, y.rest, y.hi, in_order ? first : a->chain);
  set_same(l, out, in_order ? second : access_join(l->d, first, second));
}

static void legalize_store(struct type_legalizer *l, uint32_t id, struct access *a) {
  struct sdval out = {id, 0};
  a->chain = legal_value(l, a->chain);
  a->ptr = legal_value(l, a->ptr);
  if (type_action(l, dag_type(l->d, a->value)) == TYPE_EXPAND) {
    expand_store(l, id, a);
    return;
  }
  set_same(l, out, access_store(l->d, a, promoted_value(l, a->value), a->mem.mem, 0, a->chain));
}

bool legalize_access(struct type_legalizer *l, uint32_t id) {
  const struct sdnode *n = dag_node(l->d, id);
  bool store = n->op == ISD_STORE || n->op == ISD_TRUNCSTORE;
  if (!store && n->op != ISD_LOAD && n->op != ISD_EXTLOAD && n->op != ISD_ZEXTLOAD && n->op != ISD_SEXTLOAD)
    return false;
  vt type = store ? dag_type(l->d, dag_operand(l->d, id, 1)) : n->types[0];
  if (type_action(l, type) == TYPE_LEGAL) return false;
  struct access a = access_of(l->d, id);
  if (store)
    legalize_store(l, id, &a);
  else
    legalize_load(l, id, &a);
  return true;
}
