/* dag.c: construction, hash-consing, replacement and deletion. Every node but those with glue, with effects
 * that may not merge, or volatile accesses sits in one hash table; a node leaves the table before an operand
 * changes and enters it again afterwards, where it may meet an equal node and merge into it. */
#include "dag.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

/* sdnode.dead. A merged node's `became` names the node that it became, for good. */
enum { ALIVE = 0, DEAD = 1, MERGED = 2 };
/* Wider nodes (TokenFactors of many loads) are never merged, so that changing one operand costs the same at
 * any width. */
enum { MERGE_MAX_OPERANDS = 16, TOKENS_MAX_OPERANDS = 4096 };
enum { FIRST_BUCKETS = 128, KEPT_BUCKETS = 1024 };

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

/* ---- What may merge ------------------------------------------------------------------------------- */

static const struct op_desc *desc_of(uint16_t op) { return op < OP_COUNT ? &op_descs[op] : NULL; }

static bool is_comm(uint16_t op) {
  const struct op_desc *o = desc_of(op);
  return o && o->comm;
}

static bool has_memref(const struct sdnode *n) {
  const struct op_desc *o = desc_of(n->op);
  return o && o->mem && n->mem != NULL;
}

static bool is_wide_const(const struct sdnode *n) {
  return n->op == ISD_CONSTANT && vt_bits(n->types[0]) > 64;
}

/* Nodes with glue are one unit with their user; a chain result means an effect, which merges only when
 * doing it twice from one state is the same as doing it once. */
static bool may_merge(const struct sdnode *n) {
  if (n->op == ISD_ENTRYTOKEN || n->nmemrefs || n->nops > MERGE_MAX_OPERANDS) return false;
  for (unsigned i = 0; i < n->nres; i++) {
    if (n->types[i] == VT_GLUE) return false;
    if (n->types[i] != VT_CHAIN) continue;
    if (n->op == ISD_TOKENFACTOR || n->op == ISD_COPYFROMREG) continue;
    if (!has_memref(n) || n->mem->is_volatile || n->mem->atomic) return false;
  }
  return true;
}

/* ---- Hashing -------------------------------------------------------------------------------------- */

static uint64_t hash_payload(const struct sdnode *n) {
  if (is_wide_const(n)) {
    uint64_t h = n->wide->width;
    for (unsigned i = 0; i < (n->wide->width + 63) / 64; i++) h = mix(h, n->wide->limb[i]);
    return h;
  }
  return has_memref(n) ? n->mem->mem : n->imm;
}

static uint64_t hash_use(struct sdval v) { return mix(v.res + 1, v.node); }

static uint32_t hash_node(const struct sdnode *n, const struct sdval *ops) {
  uint64_t h = mix(n->op, (uint64_t)(uintptr_t)n->types);
  unsigned i = 0;
  if (n->nops >= 2 && is_comm(n->op)) {
    h = mix(h, hash_use(ops[0]) + hash_use(ops[1]));
    i = 2;
  }
  for (; i < n->nops; i++) h = mix(h, hash_use(ops[i]));
  h = mix(h, hash_payload(n));
  return (uint32_t)(h ^ h >> 32);
}

/* Operands of a stored node, copied so that a node under construction and a stored one look alike. */
struct oplist {
  struct sdval small[8], *at;
};

static const struct sdval *ops_of(const struct dag *d, const struct sdnode *n, struct oplist *l) {
  l->at = n->nops <= 8 ? l->small : malloc(sizeof(struct sdval) * n->nops);
  if (!l->at) bug("out of memory");
  for (unsigned i = 0; i < n->nops; i++) l->at[i] = d->uses.at[n->ops + i].val;
  return l->at;
}

static void ops_done(struct oplist *l) {
  if (l->at != l->small) free(l->at);
}

static uint32_t hash_stored(const struct dag *d, const struct sdnode *n) {
  struct oplist l = {0};
  uint32_t h = hash_node(n, ops_of(d, n, &l));
  ops_done(&l);
  return h;
}

