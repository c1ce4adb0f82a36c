/* legalize_ext.c: truncations and extensions between types of which one is illegal, and values put together
 * from halves or taken apart. */
#include "legalize_types.h"
#include "model.h"
#include "type_legalizer.h"
#include "util/diag.h"

static vt type_of(struct type_legalizer *l, struct sdval v) { return dag_type(l->d, v); }

/* x truncated to `to`, by nodes whose source type is legal or is worked out when they are used. */
static struct sdval truncated(struct type_legalizer *l, struct sdval x, vt to) {
  struct sdval lo, hi;
  for (vt from; (from = type_of(l, x)) != to;) {
    switch (type_action(l, from)) {
    case TYPE_LEGAL: return make1(l, ISD_TRUNC, to, legal_value(l, x));
    case TYPE_PROMOTE: x = promoted_value(l, x); break;
    case TYPE_EXPAND:
      expanded_value(l, x, &lo, &hi);
      x = lo;
      break;
    }
  }
  return x;
}

static void legalize_trunc(struct type_legalizer *l, uint32_t id) {
  struct sdval v = {id, 0}, x = dag_operand(l->d, id, 0);
  vt to = type_of(l, v), from = type_of(l, x);
  if (type_action(l, to) != TYPE_PROMOTE) {
    set_same(l, v, truncated(l, x, to));
    return;
  }
  vt wide = promoted_type(l, to);
  /* Between the narrow type and the wide one, both are promoted to the wide one. */
  set_promoted(l, v, vt_bits(from) >= vt_bits(wide) ? truncated(l, x, wide) : promoted_value(l, x));
}

/* The operand of an extension in a legal type or a power of two, with the right bits above its own. */
static struct sdval extension_source(struct type_legalizer *l, uint16_t op, struct sdval x) {
  switch (type_action(l, type_of(l, x))) {
  case TYPE_LEGAL: return legal_value(l, x);
  case TYPE_PROMOTE:
    return op == ISD_ZEXT ? zero_extended(l, x) : op == ISD_SEXT ? sign_extended(l, x) : promoted_value(l, x);
  default: return x;
  }
}

static struct sdval extended(struct type_legalizer *l, uint16_t op, struct sdval x, vt to) {
  return type_of(l, x) == to ? x : make1(l, op, to, x);
}

/* The half above `lo`, which was extended by `op`. */
static struct sdval high_half(struct type_legalizer *l, uint16_t op, struct sdval lo) {
  vt half = type_of(l, lo);
  if (op == ISD_ANYEXT) return lo;
  if (op == ISD_ZEXT) return dag_const_u64(l->d, vt_bits(half), 0);
  return make2(l, ISD_SRA, half, lo, dag_const_u64(l->d, vt_bits(half), vt_bits(half) - 1));
}

static void legalize_ext(struct type_legalizer *l, uint32_t id) {
  uint16_t op = dag_node(l->d, id)->op;
  struct sdval v = {id, 0}, x = extension_source(l, op, dag_operand(l->d, id, 0));
  vt to = type_of(l, v);
  switch (type_action(l, to)) {
  case TYPE_LEGAL: set_same(l, v, extended(l, op, x, to)); break;
  case TYPE_PROMOTE: set_promoted(l, v, extended(l, op, x, promoted_type(l, to))); break;
  case TYPE_EXPAND:
    if (type_of(l, x) == to) {
      set_same(l, v, x);
    } else {
      struct sdval lo = extended(l, op, x, half_type(to));
      set_expanded(l, v, lo, high_half(l, op, lo));
    }
    break;
  }
}

static void legalize_pair(struct type_legalizer *l, uint32_t id) {
  struct sdval v = {id, 0}, lo = dag_operand(l->d, id, 0), hi = dag_operand(l->d, id, 1);
  vt type = type_of(l, v);
  if (type_action(l, type) == TYPE_EXPAND) {
    set_expanded(l, v, lo, hi);
    return;
  }
  unsigned half = vt_bits(type) / 2;
  vt wide = type_action(l, type) == TYPE_PROMOTE ? promoted_type(l, type) : type;
  struct sdval top =
      make2(l, ISD_SHL, wide, make1(l, ISD_ANYEXT, wide, hi), dag_const_u64(l->d, vt_bits(wide), half));
  struct sdval whole = make2(l, ISD_OR, wide, top, make1(l, ISD_ZEXT, wide, lo));
  if (wide == type)
    set_same(l, v, whole);
  else
    set_promoted(l, v, whole);
}

/* One half of x; `high` says which. */
static void legalize_half(struct type_legalizer *l, uint32_t id, bool high) {
  struct sdval v = {id, 0}, x = dag_operand(l->d, id, 0), lo, hi;
  vt half = type_of(l, v), whole = type_of(l, x);
  if (type_action(l, whole) == TYPE_EXPAND) {
    expanded_value(l, x, &lo, &hi);
    set_same(l, v, high ? hi : lo);
    return;
  }
  if (high) x = make2(l, ISD_SRL, whole, x, dag_const_u64(l->d, vt_bits(whole), vt_bits(half)));
  set_same(l, v, make1(l, ISD_TRUNC, half, x));
}

static void legalize_element(struct type_legalizer *l, uint32_t id) {
  struct bv index;
  if (dag_is_const(l->d, dag_operand(l->d, id, 1), &index))
    legalize_half(l, id, !bv_is_zero(index));
  else
    cannot(l, id, "extract_element with a variable index");
}

bool legalize_resize(struct type_legalizer *l, uint32_t id) {
  switch (dag_node(l->d, id)->op) {
  case ISD_TRUNC: legalize_trunc(l, id); return true;
  case ISD_ZEXT:
  case ISD_SEXT:
  case ISD_ANYEXT: legalize_ext(l, id); return true;
  case ISD_BUILD_PAIR: legalize_pair(l, id); return true;
  case ISD_EXTRACT_LO:
  case ISD_EXTRACT_HI: legalize_half(l, id, dag_node(l->d, id)->op == ISD_EXTRACT_HI); return true;
  case ISD_EXTRACT_ELEMENT: legalize_element(l, id); return true;
  default: return false;
  }
}
