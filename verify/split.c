/* split.c: case distinction on shift amounts and on constants that a guard confines to few values. */
#include <stdlib.h>
#include <string.h>

#include "rungs.h"
#include "smt.h"
#include "terms.h"
#include "util/diag.h"

enum { MAX_CASES = 20000, CASE_STEPS = 1500000 };

struct splitter {
  const struct query *q;
  Z3_context c;
  Z3_ast vars[3];
  unsigned nvar, cases;
  uint64_t steps;
  Z3_model model;
};

static bool input_term(Z3_context c, Z3_ast e) { return term_is_input(c, e) && term_is_bv(c, e); }

static void inputs_of(struct splitter *s, Z3_ast e, struct seen *seen) {
  if (!first_visit(seen, s->c, e)) return;
  if (input_term(s->c, e)) {
    for (unsigned i = 0; i < s->nvar; i++)
      if (s->vars[i] == e) return;
    if (s->nvar < 3) s->vars[s->nvar++] = e;
    return;
  }
  for (unsigned i = 0; i < term_nargs(s->c, e); i++) inputs_of(s, term_arg(s->c, e, i), seen);
}

/* Inputs that occur in the amount of a shift. */
static void amounts_in(struct splitter *s, Z3_ast e, struct seen *seen, struct seen *seen_amount) {
  if (!first_visit(seen, s->c, e)) return;
  Z3_decl_kind k = term_kind(s->c, e);
  if (k == Z3_OP_BSHL || k == Z3_OP_BLSHR || k == Z3_OP_BASHR)
    inputs_of(s, term_arg(s->c, e, 1), seen_amount);
  for (unsigned i = 0; i < term_nargs(s->c, e); i++) amounts_in(s, term_arg(s->c, e, i), seen, seen_amount);
}

static Z3_ast fixed(struct splitter *s, Z3_ast goal, Z3_ast var, struct bv value) {
  Z3_ast v = smt_const_bv(s->c, value);
  return Z3_simplify(s->c, Z3_substitute(s->c, goal, 1, &var, &v));
}

static enum answer solve_case(struct splitter *s, Z3_ast goal) {
  s->cases++;
  struct outcome b = blast(s->c, goal, CASE_STEPS / 32 * s->q->scale);
  if (b.answer == OPEN && ring_proves(s->c, goal, false)) return VALID;
  if (b.answer == OPEN) b = blast(s->c, goal, CASE_STEPS * s->q->scale);
  s->steps = b.steps;
  if (b.answer == INVALID) s->model = b.model;
  return b.answer;
}

/* The goal with the low log2(w) bits of `var` fixed to k, the others free (`high`). */
static Z3_ast low_fixed(struct splitter *s, Z3_ast goal, Z3_ast var, Z3_ast high, unsigned log, unsigned k) {
  Z3_ast v = Z3_mk_concat(s->c, high, smt_const_bv(s->c, bv_u64(log, k)));
  return Z3_simplify(s->c, Z3_substitute(s->c, goal, 1, &var, &v));
}

static enum answer split_amount(struct splitter *s, Z3_ast goal, unsigned depth);

/* Amounts that count modulo 2^log: the high bits drop out, and the low ones are all there is to try. */
static bool split_low_bits(struct splitter *s, Z3_ast goal, unsigned depth, unsigned log, enum answer *a) {
  Z3_ast var = s->vars[depth];
  unsigned w = smt_width(s->c, var);
  Z3_ast high = Z3_mk_fresh_const(s->c, "high", Z3_mk_bv_sort(s->c, w - log));
  if (term_mentions(s->c, low_fixed(s, goal, var, high, log, 1), high)) return false;
  for (unsigned k = 0; k < 1u << log; k++) {
    *a = s->cases++ > MAX_CASES ? OPEN : split_amount(s, low_fixed(s, goal, var, high, log, k), depth + 1);
    if (*a != VALID) return true;
  }
  *a = VALID;
  return true;
}

/* Modulo the width, or twice it: the low half of the amount of a value in halves. */
static bool split_modulo(struct splitter *s, Z3_ast goal, unsigned depth, enum answer *a) {
  unsigned w = smt_width(s->c, s->vars[depth]), log = 0;
  while (1u << log < w) log++;
  if (w < 8 || 1u << log != w) return false;
  return split_low_bits(s, goal, depth, log, a) || split_low_bits(s, goal, depth, log + 1, a);
}

/* Amounts 0 … w-1 one by one, then all others at once. A refutation found in a case lacks the case's own
 * value and is left to the caller's bit-blasting: it counts as open here. */
static enum answer split_amount(struct splitter *s, Z3_ast goal, unsigned depth) {
  Z3_lbool known = Z3_get_bool_value(s->c, goal);
  if (known == Z3_L_TRUE) return VALID;
  if (known == Z3_L_FALSE) return INVALID;
  if (depth >= s->nvar) return solve_case(s, goal);
  Z3_ast var = s->vars[depth];
  if (!term_mentions(s->c, goal, var)) return split_amount(s, goal, depth + 1);
  enum answer a;
  if (split_modulo(s, goal, depth, &a)) return a;
  unsigned w = smt_width(s->c, var);
  for (unsigned k = 0; k < w; k++) {
    if (s->cases++ > MAX_CASES) return OPEN;
    a = split_amount(s, fixed(s, goal, var, bv_u64(w, k)), depth + 1);
    if (a != VALID) return a;
  }
  if (w < 32 && 1u << w <= w) return VALID; /* no other values */
  Z3_ast big = Z3_mk_bvule(s->c, smt_const_bv(s->c, bv_u64(w, w)), var);
  Z3_ast rest = Z3_simplify(s->c, Z3_mk_implies(s->c, big, goal));
  if (Z3_get_bool_value(s->c, rest) == Z3_L_TRUE) return VALID;
  return depth + 1 < s->nvar ? split_amount(s, rest, depth + 1) : solve_case(s, rest);
}

