/* arena.h: memory by lifetime. An arena hands out zeroed memory that is released all at once. */
#ifndef VERIDAG_ARENA_H
#define VERIDAG_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
  struct arena_block *head; /* the block in use, older ones behind it */
  size_t used;              /* bytes handed out since the last reset */
  size_t high_water;        /* the most bytes ever handed out at one time */
};

/* Returns `bytes` of zeroed memory aligned for any type; aborts when the system has none left. */
void *arena_alloc(struct arena *a, size_t bytes);
/* Returns a copy of the `len` bytes at `text`, followed by a NUL. */
char *arena_strndup(struct arena *a, const char *text, size_t len);
char *arena_strdup(struct arena *a, const char *text);
/* printf into the arena. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull(2)));
/* Forgets everything handed out but keeps one block for the next use. */
void arena_reset(struct arena *a);
/* Gives all memory back. The arena can be used again. */
void arena_free(struct arena *a);

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

#endif
