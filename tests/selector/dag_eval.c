/* dag_eval.c: runs a DAG on concrete values. */
#include "dag_eval.h"
#include "abstract.h"
#include "legalize_types.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

struct value {
  struct bv bits;
  bool poison;
};

struct evaluator {
  struct dag *d;
  struct world *w;
  struct value **res; /* by node */
};

static struct value operand(struct evaluator *e, uint32_t id, unsigned i) {
  struct sdval v = dag_operand(e->d, id, i);
  return e->res[v.node][v.res];
}

static void find_types(const struct dag *d, uint32_t id, vt *types) {
  const struct sdnode *n = dag_node(d, id);
  const struct op *op = op_defs[n->op];
  for (unsigned i = 0; i < op->nin; i++)
    if (op->in[i].ty.var >= 0) types[op->in[i].ty.var] = dag_type(d, dag_operand(d, id, i + op->chained));
  for (unsigned i = 0; i < op->nres; i++)
    if (op->res[i].ty.var >= 0) types[op->res[i].ty.var] = n->types[i];
  if (op->second >= 0) types[op->second] = (vt)n->imm;
}

static void eval_pure(struct evaluator *e, uint32_t id) {
  const struct sdnode *n = dag_node(e->d, id);
  const struct op *op = op_defs[n->op];
  vt types[16] = {0};
  struct bv val[8], res[8];
  bool poison[8], res_poison[8] = {0};
  find_types(e->d, id, types);
  for (unsigned i = 0; i < op->nin; i++) {
    struct value v = operand(e, id, i);
    val[i] = v.bits, poison[i] = v.poison;
  }
  if (!eval_op(op, types, n->flags, val, poison, res, res_poison)) {
    e->w->undefined = true;
    return;
  }
  for (unsigned i = 0; i < op->nres; i++) e->res[id][i] = (struct value){res[i], res_poison[i]};
}

/* ---- Memory --------------------------------------------------------------------------------------- */

static bool in_memory(struct evaluator *e, struct value p, unsigned bytes, uint64_t *at) {
  *at = bv_to_u64(p.bits);
  bool ok = !p.poison && *at + bytes <= EVAL_MEMORY;
  if (!ok) e->w->undefined = true;
  return ok;
}

static unsigned byte_number(const struct evaluator *e, unsigned i, unsigned bytes) {
  return e->w->big_endian ? bytes - 1 - i : i;
}

static void eval_load(struct evaluator *e, uint32_t id) {
  const struct sdnode *n = dag_node(e->d, id);
  unsigned bytes = vt_store_bytes(n->mem->mem), mem = vt_bits(n->mem->mem), width = vt_bits(n->types[0]);
  uint64_t at;
  if (!in_memory(e, operand(e, id, 1), bytes, &at)) return;
  struct value v = {bv_u64(8 * bytes, 0), false};
  for (unsigned i = 0; i < bytes; i++) {
    struct eval_byte b = e->w->memory[at + byte_number(e, i, bytes)];
    v.poison |= b.poison;
    v.bits = bv_or(v.bits, bv_shl(bv_u64(8 * bytes, b.value), bv_u64(8 * bytes, 8 * i)));
  }
  /* Bytes that no store of this type left behind. */
  if (!bv_is_zero(bv_lshr(v.bits, bv_u64(8 * bytes, mem))) && mem % 8) v.poison = true;
  v.bits = bv_trunc(v.bits, mem);
  v.bits = n->op == ISD_SEXTLOAD ? bv_sext(v.bits, width) : bv_zext(v.bits, width);
  /* The bits above are anything: make that visible. */
  if (n->op == ISD_EXTLOAD) v.bits = bv_or(v.bits, bv_shl(bv_u64(width, 0x5a5a5a5a), bv_u64(width, mem)));
  e->res[id][0] = v;
}

static void eval_store(struct evaluator *e, uint32_t id) {
  const struct sdnode *n = dag_node(e->d, id);
  unsigned bytes = vt_store_bytes(n->mem->mem);
  struct value v = operand(e, id, 1);
  uint64_t at;
  if (!in_memory(e, operand(e, id, 2), bytes, &at)) return;
  struct bv bits = bv_zext(bv_trunc(v.bits, vt_bits(n->mem->mem)), 8 * bytes);
  for (unsigned i = 0; i < bytes; i++)
    e->w->memory[at + byte_number(e, i, bytes)] =
        (struct eval_byte){(uint8_t)bv_to_u64(bv_extract(bits, 8 * i + 7, 8 * i)), v.poison};
}

/* ---- Runtime routines ----------------------------------------------------------------------------- */

