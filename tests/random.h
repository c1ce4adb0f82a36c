/* random.h: numbers for tests that make their inputs: the same seed, the same inputs. */
#ifndef VERIDAG_RANDOM_H
#define VERIDAG_RANDOM_H

#include <stdint.h>

/* The next number below n (Knuth's MMIX generator, its upper bits). */
static inline uint32_t random_next(uint64_t *seed, uint32_t n) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % n;
}

#endif
