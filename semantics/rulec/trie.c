/* trie.c: joins the straight-line programs of one root operation into byte code. Equal beginnings are shared.
 * Where programs ask different things of one slot's operation or type, a switch leads each answer to the
 * programs that it leaves, those that do not ask among them: so every case is a list in the order of the
 * rules. */
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

/* What a step asks of a slot: its operation (that it is a constant: one of two), its type, or neither. */
enum ask { ASK_NOTHING, ASK_OP, ASK_TYPE };

static enum ask ask_of(const struct step *s) {
  if (!s) return ASK_NOTHING;
  return s->byte[0] == M_OP || s->byte[0] == M_CONST ? ASK_OP : s->byte[0] == M_TYPE ? ASK_TYPE : ASK_NOTHING;
}

/* The answers that a step lets through. */
static unsigned answers(const struct gen *g, const struct step *s, unsigned out[2]) {
  out[0] = s->byte[2] | (unsigned)s->byte[3] << 8;
  if (s->byte[0] != M_CONST) return 1;
  out[0] = op_number(g->constant);
  out[1] = op_number(g->target_constant);
  return 2;
}

static bool lets_through(const struct gen *g, const struct step *s, unsigned answer) {
  unsigned a[2], n = answers(g, s, a);
  return a[0] == answer || (n > 1 && a[1] == answer);
}

/* Once the operation is known, only the number of one of several results is left to check. */
static bool is_settled(const struct gen *g, const struct step *s) {
  if (s->byte[0] != M_OP) return true;
  unsigned op = s->byte[2] | (unsigned)s->byte[3] << 8;
  return s->byte[4] == 0 && g->m->ops.at[op - 1]->nres <= 1;
}

struct question {
  enum ask ask;
  unsigned slot;
  unsigned n, answer[512];
  unsigned others; /* programs that do not ask */
};

static bool asks(const struct question *q, const struct step *s) {
  return ask_of(s) == q->ask && s->byte[1] == q->slot;
}

static void add_answer(struct question *q, unsigned a) {
  for (unsigned i = 0; i < q->n; i++)
    if (q->answer[i] == a) return;
  if (q->n < 512) q->answer[q->n++] = a;
}

enum { MAX_COPIES = 4096 };

/* The first question on which the programs differ here, if the copies that a switch needs are not too many.
 */
static bool find_question(const struct gen *g, struct prog **progs, unsigned n, unsigned depth,
                          struct question *q) {
  *q = (struct question){.ask = ASK_NOTHING};
  for (unsigned i = 0; i < n; i++) {
    const struct step *s = step_at(progs[i], depth);
    if (q->ask == ASK_NOTHING && ask_of(s) != ASK_NOTHING) {
      q->ask = ask_of(s);
      q->slot = s->byte[1];
      q->others = i;
    } else if (q->ask != ASK_NOTHING)
      q->others += !asks(q, s);
    if (q->ask == ASK_NOTHING || !asks(q, s)) continue;
    unsigned a[2], k = answers(g, s, a);
    for (unsigned j = 0; j < k; j++) add_answer(q, a[j]);
  }
  return q->n > 2 - (q->others == 0) && q->n < 512 && q->n * q->others <= MAX_COPIES;
}

static void emit(struct gen *g, struct prog **progs, unsigned n, unsigned depth);

static void emit_rule(struct gen *g, const struct prog *p) {
  put8(g, M_RULE);
  put16(g, p->variant);
  put24(g, p->tail);
}

static struct prog *without_step(struct gen *g, const struct prog *p, unsigned depth) {
  struct prog *c = ARENA_NEW(g->a, struct prog);
  *c = *p;
  c->steps.n--;
  c->steps.at = ARENA_ARRAY(g->a, struct step, c->steps.n + 1);
  memcpy(c->steps.at, p->steps.at, depth * sizeof *c->steps.at);
  memcpy(c->steps.at + depth, p->steps.at + depth + 1, (c->steps.n - depth) * sizeof *c->steps.at);
  return c;
}

static int by_number(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

/* The programs that an answer leaves (or, without one, those that do not ask). */
static unsigned left_by(struct gen *g, struct prog **progs, unsigned n, unsigned depth,
                        const struct question *q, const unsigned *answer, struct prog **out) {
  unsigned m = 0;
  for (unsigned i = 0; i < n; i++) {
    const struct step *s = step_at(progs[i], depth);
    if (!asks(q, s))
      out[m++] = progs[i];
    else if (answer && lets_through(g, s, *answer))
      out[m++] = is_settled(g, s) ? without_step(g, progs[i], depth) : progs[i];
  }
  return m;
}

static void emit_switch(struct gen *g, struct prog **progs, unsigned n, unsigned depth, struct question *q) {
  struct prog **mine = ARENA_ARRAY(g->a, struct prog *, n);
  qsort(q->answer, q->n, sizeof *q->answer, by_number);
  put8(g, q->ask == ASK_OP ? M_SWITCH_OP : M_SWITCH_TYPE);
  put8(g, q->slot);
  put16(g, q->n);
  uint32_t rest = g->code.n;
  put24(g, 0);
  uint32_t table = g->code.n;
  for (unsigned k = 0; k < q->n; k++) {
    put16(g, q->answer[k]);
    put24(g, 0);
  }
  for (unsigned k = 0; k < q->n; k++) {
    unsigned m = left_by(g, progs, n, depth, q, &q->answer[k], mine);
    patch24(g, table + 5 * k + 2, g->code.n);
    emit(g, mine, m, depth);
  }
  unsigned m = left_by(g, progs, n, depth, q, NULL, mine);
  if (!m) return;
  patch24(g, rest, g->code.n);
  emit(g, mine, m, depth);
}

static void emit_run(struct gen *g, struct prog **progs, unsigned n, unsigned depth) {
  const struct step *s = step_at(progs[0], depth);
  if (!s) {
    emit_rule(g, progs[0]);
    return;
  }
  for (unsigned i = 0; i < s->len; i++) put8(g, s->byte[i]);
  emit(g, progs, n, depth + 1);
}

static void emit(struct gen *g, struct prog **progs, unsigned n, unsigned depth) {
  struct question *q = malloc(sizeof *q);
  if (!q) bug("out of memory");
  bool several = find_question(g, progs, n, depth, q);
  if (several) emit_switch(g, progs, n, depth, q);
  free(q);
  while (n && !several) {
    unsigned k = 1;
    while (k < n && same_step(step_at(progs[0], depth), step_at(progs[k], depth))) k++;
    uint32_t hole = 0;
    if (k < n) {
      put8(g, M_TRY);
      hole = g->code.n;
      put24(g, 0);
    }
    emit_run(g, progs, k, depth);
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
