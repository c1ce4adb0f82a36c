/* bv.c: bit-vectors of 1 to 512 bits by schoolbook arithmetic on 64-bit limbs; bv.h has the short cuts for
 * values of one limb. Every function returns a value whose unused bits are zero. */
#include "bv.h"
#include "util/diag.h"

#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

static unsigned limbs(unsigned width) { return (width + 63) / 64; }
static uint64_t top_mask(unsigned width) { return width % 64 ? (UINT64_C(1) << width % 64) - 1 : UINT64_MAX; }

static struct bv zero(unsigned width) {
  if (width == 0 || width > BV_LIMBS * 64) bug("bit-vector of %u bits", width);
  return (struct bv){.width = width};
}

/* Clears the bits above the width, which arithmetic on whole limbs may have set. */
static struct bv clip(struct bv a) {
  a.limb[limbs(a.width) - 1] &= top_mask(a.width);
  return a;
}

static void same_width(struct bv a, struct bv b) {
  if (a.width != b.width) bug("bit-vectors of %u and %u bits meet", a.width, b.width);
}

static uint64_t limb_at(const struct bv *a, unsigned i) { return i < limbs(a->width) ? a->limb[i] : 0; }

struct bv bv_u64_wide(unsigned width, uint64_t value) {
  struct bv r = zero(width);
  r.limb[0] = value;
  return clip(r);
}

struct bv bv_s64_wide(unsigned width, int64_t value) {
  struct bv r = zero(width);
  r.limb[0] = (uint64_t)value;
  for (unsigned i = 1; i < limbs(width); i++) r.limb[i] = value < 0 ? UINT64_MAX : 0;
  return clip(r);
}

struct bv bv_ones_wide(unsigned width) {
  return bv_s64(width, -1);
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

bool bv_parse(struct bv *out, unsigned width, const char *text) {
  bool negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  unsigned base = 10;
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'b')) {
    base = text[1] == 'x' ? 16 : 2;
    text += 2;
  }
  if (!*text) return false;
  /* One limb more than the widest value keeps the magnitude exact while it is checked. */
  uint64_t acc[BV_LIMBS + 1] = {0};
  for (; *text; text++) {
    unsigned d = (unsigned)digit_of(*text);
    if (d >= base) return false;
    u128 carry = d;
    for (unsigned i = 0; i <= BV_LIMBS; i++) {
      carry += (u128)acc[i] * base;
      acc[i] = (uint64_t)carry;
      carry >>= 64;
    }
    if (acc[BV_LIMBS]) return false;
  }
  struct bv r = zero(width);
  unsigned n = limbs(width);
  for (unsigned i = n; i < BV_LIMBS; i++)
    if (acc[i]) return false;
  memcpy(r.limb, acc, n * sizeof *acc);
  if (r.limb[n - 1] & ~top_mask(width)) return false;
  if (negative) {
    struct bv neg = bv_neg(r);
    /* −2^(w−1) is its own negation and the least value that fits. */
    if (!bv_is_zero(r) && !bv_sign(neg)) return false;
    r = neg;
  }
  *out = r;
  return true;
}

struct bv bv_add_wide(struct bv a, struct bv b) {
  same_width(a, b);
  u128 carry = 0;
  for (unsigned i = 0; i < limbs(a.width); i++) {
    carry += (u128)a.limb[i] + b.limb[i];
    a.limb[i] = (uint64_t)carry;
    carry >>= 64;
  }
  return clip(a);
}

struct bv bv_sub_wide(struct bv a, struct bv b) {
  same_width(a, b);
  uint64_t borrow = 0;
  for (unsigned i = 0; i < limbs(a.width); i++) {
    u128 d = (u128)a.limb[i] - b.limb[i] - borrow;
    a.limb[i] = (uint64_t)d;
    borrow = (uint64_t)(d >> 64) & 1;
  }
  return clip(a);
}

struct bv bv_mul(struct bv a, struct bv b) {
  same_width(a, b);
  struct bv r = zero(a.width);
  unsigned n = limbs(a.width);
  for (unsigned i = 0; i < n; i++) {
    u128 carry = 0;
    for (unsigned j = 0; i + j < n; j++) {
      carry += (u128)a.limb[i] * b.limb[j] + r.limb[i + j];
      r.limb[i + j] = (uint64_t)carry;
      carry >>= 64;
    }
  }
  return clip(r);
}

/* Quotient and remainder of a divisor that is not zero, bit by bit: wide divisions are rare here. */
static struct bv divide(struct bv a, struct bv b, struct bv *rem) {
  struct bv q = zero(a.width), r = zero(a.width);
  for (unsigned i = a.width - bv_clz(a); i-- > 0;) {
    bool out = bv_sign(r); /* the bit that leaves r: then r exceeds b in any case */
    r = bv_shl(r, bv_u64(a.width, 1));
    r.limb[0] |= bv_bit(a, i);
    if (out || !bv_ult(r, b)) {
      r = bv_sub(r, b);
      q.limb[i / 64] |= UINT64_C(1) << i % 64;
    }
  }
  *rem = r;
  return q;
}

