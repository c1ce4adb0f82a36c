/* test_bv.c: bit-vectors against plain integers at every small value, and against themselves bit by bit at
 * widths that cross limbs. */
#include "bv.h"
#include "../run_suite.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mask_of(unsigned w) { return w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1; }
static int64_t signed_of(uint64_t v, unsigned w) { return (int64_t)(v << (64 - w)) >> (64 - w); }

/* What the operation numbered `op` gives on plain integers of w bits, w at most 8. */
static uint64_t plain(int op, uint64_t a, uint64_t b, unsigned w) {
  int64_t sa = signed_of(a, w), sb = signed_of(b, w);
  switch (op) {
  case 0: return a + b;
  case 1: return a - b;
  case 2: return a * b;
  case 3: return b ? a / b : UINT64_MAX;
  case 4: return b ? a % b : a;
  case 5: return b ? (uint64_t)(sa / sb) : sa < 0 ? 1 : UINT64_MAX;
  case 6: return b ? (uint64_t)(sa % sb) : a;
  case 7: return a & b;
  case 8: return a | b;
  case 9: return a ^ b;
  case 10: return b < w ? a << b : 0;
  case 11: return b < w ? a >> b : 0;
  case 12: return (uint64_t)(sa >> (b < w ? b : w - 1));
  case 13: return a < b;
  case 14: return sa < sb;
  default: return a == b;
  }
}

static struct bv ours(int op, struct bv a, struct bv b) {
  switch (op) {
  case 0: return bv_add(a, b);
  case 1: return bv_sub(a, b);
  case 2: return bv_mul(a, b);
  case 3: return bv_udiv(a, b);
  case 4: return bv_urem(a, b);
  case 5: return bv_sdiv(a, b);
  case 6: return bv_srem(a, b);
  case 7: return bv_and(a, b);
  case 8: return bv_or(a, b);
  case 9: return bv_xor(a, b);
  case 10: return bv_shl(a, b);
  case 11: return bv_lshr(a, b);
  case 12: return bv_ashr(a, b);
  case 13: return bv_u64(a.width, bv_ult(a, b));
  case 14: return bv_u64(a.width, bv_slt(a, b));
  default: return bv_u64(a.width, bv_eq(a, b));
  }
}
enum { NBINARY = 16 };

START_TEST(small_values_match_integers) {
  unsigned w = (unsigned)_i;
  for (int op = 0; op < NBINARY; op++)
    for (uint64_t a = 0; a <= mask_of(w); a++)
      for (uint64_t b = 0; b <= mask_of(w); b++) {
        uint64_t got = bv_to_u64(ours(op, bv_u64(w, a), bv_u64(w, b)));
        ck_assert_msg(got == (plain(op, a, b, w) & mask_of(w)),
                      "operation %d at %u bits: %llu, %llu gives %llu", op, w, (unsigned long long)a,
                      (unsigned long long)b, (unsigned long long)got);
      }
}
END_TEST

static uint64_t state = 1;
static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static struct bv random_bv(unsigned w) {
  struct bv v = bv_u64(w, 0);
  for (unsigned i = 0; i < (w + 63) / 64; i++) v.limb[i] = next();
  if (w % 64) v.limb[w / 64] &= mask_of(w % 64);
  return next() % 4 ? v : bv_lshr(v, bv_u64(w, next() % w));
}

/* Addition by a chain of full adders, on bits. */
static struct bv ripple_add(struct bv a, struct bv b) {
  struct bv r = bv_u64(a.width, 0);
  unsigned carry = 0;
  for (unsigned i = 0; i < a.width; i++) {
    unsigned sum = bv_bit(a, i) + bv_bit(b, i) + carry;
    r.limb[i / 64] |= (uint64_t)(sum & 1) << i % 64;
    carry = sum >> 1;
  }
  return r;
}

static struct bv shift_add_mul(struct bv a, struct bv b) {
  struct bv r = bv_u64(a.width, 0);
  for (unsigned i = 0; i < a.width; i++) {
    if (bv_bit(b, i)) r = ripple_add(r, a);
    a = ripple_add(a, a);
  }
  return r;
}

static const unsigned wide[] = {63, 64, 65, 96, 127, 128, 129, 192, 256, 511, 512};

