/* test_ring.c: the ring translation is trusted code. Random terms are evaluated against it, what it proves at
 * small widths is bit-blasted, and wrong goals must stay unproven. */
#include <stdlib.h>

#include "ladder.h"
#include "ring.h"
#include "../random.h"
#include "../run_suite.h"

enum { NVAR = 3, NBOOL = 2 };

struct gen {
  Z3_context c;
  uint64_t seed;
  unsigned w;
  Z3_ast var[NVAR], flag[NBOOL];
};

static unsigned pick(struct gen *g, unsigned n) { return random_next(&g->seed, n); }

static void gen_init(struct gen *g, Z3_context c, unsigned w, uint64_t seed) {
  static const char *const names[] = {"x", "y", "z", "p", "q"};
  *g = (struct gen){.c = c, .seed = seed, .w = w};
  for (unsigned i = 0; i < NVAR; i++)
    g->var[i] = Z3_mk_const(c, Z3_mk_string_symbol(c, names[i]), Z3_mk_bv_sort(c, w));
  for (unsigned i = 0; i < NBOOL; i++)
    g->flag[i] = Z3_mk_const(c, Z3_mk_string_symbol(c, names[NVAR + i]), Z3_mk_bool_sort(c));
}

static Z3_ast number(struct gen *g, uint64_t v) {
  return Z3_mk_unsigned_int64(g->c, g->w < 64 ? v & ((1ull << g->w) - 1) : v, Z3_mk_bv_sort(g->c, g->w));
}

static Z3_ast term(struct gen *g, unsigned depth);

static Z3_ast formula(struct gen *g, unsigned depth) {
  Z3_context c = g->c;
  if (depth == 0) return g->flag[pick(g, NBOOL)];
  Z3_ast p, q;
  switch (pick(g, 9)) {
  case 0: return Z3_mk_eq(c, term(g, depth - 1), term(g, depth - 1));
  case 1: return Z3_mk_bvult(c, term(g, depth - 1), term(g, depth - 1));
  case 2: return Z3_mk_bvule(c, term(g, depth - 1), term(g, depth - 1));
  case 3: return Z3_mk_bvslt(c, term(g, depth - 1), term(g, depth - 1));
  case 4: return Z3_mk_bvsle(c, term(g, depth - 1), number(g, 0));
  case 5: return Z3_mk_not(c, formula(g, depth - 1));
  case 6: p = formula(g, depth - 1), q = formula(g, depth - 1); return Z3_mk_and(c, 2, (Z3_ast[]){p, q});
  case 7: p = formula(g, depth - 1), q = formula(g, depth - 1); return Z3_mk_xor(c, p, q);
  default: p = formula(g, depth - 1), q = formula(g, depth - 1); return Z3_mk_implies(c, p, q);
  }
}

static Z3_ast binary(struct gen *g, unsigned k, Z3_ast a, Z3_ast b) {
  Z3_context c = g->c;
  switch (k) {
  case 0: return Z3_mk_bvadd(c, a, b);
  case 1: return Z3_mk_bvsub(c, a, b);
  case 2: return Z3_mk_bvmul(c, a, b);
  case 3: return Z3_mk_bvand(c, a, b);
  case 4: return Z3_mk_bvor(c, a, b);
  case 5: return Z3_mk_bvxor(c, a, b);
  case 6: return Z3_mk_bvshl(c, a, b);
  case 7: return Z3_mk_bvlshr(c, a, b);
  case 8: return Z3_mk_bvashr(c, a, b);
  case 9: return Z3_mk_bvudiv(c, a, b);
  case 10: return Z3_mk_bvurem(c, a, b);
  case 11: return Z3_mk_bvsdiv(c, a, b);
  default: return Z3_mk_bvsrem(c, a, b);
  }
}

