/* workspace.c: see the header. */
#include "workspace.h"
#include "util/diag.h"

#include <stdlib.h>

struct workspace *workspace_start(struct pass *p) {
  struct workspace *w = p->space;
  if (!w) {
    p->space = w = calloc(1, sizeof *w);
    if (!w) bug("out of memory");
  }
  known_init(&w->known, p);
  w->work.n = w->touched.n = 0;
  return w;
}

void workspace_free(struct pass *p) {
  if (!p->space) return;
  vec_free(&p->space->work);
  vec_free(&p->space->touched);
  free(p->space);
  p->space = NULL;
}
