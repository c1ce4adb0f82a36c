/* schedule.h: the order of a selected block's nodes. */
#ifndef VERIDAG_SCHEDULE_H
#define VERIDAG_SCHEDULE_H

#include "dag.h"
#include "targets/target.h"

/* Nodes top-down. A node that stands twice is emitted twice: the second time for its flags alone. */
struct schedule {
  VEC(uint32_t) seq;
  const char *fault; /* set when no order exists: a located description of what is in the way */
};

/* Bottom-up list scheduling in source order. Data, chain and glue edges are kept; glued nodes are adjacent;
 * nothing that changes the condition flags comes between their definition and a use (the definition is
 * repeated where an order would need that); call sequences do not overlap. The arrays live in `scratch`. */
bool schedule(struct dag *d, const struct target *t, struct arena *scratch, struct schedule *out);

/* Does the node set, or leave undefined, the condition flags? */
bool node_clobbers_flags(const struct dag *d, const struct target *t, uint32_t node);
/* Nodes that stand for operands of others or for nothing, and are emitted with their users or not at all. */
bool node_is_silent(const struct dag *d, uint32_t node);

#endif