static bool same_payload(const struct sdnode *a, const struct sdnode *b) {
  if (is_wide_const(a)) return bv_eq(*a->wide, *b->wide);
  if (!has_memref(a)) return a->imm == b->imm;
  return has_memref(b) && a->mem->mem == b->mem->mem;
}

static bool same_node(const struct dag *d, const struct sdnode *stored, const struct sdnode *n,
                      const struct sdval *ops) {
  if (stored->op != n->op || stored->nops != n->nops || stored->types != n->types) return false;
  if (!same_payload(stored, n)) return false;
  const struct sduse *u = &d->uses.at[stored->ops];
  unsigned i = 0;
  if (n->nops >= 2 && is_comm(n->op)) {
    bool straight = sd_eq(u[0].val, ops[0]) && sd_eq(u[1].val, ops[1]);
    bool crossed = sd_eq(u[0].val, ops[1]) && sd_eq(u[1].val, ops[0]);
    if (!straight && !crossed) return false;
    i = 2;
  }
  for (; i < n->nops; i++)
    if (!sd_eq(u[i].val, ops[i])) return false;
  return true;
}

/* The table is open: an entry lies at its hash's bucket or in the run of full buckets behind it. The hash
 * beside the id tells unequal nodes apart without a look at them, and moves entries without one. */
static void table_put(struct dag_bucket *at, uint32_t mask, struct dag_bucket entry) {
  uint32_t slot = entry.hash & mask;
  while (at[slot].id) slot = (slot + 1) & mask;
  at[slot] = entry;
}

static void table_grow(struct dag *d) {
  uint32_t n = d->nbuckets * 2;
  struct dag_bucket *to = calloc(n, sizeof *to);
  if (!to) bug("out of memory");
  for (uint32_t b = 0; b < d->nbuckets; b++)
    if (d->buckets[b].id) table_put(to, n - 1, d->buckets[b]);
  free(d->buckets);
  d->buckets = to;
  d->nbuckets = n;
}

static uint32_t table_find(const struct dag *d, const struct sdnode *n, const struct sdval *ops,
                           uint32_t hash) {
  uint32_t mask = d->nbuckets - 1;
  for (uint32_t slot = hash & mask; d->buckets[slot].id; slot = (slot + 1) & mask) {
    uint32_t id = d->buckets[slot].id;
    if (d->buckets[slot].hash == hash && same_node(d, dag_node(d, id), n, ops)) return id;
  }
  return 0;
}

static void table_insert(struct dag *d, uint32_t id, uint32_t hash) {
  if (d->nhashed >= d->nbuckets / 2) table_grow(d);
  table_put(d->buckets, d->nbuckets - 1, (struct dag_bucket){.id = id, .hash = hash});
  d->nhashed++;
}

/* Empties a bucket, and moves the entries behind it that would no longer be found. */
static void table_close(struct dag *d, uint32_t hole) {
  uint32_t mask = d->nbuckets - 1;
  for (uint32_t slot = (hole + 1) & mask; d->buckets[slot].id; slot = (slot + 1) & mask) {
    uint32_t from_home = (slot - d->buckets[slot].hash) & mask, from_hole = (slot - hole) & mask;
    if (from_home < from_hole) continue;
    d->buckets[hole] = d->buckets[slot];
    hole = slot;
  }
  d->buckets[hole] = (struct dag_bucket){0};
}

/* Takes the node out of the table; false when it was not in it. */
static bool table_remove(struct dag *d, uint32_t id) {
  struct sdnode *n = dag_node(d, id);
  if (!may_merge(n)) return false;
  uint32_t mask = d->nbuckets - 1, slot = hash_stored(d, n) & mask;
  while (d->buckets[slot].id && d->buckets[slot].id != id) slot = (slot + 1) & mask;
  if (!d->buckets[slot].id) return false;
  table_close(d, slot);
  d->nhashed--;
  return true;
}

/* ---- Use lists ------------------------------------------------------------------------------------ */

