/* schedule.c: see schedule.h. Works on units: a node, or the nodes that glue ties together. */
#include "schedule.h"
#include "match.h"
#include "gen/targets.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

enum { PLACED = 0xffffffff };

struct unit {
  uint32_t first;     /* head of the unit's nodes in `next_in_unit`, top-down */
  uint32_t pending;   /* edges from units that are not placed */
  uint32_t order;     /* of the IR; 0xffffffff: right before its first user */
  uint32_t need;      /* registers that computing it needs (Sethi and Ullman) */
  uint32_t depth;     /* longest path to it */
  uint32_t height;    /* longest path from it, over the units placed so far */
  uint32_t seq;       /* when it became available */
  struct sdval reads; /* the flags value that it needs from another unit, or none */
  bool clobbers;      /* flags */
  bool call, start;   /* holds the end or the start of a call sequence */
};

struct scheduler {
  struct dag *d;
  const struct target *t;
  struct unit *units;
  uint32_t *unit_of, *next_in_unit;
  uint32_t nunits;
  uint32_t *order, n;    /* live nodes, operands first */
  uint32_t *heap, nheap; /* available units */
  uint32_t *blocked, nblocked;
  uint32_t pushed;
  struct sdval live; /* flags that a placed unit needs */
  bool in_call;
  VEC(uint32_t) * seq; /* bottom-up */
};

bool node_is_silent(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  switch (n->op) {
  case ISD_ENTRYTOKEN:
  case ISD_TOKENFACTOR:
  case ISD_TARGETCONSTANT:
  case ISD_REGISTER:
  case ISD_BASICBLOCK:
  case ISD_TARGETGLOBALADDR:
  case ISD_TARGETEXTERNALSYM:
  case ISD_FRAMEINDEX:
  case ISD_TARGETFRAMEINDEX:
  case OP_IMPLICIT_DEF: return true;
  case ISD_COPYFROMREG: return n->imm >> 31 & 1; /* a virtual register is read where it is used */
  default: return false;
  }
}

bool node_clobbers_flags(const struct dag *d, const struct target *t, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  if (n->op >= OP_MACHINE) {
    const struct inst_desc *desc = &t->rows->insts[n->op - OP_MACHINE];
    for (unsigned i = 0; i < desc->ndef; i++)
      if (vt_kind(t->rows->regs[desc->def[i]].type) == TK_FLAGS) return true;
    return false;
  }
  return n->op == ISD_CALL || n->op == ISD_CALLSEQ_START || n->op == ISD_CALLSEQ_END || n->op == ISD_BRJT;
}

/* ---- Units --------------------------------------------------------------------------------------- */

static uint32_t glue_operand(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  if (!n->nops) return 0;
  struct sdval last = dag_operand(d, node, n->nops - 1u);
  return dag_type(d, last) == VT_GLUE ? last.node : 0;
}

/* Operands that are nothing but their text: they have no unit (unit_of is 0). */
static bool is_text(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  return !n->nops && n->op != ISD_COPYFROMREG && n->op != OP_IMPLICIT_DEF && node_is_silent(d, node);
}

/* Constants and the like have no place of their own in the source: they go right before their first user. */
static bool floats(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  for (unsigned i = 0; i < n->nops; i++) {
    struct sdval v = dag_operand(d, node, i);
    if (!node_is_silent(d, v.node)) return false;
    if (dag_opcode(d, v) == ISD_COPYFROMREG || dag_type(d, v) == VT_CHAIN) return false;
  }
  return true;
}

static uint32_t node_order(struct scheduler *s, uint32_t node) {
  return node_is_silent(s->d, node) || floats(s->d, node) ? 0xffffffff : dag_node(s->d, node)->order;
}

/* Sethi and Ullman's number and the depth, from the operands' units. */
static void measure_unit(struct scheduler *s, uint32_t u) {
  struct unit *unit = &s->units[u];
  uint32_t need = 0, equal = 0;
  for (uint32_t node = unit->first; node; node = s->next_in_unit[node]) {
    const struct sdnode *n = dag_node(s->d, node);
    for (unsigned i = 0; i < n->nops; i++) {
      struct sdval v = dag_operand(s->d, node, i);
      const struct unit *of = &s->units[s->unit_of[v.node]]; /* unit 0 needs nothing */
      if (of == unit) continue;
      if (of->depth >= unit->depth) unit->depth = of->depth + 1;
      if (!vt_is_int(dag_type(s->d, v)) || !of->need) continue;
      equal = of->need == need ? equal + 1 : of->need > need ? 0 : equal;
      if (of->need > need) need = of->need;
    }
  }
  unit->need = need + equal;
  if (!unit->need &&
      (!node_is_silent(s->d, unit->first) || dag_node(s->d, unit->first)->op == ISD_COPYFROMREG))
    unit->need = 1;
}

