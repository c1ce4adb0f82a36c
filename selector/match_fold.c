/* match_fold.c: when may accesses that a pattern swallows become one. A cycle would arise when something else
 * that the new node needs depends on a swallowed load; an access may only move over what cannot change the
 * memory it sees. */
#include "match_run.h"

#include <stdlib.h>

#include "util/diag.h"
#include "util/vec.h"

/* ---- The state of memory that a chain stands for ---- */

enum { STATE_STEPS = 64 };

static bool is_simple_load(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  if (n->op < OP_COUNT)
    return op_descs[n->op].mem == MEM_READ && n->mem && !n->mem->is_volatile && !n->mem->atomic;
  return false;
}

/* The last effect behind a chain: simple loads and tokens of them are looked through. SDNONE: several. */
static struct sdval state_of(const struct dag *d, struct sdval c, unsigned *steps) {
  while (c.node && (*steps)++ < STATE_STEPS) {
    if (is_simple_load(d, c.node)) {
      c = chain_in_of(d, c.node);
      continue;
    }
    if (dag_node(d, c.node)->op != ISD_TOKENFACTOR) return c;
    struct sdval all = SDNONE;
    for (unsigned i = 0; i < dag_node(d, c.node)->nops; i++) {
      struct sdval s = state_of(d, dag_operand(d, c.node, i), steps);
      if (!s.node || (all.node && !sd_eq(all, s))) return c; /* the token itself is the state */
      all = s;
    }
    return all;
  }
  return SDNONE;
}

static bool equal_states(const struct dag *d, struct sdval a, struct sdval b) {
  unsigned steps = 0, more = 0;
  if (sd_eq(a, b)) return true;
  struct sdval x = state_of(d, a, &steps), y = state_of(d, b, &more);
  return x.node && sd_eq(x, y);
}

bool same_state(struct run *r) {
  const struct match_variant *v = r->variant;
  struct sdval first = chain_in_of(r->d, r->slot[v->chained[0]].node);
  for (unsigned i = 1; i < v->nchained; i++)
    if (!equal_states(r->d, first, chain_in_of(r->d, r->slot[v->chained[i]].node))) return false;
  return true;
}

/* ---- Cycles ---- */

static bool is_inner(const struct run *r, uint32_t node) {
  for (unsigned i = 0; i < r->variant->ninner; i++)
    if (r->slot[r->variant->inner[i]].node == node) return true;
  return false;
}

/* A search through operands, with a set of the nodes seen. Most searches end within the first few. */
struct search {
  VEC(uint32_t) work;
  uint32_t *slot, cap, n;
  uint32_t first[64];
};

static bool mark(struct search *s, uint32_t id) {
  if (2 * s->n >= s->cap) {
    uint32_t *old = s->slot, cap = s->cap;
    s->cap *= 2;
    s->n = 0;
    s->slot = calloc(s->cap, sizeof *s->slot);
    if (!s->slot) bug("out of memory");
    for (uint32_t i = 0; i < cap; i++)
      if (old[i]) mark(s, old[i]);
    if (old != s->first) free(old);
  }
  uint32_t i = id * 2654435761u & (s->cap - 1);
  while (s->slot[i] && s->slot[i] != id) i = (i + 1) & (s->cap - 1);
  if (s->slot[i]) return false;
  s->slot[i] = id;
  s->n++;
  return true;
}

/* Does the search come upon the load? Nodes below `low` cannot. At the bound the answer is yes. */
static bool finds(const struct run *r, struct search *s, uint32_t load, uint32_t low) {
  const struct dag *d = r->d;
  for (unsigned steps = 0; s->work.n;) {
    uint32_t at = s->work.at[--s->work.n];
    const struct sdnode *n = dag_node(d, at);
    if (at == load) return true;
    if (n->topo < low || !mark(s, at)) continue;
    if (r->m->max_steps && ++steps > r->m->max_steps) return true;
    if (r->m->steps_left && !*r->m->steps_left) return true;
    if (r->m->steps_left) --*r->m->steps_left;
    for (unsigned i = 0; i < n->nops; i++) *vec_push(&s->work) = d->uses.at[n->ops + i].val.node;
  }
  return false;
}

/* Nobody else wants the load's value, so every way to it leads through what follows it in the chain, and what
 * depends on that has at least its number. */
static uint32_t least_follower(const struct run *r, uint32_t load) {
  const struct dag *d = r->d;
  uint32_t low = UINT32_MAX;
  for (uint32_t u = dag_node(d, load)->first_use; u; u = d->uses.at[u].next) {
    uint32_t user = d->uses.at[u].user;
    if (!is_inner(r, user) && dag_node(d, user)->topo < low) low = dag_node(d, user)->topo;
  }
  return low;
}

static void look_behind(const struct run *r, struct search *s, struct sdval v) {
  const struct sdnode *n = dag_node(r->d, v.node);
  if (is_inner(r, v.node)) return;
  if (n->op != ISD_TOKENFACTOR) {
    *vec_push(&s->work) = v.node;
    return;
  }
  for (unsigned i = 0; i < n->nops; i++) /* the new node takes the token's place */
    if (!is_inner(r, dag_operand(r->d, v.node, i).node))
      *vec_push(&s->work) = dag_operand(r->d, v.node, i).node;
}

