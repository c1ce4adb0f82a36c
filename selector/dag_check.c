/* dag_check.c: the invariants that every pass must keep. */
#include "dag_check.h"
#include "dag_print.h"
#include "abstract.h"

#include <stdlib.h>

struct checker {
  const struct pass *pass;
  const struct dag *d;
  enum legality legal;
  FILE *out;
};

static bool fail(const struct checker *c, uint32_t id, const char *what) {
  fprintf(c->out, "DAG check: %s:\n  ", what);
  dag_print_node(c->out, c->d, c->pass->tables, id);
  fputc('\n', c->out);
  return false;
}

/* ---- Use lists ------------------------------------------------------------------------------------ */

static bool check_operands(const struct checker *c, uint32_t id) {
  const struct dag *d = c->d;
  const struct sdnode *n = dag_node(d, id);
  for (unsigned i = 0; i < n->nops; i++) {
    const struct sduse *u = &d->uses.at[n->ops + i];
    if (u->user != id) return fail(c, id, "an operand belongs to another node");
    if (!u->val.node || u->val.node >= d->nodes.n || dag_node(d, u->val.node)->dead)
      return fail(c, id, "an operand is dead");
    if (u->val.res >= dag_node(d, u->val.node)->nres)
      return fail(c, id, "an operand names a result that its node has not");
  }
  return true;
}

static bool check_uses(const struct checker *c, uint32_t id) {
  const struct dag *d = c->d;
  const struct sdnode *n = dag_node(d, id);
  uint32_t count = 0, before = 0;
  for (uint32_t at = n->first_use; at && count <= n->nuses; at = d->uses.at[at].next) {
    const struct sduse *u = &d->uses.at[at];
    if (u->prev != before) return fail(c, id, "the list of uses is broken");
    if (u->val.node != id) return fail(c, id, "a use of another node is in the list of uses");
    const struct sdnode *user = dag_node(d, u->user);
    if (user->dead || at < user->ops || at >= user->ops + user->nops) return fail(c, id, "a user is dead");
    before = at;
    count++;
  }
  if (count != n->nuses) return fail(c, id, "the number of uses is wrong");
  return true;
}

/* Kahn's algorithm; names a node that no order reaches. */
static bool check_acyclic(const struct checker *c) {
  const struct dag *d = c->d;
  uint32_t *queue = malloc(sizeof *queue * (d->live + 1)), *waiting = calloc(d->nodes.n, sizeof *waiting),
           n = 0;
  if (!queue || !waiting) bug("out of memory");
  for (uint32_t id = 1; id < d->nodes.n; id++) {
    const struct sdnode *x = dag_node(d, id);
    if (x->dead) continue;
    waiting[id] = x->nops;
    if (!x->nops) queue[n++] = id;
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t u = dag_node(d, queue[i])->first_use; u; u = d->uses.at[u].next)
      if (--waiting[d->uses.at[u].user] == 0) queue[n++] = d->uses.at[u].user;
  bool ok = n == d->live;
  for (uint32_t id = 1; !ok && id < d->nodes.n; id++) {
    if (dag_node(d, id)->dead || !waiting[id]) continue;
    fail(c, id, "a cycle goes through or precedes this node");
    break;
  }
  if (!ok && n > d->live) fprintf(c->out, "DAG check: the count of live nodes is wrong\n");
  free(queue);
  free(waiting);
  return ok;
}

/* ---- Types ---------------------------------------------------------------------------------------- */

/* Binds a type of the signature to an actual one, or compares it with what it is bound to. */
static bool bind(vt *types, struct tyref want, vt have) {
  if (want.var < 0) return want.fixed == have;
  if (!types[want.var]) types[want.var] = have;
  return types[want.var] == have;
}

static bool check_signature(const struct checker *c, uint32_t id) {
  const struct dag *d = c->d;
  const struct sdnode *n = dag_node(d, id);
  const struct op *op = op_defs[n->op];
  if (!op || op->structural) return true;
  unsigned chain = op->chained;
  if (n->nops != op->nin + chain) return fail(c, id, "wrong number of operands");
  if (n->nres != op->nres + chain) return fail(c, id, "wrong number of results");
  if (chain && (dag_type(d, dag_operand(d, id, 0)) != VT_CHAIN || n->types[n->nres - 1] != VT_CHAIN))
    return fail(c, id, "the chain is not first among the operands and last among the results");
  vt types[64] = {0};
  if (op->ntyvar > 64) bug("%s has %u type variables", op->name, op->ntyvar);
  for (unsigned i = 0; i < op->nin; i++)
    if (!bind(types, op->in[i].ty, dag_type(d, dag_operand(d, id, i + chain))))
      return fail(c, id, "an operand has the wrong type");
  for (unsigned i = 0; i < op->nres; i++)
    if (!bind(types, op->res[i].ty, n->types[i])) return fail(c, id, "a result has the wrong type");
  if (op->mem != MEM_NONE && !n->mem) return fail(c, id, "an access without its memory operand");
  if (op->second >= 0) types[op->second] = op->mem != MEM_NONE ? n->mem->mem : (vt)n->imm;
  if (op->mem != MEM_NONE && op->second < 0) {
    vt value = op->mem == MEM_READ ? n->types[0] : dag_type(d, dag_operand(d, id, 1));
    if (n->mem->mem != value) return fail(c, id, "the type in memory is not the type of the value");
  }
  if (op->where && !eval_bool(op->where, &(struct eval_env){.types = types}))
    return fail(c, id, "types that the operation does not allow");
  if (n->flags & ~op->flags) return fail(c, id, "a flag that the operation cannot carry");
  return true;
}

static bool check_legal(const struct checker *c, uint32_t id) {
  const struct sdnode *n = dag_node(c->d, id);
  for (unsigned i = 0; c->legal >= LEGAL_TYPES && i < n->nres; i++)
    if (vt_is_int(n->types[i]) && !target_type_legal(c->pass->tables, n->types[i]))
      return fail(c, id, "a type that the target has not");
  const struct op *op = op_defs[n->op];
  if (c->legal < LEGAL_OPS || !op || op->structural || op->target) return true;
  const char *libcall;
  struct matcher m = {.dag = (struct dag *)c->d, .tables = c->pass->tables, .features = c->pass->features};
  enum target_action a = target_action(&m, n->op, match_action_type(c->d, id), &libcall);
  if (a != TA_LEGAL && a != TA_NONE) return fail(c, id, "an operation that the target has not");
  return true;
}

bool dag_check(const struct pass *p, enum legality legal, FILE *out) {
  struct checker c = {.pass = p, .d = p->dag, .legal = legal, .out = out};
  for (uint32_t id = 1; id < c.d->nodes.n; id++)
    if (!dag_node(c.d, id)->dead && !check_operands(&c, id)) return false;
  for (uint32_t id = 1; id < c.d->nodes.n; id++) {
    const struct sdnode *n = dag_node(c.d, id);
    if (n->dead) continue;
    if (!check_uses(&c, id)) return false;
    if (n->op < OP_COUNT && (!check_signature(&c, id) || !check_legal(&c, id))) return false;
  }
  return check_acyclic(&c);
}
