/* legal.h: what a pass may build at its level, and the matcher set up for it. */
#ifndef VERIDAG_LEGAL_H
#define VERIDAG_LEGAL_H

#include "known_bits.h"
#include "pass.h"
#include "rank.h"

struct legal {
  const struct pass *pass;
  enum legality level;
  struct known *known;
  /* While the operations are being legalized: what can still be lowered may be built, and what is expanded in
   * at most `max_rank` rounds. */
  bool lowering;
  const struct ranks *ranks;
  unsigned max_rank;
};

/* A matcher for the pass's DAG at a level: it asks nobody for facts, and may build everything. */
struct matcher pass_matcher(const struct pass *p, enum legality level);
/* A matcher for the pass's DAG that asks `l` and its known bits; `l` must outlive it. */
void legal_matcher(struct legal *l, struct matcher *m);
/* struct matcher's may_build; `self` is a struct legal. */
bool legal_may_build(void *self, uint16_t op, vt key, vt second);
/* May the target access memory of this type at once: a power of two of bytes that a register holds. */
bool legal_memory_type(const struct match_tables *t, vt type);
/* The low bits of x, of type `narrow`, sign-extended in place: by sext_inreg where targets have it, else by
 * shifts. */
struct sdval legal_sign_in_register(struct dag *d, struct sdval x, vt narrow);
/* The narrowest legal integer type of at least `bits` bits, or VT_NONE. */
vt legal_at_least(const struct match_tables *t, unsigned bits);
/* The widest legal integer type. */
vt legal_widest(const struct match_tables *t);

#endif