struct outcome split_amounts(const struct query *q, Z3_ast goal) {
  struct splitter s = {.q = q, .c = q->c};
  struct seen seen = {0}, amount = {0};
  amounts_in(&s, goal, &seen, &amount);
  seen_free(&seen);
  seen_free(&amount);
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  if (s.nvar && split_amount(&s, Z3_simplify(q->c, goal), 0) == VALID) out.answer = VALID;
  out.cases = s.cases;
  out.steps = s.steps;
  return out;
}

/* Families of constants that guards confine a variable to: s·2^a + d, two set bits, one run of set bits. */
struct family {
  enum { FAMILY_POW2, FAMILY_TWO_BITS, FAMILY_RUN } shape;
  bool negative;
  int offset;
};

static const struct family families[] = {
    {FAMILY_POW2, false, 0}, {FAMILY_POW2, false, -1}, {FAMILY_POW2, false, 1},     {FAMILY_POW2, true, 0},
    {FAMILY_POW2, true, -1}, {FAMILY_POW2, true, 1},   {FAMILY_TWO_BITS, false, 0}, {FAMILY_RUN, false, 0},
};
enum { NFAMILY = sizeof families / sizeof families[0] };

/* x & (x - 1) = 0: a power of two or 0. */
static Z3_ast pow2_or_zero(Z3_context c, Z3_ast x) {
  unsigned w = smt_width(c, x);
  Z3_ast less = Z3_mk_bvsub(c, x, smt_const_bv(c, bv_u64(w, 1)));
  return Z3_mk_eq(c, Z3_mk_bvand(c, x, less), smt_const_bv(c, bv_u64(w, 0)));
}

static Z3_ast is_member(Z3_context c, const struct family *f, Z3_ast x) {
  unsigned w = smt_width(c, x);
  Z3_ast low = Z3_mk_bvand(c, x, Z3_mk_bvneg(c, x));
  switch (f->shape) {
  case FAMILY_TWO_BITS: return pow2_or_zero(c, Z3_mk_bvsub(c, x, low));
  case FAMILY_RUN: return pow2_or_zero(c, Z3_mk_bvadd(c, x, low));
  case FAMILY_POW2: break;
  }
  Z3_ast t = Z3_mk_bvsub(c, x, smt_const_bv(c, bv_s64(w, f->offset)));
  return pow2_or_zero(c, f->negative ? Z3_mk_bvneg(c, t) : t);
}

/* 2^k, and 0 for k = w. */
static struct bv power(unsigned w, unsigned k) {
  return k < w ? bv_shl(bv_u64(w, 1), bv_u64(w, k)) : bv_u64(w, 0);
}

/* Member number (a, b), with 0 <= a < b <= w, or b = a for those of one parameter (0 <= a <= w). */
static struct bv member(const struct family *f, unsigned w, unsigned a, unsigned b) {
  if (f->shape == FAMILY_TWO_BITS) return bv_add(power(w, a), power(w, b));
  if (f->shape == FAMILY_RUN) return bv_sub(power(w, b), power(w, a));
  struct bv p = power(w, a);
  return bv_add(f->negative ? bv_neg(p) : p, bv_s64(w, f->offset));
}

/* Proves the goal at one value. */
static bool at_value(struct splitter *s, Z3_ast goal, Z3_ast var, struct bv v) {
  Z3_ast value = smt_const_bv(s->c, v);
  Z3_ast raw = Z3_substitute(s->c, goal, 1, &var, &value);
  s->cases++;
  Z3_ast g = Z3_simplify(s->c, raw);
  if (Z3_get_bool_value(s->c, g) == Z3_L_TRUE || ring_proves(s->c, g, false)) return true;
  return split_amount(s, g, 0) == VALID;
}

static bool split_family(struct splitter *s, Z3_ast premise, Z3_ast goal, Z3_ast var,
                         const struct family *f) {
  unsigned w = smt_width(s->c, var);
  struct outcome b =
      blast(s->c, Z3_mk_implies(s->c, premise, is_member(s->c, f, var)), CASE_STEPS / 8 * s->q->scale);
  s->steps = b.steps;
  if (b.answer != VALID) return false;
  for (unsigned a = 0; a <= w; a++) {
    if (f->shape == FAMILY_POW2 && !at_value(s, goal, var, member(f, w, a, a))) return false;
    for (unsigned k = a + 1; f->shape != FAMILY_POW2 && k <= w; k++)
      if (!at_value(s, goal, var, member(f, w, a, k))) return false;
  }
  /* 0 and one bit are members of the two-bit shapes as well. */
  return f->shape == FAMILY_POW2 || at_value(s, goal, var, bv_u64(w, 0));
}

struct outcome split_constants(const struct query *q, Z3_ast premise, Z3_ast goal) {
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  for (unsigned i = 0; i < q->nconstant && out.answer == OPEN; i++) {
    bool guarded = term_mentions(q->c, premise, q->constants[i]);
    for (unsigned k = 0; guarded && k < NFAMILY && out.answer == OPEN; k++) {
      struct splitter s = {.q = q, .c = q->c};
      if (split_family(&s, premise, goal, q->constants[i], &families[k])) out.answer = VALID;
      out.steps = s.steps;
      out.cases += s.cases;
    }
  }
  return out;
}