static Z3_ast term(struct gen *g, unsigned depth) {
  Z3_context c = g->c;
  if (depth == 0)
    return pick(g, 4) ? g->var[pick(g, NVAR)] : number(g, pick(g, 2) ? pick(g, 256) : -1ull << pick(g, g->w));
  unsigned k = pick(g, 20);
  if (k < 13) {
    Z3_ast a = term(g, depth - 1), b = term(g, depth - 1);
    return binary(g, k, a, b);
  }
  Z3_ast a = term(g, depth - 1), b, p;
  switch (k) {
  case 13: return Z3_mk_bvneg(c, a);
  case 14: return Z3_mk_bvnot(c, a);
  case 15: p = formula(g, depth - 1), b = term(g, depth - 1); return Z3_mk_ite(c, p, a, b);
  case 16: return Z3_mk_ite(c, Z3_mk_bvslt(c, a, number(g, 0)), Z3_mk_bvneg(c, a), a);
  case 17: return Z3_mk_extract(c, g->w - 1, 0, Z3_mk_sign_ext(c, 3, a));
  case 18: {
    unsigned cut = pick(g, g->w);
    b = term(g, depth - 1);
    return cut ? Z3_mk_concat(c, Z3_mk_extract(c, g->w - 1, cut, a), Z3_mk_extract(c, cut - 1, 0, b)) : a;
  }
  default:
    b = term(g, depth - 1);
    return Z3_mk_extract(c, 2 * g->w - 1, g->w,
                         Z3_mk_bvmul(c, Z3_mk_zero_ext(c, g->w, a), Z3_mk_zero_ext(c, g->w, b)));
  }
}

static Z3_context new_context(void) {
  Z3_config cfg = Z3_mk_config();
  Z3_context c = Z3_mk_context(cfg);
  Z3_del_config(cfg);
  return c;
}

static const char *check_at_random(struct gen *g, struct ring *r) {
  Z3_ast from[NVAR + NBOOL], to[NVAR + NBOOL];
  for (unsigned i = 0; i < NVAR; i++) {
    unsigned k = pick(g, 4);
    from[i] = g->var[i];
    to[i] = number(g, k == 0   ? pick(g, 4)
                      : k == 1 ? -(uint64_t)pick(g, 4)
                      : k == 2 ? 1ull << pick(g, g->w)
                               : g->seed >> 7);
  }
  for (unsigned i = 0; i < NBOOL; i++) {
    from[NVAR + i] = g->flag[i];
    to[NVAR + i] = pick(g, 2) ? Z3_mk_true(g->c) : Z3_mk_false(g->c);
  }
  return ring_check(r, NVAR + NBOOL, from, to);
}

/* Definitions, bounds, axioms and lemmas hold at random inputs. */
START_TEST(definitions_hold) {
  static const unsigned widths[] = {1, 2, 3, 5, 8, 16, 32, 64};
  unsigned checked = 0;
  for (unsigned k = 0; k < 300; k++) {
    Z3_context c = new_context();
    struct gen g;
    gen_init(&g, c, widths[k % 8], k * 7919 + 1);
    struct ring r;
    ring_init(&r, c, k % 5 == 4, 100000);
    ring_bool(&r, formula(&g, 3));
    if (!r.p.failed && k % 3 == 0) ring_add_lemmas(&r);
    for (unsigned i = 0; i < 6 && !r.p.failed && r.axioms.n < 1500; i++, checked++) {
      const char *wrong = check_at_random(&g, &r);
      ck_assert_msg(!wrong, "formula %u at width %u: %s", k, g.w, wrong);
    }
    ring_free(&r);
    Z3_del_context(c);
  }
  ck_assert_uint_gt(checked, 1000);
}
END_TEST

/* What the ladder proves of random formulas is confirmed by bit-blasting. */
START_TEST(proofs_are_confirmed) {
  unsigned proved = 0;
  for (unsigned k = 0; k < 400; k++) {
    Z3_context c = new_context();
    struct gen g;
    gen_init(&g, c, 1 + k % 5, k * 104729 + 3);
    Z3_ast a = term(&g, 2), b = term(&g, 2), e = formula(&g, 2);
    /* Random equations are seldom true: relate a term to one built from it. */
    Z3_ast claim = k % 4 == 0   ? Z3_mk_eq(c, Z3_mk_bvsub(c, Z3_mk_bvadd(c, a, b), b), a)
                   : k % 4 == 1 ? Z3_mk_implies(c, Z3_mk_bvult(c, a, b), Z3_mk_bvule(c, a, b))
                   : k % 4 == 2 ? e
                                : Z3_mk_eq(c, Z3_mk_bvurem(c, a, b),
                                           Z3_mk_bvsub(c, a, Z3_mk_bvmul(c, Z3_mk_bvudiv(c, a, b), b)));
    struct query q = {.c = c, .claim = claim, .scale = 0.1, .cross_check = true};
    struct outcome out = ladder_prove(&q);
    ck_assert_msg(!out.disagree, "formula %u: bit-blasting refutes rung %s", k, rung_name[out.rung]);
    if (out.answer == VALID && out.rung != RUNG_BITBLAST) proved++;
    Z3_del_context(c);
  }
  ck_assert_uint_gt(proved, 150);
}
END_TEST