static void use_link(struct dag *d, uint32_t use, struct sdval v) {
  struct sduse *u = &d->uses.at[use];
  u->val = v;
  u->next = u->prev = 0;
  struct sdnode *n = dag_node(d, v.node);
  if (n->dead == DEAD || v.res >= n->nres)
    bug("operand names node %u result %u, which does not exist", v.node, v.res);
  u->next = n->first_use;
  if (n->first_use) d->uses.at[n->first_use].prev = use;
  n->first_use = use;
  n->nuses++;
}

static void use_unlink(struct dag *d, uint32_t use) {
  struct sduse *u = &d->uses.at[use];
  if (!u->val.node) return;
  struct sdnode *n = dag_node(d, u->val.node);
  if (u->prev)
    d->uses.at[u->prev].next = u->next;
  else
    n->first_use = u->next;
  if (u->next) d->uses.at[u->next].prev = u->prev;
  n->nuses--;
  u->val = SDNONE;
  u->next = u->prev = 0;
}

/* Room for n operands of `node`, linked to their values. */
static uint32_t link_operands(struct dag *d, uint32_t node, const struct sdval *ops, unsigned n) {
  uint32_t first = d->uses.n;
  for (unsigned i = 0; i < n; i++) {
    *vec_push(&d->uses) = (struct sduse){.user = node};
    use_link(d, first + i, ops[i]);
  }
  return first;
}

static void tell(struct dag *d, uint32_t node, bool deleted) {
  const struct sdnode *n = dag_node(d, node);
  dag_node(d, node)->settled = false;
  if (deleted)
    for (unsigned i = 0; i < n->nops; i++) dag_node(d, dag_operand(d, node, i).node)->settled = false;
  if (d->listen) d->listen(d->listener, node, deleted);
}

/* ---- Construction --------------------------------------------------------------------------------- */

/* An empty table. One that a large block has grown is not cleared for the small ones that follow. */
static void table_clear(struct dag *d) {
  if (d->nbuckets > KEPT_BUCKETS || !d->buckets) {
    free(d->buckets);
    d->nbuckets = FIRST_BUCKETS;
    d->buckets = calloc(d->nbuckets, sizeof *d->buckets);
    if (!d->buckets) bug("out of memory");
  } else
    memset(d->buckets, 0, d->nbuckets * sizeof *d->buckets);
  if (d->ntype_table) memset(d->type_table, 0, d->ntype_table * sizeof *d->type_table);
  d->nhashed = 0;
}

void dag_init(struct dag *d, struct arena *arena) {
  *d = (struct dag){.arena = arena,
                    .nodes = {d->nodes.at, 0, d->nodes.cap},
                    .uses = {d->uses.at, 0, d->uses.cap},
                    .buckets = d->buckets,
                    .nbuckets = d->nbuckets,
                    .type_lists = {d->type_lists.at, 0, d->type_lists.cap},
                    .type_table = d->type_table,
                    .ntype_table = d->ntype_table};
  table_clear(d);
  *vec_push(&d->nodes) = (struct sdnode){.dead = DEAD};
  *vec_push(&d->uses) = (struct sduse){.user = 0};
  vt chain = VT_CHAIN;
  d->entry = dag_get(d, ISD_ENTRYTOKEN, &chain, 1, NULL, 0, 0, 0);
  d->root = d->entry;
}

void dag_free(struct dag *d) {
  vec_free(&d->nodes);
  vec_free(&d->uses);
  vec_free(&d->type_lists);
  free(d->type_table);
  free(d->buckets);
  d->type_table = NULL;
  d->buckets = NULL;
  d->nbuckets = d->ntype_table = 0;
}

static uint32_t hash_types(const vt *types, unsigned n) {
  uint64_t h = n;
  for (unsigned i = 0; i < n; i++) h = mix(h, types[i]);
  return (uint32_t)(h ^ h >> 32);
}

