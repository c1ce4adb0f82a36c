/* workspace.h: memory that the passes over one function use again from block to block. */
#ifndef VERIDAG_WORKSPACE_H
#define VERIDAG_WORKSPACE_H

#include "known_bits.h"
#include "util/vec.h"

VEC_TYPE(node_list, uint32_t);

struct workspace {
  struct known known;
  struct node_list work, touched; /* empty between passes */
};

/* The pass's workspace, made when it is first asked for, with no fact known and its lists empty. */
struct workspace *workspace_start(struct pass *p);
/* Gives it back; for the owner of the pass, after the last block. */
void workspace_free(struct pass *p);

#endif