static void make_units(struct scheduler *s) {
  struct dag *d = s->d;
  s->nunits = 1;
  for (uint32_t i = 0; i < s->n; i++) {
    uint32_t node = s->order[i];
    if (is_text(d, node)) continue;
    uint32_t glued = glue_operand(d, node);
    if (!glued) {
      s->unit_of[node] = s->nunits;
      s->units[s->nunits++] = (struct unit){.first = node};
      continue;
    }
    /* topological order: the producer of the glue has its unit, and is that unit's last node */
    uint32_t u = s->unit_of[glued];
    s->unit_of[node] = u;
    s->next_in_unit[glued] = node;
  }
}

static void describe_unit(struct scheduler *s, uint32_t u) {
  struct unit *unit = &s->units[u];
  struct dag *d = s->d;
  for (uint32_t node = unit->first; node; node = s->next_in_unit[node]) {
    const struct sdnode *n = dag_node(d, node);
    uint32_t order = node_order(s, node);
    if (order > unit->order) unit->order = order;
    unit->clobbers |= node_clobbers_flags(d, s->t, node);
    unit->call |= n->op == ISD_CALLSEQ_END;
    unit->start |= n->op == ISD_CALLSEQ_START;
    for (unsigned i = 0; i < n->nops; i++) {
      struct sdval v = dag_operand(d, node, i);
      if (s->unit_of[v.node] == u || !s->unit_of[v.node]) continue;
      s->units[s->unit_of[v.node]].pending++;
      if (vt_kind(dag_type(d, v)) == TK_FLAGS) unit->reads = v;
    }
  }
}

/* ---- The heap of available units ------------------------------------------------------------------ */

/* Later in the source is placed first; then what needs fewer registers, what is closer to its user, what is
 * deeper, what came first. */
static bool above(struct scheduler *s, uint32_t a, uint32_t b) {
  const struct unit *x = &s->units[s->heap[a]], *y = &s->units[s->heap[b]];
  if (x->order != y->order) return x->order > y->order;
  if (x->need != y->need) return x->need < y->need;
  if (x->height != y->height) return x->height > y->height;
  if (x->depth != y->depth) return x->depth > y->depth;
  return x->seq < y->seq;
}

static void swap(struct scheduler *s, uint32_t a, uint32_t b) {
  uint32_t t = s->heap[a];
  s->heap[a] = s->heap[b];
  s->heap[b] = t;
}

static void heap_push(struct scheduler *s, uint32_t u) {
  uint32_t i = s->nheap++;
  if (!s->units[u].seq) s->units[u].seq = ++s->pushed;
  s->heap[i] = u;
  for (; i && above(s, i, (i - 1) / 2); i = (i - 1) / 2) swap(s, i, (i - 1) / 2);
}

static uint32_t heap_pop(struct scheduler *s) {
  uint32_t top = s->heap[0];
  s->heap[0] = s->heap[--s->nheap];
  for (uint32_t i = 0;;) {
    uint32_t best = i;
    for (uint32_t k = 2 * i + 1; k <= 2 * i + 2; k++)
      if (k < s->nheap && above(s, k, best)) best = k;
    if (best == i) return top;
    swap(s, i, best);
    i = best;
  }
}

/* ---- Placing ------------------------------------------------------------------------------------- */

/* Placing the unit now would break a rule, whatever else is placed. */
static bool forbidden(const struct scheduler *s, uint32_t u) {
  const struct unit *unit = &s->units[u];
  if (s->in_call && unit->call) return true;
  if (!s->live.node) return false;
  if (s->unit_of[s->live.node] == u) return false;
  return unit->clobbers || (unit->reads.node && !sd_eq(unit->reads, s->live));
}

/* A reader of flags whose producer has other users to come: better placed after those, or the producer would
 * have to be repeated. */
static bool premature(const struct scheduler *s, uint32_t u) {
  const struct unit *unit = &s->units[u];
  return unit->reads.node && !s->live.node && s->units[s->unit_of[unit->reads.node]].pending > 1;
}