static void type_table_grow(struct dag *d) {
  uint32_t n = d->ntype_table ? d->ntype_table * 2 : 64;
  free(d->type_table);
  d->type_table = calloc(n, sizeof *d->type_table);
  if (!d->type_table) bug("out of memory");
  d->ntype_table = n;
  for (uint32_t i = 0; i < d->type_lists.n; i++) {
    uint32_t h = hash_types(d->type_lists.at[i].types, d->type_lists.at[i].n);
    while (d->type_table[h & (n - 1)]) h++;
    d->type_table[h & (n - 1)] = i + 1;
  }
}

const vt *dag_types(struct dag *d, const vt *types, unsigned n) {
  if (d->type_lists.n * 2 >= d->ntype_table) type_table_grow(d);
  uint32_t h = hash_types(types, n);
  for (uint32_t slot; (slot = d->type_table[h & (d->ntype_table - 1)]); h++) {
    const struct sdtypes *l = &d->type_lists.at[slot - 1];
    if (l->n == n && !memcmp(l->types, types, n * sizeof *types)) return l->types;
  }
  vt *copy = ARENA_ARRAY(d->arena, vt, n ? n : 1);
  memcpy(copy, types, n * sizeof *types);
  *vec_push(&d->type_lists) = (struct sdtypes){.types = copy, .n = n};
  d->type_table[h & (d->ntype_table - 1)] = d->type_lists.n;
  return copy;
}

/* An equal node was asked for: it now stands for both, so it keeps only the promises that both make. */
static void absorb(struct dag *d, uint32_t id, uint16_t flags, const struct memref *mem) {
  struct sdnode *n = dag_node(d, id);
  if (d->order && d->order < n->order) n->order = d->order;
  bool changed = (n->flags & flags) != n->flags;
  n->flags &= flags;
  if (mem && mem->align > n->mem->align) {
    /* The access happens in this state, so both alignments are facts about the address. */
    struct memref *m = ARENA_NEW(d->arena, struct memref);
    *m = *n->mem;
    m->align = mem->align;
    n->mem = m;
  }
  if (changed) tell(d, id, false);
}

static struct sdval make(struct dag *d, struct sdnode *proto, const struct sdval *ops) {
  struct sdval swapped[2];
  if (proto->nops == 2 && is_comm(proto->op) && dag_opcode(d, ops[0]) == ISD_CONSTANT &&
      dag_opcode(d, ops[1]) != ISD_CONSTANT) {
    swapped[0] = ops[1], swapped[1] = ops[0];
    ops = swapped;
  }
  bool merge = may_merge(proto);
  uint32_t hash = merge ? hash_node(proto, ops) : 0;
  uint32_t id = merge ? table_find(d, proto, ops, hash) : 0;
  if (id) {
    absorb(d, id, proto->flags, has_memref(proto) ? proto->mem : NULL);
    return (struct sdval){id, 0};
  }
  id = d->nodes.n;
  proto->order = d->order, proto->loc = d->loc, proto->place = d->place;
  if (is_wide_const(proto)) {
    struct bv *copy = ARENA_NEW(d->arena, struct bv);
    *copy = *proto->wide;
    proto->wide = copy;
  } else if (has_memref(proto)) {
    struct memref *copy = ARENA_NEW(d->arena, struct memref);
    *copy = *proto->mem;
    proto->mem = copy;
  }
  *vec_push(&d->nodes) = *proto;
  uint32_t first = link_operands(d, id, ops, proto->nops);
  dag_node(d, id)->ops = first;
  d->live++;
  if (merge) table_insert(d, id, hash);
  tell(d, id, false);
  return (struct sdval){id, 0};
}

/* A token of very many chains, as a tree. */
static struct sdval token_tree(struct dag *d, const struct sdval *ops, unsigned nops) {
  VEC(struct sdval) tokens = {0};
  vt chain = VT_CHAIN;
  for (unsigned at = 0; at < nops; at += TOKENS_MAX_OPERANDS) {
    unsigned n = nops - at < TOKENS_MAX_OPERANDS ? nops - at : TOKENS_MAX_OPERANDS;
    *vec_push(&tokens) = dag_get(d, ISD_TOKENFACTOR, &chain, 1, ops + at, n, 0, 0);
  }
  struct sdval v = dag_get(d, ISD_TOKENFACTOR, &chain, 1, tokens.at, tokens.n, 0, 0);
  vec_free(&tokens);
  return v;
}

