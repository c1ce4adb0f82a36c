/* legalize_types.h: every value gets a type that a register class of the target holds. A narrow or odd
 * integer is promoted: its value is the low part of a wider one whose upper bits are unspecified. A wide
 * integer is expanded in two halves, repeatedly. Odd widths above the widest register are promoted to a power
 * of two first. setcc, overflow and carry results are exactly 0 or 1 at any type; boolean operands are
 * zero-extended. Memory accesses of an expanded value are split in two, volatile ones as well. */
#ifndef VERIDAG_LEGALIZE_TYPES_H
#define VERIDAG_LEGALIZE_TYPES_H

#include "pass.h"

/* How a value of `type` is held in registers: in how many parts, all of type *part. Part 0 is the low end.
 * The bits of the parts above the value are unspecified. The builder copies values between blocks, arguments
 * and results part by part: it joins parts with build_pair (a tree, low halves first) and truncates to
 * `type`; to take a value apart it any-extends to parts × *part bits and uses extract_element. Returns 0 for
 * a type without parts (chain, glue, no integer, or too wide). */
unsigned legal_parts(const struct match_tables *t, vt type, vt *part);

/* False after pass->unsupported was told. */
bool legalize_types(struct pass *p);

#endif
