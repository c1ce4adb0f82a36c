/* combine.h: applies the (rule …) forms and folds operations on constants, until nothing applies. */
#ifndef VERIDAG_COMBINE_H
#define VERIDAG_COMBINE_H

#include "pass.h"

/* Nothing is built that `legal` forbids. The number of steps is bounded linearly in the nodes; at the bound
 * the run stops, with a warning on stderr that names the rules which loop, and pass->overflows is counted. */
void combine(struct pass *p, enum legality legal);

#endif
