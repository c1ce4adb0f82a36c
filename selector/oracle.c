/* oracle.c: magic multipliers, inverses, encodings of immediates. */
#include "oracle.h"

#include <string.h>

/* 2^k in n bits. */
static struct bv power(unsigned n, unsigned k) { return bv_shl(bv_u64(n, 1), bv_u64(n, k)); }

static unsigned floor_log2(struct bv c) { return c.width - 1 - bv_clz(c); }

static bool is_pow2(struct bv c) { return bv_popcount(c) == 1; }

static bool at_most(struct bv a, struct bv b) { return !bv_ult(b, a); }

/* The least multiple of c that is at least 2^k, divided by c, and how far it lies above 2^k; in n bits. */
static struct bv ceil_div_pow2(struct bv c, unsigned n, unsigned k, struct bv *excess) {
  struct bv wide = bv_zext(c, n), p = power(n, k);
  struct bv m = bv_udiv(bv_sub(bv_add(p, wide), bv_u64(n, 1)), wide);
  *excess = bv_sub(bv_mul(m, wide), p);
  return m;
}

static bool magic_udiv(struct bv c, struct bv *out) {
  unsigned w = c.width, n = 2 * w + 2, s;
  struct bv e, m;
  if (bv_is_zero(c) || is_pow2(c)) return false;
  s = floor_log2(c);
  m = ceil_div_pow2(c, n, w + s, &e);
  if (!at_most(e, power(n, s)) || !bv_ult(m, power(n, w))) return false;
  for (; s > 0 && !bv_bit(m, 0); s--) m = bv_lshr(m, bv_u64(n, 1));
  out[0] = bv_trunc(m, w);
  out[1] = bv_u64(w, s);
  return true;
}

static bool magic_udiv_preshift(struct bv c, struct bv *out) {
  unsigned w = c.width, n = 2 * w + 2, k = bv_ctz(c), s;
  struct bv e, m, d;
  if (bv_is_zero(c) || is_pow2(c) || k == 0) return false;
  d = bv_lshr(c, bv_u64(w, k));
  s = floor_log2(d) + 1 > k ? floor_log2(d) + 1 - k : 0;
  m = ceil_div_pow2(d, n, w + s, &e);
  if (!at_most(e, power(n, s + k)) || !bv_ult(m, power(n, w))) return false;
  out[0] = bv_trunc(m, w);
  out[1] = bv_u64(w, s);
  out[2] = bv_u64(w, k);
  return true;
}

static bool magic_udiv_add(struct bv c, struct bv *out) {
  unsigned w = c.width, n = 2 * w + 3, s;
  struct bv e, m;
  if (bv_is_zero(c) || is_pow2(c)) return false;
  s = floor_log2(c);
  m = ceil_div_pow2(c, n, w + s + 1, &e);
  out[0] = bv_trunc(m, w); /* without its bit w */
  out[1] = bv_u64(w, s);
  return true;
}

static bool magic_sdiv(struct bv c, struct bv *out) {
  unsigned w = c.width, n = 2 * w + 2, s;
  struct bv m = bv_u64(n, 0), wide = bv_zext(c, n);
  bool found = false;
  if (bv_sign(c) || bv_is_zero(c) || is_pow2(c)) return false;
  for (s = floor_log2(c) + 1; s-- > 0;) {
    struct bv p = power(n, w + s), q = bv_add(bv_udiv(p, wide), bv_u64(n, 1));
    if (!at_most(bv_sub(bv_mul(q, wide), p), power(n, s + 1)) || !bv_ult(q, power(n, w))) break;
    m = q;
    found = true;
    out[1] = bv_u64(w, s);
  }
  out[0] = bv_trunc(m, w);
  return found;
}

/* Newton's iteration doubles the number of right bits; x = c is right in three. */
static bool inverse(struct bv c, struct bv *out) {
  struct bv x = c, two = bv_u64(c.width, 2);
  if (!bv_bit(c, 0)) return false;
  for (unsigned bits = 3; bits < c.width; bits *= 2) x = bv_mul(x, bv_sub(two, bv_mul(c, x)));
  out[0] = x;
  return true;
}

/* AArch64's logical immediates, in 32 or 64 bits: a run of ones, rotated within an element of 2^k bits that
 * the constant repeats. The encoding is N:immr:imms. */
static bool bitmask(struct bv c, struct bv *out) {
  uint64_t v = bv_to_u64(c);
  unsigned e = c.width, run, low;
  if (c.width != 32 && c.width != 64) return false;
  if (bv_is_zero(c) || bv_is_ones(c)) return false;
  while (e > 2 && ((v >> e / 2 ^ v) & ((UINT64_C(1) << e / 2) - 1)) == 0) e /= 2;
  uint64_t mask = e == 64 ? UINT64_MAX : (UINT64_C(1) << e) - 1;
  v &= mask;
  run = (unsigned)__builtin_popcountll(v);
  low = (unsigned)__builtin_ctzll(v);
  if (low == 0 && (v & (v + 1)) != 0)
    low = 64 - (unsigned)__builtin_clzll(~v & mask); /* the run wraps around */
  out[0] = bv_u64(c.width,
                  (uint64_t)(e == 64) << 12 | ((e - low) & (e - 1)) << 6 | (~(e - 1) << 1 & 63) | (run - 1));
  return true;
}

static bool two_bits(struct bv c, struct bv *out) {
  if (bv_popcount(c) != 2) return false;
  out[0] = bv_u64(c.width, floor_log2(c));
  out[1] = bv_u64(c.width, bv_ctz(c));
  return true;
}

static const struct oracle {
  const char *name;
  unsigned nout;
  bool (*ask)(struct bv c, struct bv *out);
} oracles[] = {
    {"magic-udiv", 2, magic_udiv},
    {"magic-udiv-preshift", 3, magic_udiv_preshift},
    {"magic-udiv-add", 2, magic_udiv_add},
    {"magic-sdiv", 2, magic_sdiv},
    {"inverse", 1, inverse},
    {"two-bits", 2, two_bits},
    {"bitmask", 1, bitmask},
};

static const struct oracle *find_oracle(const char *name) {
  for (unsigned i = 0; i < sizeof oracles / sizeof *oracles; i++)
    if (strcmp(oracles[i].name, name) == 0) return &oracles[i];
  return NULL;
}

bool oracle_exists(const char *name) { return find_oracle(name) != NULL; }

bool oracle_ask(const char *name, const struct bv *arg, unsigned narg, struct bv *out, unsigned nout) {
  const struct oracle *o = find_oracle(name);
  return o && narg == 1 && nout == o->nout && o->ask(arg[0], out);
}
