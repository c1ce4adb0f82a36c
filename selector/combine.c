/* combine.c: the worklist driver. Every node that may match a rule is on the worklist or has been visited
 * since it last changed; the DAG's listener keeps it so. */
#include "combine.h"
#include "dag_print.h"
#include "legal.h"
#include "abstract.h"
#include "workspace.h"

#include <stdlib.h>
#include <string.h>

/* Patterns and facts reach this many operands down, as far as it matters. */
enum { LOOKED_AT = 4 };
enum { RECENT = 64, NAMED = 8, STEPS_PER_NODE = 64, STEPS_AT_LEAST = 4096, MAX_OPERANDS = 8 };

struct combiner {
  struct pass *p;
  struct dag *d;
  struct legal legal;
  struct known *known;
  struct matcher m;
  struct node_list *work;    /* a stack */
  struct node_list *touched; /* by the rewrite in progress */
  uint32_t seen;             /* nodes with a lower number existed at the last event */
  uint16_t recent[RECENT];
  uint64_t steps, budget;
};

/* ---- The worklist --------------------------------------------------------------------------------- */

static void push(struct combiner *c, uint32_t node) {
  struct sdnode *n = dag_node(c->d, node);
  if (n->queued || n->dead) return;
  n->queued = true;
  *vec_push(c->work) = node;
}

static void on_change(void *self, uint32_t node, bool deleted) {
  struct combiner *c = self;
  if (node >= c->seen)
    c->seen = node + 1; /* a new node changes no fact about the others */
  else
    known_forget(c->known);
  if (!deleted) {
    *vec_push(c->touched) = node;
    return;
  }
  /* What loses a user may now be the only user's. */
  for (unsigned i = 0; i < dag_node(c->d, node)->nops; i++)
    *vec_push(c->touched) = dag_operand(c->d, node, i).node;
}

/* New nodes were made operands first; they are to be visited in that order, and users last. */
static void push_touched(struct combiner *c) {
  while (c->touched->n) push(c, c->touched->at[--c->touched->n]);
}

/* Whether a node is settled, and everything that a pattern at it would look at. Its operands have had their
 * distance to a change written to `topo`. */
static uint32_t distance_to_change(const struct dag *d, uint32_t id) {
  const struct sdnode *n = dag_node(d, id);
  uint32_t nearest = n->settled ? LOOKED_AT : 0;
  for (unsigned i = 0; i < n->nops && nearest; i++) {
    uint32_t below = dag_node(d, dag_operand(d, id, i).node)->topo + 1;
    if (below < nearest) nearest = below;
  }
  return nearest;
}

/* What an earlier run left as it was and what nothing has come near since is not visited again. Nodes come
 * mostly after their operands, so in this order operands are mostly visited first. */
static void push_unsettled(struct combiner *c) {
  struct dag *d = c->d;
  for (uint32_t id = 1; id < d->nodes.n; id++)
    if (!dag_node(d, id)->dead) dag_node(d, id)->topo = distance_to_change(d, id);
  for (uint32_t id = d->nodes.n; --id;)
    if (!dag_node(d, id)->dead && dag_node(d, id)->topo < LOOKED_AT) push(c, id);
}

/* ---- Constant folding ----------------------------------------------------------------------------- */

/* Values and types of the operands of a pure operation, when all are constants. */
static bool constant_operands(const struct dag *d, uint32_t id, struct bv *val, vt *types) {
  const struct sdnode *n = dag_node(d, id);
  const struct op *op = op_defs[n->op];
  if (op->structural || op->mem != MEM_NONE || op->chained || !op->nin || op->nin > MAX_OPERANDS)
    return false;
  for (unsigned i = 0; i < op->nin; i++) {
    if (!dag_is_const(d, dag_operand(d, id, i), &val[i])) return false;
    if (op->in[i].ty.var >= 0) types[op->in[i].ty.var] = dag_type(d, dag_operand(d, id, i));
  }
  for (unsigned i = 0; i < op->nres; i++) {
    if (!op->res[i].val || !vt_is_scalar_int(n->types[i])) return false;
    if (op->res[i].ty.var >= 0) types[op->res[i].ty.var] = n->types[i];
  }
  if (op->second >= 0) types[op->second] = (vt)n->imm;
  return true;
}

/* By the operation's own definition. Undefined behaviour and poison are left as they are. */
static bool fold_constants(struct combiner *c, uint32_t id, struct rewrite *r) {
  const struct sdnode *n = dag_node(c->d, id);
  struct bv val[MAX_OPERANDS], res[MATCH_MAX_RES];
  bool poison[MAX_OPERANDS] = {0}, res_poison[MATCH_MAX_RES] = {0};
  vt types[16] = {0};
  if (n->op >= OP_COUNT || !op_defs[n->op] || n->nres > MATCH_MAX_RES || op_defs[n->op]->ntyvar > 16)
    return false;
  if (!constant_operands(c->d, id, val, types)) return false;
  if (!eval_op(op_defs[n->op], types, n->flags, val, poison, res, res_poison)) return false;
  for (unsigned i = 0; i < n->nres; i++)
    if (res_poison[i]) return false;
  r->n = n->nres;
  r->nextra = 0;
  for (unsigned i = 0; i < r->n; i++) r->to[i] = dag_const(c->d, res[i]);
  return true;
}