static void release(struct scheduler *s, uint32_t u) {
  for (uint32_t node = s->units[u].first; node; node = s->next_in_unit[node]) {
    const struct sdnode *n = dag_node(s->d, node);
    for (unsigned i = 0; i < n->nops; i++) {
      uint32_t of = s->unit_of[dag_operand(s->d, node, i).node];
      if (of == u || !of) continue;
      if (s->units[u].height >= s->units[of].height) s->units[of].height = s->units[u].height + 1;
      if (--s->units[of].pending == 0) heap_push(s, of);
    }
  }
}

static void emit(struct scheduler *s, uint32_t u) {
  /* the sequence is built backwards */
  uint32_t nodes = 0;
  for (uint32_t node = s->units[u].first; node; node = s->next_in_unit[node]) nodes++;
  for (uint32_t i = 0; i < nodes; i++) *vec_push(s->seq) = 0;
  uint32_t at = s->seq->n;
  for (uint32_t node = s->units[u].first; node; node = s->next_in_unit[node]) s->seq->at[--at] = node;
}

static void place(struct scheduler *s, uint32_t u) {
  struct unit *unit = &s->units[u];
  emit(s, u);
  if (unit->call) s->in_call = true;
  if (unit->start) s->in_call = false;
  if (s->live.node && s->unit_of[s->live.node] == u) s->live = SDNONE;
  if (unit->reads.node) s->live = unit->reads;
  release(s, u);
}

/* Nothing can be placed because a placed unit needs flags whose producer still has users to come: the
 * producer is repeated here, for its flags. Only what has no effect may be. */
static bool repeat_producer(struct scheduler *s, const char **fault) {
  uint32_t u = s->unit_of[s->live.node];
  const struct sdnode *n = dag_node(s->d, s->live.node);
  if (!s->live.node || s->units[u].first != s->live.node || s->next_in_unit[s->live.node]) {
    *fault = "no order of the nodes keeps the condition flags";
    return false;
  }
  for (unsigned i = 0; i < n->nres; i++)
    if (n->types[i] == VT_CHAIN) {
      *fault = "a comparison with memory would have to be repeated";
      return false;
    }
  *vec_push(s->seq) = s->live.node;
  s->live = s->units[u].reads;
  return true;
}

static void unblock(struct scheduler *s) {
  for (uint32_t i = 0; i < s->nblocked; i++) heap_push(s, s->blocked[i]);
  s->nblocked = 0;
}

static bool place_all(struct scheduler *s, const char **fault) {
  while (s->nheap || s->nblocked) {
    uint32_t pick = 0, second = 0;
    while (s->nheap && !pick) {
      uint32_t u = heap_pop(s);
      if (forbidden(s, u))
        s->blocked[s->nblocked++] = u;
      else if (premature(s, u)) {
        if (!second)
          second = u;
        else
          s->blocked[s->nblocked++] = u;
      } else
        pick = u;
    }
    if (pick && second) s->blocked[s->nblocked++] = second;
    if (!pick) pick = second;
    bool was_live = s->live.node, was_call = s->in_call;
    if (pick)
      place(s, pick);
    else if (!repeat_producer(s, fault))
      return false;
    /* what was set aside may be allowed now, unless nothing changed */
    if (!pick || s->live.node || was_live || was_call || s->nheap == 0 || s->nblocked) unblock(s);
  }
  return true;
}

static void reverse(uint32_t *at, uint32_t n) {
  for (uint32_t i = 0; i < n / 2; i++) {
    uint32_t t = at[i];
    at[i] = at[n - 1 - i];
    at[n - 1 - i] = t;
  }
}

bool schedule(struct dag *d, const struct target *t, struct arena *scratch, struct schedule *out) {
  struct scheduler s = {.d = d, .t = t};
  s.n = dag_topo(d, &s.order);
  s.unit_of = ARENA_ARRAY(scratch, uint32_t, d->nodes.n);
  s.next_in_unit = ARENA_ARRAY(scratch, uint32_t, d->nodes.n);
  s.units = ARENA_ARRAY(scratch, struct unit, s.n + 1);
  s.heap = ARENA_ARRAY(scratch, uint32_t, s.n + 1);
  s.blocked = ARENA_ARRAY(scratch, uint32_t, s.n + 1);
  s.seq = (void *)&out->seq;
  out->fault = NULL;
  make_units(&s);
  for (uint32_t u = 1; u < s.nunits; u++) describe_unit(&s, u);
  for (uint32_t u = 1; u < s.nunits; u++) measure_unit(&s, u);
  for (uint32_t u = 1; u < s.nunits; u++)
    if (!s.units[u].pending) heap_push(&s, u);
  if (!place_all(&s, &out->fault)) return false;
  reverse(out->seq.at, out->seq.n);
  return true;
}
