/* sexp.h: the text of a .isel file as a tree with places. */
#ifndef VERIDAG_SEXP_H
#define VERIDAG_SEXP_H

#include "util/arena.h"
#include "util/diag.h"
#include "util/intern.h"
#include "util/vec.h"

enum sx_kind { SX_ATOM, SX_STRING, SX_LIST };

struct sx {
  enum sx_kind kind;
  struct loc loc;
  const char *text; /* atoms: interned; strings: the contents */
  const char *bind; /* lists written `name:(…)`: the name, interned; else NULL */
  uint32_t n;
  struct sx **kid;
};

VEC_TYPE(sx_list, struct sx *);

struct reader {
  struct arena *arena;
  struct interner *names;
  struct diag *diag;
};

/* Appends the forms of a source to `out`, with `for` templates expanded. Faults are reported; what could be
 * read is still appended. */
void read_forms(struct reader *r, const struct source *src, struct sx_list *out);

/* True for the atom `text` (any C string). */
bool sx_is(const struct sx *s, const char *text);
/* The head of a list when that is an atom, else NULL. */
const char *sx_head(const struct sx *s);

#endif
