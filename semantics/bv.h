/* bv.h: bit-vectors of 1 to 512 bits with SMT-LIB's total operations. Bits above the width are zero. */
#ifndef VERIDAG_BV_H
#define VERIDAG_BV_H

#include <stdbool.h>
#include <stdint.h>

enum { BV_LIMBS = 8 };

struct bv {
  uint32_t width;
  uint64_t limb[BV_LIMBS]; /* little end first; only the first (width+63)/64 are meaningful */
};

/* Parses a decimal or 0x/0b literal with optional sign; false when it does not fit the width. */
bool bv_parse(struct bv *out, unsigned width, const char *text);

struct bv bv_mul(struct bv a, struct bv b);
struct bv bv_udiv(struct bv a, struct bv b); /* by zero: all ones, as SMT-LIB */
struct bv bv_urem(struct bv a, struct bv b); /* by zero: a */
struct bv bv_sdiv(struct bv a, struct bv b);
struct bv bv_srem(struct bv a, struct bv b);
struct bv bv_ashr(struct bv a, struct bv b);
struct bv bv_concat(struct bv hi, struct bv lo);
struct bv bv_extract(struct bv a, unsigned hi, unsigned lo); /* bits hi..lo, both included */
struct bv bv_sext(struct bv a, unsigned width);
struct bv bv_bitreverse(struct bv a);
struct bv bv_bswap(struct bv a); /* width a multiple of 8 */

unsigned bv_popcount(struct bv a);
bool bv_fits_u64(struct bv a); /* the unsigned value is below 2^64 */
uint64_t bv_to_u64(struct bv a);
int64_t bv_to_s64(struct bv a); /* of the low 64 bits sign-extended from the width when width < 64 */
/* Decimal (unsigned) and hex text; buf holds 160 bytes. */
const char *bv_dec(struct bv a, char buf[160]);
const char *bv_hex(struct bv a, char buf[160]);

/* ---- Values of one limb: almost all. They take these short cuts; the other limbs are left alone. --------
 */

struct bv bv_u64_wide(unsigned width, uint64_t value);
struct bv bv_s64_wide(unsigned width, int64_t value);
struct bv bv_ones_wide(unsigned width);
struct bv bv_add_wide(struct bv a, struct bv b);
struct bv bv_sub_wide(struct bv a, struct bv b);
struct bv bv_neg_wide(struct bv a);
struct bv bv_not_wide(struct bv a);
struct bv bv_and_wide(struct bv a, struct bv b);
struct bv bv_or_wide(struct bv a, struct bv b);
struct bv bv_xor_wide(struct bv a, struct bv b);
struct bv bv_shl_wide(struct bv a, struct bv b);
struct bv bv_lshr_wide(struct bv a, struct bv b);
bool bv_eq_wide(struct bv a, struct bv b);
bool bv_is_zero_wide(struct bv a);
bool bv_is_ones_wide(struct bv a);
bool bv_ult_wide(struct bv a, struct bv b);
bool bv_slt_wide(struct bv a, struct bv b);
bool bv_sign_wide(struct bv a);
bool bv_bit_wide(struct bv a, unsigned i);
struct bv bv_zext_wide(struct bv a, unsigned width);
struct bv bv_trunc_wide(struct bv a, unsigned width);
unsigned bv_clz_wide(struct bv a);
unsigned bv_ctz_wide(struct bv a);

static inline bool bv_is_small(unsigned width) { return width - 1 < 64; }
static inline struct bv bv_small(unsigned width, uint64_t value) {
  struct bv r;
  r.width = width;
  r.limb[0] = value & (UINT64_MAX >> (64 - width));
  return r;
}
/* *out = value modulo 2^width, for widths up to 64, without a copy of the unused limbs */
static inline void bv_set_small(struct bv *out, unsigned width, uint64_t value) {
  out->width = width;
  out->limb[0] = value & (UINT64_MAX >> (64 - width));
}
static inline bool bv_both_small(const struct bv *a, const struct bv *b) {
  return bv_is_small(a->width) && a->width == b->width;
}

