/* known_bits.h: facts about values. A fact means "the value is poison, or it holds"; freeze inherits one only
 * from a value that is known not to be poison. Every question has a depth limit; answers are kept until the
 * DAG changes. */
#ifndef VERIDAG_KNOWN_BITS_H
#define VERIDAG_KNOWN_BITS_H

#include "pass.h"

enum { KNOWN_MAX_DEPTH = 6, KNOWN_CACHE = 64 };

struct known_tag {
  struct sdval val;
  uint32_t epoch;
  uint16_t sign;
  uint8_t depth; /* it was computed with at least this many levels to go */
};

struct known {
  const struct pass *pass;
  uint32_t epoch; /* known_forget moves it on */
  struct known_tag tag[KNOWN_CACHE];
  struct bv zero[KNOWN_CACHE], one[KNOWN_CACHE]; /* valid where the tag's epoch is this one */
};

/* For the pass's DAG; `k` is zeroed, or was in use. */
void known_init(struct known *k, const struct pass *p);
/* To be called after any change of the DAG. */
void known_forget(struct known *k);

/* The callbacks of struct matcher; `self` is a struct known. */
void known_bits(void *self, struct sdval v, struct bv *zero, struct bv *one);
unsigned known_sign_bits(void *self, struct sdval v);
bool known_not_poison(void *self, struct sdval v);
/* Bits of v that its users may read. A user that carries a poison-generating flag reads all. */
struct bv known_demanded(void *self, struct sdval v);
uint64_t known_users_read(void *self, struct sdval flags);
uint32_t known_align(void *self, struct sdval address);

#endif
