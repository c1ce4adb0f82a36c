/* flags.h: the poison-generating flags that an operation may carry, as bits of a node's `flags`. */
#ifndef VERIDAG_FLAGS_H
#define VERIDAG_FLAGS_H

enum flag_bit { FLAG_NSW, FLAG_NUW, FLAG_EXACT, FLAG_DISJOINT, FLAG_NNEG, FLAG_SAMESIGN, FLAG_COUNT };
extern const char *const flag_name[FLAG_COUNT];

#endif
