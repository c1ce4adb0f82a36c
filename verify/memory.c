/* memory.c: memory as bytes. A state is a list of written bytes over the initial memory; the initial memory
 * is one input per address that is read, made consistent by "equal addresses, equal bytes". Addresses are
 * compared by simplifying their difference, so that constant offsets from one base are decided without a
 * solver. */
#include "obligation.h"

enum relation { SAME, APART, OPEN };

static enum relation relate(struct obligation *o, Z3_ast a, Z3_ast b) {
  struct bv v;
  if (a == b) return SAME;
  Z3_ast d = Z3_simplify(o->c, Z3_mk_bvsub(o->c, a, b));
  if (!smt_value(o->c, d, &v)) return OPEN;
  return bv_is_zero(v) ? SAME : APART;
}

static Z3_ast offset(struct obligation *o, Z3_ast addr, unsigned by) {
  if (!by) return addr;
  return Z3_mk_bvadd(o->c, addr, smt_const_bv(o->c, bv_u64(smt_width(o->c, addr), by)));
}

/* The three inputs of the byte at an address of the initial memory. */
static uint32_t initial(struct obligation *o, Z3_ast addr) {
  for (uint32_t i = 0; i < o->inputs.n; i++)
    if (o->inputs.at[i].role == IN_BYTE && relate(o, o->inputs.at[i].addr, addr) == SAME) return i;
  Z3_context c = o->c;
  uint32_t at = o->inputs.n;
  new_input(o, (struct input){.role = IN_BYTE, .name = "byte", .var = -1, .addr = addr}, 8);
  new_input(o, (struct input){.role = IN_BYTE_POISON, .name = "byte.poison", .var = -1, .addr = addr}, 0);
  new_input(o, (struct input){.role = IN_BYTE_OK, .name = "byte.accessible", .var = -1, .addr = addr}, 0);
  for (uint32_t i = 0; i < at; i++) {
    const struct input *b = &o->inputs.at[i];
    if (b->role != IN_BYTE || relate(o, b->addr, addr) != OPEN) continue;
    Z3_ast same[3] = {Z3_mk_eq(c, b->term, o->inputs.at[at].term),
                      Z3_mk_iff(c, b[1].term, o->inputs.at[at + 1].term),
                      Z3_mk_iff(c, b[2].term, o->inputs.at[at + 2].term)};
    *vec_push(&o->assume) = Z3_mk_implies(c, Z3_mk_eq(c, b->addr, addr), Z3_mk_and(c, 3, same));
  }
  return at;
}

/* The byte at an address after the writes of a state. */
static void read_byte(struct obligation *o, const struct write *mem, Z3_ast addr, Z3_ast *byte,
                      Z3_ast *poison) {
  if (!mem) {
    uint32_t at = initial(o, addr);
    *byte = o->inputs.at[at].term;
    *poison = o->inputs.at[at + 1].term;
    return;
  }
  enum relation rel = relate(o, mem->addr, addr);
  if (rel == SAME) {
    *byte = mem->byte;
    *poison = mem->poison;
    return;
  }
  read_byte(o, mem->older, addr, byte, poison);
  if (rel == APART) return;
  Z3_ast same = Z3_mk_eq(o->c, mem->addr, addr);
  *byte = Z3_mk_ite(o->c, same, mem->byte, *byte);
  *poison = Z3_mk_ite(o->c, same, mem->poison, *poison);
}

static void access(struct side *s, Z3_ast addr) {
  struct obligation *o = s->o;
  uint32_t at = initial(o, addr); /* may move the inputs */
  s->ub = smt_or2(o->c, s->ub, smt_not(o->c, o->inputs.at[at + 2].term));
}

static Z3_ast little(struct obligation *o) {
  if (o->target) return o->target->big_endian ? Z3_mk_false(o->c) : Z3_mk_true(o->c);
  for (uint32_t i = 0; i < o->inputs.n; i++)
    if (o->inputs.at[i].role == IN_LITTLE) return o->inputs.at[i].term;
  return new_input(o, (struct input){.role = IN_LITTLE, .name = "little-endian", .var = -1}, 0);
}

/* Of two terms, the one for the machine's byte order. */
static Z3_ast by_order(struct obligation *o, Z3_ast if_little, Z3_ast if_big) {
  Z3_ast l = little(o);
  Z3_lbool known = Z3_get_bool_value(o->c, l);
  if (if_little == if_big) return if_little;
  return known == Z3_L_TRUE    ? if_little
         : known == Z3_L_FALSE ? if_big
                               : Z3_mk_ite(o->c, l, if_little, if_big);
}

Z3_ast memory_read(struct side *s, const struct write *mem, Z3_ast addr, unsigned bytes, Z3_ast *poison) {
  struct obligation *o = s->o;
  Z3_ast up = NULL, down = NULL;
  for (unsigned i = 0; i < bytes; i++) {
    Z3_ast byte, bad, at = offset(o, addr, i);
    access(s, at);
    read_byte(o, mem, at, &byte, &bad);
    up = up ? Z3_mk_concat(o->c, byte, up) : byte;
    down = down ? Z3_mk_concat(o->c, down, byte) : byte;
    if (poison) *poison = smt_or2(o->c, *poison, bad);
  }
  return by_order(o, up, down);
}

const struct write *memory_write(struct side *s, const struct write *mem, Z3_ast addr, Z3_ast value,
                                 Z3_ast poison) {
  struct obligation *o = s->o;
  unsigned bytes = smt_width(o->c, value) / 8;
  for (unsigned i = 0; i < bytes; i++) {
    unsigned j = bytes - 1 - i;
    struct write *w = ARENA_NEW(&o->arena, struct write);
    w->older = mem;
    w->addr = offset(o, addr, i);
    w->byte = by_order(o, Z3_mk_extract(o->c, 8 * i + 7, 8 * i, value),
                       Z3_mk_extract(o->c, 8 * j + 7, 8 * j, value));
    w->poison = poison ? poison : Z3_mk_false(o->c);
    access(s, w->addr);
    mem = w;
  }
  return mem;
}

/* Both sides agree on every byte that either wrote, where the left one is not poison. */
static Z3_ast bytes_refine(struct obligation *o, const struct write *list, Z3_ast claim) {
  Z3_context c = o->c;
  for (const struct write *w = list; w; w = w->older) {
    Z3_ast lb, lp, rb, rp;
    read_byte(o, o->left.mem, w->addr, &lb, &lp);
    read_byte(o, o->right.mem, w->addr, &rb, &rp);
    if (lb == rb && lp == rp) continue;
    Z3_ast good = smt_and2(c, smt_not(c, rp), Z3_mk_eq(c, lb, rb));
    claim = smt_and2(c, claim, Z3_mk_implies(c, smt_not(c, lp), good));
  }
  return claim;
}

void memory_refines(struct obligation *o) {
  if (o->left.mem == o->right.mem) return;
  Z3_ast claim = bytes_refine(o, o->right.mem, bytes_refine(o, o->left.mem, NULL));
  if (!claim) return;
  Z3_context c = o->c;
  Z3_ast premise =
      smt_and2(c, o->left.ub ? smt_not(c, o->left.ub) : NULL, o->right.ub ? smt_not(c, o->right.ub) : NULL);
  *vec_push(&o->clauses) = (struct clause){CLAUSE_MEMORY, premise ? premise : Z3_mk_true(c), claim};
}