struct sdval dag_get(struct dag *d, uint16_t op, const vt *types, unsigned nres, const struct sdval *ops,
                     unsigned nops, uint16_t flags, uint64_t payload) {
  if (op == ISD_TOKENFACTOR && nops > TOKENS_MAX_OPERANDS) return token_tree(d, ops, nops);
  if (nops > UINT16_MAX || nres > UINT8_MAX)
    bug("%s with %u operands, %u results", desc_of(op) ? desc_of(op)->name : "node", nops, nres);
  struct sdnode proto = {
      .op = op, .nres = (uint8_t)nres, .nops = (uint16_t)nops, .flags = flags, .imm = payload};
  proto.types = dag_types(d, types, nres);
  return make(d, &proto, ops);
}

struct sdval dag_get1(struct dag *d, uint16_t op, vt type, const struct sdval *ops, unsigned nops,
                      uint16_t flags) {
  return dag_get(d, op, &type, 1, ops, nops, flags, 0);
}

struct sdval dag_const(struct dag *d, struct bv value) {
  struct sdnode proto = {.op = ISD_CONSTANT, .nres = 1};
  vt type = VT_I(value.width);
  proto.types = dag_types(d, &type, 1);
  if (value.width > 64)
    proto.wide = &value;
  else
    proto.imm = bv_to_u64(value);
  return make(d, &proto, NULL);
}

struct sdval dag_const_u64(struct dag *d, unsigned bits, uint64_t value) {
  return dag_const(d, bv_u64(bits, value));
}

bool dag_is_const(const struct dag *d, struct sdval v, struct bv *out) {
  const struct sdnode *n = dag_node(d, v.node);
  if (n->op != ISD_CONSTANT) return false;
  if (!out) return true;
  if (is_wide_const(n)) {
    *out = *n->wide;
  } else { /* only the first limb of a narrow value means anything */
    out->width = vt_bits(n->types[0]);
    out->limb[0] = n->imm;
  }
  return true;
}

struct sdval dag_mem(struct dag *d, uint16_t op, const vt *types, unsigned nres, const struct sdval *ops,
                     unsigned nops, const struct memref *mem) {
  struct sdnode proto = {.op = op, .nres = (uint8_t)nres, .nops = (uint16_t)nops, .mem = mem};
  proto.types = dag_types(d, types, nres);
  return make(d, &proto, ops);
}

/* ---- Deletion ------------------------------------------------------------------------------------- */

/* Unlinks the operands; those that lose their last use are pushed on the stack of ids threaded through topo.
 */
static void drop_operands(struct dag *d, uint32_t id, uint32_t *stack) {
  struct sdnode *n = dag_node(d, id);
  for (unsigned i = 0; i < n->nops; i++) {
    struct sdval v = d->uses.at[n->ops + i].val;
    use_unlink(d, n->ops + i);
    struct sdnode *o = dag_node(d, v.node);
    if (!stack || !v.node || o->nuses || o->dead || v.node == d->root.node || v.node == d->entry.node)
      continue;
    o->dead = DEAD;
    o->topo = *stack;
    *stack = v.node;
  }
  n->nops = 0;
}

void dag_delete_dead(struct dag *d, uint32_t node) {
  struct sdnode *n = dag_node(d, node);
  if (n->dead || n->nuses || node == d->root.node || node == d->entry.node) return;
  n->dead = DEAD;
  n->topo = 0;
  for (uint32_t stack = node; stack;) {
    uint32_t id = stack;
    stack = dag_node(d, id)->topo;
    table_remove(d, id);
    tell(d, id, true); /* with its operands still in place */
    drop_operands(d, id, &stack);
    d->live--;
  }
}

void dag_sweep(struct dag *d) {
  for (uint32_t id = d->nodes.n; --id;)
    if (!dag_node(d, id)->dead && !dag_node(d, id)->nuses) dag_delete_dead(d, id);
}

/* ---- Replacement ---------------------------------------------------------------------------------- */

