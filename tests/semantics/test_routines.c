/* test_routines.c: what routines.isel says of each run-time routine, against the routine of this machine's
 * compiler library; those of 64 bits, which a 64-bit library lacks, against the compiler's own arithmetic.
 *   test_routines FILE.isel…    the vocabulary with routines.isel */
#include "model.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

u128 __udivti3(u128, u128);
u128 __umodti3(u128, u128);
i128 __divti3(i128, i128);
i128 __modti3(i128, i128);

enum { RANDOM_PAIRS = 20000 };

static u128 udiv128(u128 n, u128 d) { return __udivti3(n, d); }
static u128 umod128(u128 n, u128 d) { return __umodti3(n, d); }
static u128 div128(u128 n, u128 d) { return (u128)__divti3((i128)n, (i128)d); }
static u128 mod128(u128 n, u128 d) { return (u128)__modti3((i128)n, (i128)d); }
static u128 udiv64(u128 n, u128 d) { return (uint64_t)n / (uint64_t)d; }
static u128 umod64(u128 n, u128 d) { return (uint64_t)n % (uint64_t)d; }
static u128 div64(u128 n, u128 d) { return (uint64_t)((int64_t)n / (int64_t)d); }
static u128 mod64(u128 n, u128 d) { return (uint64_t)((int64_t)n % (int64_t)d); }

static const struct known {
  const char *name;
  u128 (*call)(u128, u128);
} library[] = {
    {"__udivti3", udiv128}, {"__umodti3", umod128}, {"__divti3", div128}, {"__modti3", mod128},
    {"__udivdi3", udiv64},  {"__umoddi3", umod64},  {"__divdi3", div64},  {"__moddi3", mod64},
};
enum { NKNOWN = sizeof library / sizeof *library };

static const struct known *find(const char *name) {
  for (unsigned i = 0; i < NKNOWN; i++)
    if (!strcmp(library[i].name, name)) return &library[i];
  return NULL;
}

static u128 next_number(uint64_t *seed, unsigned width) {
  u128 v = 0;
  for (unsigned i = 0; i < 2; i++) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    v = v << 64 | (*seed ^ *seed >> 29);
  }
  unsigned shift = (unsigned)(*seed >> 40) % width;
  v = v << (128 - width) >> (128 - width) >> shift;
  return *seed & 1 ? v : (0 - v) << (128 - width) >> (128 - width);
}

static struct bv to_bv(u128 v, unsigned width) {
  struct bv lo = bv_u64(128, (uint64_t)v), hi = bv_u64(128, (uint64_t)(v >> 64));
  return bv_trunc(bv_or(lo, bv_shl(hi, bv_u64(128, 64))), width);
}

/* One call; false when the two differ. Arguments that the routine is not made for are counted in *skipped. */
static bool agrees(const struct op *op, const struct known *k, u128 n, u128 d, unsigned *skipped) {
  vt types[1] = {VT_NONE};
  unsigned width = vt_bits(op->res[0].ty.fixed);
  struct bv val[2] = {to_bv(n, width), to_bv(d, width)}, got;
  bool poison[2] = {false, false}, got_poison;
  if (!eval_op(op, types, 0, val, poison, &got, &got_poison)) {
    ++*skipped;
    return true;
  }
  if (!got_poison && bv_eq(got, to_bv(k->call(n, d), width))) return true;
  fprintf(stderr, "FAIL: %s(0x%016llx%016llx, 0x%016llx%016llx)\n", op->name, (unsigned long long)(n >> 64),
          (unsigned long long)n, (unsigned long long)(d >> 64), (unsigned long long)d);
  return false;
}

static bool check_routine(const struct op *op, unsigned *calls) {
  const struct known *k = find(op->name);
  if (!k || op->nin != 2) {
    fprintf(stderr, "FAIL: %s is not compared with anything\n", op->name);
    return false;
  }
  unsigned width = vt_bits(op->res[0].ty.fixed), skipped = 0, tried = 0;
  u128 corner[8] = {0, 1, 2, 3, (u128)1 << (width - 1), ((u128)1 << (width - 1)) - 1};
  corner[6] = ((corner[4] - 1) << 1) | 1;
  corner[7] = corner[6] - 1;
  uint64_t seed = 1;
  for (unsigned i = 0; i < 64; i++, tried++)
    if (!agrees(op, k, corner[i / 8], corner[i % 8], &skipped)) return false;
  for (unsigned i = 0; i < RANDOM_PAIRS; i++, tried++)
    if (!agrees(op, k, next_number(&seed, width), next_number(&seed, width), &skipped)) return false;
  *calls += tried - skipped;
  return tried - skipped > RANDOM_PAIRS / 2;
}

int main(int argc, char **argv) {
  struct diag d = {.out = stderr};
  struct model *m = model_load((const char *const *)argv + 1, (unsigned)argc - 1, &d);
  unsigned calls = 0, failed = 0;
  if (!m) return 2;
  for (uint32_t i = 0; i < m->routines.n; i++) failed += !check_routine(m->routines.at[i], &calls);
  printf("%u routines, %u calls compared, %u failed\n", m->routines.n, calls, failed);
  bool ran = m->routines.n > 0;
  model_free(m);
  return failed || !ran;
}
