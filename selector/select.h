/* select.h: instruction selection of one block. */
#ifndef VERIDAG_SELECT_H
#define VERIDAG_SELECT_H

#include "pass.h"

/* Turns every node into machine nodes (match.h says how they look), from the root to the leaves. A node that
 * no pattern matches is a fault of the input: p->unsupported is told "Cannot select: …", and the answer is
 * false. */
bool select_nodes(struct pass *p);

#endif