/* floor(x / 10) by a multiplier, at 32 bits: the right one is proved, the neighbours are not. */
static struct outcome magic(unsigned offset, bool mul_high_only) {
  Z3_context c = new_context();
  struct gen g;
  gen_init(&g, c, 32, 1);
  Z3_ast wide = Z3_mk_bvmul(c, Z3_mk_zero_ext(c, 32, g.var[0]),
                            Z3_mk_unsigned_int64(c, 0xcccccccdu + offset, Z3_mk_bv_sort(c, 64)));
  Z3_ast high = Z3_mk_extract(c, 63, 32, wide);
  Z3_ast q10 = mul_high_only ? high : Z3_mk_bvlshr(c, high, number(&g, 3));
  struct query q = {
      .c = c, .claim = Z3_mk_eq(c, q10, Z3_mk_bvudiv(c, g.var[0], number(&g, 10))), .scale = 0.3};
  struct outcome out = ladder_prove(&q);
  out.model = NULL;
  Z3_del_context(c);
  return out;
}

START_TEST(magic_division) {
  struct outcome right = magic(0, false);
  ck_assert_int_eq(right.answer, VALID);
  ck_assert_int_eq(right.rung, RUNG_LIA);
  ck_assert_int_ne(magic(1, false).answer, VALID);
  ck_assert_int_ne(magic(-2u, false).answer, VALID);
  ck_assert_int_ne(magic(0, true).answer, VALID);
}
END_TEST

/* Products by partial products at 128 bits need no solver. */
START_TEST(ring_identities) {
  Z3_context c = new_context();
  struct gen g;
  gen_init(&g, c, 64, 1);
  Z3_sort s = Z3_mk_bv_sort(c, 128);
  Z3_ast x = Z3_mk_const(c, Z3_mk_string_symbol(c, "a"), s),
         y = Z3_mk_const(c, Z3_mk_string_symbol(c, "b"), s);
  Z3_ast xl = Z3_mk_extract(c, 63, 0, x), xh = Z3_mk_extract(c, 127, 64, x);
  Z3_ast yl = Z3_mk_extract(c, 63, 0, y), yh = Z3_mk_extract(c, 127, 64, y);
  Z3_ast p = Z3_mk_bvmul(c, Z3_mk_zero_ext(c, 64, xl), Z3_mk_zero_ext(c, 64, yl));
  Z3_ast hi = Z3_mk_bvadd(c, Z3_mk_extract(c, 127, 64, p),
                          Z3_mk_bvadd(c, Z3_mk_bvmul(c, xl, yh), Z3_mk_bvmul(c, xh, yl)));
  Z3_ast joined = Z3_mk_concat(c, hi, Z3_mk_extract(c, 63, 0, p));
  struct query q = {.c = c, .claim = Z3_mk_eq(c, joined, Z3_mk_bvmul(c, x, y)), .scale = 1};
  struct outcome out = ladder_prove(&q);
  ck_assert_int_eq(out.answer, VALID);
  ck_assert_int_eq(out.rung, RUNG_RING);
  Z3_ast swapped = Z3_mk_concat(c, Z3_mk_extract(c, 63, 0, p), hi);
  q.claim = Z3_mk_eq(c, swapped, Z3_mk_bvmul(c, x, y));
  q.scale = 0.02;
  ck_assert_int_ne(ladder_prove(&q).answer, VALID);
  Z3_del_context(c);
}
END_TEST

int main(void) {
  TCase *t = tcase_create("ring");
  tcase_set_timeout(t, 900);
  tcase_add_test(t, definitions_hold);
  tcase_add_test(t, proofs_are_confirmed);
  tcase_add_test(t, magic_division);
  tcase_add_test(t, ring_identities);
  return run_suite("ring", t);
}
