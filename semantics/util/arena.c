/* arena.c: memory by lifetime. Blocks double in size up to a limit, so that a big run needs few of them. */
#include "util/arena.h"
#include "util/diag.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 1 << 14, LAST_BLOCK = 1 << 22 };

struct arena_block {
  struct arena_block *older;
  size_t cap, used; /* bytes behind this header */
  alignas(max_align_t) unsigned char data[];
};

static struct arena_block *block_new(size_t cap, struct arena_block *older) {
  struct arena_block *b = calloc(1, sizeof *b + cap);
  if (!b) bug("out of memory for an arena block of %zu bytes", cap);
  b->older = older;
  b->cap = cap;
  return b;
}

void *arena_alloc(struct arena *a, size_t bytes) {
  size_t align = alignof(max_align_t), need = (bytes + align - 1) & ~(align - 1);
  if (need == 0) need = align;
  struct arena_block *b = a->head;
  if (!b || b->cap - b->used < need) {
    size_t cap = b ? b->cap * 2 : FIRST_BLOCK;
    if (cap > LAST_BLOCK) cap = LAST_BLOCK;
    if (cap < need) cap = need;
    a->head = b = block_new(cap, b);
  }
  void *p = b->data + b->used;
  b->used += need;
  a->used += need;
  if (a->used > a->high_water) a->high_water = a->used;
  return p;
}

char *arena_strndup(struct arena *a, const char *text, size_t len) {
  char *p = arena_alloc(a, len + 1);
  if (len) memcpy(p, text, len);
  return p;
}

char *arena_strdup(struct arena *a, const char *text) { return arena_strndup(a, text, strlen(text)); }

char *arena_printf(struct arena *a, const char *fmt, ...) {
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  if (n < 0) bug("bad format '%s'", fmt);
  char *p = arena_alloc(a, (size_t)n + 1);
  vsnprintf(p, (size_t)n + 1, fmt, again);
  va_end(again);
  return p;
}

static void free_from(struct arena_block *b) {
  while (b) {
    struct arena_block *older = b->older;
    free(b);
    b = older;
  }
}

void arena_reset(struct arena *a) {
  struct arena_block *b = a->head;
  a->used = 0;
  if (!b) return;
  free_from(b->older);
  b->older = NULL;
  memset(b->data, 0, b->used);
  b->used = 0;
}

void arena_free(struct arena *a) {
  free_from(a->head);
  a->head = NULL;
  a->used = 0;
}
