/* emit_expr.c: the tables' expressions as static data, so that guards and constants of rules are evaluated by
 * the one evaluator. Equal expressions are written once. */
#include <stdlib.h>
#include <string.h>

#include "rulec.h"

struct entry {
  const char *text; /* initializer */
  unsigned number;
};

struct seen {
  const struct expr *e;
  unsigned number;
};

struct writer {
  FILE *f;
  struct arena a;
  struct entry *slots; /* hash table by text */
  unsigned cap, n;
  struct seen *memo; /* hash table by address */
  unsigned memo_cap, memo_n;
};

static uint64_t hash_text(const char *s) {
  uint64_t h = 1469598103934665603u;
  for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
  return h;
}

static struct entry *find(struct writer *w, const char *text) {
  uint64_t h = hash_text(text);
  for (;; h++) {
    struct entry *e = &w->slots[h & (w->cap - 1)];
    if (!e->text || strcmp(e->text, text) == 0) return e;
  }
}

static void grow(struct writer *w) {
  struct entry *old = w->slots;
  unsigned cap = w->cap;
  w->cap = cap ? cap * 2 : 1024;
  w->slots = calloc(w->cap, sizeof *w->slots);
  if (!w->slots) bug("out of memory");
  for (unsigned i = 0; i < cap; i++)
    if (old[i].text) *find(w, old[i].text) = old[i];
  free(old);
}

static struct seen *memo(struct writer *w, const struct expr *e) {
  for (uint64_t h = ((uintptr_t)e >> 4) * 0x9e3779b97f4a7c15u >> 20;; h++) {
    struct seen *s = &w->memo[h & (w->memo_cap - 1)];
    if (!s->e || s->e == e) return s;
  }
}

static void remember(struct writer *w, const struct expr *e, unsigned number) {
  if (w->memo_n * 2 >= w->memo_cap) {
    struct seen *old = w->memo;
    unsigned cap = w->memo_cap;
    w->memo_cap = cap ? cap * 2 : 1024;
    w->memo = calloc(w->memo_cap, sizeof *w->memo);
    if (!w->memo) bug("out of memory");
    for (unsigned i = 0; i < cap; i++)
      if (old[i].e) *memo(w, old[i].e) = old[i];
    free(old);
  }
  *memo(w, e) = (struct seen){.e = e, .number = number};
  w->memo_n++;
}

static unsigned put(struct writer *w, const struct expr *e);

static char *initializer(struct writer *w, const struct expr *e) {
  char *text = arena_printf(&w->a, ".op = %d, .sort = %d", (int)e->op, (int)e->sort);
  if (e->width) text = arena_printf(&w->a, "%s, .width = &x%u", text, put(w, e->width));
  if (e->nkid) {
    char *kids = arena_strdup(&w->a, "");
    for (unsigned i = 0; i < e->nkid; i++)
      kids = arena_printf(&w->a, "%s%s&x%u", kids, i ? ", " : "", put(w, e->kid[i]));
    text = arena_printf(&w->a, "%s, .nkid = %u, .kid = (const struct expr *[]){%s}", text, e->nkid, kids);
  }
  if (e->num)
    text = e->num == INT64_MIN ? arena_printf(&w->a, "%s, .num = INT64_MIN", text)
                               : arena_printf(&w->a, "%s, .num = %lld", text, (long long)e->num);
  text = arena_printf(&w->a, "%s, .ty = {%u, %d}, .var = %d, .flag = %d", text, e->ty.fixed, e->ty.var,
                      e->var, e->flag);
  if (e->op == B_FACT) text = arena_printf(&w->a, "%s, .fact = %d", text, (int)e->fact);
  if (e->name) text = arena_printf(&w->a, "%s, .name = \"%s\"", text, e->name);
  if (e->ref_op)
    text = arena_printf(&w->a, "%s, .ref_op = &(const struct op){.name = \"%s\", .id = %u}", text,
                        e->ref_op->name, e->ref_op->id);
  return e->strict ? arena_printf(&w->a, "%s, .strict = true", text) : text;
}

/* Writes an expression and what it refers to; returns its number. */
static unsigned put(struct writer *w, const struct expr *e) {
  if (w->memo_cap && memo(w, e)->e) return memo(w, e)->number;
  char *text = initializer(w, e);
  if (w->n * 2 >= w->cap) grow(w);
  struct entry *slot = find(w, text);
  if (!slot->text) {
    *slot = (struct entry){.text = text, .number = w->n++};
    fprintf(w->f, "static const struct expr x%u = {%s};\n", slot->number, text);
  }
  remember(w, e, slot->number);
  return slot->number;
}

unsigned *emit_expr_numbers(FILE *f, const struct gen *g) {
  struct writer w = {.f = f};
  unsigned *number = calloc(g->exprs.n + 1, sizeof *number);
  if (!number) bug("out of memory");
  for (unsigned i = 0; i < g->exprs.n; i++) number[i] = put(&w, g->exprs.at[i]);
  free(w.memo);
  free(w.slots);
  arena_free(&w.a);
  return number;
}

void emit_exprs(FILE *f, struct gen *g) {
  unsigned n = g->exprs.n, *number = emit_expr_numbers(f, g);
  g->expr_number = ARENA_ARRAY(g->a, unsigned, n + 1);
  memcpy(g->expr_number, number, n * sizeof *number);
  free(number);
  fprintf(f, "static const struct expr *const exprs[] = {\n");
  for (unsigned i = 0; i < n; i++) fprintf(f, "&x%u,%s", g->expr_number[i], i % 12 == 11 ? "\n" : " ");
  fprintf(f, "NULL};\n\n");
}

void emit_expr_ref(FILE *f, const struct gen *g, const struct expr *e) {
  if (!e) {
    fputs("NULL", f);
    return;
  }
  for (unsigned i = 0; i < g->exprs.n; i++)
    if (g->exprs.at[i] == e) {
      fprintf(f, "&x%u", g->expr_number[i]);
      return;
    }
  bug("an expression of the tables was not registered");
}
