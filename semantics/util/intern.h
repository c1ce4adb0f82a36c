/* intern.h: one pointer per distinct string, so that names compare by address. */
#ifndef VERIDAG_INTERN_H
#define VERIDAG_INTERN_H

#include "util/arena.h"

struct interner {
  struct arena *arena;
  const char **slots;
  uint32_t n, cap;
};

/* The interned copy of `len` bytes at `text`. */
const char *intern(struct interner *in, const char *text, size_t len);
const char *intern_cstr(struct interner *in, const char *text);
void intern_free(struct interner *in);

#endif