/* Does anything that the new node needs from outside depend on the load? */
static bool makes_cycle(const struct run *r, uint32_t load) {
  struct search s = {.cap = 64};
  s.slot = s.first;
  for (unsigned i = 0; i < r->variant->ninner; i++) {
    uint32_t node = r->slot[r->variant->inner[i]].node;
    for (unsigned k = 0; node != load && k < dag_node(r->d, node)->nops; k++)
      look_behind(r, &s, dag_operand(r->d, node, k));
  }
  bool found = finds(r, &s, load, least_follower(r, load));
  vec_free(&s.work);
  if (s.slot != s.first) free(s.slot);
  return found;
}

static bool is_simple(const struct dag *d, uint32_t node) {
  const struct memref *m = dag_node(d, node)->mem;
  return !m || (!m->is_volatile && !m->atomic);
}

/* A load may be swallowed when nobody else wants its value, nor any value on the way to it. */
bool fold_is_legal(struct run *r) {
  const struct match_variant *v = r->variant;
  unsigned loads = 0;
  for (unsigned i = 0; i < v->nchained; i++) loads += v->chained[i] != 0;
  if (!loads) return true;
  if (r->m->max_steps == 1) /* no step is allowed: nothing is folded */
    return false;
  for (unsigned i = 0; i < v->ninner; i++)
    if (v->inner[i] != 0 && !dag_has_one_use(r->d, r->slot[v->inner[i]])) return false;
  for (unsigned i = 0; i < v->nchained; i++)
    if (!is_simple(r->d, r->slot[v->chained[i]].node)) return false;
  if (!same_state(r)) return false;
  for (unsigned i = 0; i < v->nchained; i++)
    if (v->chained[i] != 0 && makes_cycle(r, r->slot[v->chained[i]].node)) return false;
  return true;
}

/* The chain of the machine node: those of the swallowed accesses, without the swallowed ones' own. */
struct sdval fold_chain_in(struct run *r) {
  const struct match_variant *v = r->variant;
  struct dag *d = r->d;
  VEC(struct sdval) list = {0};
  for (unsigned i = 0; i < v->nchained; i++) {
    struct sdval c = chain_in_of(d, r->slot[v->chained[i]].node);
    bool token = false;
    if (is_inner(r, c.node)) continue;
    for (unsigned k = 0; dag_node(d, c.node)->op == ISD_TOKENFACTOR && k < dag_node(d, c.node)->nops; k++)
      token |= is_inner(r, dag_operand(d, c.node, k).node);
    if (!token) {
      *vec_push(&list) = c;
      continue;
    }
    for (unsigned k = 0; k < dag_node(d, c.node)->nops; k++)
      if (!is_inner(r, dag_operand(d, c.node, k).node)) *vec_push(&list) = dag_operand(d, c.node, k);
  }
  struct sdval all = list.n ? list.at[0] : d->entry;
  if (list.n > 1)
    all = list.n <= MATCH_MAX_OPS ? join_chains(d, list.at, list.n)
                                  : dag_get1(d, ISD_TOKENFACTOR, VT_CHAIN, list.at, list.n, 0);
  vec_free(&list);
  return all;
}

/* After a fold, what followed the load hangs on a node further up, and so has at least its number. */
void lift_states(struct dag *d, uint32_t node) {
  VEC(uint32_t) work = {0};
  *vec_push(&work) = node;
  while (work.n) {
    uint32_t at = work.at[--work.n], topo = dag_node(d, at)->topo;
    for (uint32_t u = dag_node(d, at)->first_use; u; u = d->uses.at[u].next) {
      struct sdnode *user = dag_node(d, d->uses.at[u].user);
      if (user->topo >= topo) continue;
      user->topo = topo;
      *vec_push(&work) = d->uses.at[u].user;
    }
  }
  vec_free(&work);
}

/* A node that something may depend on by the chain alone; simple loads are looked at where they are used. */
static bool is_effect(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  return n->nres && n->op != ISD_COPYFROMREG && chain_out_of(d, node).node && !is_simple_load(d, node);
}

/* The number of a node by its operands'; `own` when it is an effect. */
static void number_state(struct dag *d, uint32_t node, uint32_t own) {
  struct sdnode *n = dag_node(d, node);
  n->topo = is_effect(d, node) ? own : 1;
  for (unsigned k = 0; k < n->nops; k++) {
    uint32_t below = dag_node(d, d->uses.at[n->ops + k].val.node)->topo;
    if (below > n->topo) n->topo = below;
  }
}

void match_number_states(struct dag *d, const uint32_t *order, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) number_state(d, order[i], i + 1);
}

void number_new_states(struct dag *d, uint32_t first, uint32_t root) {
  for (uint32_t id = first; id < d->nodes.n; id++) number_state(d, id, dag_node(d, root)->topo);
}