struct bv bv_udiv(struct bv a, struct bv b) {
  same_width(a, b);
  if (bv_is_zero(b)) return bv_ones(a.width);
  if (a.width <= 64) return bv_u64(a.width, a.limb[0] / b.limb[0]);
  if (bv_fits_u64(a) && bv_fits_u64(b)) return bv_u64(a.width, a.limb[0] / b.limb[0]);
  struct bv r;
  return divide(a, b, &r);
}

struct bv bv_urem(struct bv a, struct bv b) {
  same_width(a, b);
  if (bv_is_zero(b)) return a;
  if (a.width <= 64) return bv_u64(a.width, a.limb[0] % b.limb[0]);
  struct bv r;
  divide(a, b, &r);
  return r;
}

struct bv bv_sdiv(struct bv a, struct bv b) {
  bool na = bv_sign(a), nb = bv_sign(b);
  struct bv q = bv_udiv(na ? bv_neg(a) : a, nb ? bv_neg(b) : b);
  return na != nb ? bv_neg(q) : q;
}

struct bv bv_srem(struct bv a, struct bv b) {
  bool na = bv_sign(a), nb = bv_sign(b);
  struct bv r = bv_urem(na ? bv_neg(a) : a, nb ? bv_neg(b) : b);
  return na ? bv_neg(r) : r;
}

struct bv bv_neg_wide(struct bv a) {
  return bv_sub(zero(a.width), a);
}

struct bv bv_not_wide(struct bv a) {
  for (unsigned i = 0; i < limbs(a.width); i++) a.limb[i] = ~a.limb[i];
  return clip(a);
}

struct bv bv_and_wide(struct bv a, struct bv b) {
  same_width(a, b);
  for (unsigned i = 0; i < limbs(a.width); i++) a.limb[i] &= b.limb[i];
  return a;
}

struct bv bv_or_wide(struct bv a, struct bv b) {
  same_width(a, b);
  for (unsigned i = 0; i < limbs(a.width); i++) a.limb[i] |= b.limb[i];
  return a;
}

struct bv bv_xor_wide(struct bv a, struct bv b) {
  same_width(a, b);
  for (unsigned i = 0; i < limbs(a.width); i++) a.limb[i] ^= b.limb[i];
  return a;
}

static struct bv shl_by(struct bv a, unsigned n) {
  struct bv r = zero(a.width);
  unsigned whole = n / 64, part = n % 64;
  for (unsigned i = limbs(a.width); i-- > whole;) {
    r.limb[i] = a.limb[i - whole] << part;
    if (part && i > whole) r.limb[i] |= a.limb[i - whole - 1] >> (64 - part);
  }
  return clip(r);
}

static struct bv lshr_by(struct bv a, unsigned n) {
  struct bv r = zero(a.width);
  unsigned whole = n / 64, part = n % 64;
  for (unsigned i = 0; i + whole < limbs(a.width); i++) {
    r.limb[i] = a.limb[i + whole] >> part;
    if (part) r.limb[i] |= limb_at(&a, i + whole + 1) << (64 - part);
  }
  return r;
}

/* The shift amount, or the width when it is that much or more. */
static unsigned amount(struct bv a, struct bv b) {
  same_width(a, b);
  return bv_fits_u64(b) && b.limb[0] < a.width ? (unsigned)b.limb[0] : a.width;
}

struct bv bv_shl_wide(struct bv a, struct bv b) {
  unsigned n = amount(a, b);
  if (n == a.width) return zero(a.width);
  return a.width <= 64 ? bv_u64(a.width, a.limb[0] << n) : shl_by(a, n);
}

struct bv bv_lshr_wide(struct bv a, struct bv b) {
  unsigned n = amount(a, b);
  if (n == a.width) return zero(a.width);
  return a.width <= 64 ? bv_u64(a.width, a.limb[0] >> n) : lshr_by(a, n);
}

struct bv bv_ashr(struct bv a, struct bv b) {
  unsigned n = amount(a, b);
  if (!bv_sign(a)) return n == a.width ? zero(a.width) : lshr_by(a, n);
  return n == a.width ? bv_ones(a.width) : bv_not(lshr_by(bv_not(a), n));
}

struct bv bv_concat(struct bv hi, struct bv lo) {
  unsigned width = hi.width + lo.width;
  return bv_or(shl_by(bv_zext(hi, width), lo.width), bv_zext(lo, width));
}

struct bv bv_extract(struct bv a, unsigned hi, unsigned lo) {
  if (hi < lo || hi >= a.width) bug("bits %u to %u of a value of %u bits", hi, lo, a.width);
  return bv_trunc(lshr_by(a, lo), hi - lo + 1);
}

