/* intern.c: open-addressing set of strings; the strings live in the arena, the table on the heap. */
#include "util/intern.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_bytes(const char *text, size_t len) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

static const char **find_slot(const char **slots, uint32_t cap, const char *text, size_t len) {
  for (uint32_t i = hash_bytes(text, len) & (cap - 1);; i = (i + 1) & (cap - 1))
    if (!slots[i] || (strncmp(slots[i], text, len) == 0 && slots[i][len] == 0)) return &slots[i];
}

static void enlarge(struct interner *in) {
  uint32_t cap = in->cap ? in->cap * 2 : 256;
  const char **slots = calloc(cap, sizeof *slots);
  if (!slots) bug("out of memory for %u names", cap);
  for (uint32_t i = 0; i < in->cap; i++)
    if (in->slots[i]) *find_slot(slots, cap, in->slots[i], strlen(in->slots[i])) = in->slots[i];
  free(in->slots);
  in->slots = slots;
  in->cap = cap;
}

const char *intern(struct interner *in, const char *text, size_t len) {
  if (in->n * 2 >= in->cap) enlarge(in);
  const char **slot = find_slot(in->slots, in->cap, text, len);
  if (!*slot) {
    *slot = arena_strndup(in->arena, text, len);
    in->n++;
  }
  return *slot;
}

const char *intern_cstr(struct interner *in, const char *text) { return intern(in, text, strlen(text)); }

void intern_free(struct interner *in) {
  free(in->slots);
  in->slots = NULL;
  in->n = in->cap = 0;
}
