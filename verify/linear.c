/* linear.c: terms whose bits are sums modulo 2 of input bits. Two such terms are equal exactly when each bit
 * is the same sum; bit-blasting such trees of xor is what satisfiability solvers are worst at.
 *
 * This file is trusted; the tests compare what it proves at small widths with bit-blasting. */
#include "rungs.h"
#include "smt.h"
#include "terms.h"

#include <string.h>

enum { MAX_BITS = 512, WORK_LIMIT = 200000 };

/* The sum of the input bits in `in`, plus `one`. */
struct sum {
  uint64_t in[MAX_BITS / 64];
  bool one;
};

struct linear {
  Z3_context c;
  struct {
    Z3_ast input;
    unsigned bit;
  } var[MAX_BITS];
  unsigned nvar, work;
};

static bool is_constant_sum(const struct sum *s) {
  for (unsigned i = 0; i < MAX_BITS / 64; i++)
    if (s->in[i]) return false;
  return true;
}

static void add_sum(struct sum *to, const struct sum *s) {
  for (unsigned i = 0; i < MAX_BITS / 64; i++) to->in[i] ^= s->in[i];
  to->one ^= s->one;
}

static bool input_bit(struct linear *l, Z3_ast e, unsigned bit, struct sum *out) {
  unsigned v = 0;
  while (v < l->nvar && (l->var[v].input != e || l->var[v].bit != bit)) v++;
  if (v == MAX_BITS) return false;
  if (v == l->nvar) {
    l->var[v].input = e;
    l->var[v].bit = bit;
    l->nvar++;
  }
  out->in[v / 64] |= (uint64_t)1 << v % 64;
  return true;
}

static bool bit_of(struct linear *l, Z3_ast e, unsigned bit, struct sum *out);

/* The sum of bit `bit` of all operands. */
static bool sum_of_operands(struct linear *l, Z3_ast e, unsigned n, unsigned bit, struct sum *out) {
  for (unsigned i = 0; i < n; i++) {
    struct sum s;
    if (!bit_of(l, term_arg(l->c, e, i), bit, &s)) return false;
    add_sum(out, &s);
  }
  return true;
}

/* An `and` or `or` of two is linear where one operand's bit is a constant. */
static bool bitwise(struct linear *l, Z3_ast e, unsigned n, bool is_or, unsigned bit, struct sum *out) {
  for (unsigned i = 0; i < 2 && n == 2; i++) {
    struct sum s;
    if (!bit_of(l, term_arg(l->c, e, i), bit, &s) || !is_constant_sum(&s)) continue;
    if (s.one != is_or) return bit_of(l, term_arg(l->c, e, 1 - i), bit, out);
    *out = s;
    return true;
  }
  return false;
}

/* Bit `bit` of x shifted by a number, `by` to the left. */
static bool shifted(struct linear *l, Z3_ast x, unsigned w, int64_t by, bool arithmetic, unsigned bit,
                    struct sum *out) {
  int64_t from = (int64_t)bit - by;
  if (from >= (int64_t)w && arithmetic) from = w - 1;
  return from < 0 || from >= (int64_t)w || bit_of(l, x, (unsigned)from, out);
}

static bool bit_of_shift(struct linear *l, Z3_ast e, Z3_decl_kind k, unsigned w, unsigned bit,
                         struct sum *out) {
  struct bv by;
  if (!smt_value(l->c, term_arg(l->c, e, 1), &by)) return false;
  int64_t n = bv_ult(by, bv_u64(w, w < 2 ? 1 : w)) ? (int64_t)bv_to_u64(by) : (int64_t)w;
  return shifted(l, term_arg(l->c, e, 0), w, k == Z3_OP_BSHL ? n : -n, k == Z3_OP_BASHR, bit, out);
}

static bool bit_of_concat(struct linear *l, Z3_ast e, unsigned n, unsigned bit, struct sum *out) {
  for (unsigned i = n; i-- > 0;) {
    unsigned w = smt_width(l->c, term_arg(l->c, e, i));
    if (bit < w) return bit_of(l, term_arg(l->c, e, i), bit, out);
    bit -= w;
  }
  return false;
}

static bool bit_of_operation(struct linear *l, Z3_ast e, unsigned bit, struct sum *out) {
  Z3_decl_kind k = term_kind(l->c, e);
  unsigned n = term_nargs(l->c, e), w = smt_width(l->c, e);
  switch (k) {
  case Z3_OP_UNINTERPRETED: return n == 0 && input_bit(l, e, bit, out);
  case Z3_OP_BNOT: out->one = true; return sum_of_operands(l, e, n, bit, out);
  case Z3_OP_BXOR: return sum_of_operands(l, e, n, bit, out);
  case Z3_OP_BADD:
  case Z3_OP_BSUB: return bit == 0 && sum_of_operands(l, e, n, bit, out); /* no carry into bit 0 */
  case Z3_OP_BAND: return bitwise(l, e, n, false, bit, out);
  case Z3_OP_BOR: return bitwise(l, e, n, true, bit, out);
  case Z3_OP_BSHL:
  case Z3_OP_BLSHR:
  case Z3_OP_BASHR: return bit_of_shift(l, e, k, w, bit, out);
  case Z3_OP_CONCAT: return bit_of_concat(l, e, n, bit, out);
  case Z3_OP_EXTRACT: return bit_of(l, term_arg(l->c, e, 0), bit + term_parameter(l->c, e, 1), out);
  case Z3_OP_ZERO_EXT:
    return shifted(l, term_arg(l->c, e, 0), smt_width(l->c, term_arg(l->c, e, 0)), 0, false, bit, out);
  case Z3_OP_SIGN_EXT:
    return shifted(l, term_arg(l->c, e, 0), smt_width(l->c, term_arg(l->c, e, 0)), 0, true, bit, out);
  default: return false;
  }
}

/* False when the bit is not seen to be linear. */
static bool bit_of(struct linear *l, Z3_ast e, unsigned bit, struct sum *out) {
  struct bv v;
  *out = (struct sum){.one = false};
  if (l->work++ > WORK_LIMIT) return false;
  if (smt_value(l->c, e, &v)) {
    out->one = bv_bit(v, bit);
    return true;
  }
  return bit_of_operation(l, e, bit, out);
}

bool linear_proves(Z3_context c, Z3_ast claim) {
  if (term_kind(c, claim) != Z3_OP_EQ) return false;
  struct linear l = {.c = c};
  Z3_ast a = term_arg(c, claim, 0), b = term_arg(c, claim, 1);
  if (!term_is_bv(c, a)) return false;
  for (unsigned i = 0; i < smt_width(c, a); i++) {
    struct sum x, y;
    if (!bit_of(&l, a, i, &x) || !bit_of(&l, b, i, &y)) return false;
    add_sum(&x, &y);
    if (x.one || !is_constant_sum(&x)) return false;
  }
  return true;
}