/* Copies the limbs that both widths have. */
static struct bv resize(struct bv a, unsigned width) {
  struct bv r = zero(width);
  unsigned n = limbs(a.width) < limbs(width) ? limbs(a.width) : limbs(width);
  for (unsigned i = 0; i < n; i++) r.limb[i] = a.limb[i];
  return clip(r);
}

struct bv bv_zext_wide(struct bv a, unsigned width) {
  if (width < a.width) bug("extension from %u to %u bits", a.width, width);
  return resize(a, width);
}

struct bv bv_sext(struct bv a, unsigned width) {
  return bv_sign(a) ? bv_not(bv_zext(bv_not(a), width)) : bv_zext(a, width);
}

struct bv bv_trunc_wide(struct bv a, unsigned width) {
  if (width > a.width) bug("truncation from %u to %u bits", a.width, width);
  return resize(a, width);
}

struct bv bv_bitreverse(struct bv a) {
  struct bv r = zero(a.width);
  for (unsigned i = 0; i < a.width; i++)
    if (bv_bit(a, i)) r.limb[(a.width - 1 - i) / 64] |= UINT64_C(1) << (a.width - 1 - i) % 64;
  return r;
}

struct bv bv_bswap(struct bv a) {
  if (a.width % 8) bug("byte swap of %u bits", a.width);
  struct bv r = zero(a.width);
  for (unsigned i = 0; i < a.width; i += 8) {
    unsigned j = a.width - 8 - i;
    r.limb[j / 64] |= (a.limb[i / 64] >> i % 64 & 0xff) << j % 64;
  }
  return r;
}

unsigned bv_popcount(struct bv a) {
  unsigned n = 0;
  for (unsigned i = 0; i < limbs(a.width); i++) n += (unsigned)__builtin_popcountll(a.limb[i]);
  return n;
}

unsigned bv_clz_wide(struct bv a) {
  for (unsigned i = limbs(a.width); i-- > 0;)
    if (a.limb[i]) return a.width - 64 * i - (64 - (unsigned)__builtin_clzll(a.limb[i]));
  return a.width;
}

unsigned bv_ctz_wide(struct bv a) {
  for (unsigned i = 0; i < limbs(a.width); i++)
    if (a.limb[i]) return 64 * i + (unsigned)__builtin_ctzll(a.limb[i]);
  return a.width;
}

bool bv_eq_wide(struct bv a, struct bv b) {
  same_width(a, b);
  for (unsigned i = 0; i < limbs(a.width); i++)
    if (a.limb[i] != b.limb[i]) return false;
  return true;
}

bool bv_is_zero_wide(struct bv a) {
  for (unsigned i = 0; i < limbs(a.width); i++)
    if (a.limb[i]) return false;
  return true;
}

bool bv_is_ones_wide(struct bv a) { return bv_is_zero(bv_not(a)); }

bool bv_ult_wide(struct bv a, struct bv b) {
  same_width(a, b);
  for (unsigned i = limbs(a.width); i-- > 0;)
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  return false;
}

bool bv_slt_wide(struct bv a, struct bv b) {
  bool na = bv_sign(a), nb = bv_sign(b);
  return na != nb ? na : bv_ult(a, b);
}

bool bv_sign_wide(struct bv a) { return bv_bit(a, a.width - 1); }
bool bv_bit_wide(struct bv a, unsigned i) { return i < a.width && (a.limb[i / 64] >> i % 64 & 1); }

bool bv_fits_u64(struct bv a) {
  for (unsigned i = 1; i < limbs(a.width); i++)
    if (a.limb[i]) return false;
  return true;
}

uint64_t bv_to_u64(struct bv a) { return a.limb[0]; }

int64_t bv_to_s64(struct bv a) {
  if (a.width < 64 && bv_sign(a)) return (int64_t)(a.limb[0] | ~top_mask(a.width));
  return (int64_t)a.limb[0];
}

const char *bv_dec(struct bv a, char buf[160]) {
  char rev[160];
  unsigned n = 0;
  do {
    uint64_t rem = 0;
    for (unsigned i = limbs(a.width); i-- > 0;) {
      u128 part = (u128)rem << 64 | a.limb[i];
      a.limb[i] = (uint64_t)(part / 10);
      rem = (uint64_t)(part % 10);
    }
    rev[n++] = (char)('0' + rem);
  } while (!bv_is_zero(a));
  for (unsigned i = 0; i < n; i++) buf[i] = rev[n - 1 - i];
  buf[n] = 0;
  return buf;
}

const char *bv_hex(struct bv a, char buf[160]) {
  unsigned digits = (a.width + 3) / 4;
  char *p = buf;
  *p++ = '0';
  *p++ = 'x';
  for (unsigned i = digits; i-- > 0;) *p++ = "0123456789abcdef"[a.limb[i / 16] >> i % 16 * 4 & 15];
  *p = 0;
  return buf;
}