/* ---- One step ------------------------------------------------------------------------------------- */

static void trace(struct combiner *c, uint32_t id, const struct rewrite *r, bool folded) {
  FILE *out = c->p->trace;
  const struct match_tables *t = c->p->tables;
  if (!out) return;
  fprintf(out, "\nReplacing.%u ", r->n);
  dag_print_node(out, c->d, NULL, id);
  if (folded)
    fprintf(out, "  [constant folding]\n");
  else
    fprintf(out, "  [rule %s at %s]\n", match_rule_name(t, r->rule), match_rule_place(t, r->rule));
  for (unsigned i = 0; i < r->n; i++) {
    if (!r->to[i].node) continue;
    fprintf(out, "With: ");
    dag_print_node(out, c->d, t, r->to[i].node);
    if (r->to[i].res) fprintf(out, " (result %u)", r->to[i].res);
    fputc('\n', out);
  }
}

static void replace(struct combiner *c, uint32_t id, const struct rewrite *r, bool folded) {
  trace(c, id, r, folded);
  for (unsigned i = 0; i < r->n; i++)
    if (r->to[i].node) *vec_push(c->touched) = r->to[i].node;
  if (folded) {
    dag_replace_node(c->d, id, r->to, r->n);
  } else {
    c->recent[c->steps++ % RECENT] = r->rule;
    c->p->rewrites++;
    match_apply(&c->m, id, r);
  }
  known_forget(c->known);
  dag_delete_dead(c->d, id);
}

/* A simple load of which only the place in the chain is used: what follows it follows what it followed. */
static bool skip_dead_load(struct combiner *c, uint32_t id) {
  struct dag *d = c->d;
  const struct sdnode *n = dag_node(d, id);
  const struct op *op = op_defs[n->op];
  if (!op || op->mem != MEM_READ || !n->mem || n->mem->is_volatile || n->mem->atomic) return false;
  for (unsigned i = 0; i < op->nres; i++)
    if (dag_num_uses(d, (struct sdval){id, i})) return false;
  dag_replace_value(d, (struct sdval){id, op->nres}, dag_operand(d, id, 0));
  dag_delete_dead(d, id);
  return true;
}

static void visit(struct combiner *c, uint32_t id) {
  struct dag *d = c->d;
  struct sdnode *n = dag_node(d, id);
  if (n->dead || n->op >= OP_COUNT) return;
  if (!n->nuses && id != d->root.node && id != d->entry.node) {
    dag_delete_dead(d, id);
    return;
  }
  if (skip_dead_load(c, id)) return;
  struct rewrite r;
  d->order = n->order;
  d->loc = n->loc;
  c->m.asked_level = false;
  if (fold_constants(c, id, &r))
    replace(c, id, &r, true);
  else if (match_rewrite(&c->m, MATCH_COMBINE, id, &r))
    replace(c, id, &r, false);
  else
    dag_node(d, id)->settled = !c->m.asked_level;
}

/* ---- The run -------------------------------------------------------------------------------------- */

static void start(struct combiner *c, struct pass *p, enum legality legal) {
  c->p = p;
  c->d = p->dag;
  c->legal = (struct legal){.pass = p, .level = legal, .known = c->known};
  legal_matcher(&c->legal, &c->m);
  push_unsettled(c);
  c->budget = (uint64_t)c->d->live * STEPS_PER_NODE + STEPS_AT_LEAST;
  c->seen = c->d->nodes.n;
  c->d->listen = on_change;
  c->d->listener = c;
}

/* The different rules that fired last, the latest first: the ones that loop. */
static void print_recent(FILE *out, const struct combiner *c) {
  uint16_t named[NAMED];
  unsigned n = 0;
  for (unsigned i = 1; i <= RECENT && n < NAMED; i++) {
    uint16_t rule = c->recent[(c->steps - i) % RECENT];
    bool again = false;
    for (unsigned k = 0; k < n; k++) again |= named[k] == rule;
    if (again) continue;
    named[n++] = rule;
    fprintf(out, "%s%s (%s)", n > 1 ? ", " : "", match_rule_name(c->p->tables, rule),
            match_rule_place(c->p->tables, rule));
  }
}

/* Every rule is true; together they do not end. That is a fault of the rules, not of the input. */
static _Noreturn void loops(const struct combiner *c) {
  char *rules = NULL;
  size_t size;
  FILE *out = open_memstream(&rules, &size);
  if (!out) bug("out of memory");
  print_recent(out, c);
  fclose(out);
  bug("the combiner does not come to an end: %llu steps on %u nodes; the last ones by %s\n"
      "hint: -disable-rules=NAME goes on without one of them",
      (unsigned long long)c->steps, c->d->live, rules);
}

void combine(struct pass *p, enum legality legal) {
  struct workspace *w = workspace_start(p);
  struct combiner c = {.known = &w->known, .work = &w->work, .touched = &w->touched};
  start(&c, p, legal);
  while (c.work->n && c.steps < c.budget) {
    uint32_t id = c.work->at[--c.work->n];
    dag_node(c.d, id)->queued = false;
    visit(&c, id);
    push_touched(&c);
  }
  if (c.work->n) loops(&c);
  c.d->listen = NULL;
  c.d->listener = NULL;
  c.d->order = c.d->loc = 0;
  dag_sweep(c.d);
}
