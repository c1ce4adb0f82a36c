/* trie.c: joins the straight-line programs of one root operation into byte code. Programs keep their order; a
 * program moves ahead of others only where those check another operation at the same slot. */
#include <stdlib.h>
#include <string.h>

#include "rulec.h"

void put8(struct gen *g, unsigned v) { *vec_push(&g->code) = (uint8_t)v; }
void put16(struct gen *g, unsigned v) {
  put8(g, v & 255);
  put8(g, v >> 8);
}
void put24(struct gen *g, uint32_t v) {
  put16(g, v & 0xffff);
  put8(g, v >> 16);
}
void patch24(struct gen *g, uint32_t at, uint32_t v) {
  g->code.at[at] = (uint8_t)v;
  g->code.at[at + 1] = (uint8_t)(v >> 8);
  g->code.at[at + 2] = (uint8_t)(v >> 16);
}

static const struct step *step_at(const struct prog *p, unsigned depth) {
  return depth < p->steps.n ? &p->steps.at[depth] : NULL;
}

static bool same_step(const struct step *a, const struct step *b) {
  return a && b && a->len == b->len && memcmp(a->byte, b->byte, a->len) == 0;
}

static bool is_op(const struct step *s) { return s && s->byte[0] == M_OP; }
static unsigned step_op(const struct step *s) { return s->byte[2] | (unsigned)s->byte[3] << 8; }
static bool same_slot_ops(const struct step *a, const struct step *b) {
  return is_op(a) && is_op(b) && a->byte[1] == b->byte[1];
}

/* Moves every program that starts like progs[0] next to it, past programs that cannot match the same node. */
static unsigned gather(struct prog **progs, unsigned n, unsigned depth) {
  const struct step *first = step_at(progs[0], depth);
  unsigned k = 1;
  for (unsigned i = 1; i < n; i++) {
    const struct step *s = step_at(progs[i], depth);
    if (same_step(first, s)) {
      struct prog *p = progs[i];
      memmove(&progs[k + 1], &progs[k], (i - k) * sizeof *progs);
      progs[k++] = p;
    } else if (!same_slot_ops(first, s) || step_op(first) == step_op(s))
      break;
  }
  return k;
}

/* How many programs from the first on check the operation of one slot here, if of several operations. */
static unsigned switch_run(struct prog **progs, unsigned n, unsigned depth) {
  const struct step *first = step_at(progs[0], depth);
  unsigned k = 1;
  bool several = false;
  if (!is_op(first)) return 0;
  for (; k < n && same_slot_ops(first, step_at(progs[k], depth)); k++)
    several |= step_op(first) != step_op(step_at(progs[k], depth));
  return several ? k : 0;
}

static void emit(struct gen *g, struct prog **progs, unsigned n, unsigned depth);

static void emit_rule(struct gen *g, const struct prog *p) {
  put8(g, M_RULE);
  put16(g, p->variant);
  put24(g, p->tail);
}

static int by_op(const void *a, const void *b) {
  const struct match_entry *x = a, *y = b;
  return (x->op > y->op) - (x->op < y->op);
}

/* A switch over the operation of a slot; the cases check it again only to learn the result number. */
static void emit_switch(struct gen *g, struct prog **progs, unsigned n, unsigned depth) {
  struct match_entry *cases = ARENA_ARRAY(g->a, struct match_entry, n);
  unsigned ncase = 0, slot = step_at(progs[0], depth)->byte[1];
  for (unsigned i = 0; i < n; i++) {
    unsigned op = step_op(step_at(progs[i], depth)), k = 0;
    while (k < ncase && cases[k].op != op) k++;
    if (k == ncase) cases[ncase++] = (struct match_entry){.op = (uint16_t)op, .start = 0};
  }
  qsort(cases, ncase, sizeof *cases, by_op);
  put8(g, M_SWITCH_OP);
  put8(g, slot);
  put16(g, ncase);
  uint32_t table = g->code.n;
  for (unsigned k = 0; k < ncase; k++) {
    put16(g, cases[k].op);
    put24(g, 0);
  }
  struct prog **mine = ARENA_ARRAY(g->a, struct prog *, n);
  for (unsigned k = 0; k < ncase; k++) {
    unsigned m = 0;
    for (unsigned i = 0; i < n; i++)
      if (step_op(step_at(progs[i], depth)) == cases[k].op) mine[m++] = progs[i];
    patch24(g, table + 5 * k + 2, g->code.n);
    emit(g, mine, m, depth);
  }
}

static void emit_group(struct gen *g, struct prog **progs, unsigned n, unsigned depth, bool is_switch) {
  if (is_switch) {
    emit_switch(g, progs, n, depth);
    return;
  }
  const struct step *s = step_at(progs[0], depth);
  if (!s) {
    emit_rule(g, progs[0]);
    return;
  }
  for (unsigned i = 0; i < s->len; i++) put8(g, s->byte[i]);
  emit(g, progs, n, depth + 1);
}

static void emit(struct gen *g, struct prog **progs, unsigned n, unsigned depth) {
  while (n) {
    unsigned k = switch_run(progs, n, depth);
    bool is_switch = k > 0;
    if (!is_switch) k = step_at(progs[0], depth) ? gather(progs, n, depth) : 1;
    uint32_t hole = 0;
    if (k < n) {
      put8(g, M_TRY);
      hole = g->code.n;
      put24(g, 0);
    }
    emit_group(g, progs, k, depth, is_switch);
    if (k < n) patch24(g, hole, g->code.n);
    progs += k;
    n -= k;
  }
}

uint32_t emit_trie(struct gen *g, struct prog **progs, unsigned n) {
  uint32_t start = g->code.n;
  emit(g, progs, n, 0);
  return start;
}