START_TEST(wide_values_obey_their_definitions) {
  unsigned w = wide[_i];
  for (int k = 0; k < 200; k++) {
    struct bv a = random_bv(w), b = random_bv(w);
    ck_assert(bv_eq(bv_add(a, b), ripple_add(a, b)));
    ck_assert(bv_eq(bv_add(bv_sub(a, b), b), a));
    ck_assert(bv_eq(bv_mul(a, b), shift_add_mul(a, b)));
    if (!bv_is_zero(b)) {
      struct bv q = bv_udiv(a, b), r = bv_urem(a, b);
      ck_assert(bv_ult(r, b) && bv_eq(bv_add(bv_mul(q, b), r), a) && !bv_ult(a, q));
      struct bv sq = bv_sdiv(a, b), sr = bv_srem(a, b);
      ck_assert(bv_eq(bv_add(bv_mul(sq, b), sr), a));
      ck_assert(bv_is_zero(sr) || bv_sign(sr) == bv_sign(a));
    }
    unsigned n = (unsigned)(next() % w);
    struct bv s = bv_u64(w, n);
    for (unsigned i = 0; i < w; i++) {
      ck_assert(bv_bit(bv_shl(a, s), i) == (i >= n && bv_bit(a, i - n)));
      ck_assert(bv_bit(bv_lshr(a, s), i) == bv_bit(a, i + n));
      ck_assert(bv_bit(bv_ashr(a, s), i) == (i + n < w ? bv_bit(a, i + n) : bv_sign(a)));
      ck_assert(bv_bit(bv_bitreverse(a), i) == bv_bit(a, w - 1 - i));
    }
    ck_assert_uint_eq(bv_popcount(a) + bv_popcount(bv_not(a)), w);
    ck_assert(bv_eq(bv_neg(a), bv_add(bv_not(a), bv_u64(w, 1))));
  }
}
END_TEST

START_TEST(widths_change_as_asked) {
  struct bv v = random_bv(96);
  ck_assert(bv_eq(bv_concat(bv_extract(v, 95, 33), bv_extract(v, 32, 0)), v));
  ck_assert(bv_eq(bv_trunc(bv_zext(v, 200), 96), v));
  ck_assert(bv_eq(bv_trunc(bv_sext(v, 200), 96), v));
  ck_assert(bv_sign(bv_sext(bv_ones(3), 129)) && bv_is_ones(bv_sext(bv_ones(3), 129)));
  ck_assert_uint_eq(bv_clz(bv_u64(130, 1)), 129);
  ck_assert_uint_eq(bv_clz(bv_u64(130, 0)), 130);
  ck_assert_uint_eq(bv_ctz(bv_shl(bv_u64(130, 1), bv_u64(130, 128))), 128);
  ck_assert_uint_eq(bv_ctz(bv_u64(130, 0)), 130);
  ck_assert_uint_eq(bv_to_u64(bv_bswap(bv_u64(48, 0x010203040506))), 0x060504030201);
  ck_assert_int_eq(bv_to_s64(bv_u64(8, 0x80)), -128);
  ck_assert_int_eq(bv_to_s64(bv_s64(128, -5)), -5);
}
END_TEST

START_TEST(text_is_read_and_written) {
  char buf[160];
  struct bv v;
  ck_assert(bv_parse(&v, 128, "340282366920938463463374607431768211455") && bv_is_ones(v));
  ck_assert_str_eq(bv_dec(v, buf), "340282366920938463463374607431768211455");
  ck_assert(!bv_parse(&v, 128, "340282366920938463463374607431768211456"));
  ck_assert(bv_parse(&v, 8, "-128") && bv_to_u64(v) == 0x80);
  ck_assert(!bv_parse(&v, 8, "-129") && !bv_parse(&v, 8, "256") && !bv_parse(&v, 8, "12x") &&
            !bv_parse(&v, 8, ""));
  ck_assert(bv_parse(&v, 12, "0xabc"));
  ck_assert_str_eq(bv_hex(v, buf), "0xabc");
  ck_assert(bv_parse(&v, 4, "0b1010") && bv_to_u64(v) == 10);
  ck_assert_str_eq(bv_dec(bv_u64(7, 0), buf), "0");
}
END_TEST

int main(void) {
  TCase *t = tcase_create("bv");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, small_values_match_integers, 1, 8);
  tcase_add_loop_test(t, wide_values_obey_their_definitions, 0, sizeof wide / sizeof *wide);
  tcase_add_test(t, widths_change_as_asked);
  tcase_add_test(t, text_is_read_and_written);
  return run_suite("bv", t);
}