struct redirect {
  struct sdval from, to;
};

/* A running replacement: what is still to be redirected, and the nodes that merged into others on the way. A
 * merged node has no operands, and its `became` names the node that it became. */
struct replacing {
  struct dag *d;
  VEC(struct redirect) todo;
  VEC(uint32_t) merged;
};

struct sdval dag_forward(const struct dag *d, struct sdval v) {
  while (dag_node(d, v.node)->dead == MERGED) v.node = dag_node(d, v.node)->became;
  return v;
}

static void merge_into(struct replacing *r, uint32_t id, uint32_t equal) {
  struct dag *d = r->d;
  struct sdnode *n = dag_node(d, id);
  absorb(d, equal, n->flags, has_memref(n) ? n->mem : NULL);
  drop_operands(d, id, NULL);
  n = dag_node(d, id);
  n->dead = MERGED;
  n->became = equal;
  *vec_push(&r->merged) = id;
  for (unsigned i = 0; i < n->nres; i++) *vec_push(&r->todo) = (struct redirect){{id, i}, {equal, i}};
}

/* Puts a changed node back into the table, or merges it into the equal one that is there. */
static void reinsert(struct replacing *r, uint32_t id) {
  struct dag *d = r->d;
  struct sdnode *n = dag_node(d, id);
  if (n->nops == 2 && is_comm(n->op)) {
    struct sdval a = dag_operand(d, id, 0), b = dag_operand(d, id, 1);
    if (dag_opcode(d, a) == ISD_CONSTANT && dag_opcode(d, b) != ISD_CONSTANT) {
      use_unlink(d, n->ops), use_unlink(d, n->ops + 1);
      use_link(d, n->ops, b), use_link(d, n->ops + 1, a);
    }
  }
  if (!may_merge(n)) {
    tell(d, id, false);
    return;
  }
  struct oplist l = {0};
  const struct sdval *ops = ops_of(d, n, &l);
  uint32_t hash = hash_node(n, ops);
  uint32_t equal = table_find(d, n, ops, hash);
  ops_done(&l);
  if (equal) {
    merge_into(r, id, equal);
  } else {
    table_insert(d, id, hash);
    tell(d, id, false);
  }
}

/* Points uses of `from` in the owner of `use` to `to`: all of them when the node is hashed, since it is
 * hashed again only when it is whole; else this one. */
static void redirect_use(struct replacing *r, uint32_t use, struct sdval from, struct sdval to) {
  struct dag *d = r->d;
  uint32_t user = d->uses.at[use].user;
  struct sdnode *n = dag_node(d, user);
  if (user == to.node) bug("node %u would become its own operand", user);
  if (!may_merge(n)) {
    use_unlink(d, use);
    use_link(d, use, to);
    tell(d, user, false);
    return;
  }
  table_remove(d, user);
  for (unsigned i = 0; i < n->nops; i++) {
    if (!sd_eq(d->uses.at[n->ops + i].val, from)) continue;
    use_unlink(d, n->ops + i);
    use_link(d, n->ops + i, to);
  }
  reinsert(r, user);
}

static void redirect_all(struct replacing *r, struct sdval from, struct sdval to) {
  struct dag *d = r->d;
  /* Uses of the node's other results stay in the list; `at` walks past them. Redirecting a user may remove
   * any of the uses at or after the walk's place, but only uses of `from` or of a user that merged: start
   * again then. */
  for (uint32_t at = dag_node(d, from.node)->first_use; at;) {
    struct sduse *u = &d->uses.at[at];
    if (u->val.res != from.res) {
      at = u->next;
      continue;
    }
    uint32_t before = u->prev, nmerged = r->merged.n;
    to = dag_forward(d, to);
    redirect_use(r, at, from, to);
    bool kept = before && r->merged.n == nmerged && d->uses.at[before].val.node == from.node &&
                d->uses.at[before].val.res != from.res;
    at = kept ? d->uses.at[before].next : dag_node(d, from.node)->first_use;
  }
  if (sd_eq(d->root, from)) d->root = dag_forward(d, to);
}

