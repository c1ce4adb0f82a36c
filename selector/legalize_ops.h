/* legalize_ops.h: every operation becomes one that the target has. Each node's action decides: Custom tries
 * the target's (lower …) rules and falls to Expand; Expand tries the (expand …) rules and falls to a library
 * call; Promote does the operation in the next wider legal type. Loads and stores whose memory type no access
 * of the target has are widened or split. */
#ifndef VERIDAG_LEGALIZE_OPS_H
#define VERIDAG_LEGALIZE_OPS_H

#include "pass.h"

/* False after pass->unsupported was told. */
bool legalize_ops(struct pass *p);

#endif
