/* known_bits.c: facts about values of a DAG, from the operations' own definitions (abstract.c) and from what
 * a few operations promise: assertions, extending loads, freeze. */
#include "known_bits.h"
#include "abstract.h"
#include "util/diag.h"

#include <string.h>

enum { MAX_TYVARS = 16, MAX_OPERANDS = 8, MAX_USES = 8, DEMAND_DEPTH = 3 };

void known_init(struct known *k, const struct pass *p) {
  k->pass = p;
  k->epoch++;
}

void known_forget(struct known *k) { k->epoch++; }

static struct fact_bits facts(struct known *k, struct sdval v, unsigned depth);
static bool not_poison(struct known *k, struct sdval v, unsigned depth);

/* ---- One node in terms of its definition ---------------------------------------------------------- */

static unsigned width_of(vt t) {
  return vt_kind(t) == TK_INT || vt_kind(t) == TK_FLAGS ? vt_bits(t) * vt_lanes(t) : 0;
}

static void bind(vt *types, struct tyref want, vt have) {
  if (want.var >= 0 && !types[want.var]) types[want.var] = have;
}

/* The types of a node by its operation's type variables. False when the node has no definition to look at. */
static bool node_types(const struct dag *d, uint32_t id, vt types[MAX_TYVARS]) {
  const struct sdnode *n = dag_node(d, id);
  const struct op *op = n->op < OP_COUNT ? op_defs[n->op] : NULL;
  if (!op || op->structural || op->ntyvar > MAX_TYVARS || op->nin > MAX_OPERANDS) return false;
  memset(types, 0, MAX_TYVARS * sizeof *types);
  for (unsigned i = 0; i < op->nin; i++)
    bind(types, op->in[i].ty, dag_type(d, dag_operand(d, id, i + op->chained)));
  for (unsigned i = 0; i < op->nres; i++) bind(types, op->res[i].ty, n->types[i]);
  if (op->second >= 0) types[op->second] = op->mem != MEM_NONE ? n->mem->mem : (vt)n->imm;
  return true;
}

struct operands {
  vt types[MAX_TYVARS];
  struct fact_bits fact[MAX_OPERANDS];
  struct abs_env env;
};

static bool divides(const struct op *op) { return op->ub != NULL && !op->target; }

/* Facts about the operands of a node; those of poison-own operations count only where they hold for sure: the
 * operation may turn poison into a value. */
static bool operand_facts(struct known *k, uint32_t id, unsigned depth, struct operands *o) {
  const struct dag *d = k->pass->dag;
  if (!node_types(d, id, o->types)) return false;
  const struct sdnode *n = dag_node(d, id);
  const struct op *op = op_defs[n->op];
  o->env =
      (struct abs_env){.types = o->types, .val = o->fact, .flags = n->flags, .divisor_nonzero = divides(op)};
  for (unsigned i = 0; i < op->nin; i++) {
    struct sdval v = dag_operand(d, id, i + op->chained);
    unsigned width = width_of(dag_type(d, v));
    if (!width) return false;
    o->fact[i] = facts(k, v, depth);
    if (!op->poison_own || n->op == ISD_SELECT) continue;
    if (not_poison(k, v, depth))
      o->env.not_poison |= 1u << i;
    else
      o->fact[i] = fact_none(width);
  }
  return true;
}

/* ---- Known bits ----------------------------------------------------------------------------------- */

static unsigned slot_of(struct sdval v) { return (v.node * 4 + v.res) % KNOWN_CACHE; }

