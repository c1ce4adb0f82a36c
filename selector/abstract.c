/* abstract.c: the abstract domain of known bits and sign bits, forwards, and of demanded bits, backwards. */
#include "abstract.h"

static unsigned min_u(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned max_u(unsigned a, unsigned b) { return a > b ? a : b; }

/* ---- Facts ---------------------------------------------------------------------------------------- */

static struct bv shl_by(struct bv a, unsigned n) { return bv_shl(a, bv_u64(a.width, min_u(n, a.width))); }
static struct bv lshr_by(struct bv a, unsigned n) { return bv_lshr(a, bv_u64(a.width, min_u(n, a.width))); }
/* Ones in the low, in the high n bits. */
static struct bv low_ones(unsigned width, unsigned n) {
  return n ? lshr_by(bv_ones(width), width - n) : bv_u64(width, 0);
}
static struct bv high_ones(unsigned width, unsigned n) {
  return n ? shl_by(bv_ones(width), width - n) : bv_u64(width, 0);
}

struct fact_bits fact_none(unsigned width) {
  return (struct fact_bits){bv_u64(width, 0), bv_u64(width, 0), 1};
}

struct fact_bits fact_const(struct bv value) {
  struct fact_bits f = {bv_not(value), value, 1};
  fact_settle(&f);
  return f;
}

bool fact_is_const(const struct fact_bits *f) { return bv_is_ones(bv_or(f->zero, f->one)); }

void fact_settle(struct fact_bits *f) {
  unsigned width = f->zero.width;
  f->sign = max_u(f->sign, max_u(bv_clz(bv_not(f->zero)), bv_clz(bv_not(f->one))));
  f->sign = max_u(1, min_u(f->sign, width));
  struct bv top = high_ones(width, f->sign);
  if (!bv_is_zero(bv_and(f->zero, top))) f->zero = bv_or(f->zero, top);
  if (!bv_is_zero(bv_and(f->one, top))) f->one = bv_or(f->one, top);
}

static struct fact_bits settled(struct bv zero, struct bv one, unsigned sign) {
  struct fact_bits f = {zero, one, sign};
  fact_settle(&f);
  return f;
}

static struct fact_bits join(struct fact_bits a, struct fact_bits b) {
  return settled(bv_and(a.zero, b.zero), bv_and(a.one, b.one), min_u(a.sign, b.sign));
}

static struct bv min_of(const struct fact_bits *f) { return f->one; }
static struct bv max_of(const struct fact_bits *f) { return bv_not(f->zero); }
static unsigned leading_zeros(const struct fact_bits *f) { return bv_clz(max_of(f)); }
static unsigned trailing_zeros(const struct fact_bits *f) { return bv_ctz(max_of(f)); }
static bool nonzero(const struct fact_bits *f) { return !bv_is_zero(f->one); }
static struct bv smallest_signed(const struct fact_bits *f) {
  unsigned w = f->zero.width;
  return bv_or(f->one, bv_and(bv_not(f->zero), high_ones(w, 1)));
}
static struct bv largest_signed(const struct fact_bits *f) {
  unsigned w = f->zero.width;
  struct bv sign = high_ones(w, 1);
  return bv_or(bv_and(bv_not(f->zero), bv_not(sign)), bv_and(f->one, sign));
}

/* ---- Arithmetic ----------------------------------------------------------------------------------- */

static struct fact_bits not_fact(struct fact_bits a) { return (struct fact_bits){a.one, a.zero, a.sign}; }

/* x + y + carry. The largest and the smallest sum differ exactly where a carry is not known. */
static struct fact_bits add_facts(struct fact_bits x, struct fact_bits y, unsigned carry) {
  unsigned width = x.zero.width;
  struct bv c = bv_u64(width, carry);
  struct bv largest = bv_add(bv_add(max_of(&x), max_of(&y)), c);
  struct bv smallest = bv_add(bv_add(min_of(&x), min_of(&y)), c);
  struct bv carry_zero = bv_not(bv_xor(largest, bv_xor(max_of(&x), max_of(&y))));
  struct bv carry_one = bv_xor(smallest, bv_xor(x.one, y.one));
  struct bv known = bv_and(bv_and(bv_or(x.zero, x.one), bv_or(y.zero, y.one)), bv_or(carry_zero, carry_one));
  return settled(bv_and(bv_not(smallest), known), bv_and(smallest, known),
                 max_u(2, min_u(x.sign, y.sign)) - 1);
}

static struct fact_bits sub_facts(struct fact_bits x, struct fact_bits y) {
  return add_facts(x, not_fact(y), 1);
}

static struct fact_bits mul_facts(struct fact_bits x, struct fact_bits y) {
  unsigned width = x.zero.width;
  unsigned tz = min_u(width, trailing_zeros(&x) + trailing_zeros(&y));
  unsigned lead = leading_zeros(&x) + leading_zeros(&y);
  unsigned lz = lead > width ? lead - width : 0;
  /* The low bits of a product follow from the low bits of the factors. */
  unsigned low = min_u(bv_ctz(bv_not(bv_or(x.zero, x.one))), bv_ctz(bv_not(bv_or(y.zero, y.one))));
  struct bv product = bv_mul(x.one, y.one), mask = low_ones(width, low);
  struct bv zero = bv_or(low_ones(width, tz), bv_and(bv_not(product), mask));
  /* A factor needs a bit for its sign beside those below the copies; a product as many as both factors. */
  unsigned need = 2 * width - x.sign - y.sign + 2;
  if (lead >= width) zero = bv_or(zero, high_ones(width, lz));
  return settled(zero, bv_and(product, mask), need <= width ? width - need + 1 : 1);
}

static struct fact_bits udiv_facts(struct fact_bits x, struct fact_bits y, bool defined) {
  unsigned width = x.zero.width;
  if (!defined && !nonzero(&y)) return fact_none(width);
  /* With the smallest divisor (at least 1). */
  struct bv by = nonzero(&y) ? min_of(&y) : bv_u64(width, 1);
  return settled(high_ones(width, bv_clz(bv_udiv(max_of(&x), by))), bv_u64(width, 0), 1);
}

static struct fact_bits urem_facts(struct fact_bits x, struct fact_bits y, bool defined) {
  unsigned width = x.zero.width;
  struct fact_bits f = fact_none(width);
  if (fact_is_const(&y) && bv_popcount(y.one) == 1) {
    struct bv mask = bv_sub(y.one, bv_u64(width, 1));
    f.zero = bv_or(bv_and(x.zero, mask), bv_not(mask));
    f.one = bv_and(x.one, mask);
  } else {
    unsigned lz = leading_zeros(&x);
    if (defined || nonzero(&y)) lz = max_u(lz, leading_zeros(&y));
    f.zero = high_ones(width, lz);
  }
  fact_settle(&f);
  return f;
}

/* ---- Shifts --------------------------------------------------------------------------------------- */

/* The least amount, at most the width. */
static unsigned least_amount(const struct fact_bits *n) {
  struct bv least = min_of(n);
  unsigned width = least.width;
  return bv_fits_u64(least) && bv_to_u64(least) < width ? (unsigned)bv_to_u64(least) : width;
}

static struct fact_bits shift_facts(enum xop op, struct fact_bits x, struct fact_bits n) {
  unsigned width = x.zero.width, by = least_amount(&n);
  struct bv none = bv_u64(width, 0);
  if (fact_is_const(&n)) {
    struct bv amount = n.one;
    if (op == X_SHL)
      return settled(bv_or(shl_by(x.zero, by), low_ones(width, by)), bv_shl(x.one, amount),
                     x.sign > by ? x.sign - by : 1);
    if (op == X_LSHR)
      return settled(bv_or(lshr_by(x.zero, by), high_ones(width, by)), bv_lshr(x.one, amount), 1);
    return settled(bv_ashr(x.zero, amount), bv_ashr(x.one, amount), x.sign + by);
  }
  if (op == X_SHL) return settled(low_ones(width, min_u(width, trailing_zeros(&x) + by)), none, 1);
  if (op == X_LSHR) return settled(high_ones(width, min_u(width, leading_zeros(&x) + by)), none, 1);
  unsigned sign = min_u(width, x.sign + by);
  struct bv top = high_ones(width, sign);
  return settled(bv_sign(x.zero) ? top : none, bv_sign(x.one) ? top : none, sign);
}

/* ---- Shapes --------------------------------------------------------------------------------------- */

/* A number between lo and hi: the common prefix of both. */
static struct fact_bits between(struct bv lo, struct bv hi) {
  unsigned same = bv_clz(bv_xor(lo, hi));
  struct bv top = high_ones(lo.width, same);
  return settled(bv_and(bv_not(lo), top), bv_and(lo, top), 1);
}

static struct fact_bits count_facts(enum xop op, struct fact_bits x, unsigned width) {
  struct bv least = min_of(&x), most = max_of(&x);
  unsigned lo, hi;
  if (op == X_POPCOUNT)
    lo = bv_popcount(least), hi = bv_popcount(most);
  else if (op == X_CLZ)
    lo = bv_clz(most), hi = bv_clz(least);
  else
    lo = bv_ctz(most), hi = bv_ctz(least);
  /* A count that does not fit its type wraps. */
  if (width < 32 && hi >> width) return fact_none(width);
  return between(bv_u64(width, lo), bv_u64(width, hi));
}

static struct fact_bits extract_facts(struct fact_bits x, unsigned hi, unsigned lo) {
  unsigned above = x.zero.width - 1 - hi;
  return settled(bv_extract(x.zero, hi, lo), bv_extract(x.one, hi, lo), x.sign > above ? x.sign - above : 1);
}

static struct fact_bits concat_facts(struct fact_bits hi, struct fact_bits lo) {
  return settled(bv_concat(hi.zero, lo.zero), bv_concat(hi.one, lo.one), hi.sign);
}

static struct fact_bits extend_facts(enum xop op, struct fact_bits x, unsigned width) {
  unsigned from = x.zero.width;
  if (op == X_TRUNC) return extract_facts(x, width - 1, 0);
  if (op == X_SEXT) return settled(bv_sext(x.zero, width), bv_sext(x.one, width), x.sign + (width - from));
  return settled(bv_or(bv_zext(x.zero, width), high_ones(width, width - from)), bv_zext(x.one, width),
                 width == from ? x.sign : 1);
}

/* ---- Forwards ------------------------------------------------------------------------------------- */

static int64_t num(const struct expr *e, const struct abs_env *env) {
  return eval_num(e, &(struct eval_env){.types = env->types});
}

static struct bv concrete(enum xop op, struct bv x, struct bv y) {
  switch (op) {
  case X_UDIV: return bv_udiv(x, y);
  case X_UREM: return bv_urem(x, y);
  case X_SDIV: return bv_sdiv(x, y);
  case X_SREM: return bv_srem(x, y);
  default: return x;
  }
}

static struct fact_bits divide_facts(enum xop op, struct fact_bits x, struct fact_bits y, bool defined) {
  if (fact_is_const(&x) && fact_is_const(&y)) return fact_const(concrete(op, x.one, y.one));
  bool positive = bv_sign(x.zero) && bv_sign(y.zero);
  if (op == X_UDIV || (op == X_SDIV && positive)) return udiv_facts(x, y, defined && op == X_UDIV);
  if (op == X_UREM || (op == X_SREM && positive)) return urem_facts(x, y, defined && op == X_UREM);
  return fact_none(x.zero.width);
}

static struct fact_bits binary_facts(enum xop op, struct fact_bits x, struct fact_bits y,
                                     const struct abs_env *env) {
  switch (op) {
  case X_ADD: return add_facts(x, y, 0);
  case X_SUB: return sub_facts(x, y);
  case X_MUL: return mul_facts(x, y);
  case X_AND: return settled(bv_or(x.zero, y.zero), bv_and(x.one, y.one), min_u(x.sign, y.sign));
  case X_OR: return settled(bv_and(x.zero, y.zero), bv_or(x.one, y.one), min_u(x.sign, y.sign));
  case X_XOR:
    return settled(bv_or(bv_and(x.zero, y.zero), bv_and(x.one, y.one)),
                   bv_or(bv_and(x.zero, y.one), bv_and(x.one, y.zero)), min_u(x.sign, y.sign));
  case X_SHL:
  case X_LSHR:
  case X_ASHR: return shift_facts(op, x, y);
  case X_CONCAT: return concat_facts(x, y);
  default: return divide_facts(op, x, y, env->divisor_nonzero);
  }
}

struct fact_bits abs_bv(const struct expr *e, const struct abs_env *env) {
  switch (e->op) {
  case X_VAR: return env->val[e->var];
  case X_LIT: return fact_const(eval_bv(e, &(struct eval_env){.types = env->types}));
  case X_NOT: return not_fact(abs_bv(e->kid[0], env));
  case X_NEG: return sub_facts(fact_const(bv_u64((unsigned)num(e->width, env), 0)), abs_bv(e->kid[0], env));
  case X_ITE: {
    enum tri c = abs_bool(e->kid[0], env);
    if (c != TRI_UNKNOWN) return abs_bv(e->kid[c == TRI_TRUE ? 1 : 2], env);
    return join(abs_bv(e->kid[1], env), abs_bv(e->kid[2], env));
  }
  case X_B2BV: {
    unsigned width = (unsigned)num(e->width, env);
    enum tri c = abs_bool(e->kid[0], env);
    if (c != TRI_UNKNOWN) return fact_const(bv_u64(width, c == TRI_TRUE));
    return settled(high_ones(width, width - 1), bv_u64(width, 0), 1);
  }
  case X_EXTRACT:
    return extract_facts(abs_bv(e->kid[2], env), (unsigned)num(e->kid[0], env),
                         (unsigned)num(e->kid[1], env));
  case X_ZEXT:
  case X_SEXT:
  case X_TRUNC: return extend_facts(e->op, abs_bv(e->kid[0], env), (unsigned)num(e->width, env));
  case X_POPCOUNT:
  case X_CLZ:
  case X_CTZ: return count_facts(e->op, abs_bv(e->kid[0], env), (unsigned)num(e->width, env));
  case X_BITREV:
  case X_BSWAP: {
    struct fact_bits x = abs_bv(e->kid[0], env);
    if (e->op == X_BSWAP) return settled(bv_bswap(x.zero), bv_bswap(x.one), 1);
    return settled(bv_bitreverse(x.zero), bv_bitreverse(x.one), 1);
  }
  case X_FRESH:
  case X_READ: return fact_none((unsigned)num(e->width, env));
  default: break;
  }
  struct fact_bits f = abs_bv(e->kid[0], env);
  for (uint32_t i = 1; i < e->nkid; i++) f = binary_facts(e->op, f, abs_bv(e->kid[i], env), env);
  return f;
}

/* ---- Truth values --------------------------------------------------------------------------------- */

static enum tri tri_of(bool b) { return b ? TRI_TRUE : TRI_FALSE; }
static enum tri tri_not(enum tri t) { return t == TRI_UNKNOWN ? t : tri_of(t == TRI_FALSE); }

static enum tri eq_facts(struct fact_bits x, struct fact_bits y) {
  if (!bv_is_zero(bv_or(bv_and(x.zero, y.one), bv_and(x.one, y.zero)))) return TRI_FALSE;
  return fact_is_const(&x) && fact_is_const(&y) ? TRI_TRUE : TRI_UNKNOWN;
}

static enum tri order_facts(enum xop op, struct fact_bits x, struct fact_bits y) {
  bool sign = op == B_SLT || op == B_SLE;
  struct bv xlo = sign ? smallest_signed(&x) : min_of(&x), xhi = sign ? largest_signed(&x) : max_of(&x);
  struct bv ylo = sign ? smallest_signed(&y) : min_of(&y), yhi = sign ? largest_signed(&y) : max_of(&y);
  bool (*less)(struct bv, struct bv) = sign ? bv_slt : bv_ult;
  if (op == B_ULT || op == B_SLT)
    return less(xhi, ylo) ? TRI_TRUE : !less(xlo, yhi) ? TRI_FALSE : TRI_UNKNOWN;
  return !less(ylo, xhi) ? TRI_TRUE : less(yhi, xlo) ? TRI_FALSE : TRI_UNKNOWN;
}

/* Overflow of sums, differences and products: decided at the ends of the ranges where that is easy. */
static enum tri overflow_facts(enum xop op, struct fact_bits x, struct fact_bits y) {
  unsigned width = x.zero.width;
  switch (op) {
  case B_UADDO:
    if (!bv_ult(bv_add(max_of(&x), max_of(&y)), max_of(&x))) return TRI_FALSE;
    return bv_ult(bv_add(min_of(&x), min_of(&y)), min_of(&x)) ? TRI_TRUE : TRI_UNKNOWN;
  case B_USUBO: return order_facts(B_ULT, x, y);
  case B_SADDO:
  case B_SSUBO: return x.sign >= 2 && y.sign >= 2 ? TRI_FALSE : TRI_UNKNOWN;
  case B_UMULO: return leading_zeros(&x) + leading_zeros(&y) >= width ? TRI_FALSE : TRI_UNKNOWN;
  default: return x.sign + y.sign > width + 1 ? TRI_FALSE : TRI_UNKNOWN;
  }
}

static enum tri connective(const struct expr *e, const struct abs_env *env) {
  bool all = e->op == B_AND; /* of B_AND and B_OR */
  enum tri t = tri_of(all);
  for (uint32_t i = 0; i < e->nkid; i++) {
    enum tri k = abs_bool(e->kid[i], env);
    if (k == tri_of(!all)) return k;
    if (k == TRI_UNKNOWN) t = k;
  }
  return t;
}

static enum tri equality(const struct expr *e, const struct abs_env *env) {
  if (e->kid[0]->sort == SORT_BV) return eq_facts(abs_bv(e->kid[0], env), abs_bv(e->kid[1], env));
  enum tri a = abs_bool(e->kid[0], env), b = abs_bool(e->kid[1], env);
  return a == TRI_UNKNOWN || b == TRI_UNKNOWN ? TRI_UNKNOWN : tri_of(a == b);
}

enum tri abs_bool(const struct expr *e, const struct abs_env *env) {
  switch (e->op) {
  case B_TRUE:
  case B_FALSE: return tri_of(e->op == B_TRUE);
  case B_AND:
  case B_OR: return connective(e, env);
  case B_NOT: return tri_not(abs_bool(e->kid[0], env));
  case B_XOR: {
    enum tri a = abs_bool(e->kid[0], env), b = abs_bool(e->kid[1], env);
    return a == TRI_UNKNOWN || b == TRI_UNKNOWN ? TRI_UNKNOWN : tri_of(a != b);
  }
  case B_IMPLIES: {
    enum tri a = abs_bool(e->kid[0], env), b = abs_bool(e->kid[1], env);
    if (a == TRI_FALSE || b == TRI_TRUE) return TRI_TRUE;
    return a == TRI_TRUE ? b : TRI_UNKNOWN;
  }
  case B_ITE: {
    enum tri c = abs_bool(e->kid[0], env);
    if (c != TRI_UNKNOWN) return abs_bool(e->kid[c == TRI_TRUE ? 1 : 2], env);
    enum tri a = abs_bool(e->kid[1], env);
    return a == abs_bool(e->kid[2], env) ? a : TRI_UNKNOWN;
  }
  case B_EQ: return equality(e, env);
  case B_ULT:
  case B_ULE:
  case B_SLT:
  case B_SLE: return order_facts(e->op, abs_bv(e->kid[0], env), abs_bv(e->kid[1], env));
  case B_UADDO:
  case B_SADDO:
  case B_USUBO:
  case B_SSUBO:
  case B_UMULO:
  case B_SMULO: return overflow_facts(e->op, abs_bv(e->kid[0], env), abs_bv(e->kid[1], env));
  case B_NLT: return tri_of(num(e->kid[0], env) < num(e->kid[1], env));
  case B_NLE: return tri_of(num(e->kid[0], env) <= num(e->kid[1], env));
  case B_NEQ: return tri_of(num(e->kid[0], env) == num(e->kid[1], env));
  case B_FLAG: return tri_of(env->flags >> e->flag & 1);
  case B_POISON: return env->not_poison >> e->var & 1 ? TRI_FALSE : TRI_UNKNOWN;
  default: return TRI_UNKNOWN;
  }
}

/* ---- Backwards ------------------------------------------------------------------------------------ */

static unsigned width_of(const struct expr *e, const struct abs_env *env) {
  return (unsigned)num(e->width, env);
}
static void demand_all(const struct expr *e, const struct abs_env *env, struct bv *out) {
  abs_demand(e, bv_ones(width_of(e, env)), env, out);
}

/* Carries run upwards: all bits up to the highest one asked for. */
static struct bv up_to_top(struct bv mask) { return low_ones(mask.width, mask.width - bv_clz(mask)); }

static void demand_shift(const struct expr *e, struct bv mask, const struct abs_env *env, struct bv *out) {
  struct fact_bits n = abs_bv(e->kid[1], env);
  demand_all(e->kid[1], env, out);
  if (!fact_is_const(&n)) {
    /* A bit moves up by shl and down by lshr and ashr, by any amount. */
    unsigned width = mask.width;
    mask = e->op == X_SHL ? up_to_top(mask) : high_ones(width, width - bv_ctz(mask));
  } else if (e->op == X_SHL) {
    mask = bv_lshr(mask, n.one);
  } else {
    unsigned by = least_amount(&n);
    bool sign = e->op == X_ASHR && !bv_is_zero(bv_and(mask, high_ones(mask.width, by)));
    mask = bv_shl(mask, n.one);
    if (sign) mask = bv_or(mask, high_ones(mask.width, 1));
  }
  abs_demand(e->kid[0], mask, env, out);
}

/* and, or: a bit that another operand decides is not read. */
static void demand_bitwise(const struct expr *e, struct bv mask, const struct abs_env *env, struct bv *out) {
  for (uint32_t i = 0; i < e->nkid; i++) {
    struct bv m = mask;
    for (uint32_t j = 0; j < e->nkid && e->op != X_XOR; j++) {
      if (i == j) continue;
      struct fact_bits other = abs_bv(e->kid[j], env);
      m = bv_and(m, bv_not(e->op == X_AND ? other.zero : other.one));
    }
    abs_demand(e->kid[i], m, env, out);
  }
}

static void demand_resize(const struct expr *e, struct bv mask, const struct abs_env *env, struct bv *out) {
  if (e->op == X_EXTRACT) {
    unsigned width = width_of(e->kid[2], env), lo = (unsigned)num(e->kid[1], env);
    abs_demand(e->kid[2], shl_by(bv_zext(mask, width), lo), env, out);
    return;
  }
  unsigned from = width_of(e->kid[0], env);
  if (e->op == X_TRUNC) {
    abs_demand(e->kid[0], bv_zext(mask, from), env, out);
    return;
  }
  struct bv m = bv_trunc(mask, from);
  if (e->op == X_SEXT && mask.width > from && !bv_is_zero(lshr_by(mask, from)))
    m = bv_or(m, high_ones(from, 1));
  abs_demand(e->kid[0], m, env, out);
}

static void demand_concat(const struct expr *e, struct bv mask, const struct abs_env *env, struct bv *out) {
  unsigned at = mask.width;
  for (uint32_t i = 0; i < e->nkid; i++) {
    unsigned width = width_of(e->kid[i], env);
    at -= width;
    abs_demand(e->kid[i], bv_extract(mask, at + width - 1, at), env, out);
  }
}

void abs_demand(const struct expr *e, struct bv mask, const struct abs_env *env, struct bv *out) {
  if (bv_is_zero(mask)) return;
  switch (e->op) {
  case X_VAR: out[e->var] = bv_or(out[e->var], mask); return;
  case X_LIT:
  case X_FRESH:
  case X_READ: return;
  case X_ADD:
  case X_SUB:
  case X_MUL:
  case X_NEG:
    for (uint32_t i = 0; i < e->nkid; i++) abs_demand(e->kid[i], up_to_top(mask), env, out);
    return;
  case X_AND:
  case X_OR:
  case X_XOR:
  case X_NOT: demand_bitwise(e, mask, env, out); return;
  case X_SHL:
  case X_LSHR:
  case X_ASHR: demand_shift(e, mask, env, out); return;
  case X_EXTRACT:
  case X_ZEXT:
  case X_SEXT:
  case X_TRUNC: demand_resize(e, mask, env, out); return;
  case X_CONCAT: demand_concat(e, mask, env, out); return;
  case X_BITREV: abs_demand(e->kid[0], bv_bitreverse(mask), env, out); return;
  case X_BSWAP: abs_demand(e->kid[0], bv_bswap(mask), env, out); return;
  case X_ITE:
    abs_demand_bool(e->kid[0], env, out);
    if (abs_bool(e->kid[0], env) != TRI_FALSE) abs_demand(e->kid[1], mask, env, out);
    if (abs_bool(e->kid[0], env) != TRI_TRUE) abs_demand(e->kid[2], mask, env, out);
    return;
  case X_B2BV:
    if (bv_bit(mask, 0)) abs_demand_bool(e->kid[0], env, out);
    return;
  default:
    for (uint32_t i = 0; i < e->nkid; i++)
      if (e->kid[i]->sort == SORT_BV) demand_all(e->kid[i], env, out);
  }
}

void abs_demand_bool(const struct expr *e, const struct abs_env *env, struct bv *out) {
  if (abs_bool(e, env) != TRI_UNKNOWN) return;
  for (uint32_t i = 0; i < e->nkid; i++) {
    if (e->kid[i]->sort == SORT_BV)
      demand_all(e->kid[i], env, out);
    else if (e->kid[i]->sort == SORT_BOOL)
      abs_demand_bool(e->kid[i], env, out);
  }
}