static void run(struct replacing *r) {
  struct dag *d = r->d;
  for (uint32_t i = 0; i < r->todo.n; i++) {
    struct redirect p = r->todo.at[i];
    redirect_all(r, p.from, dag_forward(d, p.to));
  }
  for (uint32_t i = 0; i < r->merged.n; i++) {
    uint32_t id = r->merged.at[i];
    struct sdnode *n = dag_node(d, id);
    if (n->nuses) bug("node %u is merged but used", id);
    d->live--;
    tell(d, id, true);
  }
  vec_free(&r->todo);
  vec_free(&r->merged);
}

void dag_replace_value(struct dag *d, struct sdval from, struct sdval to) {
  if (sd_eq(from, to)) return;
  if (dag_type(d, from) != dag_type(d, to))
    bug("node %u replaced by node %u of another type", from.node, to.node);
  struct replacing r = {.d = d};
  *vec_push(&r.todo) = (struct redirect){from, to};
  run(&r);
}

void dag_replace_node(struct dag *d, uint32_t from, const struct sdval *to, unsigned n) {
  if (n != dag_node(d, from)->nres) bug("node %u has %u results, not %u", from, dag_node(d, from)->nres, n);
  struct replacing r = {.d = d};
  for (unsigned i = 0; i < n; i++) {
    struct sdval v = {from, i};
    if (!to[i].node || sd_eq(v, to[i])) continue;
    if (dag_type(d, v) != dag_type(d, to[i]))
      bug("node %u replaced by node %u of another type", from, to[i].node);
    *vec_push(&r.todo) = (struct redirect){v, to[i]};
  }
  run(&r);
}

void dag_set_operands(struct dag *d, uint32_t node, const struct sdval *ops) {
  struct replacing r = {.d = d};
  table_remove(d, node);
  struct sdnode *n = dag_node(d, node);
  for (unsigned i = 0; i < n->nops; i++) {
    if (sd_eq(d->uses.at[n->ops + i].val, ops[i])) continue;
    use_unlink(d, n->ops + i);
    use_link(d, n->ops + i, ops[i]);
  }
  reinsert(&r, node);
  run(&r);
}

void dag_set_operand(struct dag *d, uint32_t node, unsigned i, struct sdval v) {
  struct sdnode *n = dag_node(d, node);
  if (sd_eq(d->uses.at[n->ops + i].val, v)) return;
  if (!may_merge(n)) {
    use_unlink(d, n->ops + i);
    use_link(d, n->ops + i, v);
    tell(d, node, false);
    return;
  }
  struct oplist l = {0};
  ops_of(d, n, &l);
  l.at[i] = v;
  dag_set_operands(d, node, l.at);
  ops_done(&l);
}

void dag_morph(struct dag *d, uint32_t node, uint16_t op, const vt *types, unsigned nres,
               const struct sdval *ops, unsigned nops, uint64_t payload) {
  table_remove(d, node);
  struct sdnode *n = dag_node(d, node);
  for (uint32_t u = n->first_use; u; u = d->uses.at[u].next)
    if (d->uses.at[u].val.res >= nres)
      bug("result %u of node %u is used but gone", d->uses.at[u].val.res, node);
  /* Link the new operands before the old ones go, so that shared ones never look dead. */
  uint32_t old = n->ops, nold = n->nops;
  uint32_t first = link_operands(d, node, ops, nops);
  for (uint32_t i = 0; i < nold; i++) use_unlink(d, old + i);
  n->ops = first;
  n->op = op;
  n->types = dag_types(d, types, nres);
  n->nres = (uint8_t)nres;
  n->nops = (uint16_t)nops;
  n->imm = payload;
  n->flags = 0;
  if (may_merge(n)) {
    struct oplist l = {0};
    const struct sdval *stored = ops_of(d, n, &l);
    uint32_t hash = hash_node(n, stored);
    if (!table_find(d, n, stored, hash)) table_insert(d, node, hash);
    ops_done(&l);
  }
  tell(d, node, false);
}