/* What an operation promises beside the value that its definition computes. */
static void add_promises(struct known *k, struct sdval v, struct fact_bits *f) {
  const struct sdnode *n = dag_node(k->pass->dag, v.node);
  unsigned width = f->zero.width;
  if (v.res) return;
  if (n->op == ISD_ASSERTZEXT || n->op == ISD_ZEXTLOAD) {
    unsigned from = vt_bits(n->op == ISD_ASSERTZEXT ? (vt)n->imm : n->mem->mem);
    f->zero = bv_or(f->zero, bv_shl(bv_ones(width), bv_u64(width, from)));
  } else if (n->op == ISD_ASSERTSEXT || n->op == ISD_SEXTLOAD) {
    unsigned from = vt_bits(n->op == ISD_ASSERTSEXT ? (vt)n->imm : n->mem->mem);
    if (f->sign < width - from + 1) f->sign = width - from + 1;
  } else if (n->op == ISD_FRAMEINDEX || n->op == ISD_GLOBALADDR) {
    uint32_t align = k->pass->object_align ? k->pass->object_align(k->pass->self, v) : 1;
    if (align > 1) f->zero = bv_or(f->zero, bv_u64(width, align - 1));
  }
  fact_settle(f);
}

static struct fact_bits compute(struct known *k, struct sdval v, unsigned width, unsigned depth) {
  const struct sdnode *n = dag_node(k->pass->dag, v.node);
  struct fact_bits f = fact_none(width);
  struct operands o;
  const struct op *op = n->op < OP_COUNT ? op_defs[n->op] : NULL;
  if (op && depth && v.res < op->nres && op->mem == MEM_NONE && op->res[v.res].val &&
      operand_facts(k, v.node, depth - 1, &o))
    f = abs_bv(op->res[v.res].val, &o.env);
  if (f.zero.width != width) bug("%s result of %u bits where %u are expected", op->name, f.zero.width, width);
  add_promises(k, v, &f);
  return f;
}

static struct fact_bits facts(struct known *k, struct sdval v, unsigned depth) {
  unsigned width = width_of(dag_type(k->pass->dag, v));
  struct bv value;
  if (dag_is_const(k->pass->dag, v, &value)) return fact_const(value);
  unsigned slot = slot_of(v);
  struct known_tag *t = &k->tag[slot];
  if (sd_eq(t->val, v) && t->epoch == k->epoch && t->depth >= depth)
    return (struct fact_bits){k->zero[slot], k->one[slot], t->sign};
  struct fact_bits f = compute(k, v, width, depth);
  *t = (struct known_tag){.val = v, .epoch = k->epoch, .depth = (uint8_t)depth, .sign = (uint16_t)f.sign};
  k->zero[slot] = f.zero;
  k->one[slot] = f.one;
  return f;
}

void known_bits(void *self, struct sdval v, struct bv *zero, struct bv *one) {
  struct fact_bits f = facts(self, v, KNOWN_MAX_DEPTH);
  *zero = f.zero;
  *one = f.one;
}

unsigned known_sign_bits(void *self, struct sdval v) { return facts(self, v, KNOWN_MAX_DEPTH).sign; }

/* ---- Poison --------------------------------------------------------------------------------------- */

static bool not_poison(struct known *k, struct sdval v, unsigned depth) {
  const struct dag *d = k->pass->dag;
  const struct sdnode *n = dag_node(d, v.node);
  if (n->op == ISD_CONSTANT || n->op == ISD_FREEZE || n->op == ISD_FRAMEINDEX || n->op == ISD_GLOBALADDR)
    return true;
  struct operands o;
  if (!depth || n->op >= OP_COUNT) return false;
  const struct op *op = op_defs[n->op];
  if (!op || op->mem != MEM_NONE || op->chained || !operand_facts(k, v.node, depth - 1, &o)) return false;
  uint32_t sure = 0;
  for (unsigned i = 0; i < op->nin; i++) {
    if (not_poison(k, dag_operand(d, v.node, i), depth - 1))
      sure |= 1u << i;
    else if (!op->poison_own)
      return false;
  }
  o.env.not_poison = sure;
  if (op->poison_own && !op->poison) return false;
  return !op->poison || abs_bool(op->poison, &o.env) == TRI_FALSE;
}

bool known_not_poison(void *self, struct sdval v) { return not_poison(self, v, KNOWN_MAX_DEPTH); }

/* ---- Demanded bits -------------------------------------------------------------------------------- */

static struct bv demanded(struct known *k, struct sdval v, unsigned depth);