/* value modulo 2^width */
static inline struct bv bv_u64(unsigned width, uint64_t value) {
  return bv_is_small(width) ? bv_small(width, value) : bv_u64_wide(width, value);
}
/* sign-extended, then modulo 2^width */
static inline struct bv bv_s64(unsigned width, int64_t value) {
  return bv_is_small(width) ? bv_small(width, (uint64_t)value) : bv_s64_wide(width, value);
}
static inline struct bv bv_ones(unsigned width) {
  return bv_is_small(width) ? bv_small(width, UINT64_MAX) : bv_ones_wide(width);
}
static inline struct bv bv_add(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? bv_small(a.width, a.limb[0] + b.limb[0]) : bv_add_wide(a, b);
}
static inline struct bv bv_sub(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? bv_small(a.width, a.limb[0] - b.limb[0]) : bv_sub_wide(a, b);
}
static inline struct bv bv_neg(struct bv a) {
  return bv_is_small(a.width) ? bv_small(a.width, -a.limb[0]) : bv_neg_wide(a);
}
static inline struct bv bv_not(struct bv a) {
  return bv_is_small(a.width) ? bv_small(a.width, ~a.limb[0]) : bv_not_wide(a);
}
static inline struct bv bv_and(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? bv_small(a.width, a.limb[0] & b.limb[0]) : bv_and_wide(a, b);
}
static inline struct bv bv_or(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? bv_small(a.width, a.limb[0] | b.limb[0]) : bv_or_wide(a, b);
}
static inline struct bv bv_xor(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? bv_small(a.width, a.limb[0] ^ b.limb[0]) : bv_xor_wide(a, b);
}
/* An amount ≥ width gives 0. */
static inline struct bv bv_shl(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? bv_small(a.width, b.limb[0] < a.width ? a.limb[0] << b.limb[0] : 0)
                               : bv_shl_wide(a, b);
}
static inline struct bv bv_lshr(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? bv_small(a.width, b.limb[0] < a.width ? a.limb[0] >> b.limb[0] : 0)
                               : bv_lshr_wide(a, b);
}
static inline struct bv bv_zext(struct bv a, unsigned width) {
  return bv_is_small(width) && a.width <= width ? bv_small(width, a.limb[0]) : bv_zext_wide(a, width);
}
static inline struct bv bv_trunc(struct bv a, unsigned width) {
  return bv_is_small(width) && a.width >= width ? bv_small(width, a.limb[0]) : bv_trunc_wide(a, width);
}
/* Of 0: the width. */
static inline unsigned bv_clz(struct bv a) {
  if (!bv_is_small(a.width)) return bv_clz_wide(a);
  return a.limb[0] ? (unsigned)__builtin_clzll(a.limb[0]) - (64 - a.width) : a.width;
}
static inline unsigned bv_ctz(struct bv a) {
  if (!bv_is_small(a.width)) return bv_ctz_wide(a);
  return a.limb[0] ? (unsigned)__builtin_ctzll(a.limb[0]) : a.width;
}
static inline bool bv_eq(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? a.limb[0] == b.limb[0] : bv_eq_wide(a, b);
}
static inline bool bv_is_zero(struct bv a) {
  return bv_is_small(a.width) ? a.limb[0] == 0 : bv_is_zero_wide(a);
}
static inline bool bv_is_ones(struct bv a) {
  return bv_is_small(a.width) ? a.limb[0] == UINT64_MAX >> (64 - a.width) : bv_is_ones_wide(a);
}
static inline bool bv_sign(struct bv a) {
  return bv_is_small(a.width) ? a.limb[0] >> (a.width - 1) & 1 : bv_sign_wide(a);
}
static inline bool bv_bit(struct bv a, unsigned i) {
  return bv_is_small(a.width) && i < a.width ? a.limb[0] >> i & 1 : bv_bit_wide(a, i);
}
static inline bool bv_ult(struct bv a, struct bv b) {
  return bv_both_small(&a, &b) ? a.limb[0] < b.limb[0] : bv_ult_wide(a, b);
}
static inline bool bv_slt(struct bv a, struct bv b) {
  if (!bv_both_small(&a, &b)) return bv_slt_wide(a, b);
  return (int64_t)(a.limb[0] << (64 - a.width)) < (int64_t)(b.limb[0] << (64 - b.width));
}

#endif
