/* access.h: loads and stores of integers by parts, for both legalizers. An iN is in memory as its store size
 * of bytes, zero-extended; reading it back promises nothing about the bits above N except by zero-extending
 * loads. */
#ifndef VERIDAG_ACCESS_H
#define VERIDAG_ACCESS_H

#include "pass.h"

enum load_kind { LOAD_ANY, LOAD_ZERO, LOAD_SIGN };

/* A load or store taken apart. */
struct access {
  struct sdval chain, value /* stores */, ptr;
  struct memref mem;
  enum load_kind kind; /* loads that extend */
};

struct access access_of(const struct dag *d, uint32_t node);
/* A load of `type` from a.mem.mem at a.ptr + offset bytes: a plain one when the types are equal. *chain is
 * the state before, and after it. */
struct sdval access_load(struct dag *d, const struct access *a, vt type, vt mem, int64_t offset,
                         struct sdval *chain);
/* A store of the low bits of `value`; returns the chain. */
struct sdval access_store(struct dag *d, const struct access *a, struct sdval value, vt mem, int64_t offset,
                          struct sdval chain);
/* The state after two accesses made from `a.chain`, one after the other when they are volatile or atomic. */
struct sdval access_join(struct dag *d, struct sdval first, struct sdval second);
bool access_in_order(const struct access *a);

#endif