static struct bv routine(const char *name, struct bv a, struct bv b) {
  if (!strcmp(name, "__udivti3") || !strcmp(name, "__udivdi3")) return bv_udiv(a, b);
  if (!strcmp(name, "__divti3") || !strcmp(name, "__divdi3")) return bv_sdiv(a, b);
  if (!strcmp(name, "__umodti3") || !strcmp(name, "__umoddi3")) return bv_urem(a, b);
  if (!strcmp(name, "__modti3") || !strcmp(name, "__moddi3")) return bv_srem(a, b);
  bug("no routine %s", name);
}

struct sdval eval_libcall(void *self, const char *name, vt ret, const struct sdval *args, unsigned n,
                          struct sdval *chain) {
  const struct pass *p = self;
  struct dag *d = p->dag;
  vt half = VT_I(vt_bits(ret) / 2), types[] = {half, half};
  struct sdval ops[8];
  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < 2; k++)
      ops[2 * i + k] = dag_get1(d, ISD_EXTRACT_ELEMENT, half,
                                (struct sdval[]){args[i], dag_const_u64(d, vt_bits(half), k)}, 2, 0);
  struct sdval call = dag_get(d, ISD_INTRINSIC, types, 2, ops, 2 * n, 0, (uint64_t)(uintptr_t)name);
  (void)chain;
  return dag_get1(d, ISD_BUILD_PAIR, ret, (struct sdval[]){call, {call.node, 1}}, 2, 0);
}

static void eval_routine(struct evaluator *e, uint32_t id) {
  struct bv arg[2];
  bool poison = false;
  for (unsigned i = 0; i < 2; i++) {
    struct value lo = operand(e, id, 2 * i), hi = operand(e, id, 2 * i + 1);
    arg[i] = bv_concat(hi.bits, lo.bits);
    poison |= lo.poison | hi.poison;
  }
  if (bv_is_zero(arg[1])) e->w->undefined = true;
  struct bv r = routine(dag_node(e->d, id)->ptr, arg[0], arg[1]);
  unsigned half = r.width / 2;
  e->res[id][0] = (struct value){bv_extract(r, half - 1, 0), poison};
  e->res[id][1] = (struct value){bv_extract(r, 2 * half - 1, half), poison};
}

/* ---- Nodes ---------------------------------------------------------------------------------------- */

static void eval_structural(struct evaluator *e, uint32_t id) {
  const struct sdnode *n = dag_node(e->d, id);
  struct world *w = e->w;
  switch (n->op) {
  case ISD_CONSTANT: dag_is_const(e->d, (struct sdval){id, 0}, &e->res[id][0].bits); return;
  case ISD_COPYFROMREG:
    e->res[id][0] = (struct value){
        bv_zext(bv_trunc(w->reg[n->imm], vt_bits(n->types[0])), vt_bits(n->types[0])), w->reg_poison[n->imm]};
    return;
  case ISD_COPYTOREG:
    w->out[n->imm] = operand(e, id, 1).bits;
    w->out_poison[n->imm] = operand(e, id, 1).poison;
    return;
  case ISD_INTRINSIC: eval_routine(e, id); return;
  case ISD_ENTRYTOKEN:
  case ISD_TOKENFACTOR: return;
  default: bug("%s cannot be evaluated", op_descs[n->op].name);
  }
}

static void eval_node(struct evaluator *e, uint32_t id) {
  const struct sdnode *n = dag_node(e->d, id);
  const struct op *op = op_defs[n->op];
  e->res[id] = calloc(n->nres, sizeof(struct value));
  if (!e->res[id]) bug("out of memory");
  for (unsigned i = 0; i < n->nres; i++)
    e->res[id][i].bits = bv_u64(vt_bits(n->types[i]) ? vt_bits(n->types[i]) : 1, 0);
  if (op->mem == MEM_READ)
    eval_load(e, id);
  else if (op->mem == MEM_WRITE)
    eval_store(e, id);
  else if (op->structural)
    eval_structural(e, id);
  else
    eval_pure(e, id);
}

void dag_run(struct dag *d, struct world *w) {
  struct evaluator e = {.d = d, .w = w};
  dag_sweep(d);
  e.res = calloc(d->nodes.n, sizeof *e.res);
  if (!e.res) bug("out of memory");
  uint32_t *order, n = dag_topo(d, &order);
  w->undefined = false;
  for (uint32_t i = 0; i < n && !w->undefined; i++) eval_node(&e, order[i]);
  for (uint32_t i = 0; i < d->nodes.n; i++) free(e.res[i]);
  free(e.res);
}
