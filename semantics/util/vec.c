/* vec.c: growable arrays. */
#include "util/vec.h"
#include "util/diag.h"

#include <stdlib.h>

void vec_grow(void **at, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return;
  if (n > UINT32_MAX / 2) bug("array of %u elements is too long", n);
  uint32_t want = n < 8 ? 8 : n * 2;
  void *p = realloc(*at, want * size);
  if (!p) bug("out of memory for an array of %u elements of %zu bytes", want, size);
  *at = p;
  *cap = want;
}

void vec_release(void **at, uint32_t *n, uint32_t *cap) {
  free(*at);
  *at = NULL;
  *n = *cap = 0;
}
