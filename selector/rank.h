/* rank.h: in how many rounds of (expand …) rules an operation ends in what the target has. Expansions that
 * pass through operations which must be expanded themselves go strictly down in rank, so that they end. */
#ifndef VERIDAG_RANK_H
#define VERIDAG_RANK_H

#include "pass.h"

enum { RANK_MAX = 6, RANK_NEVER = 255 };

struct ranks;

/* The ranks of all operations whose action is Expand (or Custom without a rule that always applies), at every
 * legal type, with the features of the pass. */
struct ranks *ranks_make(const struct pass *p);
void ranks_free(struct ranks *r);
/* 0 for what the target has, RANK_NEVER when no chain of rules ends. */
unsigned rank_of(const struct ranks *r, uint16_t op, vt type);

#endif