/* Adds what the node `id`, of whose results `want` bits are read, reads of the value v. */
static bool demand_of_operation(struct known *k, uint32_t id, struct sdval v, const struct bv *want,
                                struct bv *all) {
  const struct dag *d = k->pass->dag;
  struct operands o;
  if (!node_types(d, id, o.types)) return false;
  const struct sdnode *n = dag_node(d, id);
  const struct op *op = op_defs[n->op];
  struct bv read[MAX_OPERANDS];
  for (unsigned i = 0; i < op->nin; i++) {
    struct sdval x = dag_operand(d, id, i + op->chained);
    unsigned width = width_of(dag_type(d, x));
    struct bv value;
    if (!width) return false;
    read[i] = bv_u64(width, 0);
    o.fact[i] = !sd_eq(x, v) && dag_is_const(d, x, &value) ? fact_const(value) : fact_none(width);
  }
  o.env = (struct abs_env){.types = o.types, .val = o.fact, .flags = n->flags};
  for (unsigned r = 0; r < op->nres; r++) {
    if (!op->res[r].val) return false;
    abs_demand(op->res[r].val, want[r], &o.env, read);
  }
  if (op->poison) abs_demand_bool(op->poison, &o.env, read);
  if (op->ub) abs_demand_bool(op->ub, &o.env, read);
  if (op->taken) abs_demand_bool(op->taken, &o.env, read);
  for (unsigned i = 0; i < op->nin; i++)
    if (sd_eq(dag_operand(d, id, i + op->chained), v)) *all = bv_or(*all, read[i]);
  return true;
}

/* Bits of v that its user `id` reads. */
static struct bv demand_of_user(struct known *k, uint32_t id, struct sdval v, unsigned depth) {
  const struct dag *d = k->pass->dag;
  const struct sdnode *n = dag_node(d, id);
  unsigned width = width_of(dag_type(d, v));
  struct bv everything = bv_ones(width), all = bv_u64(width, 0), want[MATCH_MAX_RES];
  const struct op *op = n->op < OP_COUNT ? op_defs[n->op] : NULL;
  if (!op || op->structural) return everything;
  if (op->mem != MEM_NONE) {
    bool value_only =
        n->op == ISD_TRUNCSTORE && sd_eq(dag_operand(d, id, 1), v) && !sd_eq(dag_operand(d, id, 2), v);
    return value_only ? bv_zext(bv_ones(vt_bits(n->mem->mem)), width) : everything;
  }
  if (!depth || op->nres > MATCH_MAX_RES) return everything;
  for (unsigned r = 0; r < op->nres; r++) {
    if (!width_of(n->types[r])) return everything;
    want[r] = demanded(k, (struct sdval){id, r}, depth - 1);
  }
  return demand_of_operation(k, id, v, want, &all) ? all : everything;
}

static struct bv demanded(struct known *k, struct sdval v, unsigned depth) {
  const struct dag *d = k->pass->dag;
  unsigned width = width_of(dag_type(d, v)), seen = 0;
  struct bv all = bv_u64(width, 0);
  for (uint32_t u = dag_node(d, v.node)->first_use; u; u = d->uses.at[u].next) {
    if (++seen > MAX_USES) return bv_ones(width);
    if (d->uses.at[u].val.res != v.res) continue;
    all = bv_or(all, demand_of_user(k, d->uses.at[u].user, v, depth));
    if (bv_is_ones(all)) break;
  }
  return all;
}

struct bv known_demanded(void *self, struct sdval v) {
  struct known *k = self;
  return k->pass->dag->root.node == v.node ? bv_ones(width_of(dag_type(k->pass->dag, v)))
                                           : demanded(k, v, DEMAND_DEPTH);
}

uint64_t known_users_read(void *self, struct sdval flags) { return bv_to_u64(known_demanded(self, flags)); }

uint32_t known_align(void *self, struct sdval address) {
  struct fact_bits f = facts(self, address, KNOWN_MAX_DEPTH);
  unsigned zeros = bv_ctz(bv_not(f.zero));
  return 1u << (zeros < 12 ? zeros : 12);
}
