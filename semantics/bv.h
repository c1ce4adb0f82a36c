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

struct bv bv_u64(unsigned width, uint64_t value); /* value modulo 2^width */
struct bv bv_s64(unsigned width, int64_t value);  /* sign-extended, then modulo 2^width */
struct bv bv_ones(unsigned width);
/* Parses a decimal or 0x/0b literal with optional sign; false when it does not fit the width. */
bool bv_parse(struct bv *out, unsigned width, const char *text);

struct bv bv_add(struct bv a, struct bv b);
struct bv bv_sub(struct bv a, struct bv b);
struct bv bv_mul(struct bv a, struct bv b);
struct bv bv_udiv(struct bv a, struct bv b); /* by zero: all ones, as SMT-LIB */
struct bv bv_urem(struct bv a, struct bv b); /* by zero: a */
struct bv bv_sdiv(struct bv a, struct bv b);
struct bv bv_srem(struct bv a, struct bv b);
struct bv bv_neg(struct bv a);
struct bv bv_not(struct bv a);
struct bv bv_and(struct bv a, struct bv b);
struct bv bv_or(struct bv a, struct bv b);
struct bv bv_xor(struct bv a, struct bv b);
struct bv bv_shl(struct bv a, struct bv b); /* amount ≥ width: 0 */
struct bv bv_lshr(struct bv a, struct bv b);
struct bv bv_ashr(struct bv a, struct bv b);
struct bv bv_concat(struct bv hi, struct bv lo);
struct bv bv_extract(struct bv a, unsigned hi, unsigned lo); /* bits hi..lo, both included */
struct bv bv_zext(struct bv a, unsigned width);
struct bv bv_sext(struct bv a, unsigned width);
struct bv bv_trunc(struct bv a, unsigned width);
struct bv bv_bitreverse(struct bv a);
struct bv bv_bswap(struct bv a); /* width a multiple of 8 */

unsigned bv_popcount(struct bv a);
unsigned bv_clz(struct bv a); /* of 0: the width */
unsigned bv_ctz(struct bv a);
bool bv_eq(struct bv a, struct bv b);
bool bv_is_zero(struct bv a);
bool bv_is_ones(struct bv a);
bool bv_ult(struct bv a, struct bv b);
bool bv_slt(struct bv a, struct bv b);
bool bv_sign(struct bv a);
bool bv_bit(struct bv a, unsigned i);
bool bv_fits_u64(struct bv a); /* the unsigned value is below 2^64 */
uint64_t bv_to_u64(struct bv a);
int64_t bv_to_s64(struct bv a); /* of the low 64 bits sign-extended from the width when width < 64 */
/* Decimal (unsigned) and hex text; buf holds 160 bytes. */
const char *bv_dec(struct bv a, char buf[160]);
const char *bv_hex(struct bv a, char buf[160]);

#endif