/* ---- Questions ------------------------------------------------------------------------------------ */

unsigned dag_num_uses(const struct dag *d, struct sdval v) {
  const struct sdnode *n = dag_node(d, v.node);
  if (n->nres == 1) return n->nuses;
  unsigned count = 0;
  for (uint32_t u = n->first_use; u; u = d->uses.at[u].next) count += d->uses.at[u].val.res == v.res;
  return count;
}

bool dag_has_one_use(const struct dag *d, struct sdval v) {
  const struct sdnode *n = dag_node(d, v.node);
  if (n->nuses <= 1 || n->nres == 1) return n->nuses == 1 && d->uses.at[n->first_use].val.res == v.res;
  unsigned count = 0;
  for (uint32_t u = n->first_use; u && count < 2; u = d->uses.at[u].next)
    count += d->uses.at[u].val.res == v.res;
  return count == 1;
}

struct visit {
  uint32_t node, next; /* operand to look at next */
};

uint32_t dag_topo(struct dag *d, uint32_t **order) {
  enum { UNSEEN = UINT32_MAX, OPEN = UINT32_MAX - 1 };
  uint32_t n = 0, *out = ARENA_ARRAY(d->arena, uint32_t, d->live + 1);
  VEC(struct visit) stack = {0};
  for (uint32_t id = 1; id < d->nodes.n; id++) dag_node(d, id)->topo = UNSEEN;
  for (uint32_t id = 1; id < d->nodes.n; id++) {
    if (dag_node(d, id)->dead || dag_node(d, id)->topo != UNSEEN) continue;
    dag_node(d, id)->topo = OPEN;
    *vec_push(&stack) = (struct visit){id, 0};
    while (stack.n) {
      struct visit *v = &stack.at[stack.n - 1];
      struct sdnode *x = dag_node(d, v->node);
      if (v->next == x->nops) {
        x->topo = n;
        out[n++] = v->node;
        stack.n--;
        continue;
      }
      uint32_t operand = d->uses.at[x->ops + v->next++].val.node;
      struct sdnode *o = dag_node(d, operand);
      if (o->topo == OPEN) bug("the graph has a cycle through node %u", operand);
      if (o->topo != UNSEEN) continue;
      o->topo = OPEN;
      *vec_push(&stack) = (struct visit){operand, 0};
    }
  }
  vec_free(&stack);
  *order = out;
  return n;
}

/* A small set of node ids: open addressing, grown by doubling. */
struct idset {
  uint32_t *slot, cap, n;
};

static bool idset_add(struct idset *s, uint32_t id) {
  if (s->n * 2 >= s->cap) {
    struct idset big = {.cap = s->cap ? s->cap * 2 : 64};
    big.slot = calloc(big.cap, sizeof *big.slot);
    if (!big.slot) bug("out of memory");
    for (uint32_t i = 0; i < s->cap; i++)
      if (s->slot[i]) idset_add(&big, s->slot[i]);
    free(s->slot);
    *s = big;
  }
  uint32_t h = id * 0x9e3779b1u;
  for (;; h++) {
    uint32_t *at = &s->slot[h & (s->cap - 1)];
    if (*at == id) return false;
    if (*at) continue;
    *at = id;
    s->n++;
    return true;
  }
}

bool dag_reaches(const struct dag *d, uint32_t from, uint32_t to, unsigned max_steps) {
  if (from == to) return true;
  struct idset seen = {0};
  VEC(uint32_t) stack = {0};
  *vec_push(&stack) = from;
  bool found = false;
  for (unsigned steps = 0; stack.n && !found;) {
    const struct sdnode *n = dag_node(d, stack.at[--stack.n]);
    if (max_steps && ++steps > max_steps) found = true;
    for (unsigned i = 0; i < n->nops && !found; i++) {
      uint32_t o = d->uses.at[n->ops + i].val.node;
      if (o == to)
        found = true;
      else if (o && idset_add(&seen, o))
        *vec_push(&stack) = o;
    }
  }
  vec_free(&stack);
  free(seen.slot);
  return found;
}
