/* rank.c: ranks by trying. Each operation is built on operands that nothing is known of, in a DAG of its own,
 * and its rules are matched with only operations of lower rank allowed; what fires gives the next rank. */
#include "rank.h"
#include "abstract.h"
#include "legal.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TYPES = 10, MAX_TYVARS = 8, MAX_OPERANDS = 8 };

struct ranks {
  uint8_t rank[OP_COUNT][MAX_TYPES]; /* by log2 of the type's bits */
};

static unsigned log2_of(unsigned bits) {
  unsigned n = 0;
  while (bits >>= 1) n++;
  return n;
}

unsigned rank_of(const struct ranks *r, uint16_t op, vt type) {
  if (!r || op >= OP_COUNT || !vt_is_scalar_int(type)) return RANK_NEVER;
  return r->rank[op][log2_of(vt_bits(type))];
}

void ranks_free(struct ranks *r) { free(r); }

/* The operation at T = `type`; a second type is a byte, booleans are the target's. 0 when its types do not
 * allow it. */
static uint32_t sample(struct dag *d, const struct pass *p, uint16_t number, vt type) {
  const struct op *op = op_defs[number];
  vt types[MAX_TYVARS], results[MATCH_MAX_RES];
  struct sdval ops[MAX_OPERANDS];
  if (op->nin > MAX_OPERANDS || op->nres > MATCH_MAX_RES || op->ntyvar > MAX_TYVARS) return 0;
  for (unsigned i = 0; i < op->ntyvar; i++) types[i] = i ? p->bool_type : type;
  if (op->second >= 0) types[op->second] = VT_I(8);
  if (op->where && !eval_bool(op->where, &(struct eval_env){.types = types})) return 0;
  for (unsigned i = 0; i < op->nin; i++) {
    vt outside[] = {tyref_vt(op->in[i].ty, types), VT_CHAIN};
    ops[i] = dag_get(d, ISD_COPYFROMREG, outside, 2, &d->entry, 1, 0, i);
  }
  for (unsigned i = 0; i < op->nres; i++) results[i] = tyref_vt(op->res[i].ty, types);
  return dag_get(d, number, results, op->nres, ops, op->nin, 0, op->second >= 0 ? types[op->second] : 0).node;
}

static bool is_expanded(const struct matcher *m, uint16_t op, vt type) {
  const char *libcall;
  enum target_action a = target_action(m, op, type, &libcall);
  return a == TA_EXPAND || a == TA_CUSTOM;
}

struct ranks *ranks_make(const struct pass *p) {
  struct ranks *r = malloc(sizeof *r);
  struct arena arena = {0};
  struct dag dag = {0};
  struct pass own = *p;
  if (!r) bug("out of memory");
  memset(r->rank, RANK_NEVER, sizeof r->rank);
  dag_init(&dag, &arena);
  own.dag = &dag;
  struct legal legal = {.pass = &own, .level = LEGAL_OPS, .lowering = true, .ranks = r};
  struct matcher m;
  legal_matcher(&legal, &m);
  m.fired = NULL;
  for (unsigned level = 1; level <= RANK_MAX; level++) {
    legal.max_rank = level - 1;
    for (unsigned bits = 8, t = 3; bits <= 64; bits *= 2, t++) {
      if (!target_type_legal(p->tables, VT_I(bits))) continue;
      for (uint16_t op = 1; op < OP_COUNT; op++) {
        struct rewrite w;
        if (!op_defs[op] || op_defs[op]->structural || op_defs[op]->chained || op_defs[op]->target ||
            !op_defs[op]->nin)
          continue;
        if (r->rank[op][t] != RANK_NEVER || !is_expanded(&m, op, VT_I(bits))) continue;
        uint32_t id = sample(&dag, p, op, VT_I(bits));
        if (id && match_rewrite(&m, MATCH_EXPAND, id, &w)) r->rank[op][t] = (uint8_t)level;
      }
    }
  }
  dag_free(&dag);
  arena_free(&arena);
  return r;
}
