/* combine.h: applies the (rule …) forms and folds operations on constants, until nothing applies. */
#ifndef VERIDAG_COMBINE_H
#define VERIDAG_COMBINE_H

#include "pass.h"

/* Nothing is built that `legal` forbids. The number of steps is bounded linearly in the nodes; at the bound
 * the program stops with an internal error that names the rules which fired last: they loop. */
void combine(struct pass *p, enum legality legal);

#endif
