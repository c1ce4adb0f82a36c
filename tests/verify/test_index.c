/* test_index.c: the rung for shifts by unknown amounts. What it proves of random terms at small widths is
 * confirmed by bit-blasting; identities are proven at 128 bits, and with one thing wrong they are not. */
#include <check.h>
#include <stdlib.h>

#include "rungs.h"
#include "smt.h"

enum { CASES = 1600 };

struct gen {
  Z3_context c;
  unsigned w;
  uint64_t seed;
  Z3_ast x, y, k, n, z; /* k and n are used as amounts, z is a power of two */
};

static unsigned pick(struct gen *g, unsigned n) {
  g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(g->seed >> 33) % n;
}

static Z3_context new_context(void) {
  Z3_config cfg = Z3_mk_config();
  Z3_context c = Z3_mk_context(cfg);
  Z3_del_config(cfg);
  return c;
}

static struct gen gen_new(unsigned w, uint64_t seed) {
  struct gen g = {.c = new_context(), .w = w, .seed = seed};
  Z3_ast *v[] = {&g.x, &g.y, &g.k, &g.n, &g.z};
  const char *const name[] = {"x", "y", "k", "n", "z"};
  for (unsigned i = 0; i < 5; i++) *v[i] = smt_var_bv(g.c, name[i], w);
  return g;
}

static Z3_ast number(struct gen *g, uint64_t v) { return smt_const_bv(g->c, bv_u64(g->w, v)); }

static Z3_ast power_of_two(struct gen *g, Z3_ast z) {
  Z3_context c = g->c;
  Z3_ast p[2] = {Z3_mk_not(c, Z3_mk_eq(c, z, number(g, 0))),
                 Z3_mk_eq(c, Z3_mk_bvand(c, z, Z3_mk_bvsub(c, z, number(g, 1))), number(g, 0))};
  return Z3_mk_and(c, 2, p);
}

static Z3_ast amount(struct gen *g) {
  switch (pick(g, 6)) {
  case 0: return number(g, pick(g, g->w + 1));
  case 1: return g->n;
  case 2: return Z3_mk_bvsub(g->c, g->k, g->n);
  case 3: return Z3_mk_bvadd(g->c, g->k, g->n);
  case 4: return Z3_mk_bvsub(g->c, number(g, g->w), g->k);
  default: return g->k;
  }
}

static Z3_ast atom(struct gen *g) {
  switch (pick(g, 6)) {
  case 0: return number(g, pick(g, 1u << g->w));
  case 1: return g->y;
  case 2: return g->z;
  case 3: return smt_const_bv(g->c, bv_ones(g->w));
  default: return g->x;
  }
}

static Z3_ast term(struct gen *g, unsigned depth) {
  Z3_context c = g->c;
  if (!depth) return atom(g);
  Z3_ast a = term(g, depth - 1);
  switch (pick(g, 15)) {
  case 0:
  case 1: return Z3_mk_bvshl(c, a, amount(g));
  case 2:
  case 3: return Z3_mk_bvlshr(c, a, amount(g));
  case 4: return Z3_mk_bvashr(c, a, amount(g));
  case 5: return Z3_mk_bvand(c, a, term(g, depth - 1));
  case 6: return Z3_mk_bvor(c, a, term(g, depth - 1));
  case 7: return Z3_mk_bvxor(c, a, term(g, depth - 1));
  case 8: return Z3_mk_bvadd(c, a, term(g, depth - 1));
  case 9: return Z3_mk_bvsub(c, a, term(g, depth - 1));
  case 10: return Z3_mk_bvmul(c, a, pick(g, 2) ? g->z : Z3_mk_bvshl(c, number(g, 1), amount(g)));
  case 11: return Z3_mk_bvudiv(c, a, pick(g, 2) ? g->z : Z3_mk_bvshl(c, number(g, 1), amount(g)));
  case 12: return pick(g, 2) ? Z3_mk_bvneg(c, a) : Z3_mk_bvnot(c, a);
  case 13:
    return Z3_mk_extract(c, g->w - 1, 0, pick(g, 2) ? Z3_mk_sign_ext(c, 2, a) : Z3_mk_zero_ext(c, 2, a));
  default: {
    Z3_ast b = term(g, depth - 1);
    return Z3_mk_ite(c, pick(g, 2) ? Z3_mk_bvult(c, a, b) : Z3_mk_eq(c, a, number(g, 0)), b, a);
  }
  }
}

static void premise(struct gen *g, struct ast_list *out) {
  Z3_context c = g->c;
  flatten(c, power_of_two(g, g->z), out);
  if (pick(g, 2)) *vec_push(out) = Z3_mk_bvult(c, g->k, number(g, g->w));
  switch (pick(g, 4)) {
  case 0: *vec_push(out) = Z3_mk_bvult(c, g->n, g->k); break;
  case 1: *vec_push(out) = Z3_mk_eq(c, Z3_mk_bvshl(c, Z3_mk_bvlshr(c, g->x, g->k), g->k), g->x); break;
  case 2: *vec_push(out) = Z3_mk_eq(c, Z3_mk_bvand(c, g->x, g->y), number(g, 0)); break;
  default: break;
  }
}

/* A claim that is true more often than one about two random terms. */
static Z3_ast claim(struct gen *g) {
  Z3_context c = g->c;
  Z3_ast a = term(g, 1 + pick(g, 2)), b = term(g, pick(g, 3)), e = Z3_mk_eq(c, a, b);
  switch (pick(g, 4)) {
  case 0: return e;
  case 1: return Z3_mk_iff(c, e, Z3_mk_eq(c, term(g, 1), number(g, 0)));
  case 2: return Z3_mk_eq(c, Z3_mk_bvand(c, a, b), Z3_mk_bvand(c, b, term(g, 1)));
  default: return Z3_mk_not(c, Z3_mk_eq(c, Z3_mk_bvor(c, a, number(g, 1)), Z3_mk_bvshl(c, b, g->k)));
  }
}

static enum answer by_index(struct gen *g, const struct ast_list *premises, Z3_ast goal) {
  struct ast_list p = {0}, values = {0}, exponents = {0};
  for (uint32_t i = 0; i < premises->n; i++) *vec_push(&p) = premises->at[i];
  name_powers(g->c, &p, &goal, &values, &exponents);
  struct query q = {.c = g->c, .scale = 1};
  enum answer a = index_prove(&q, &p, goal, g->w < 8 ? 40000 : 400000).answer;
  vec_free(&p);
  vec_free(&values);
  vec_free(&exponents);
  return a;
}

START_TEST(proofs_are_confirmed) {
  unsigned proved = 0, valid = 0;
  for (unsigned w = 2; w < 6; w++) {
    struct gen g = gen_new(w, w * 7919u);
    for (unsigned i = 0; i < CASES / 4; i++) {
      struct ast_list p = {0};
      premise(&g, &p);
      Z3_ast e = claim(&g);
      enum answer truth = blast(g.c, Z3_mk_implies(g.c, conjunction(g.c, &p), e), 1e7).answer;
      enum answer ours = by_index(&g, &p, e);
      ck_assert_msg(ours != VALID || truth == VALID, "width %u: %s", w, Z3_ast_to_string(g.c, e));
      valid += truth == VALID;
      proved += ours == VALID;
      vec_free(&p);
    }
    Z3_del_context(g.c);
  }
  printf("%u random claims, %u of them true, %u of these proven by index\n", CASES, valid, proved);
  ck_assert_uint_gt(proved, CASES / 60);
}
END_TEST

/* (x >>u k) << n = (x >>u (k - n + off)) & (-1 << n) for n < k < w, and others of that kind. */
static Z3_ast identity(struct gen *g, unsigned which, uint64_t off, struct ast_list *p) {
  Z3_context c = g->c;
  Z3_ast x = g->x, k = g->k, n = g->n, ones = smt_const_bv(c, bv_ones(g->w)), one = number(g, 1);
  *vec_push(p) = Z3_mk_bvult(c, k, number(g, g->w));
  *vec_push(p) = Z3_mk_bvult(c, n, k);
  Z3_ast less = Z3_mk_bvadd(c, Z3_mk_bvsub(c, k, n), number(g, off));
  switch (which) {
  case 0:
    return Z3_mk_eq(c, Z3_mk_bvshl(c, Z3_mk_bvlshr(c, x, k), n),
                    Z3_mk_bvand(c, Z3_mk_bvlshr(c, x, less), Z3_mk_bvshl(c, ones, n)));
  case 1:
    return Z3_mk_eq(c, Z3_mk_bvshl(c, Z3_mk_bvashr(c, x, k), n),
                    Z3_mk_bvand(c, Z3_mk_bvashr(c, x, less), Z3_mk_bvshl(c, ones, n)));
  case 2: /* x mod 2^k */
    return Z3_mk_eq(
        c,
        Z3_mk_bvsub(c, x, Z3_mk_bvmul(c, Z3_mk_bvudiv(c, x, Z3_mk_bvshl(c, one, k)), Z3_mk_bvshl(c, one, k))),
        Z3_mk_bvand(c, x, Z3_mk_bvsub(c, Z3_mk_bvshl(c, one, k), number(g, 1 + off))));
  case 3: /* disjoint parts: their sum is their union */
    return Z3_mk_eq(
        c,
        Z3_mk_bvadd(c, Z3_mk_bvshl(c, x, k), Z3_mk_bvlshr(c, g->y, Z3_mk_bvsub(c, number(g, g->w - off), k))),
        Z3_mk_bvor(c, Z3_mk_bvlshr(c, g->y, Z3_mk_bvsub(c, number(g, g->w - off), k)), Z3_mk_bvshl(c, x, k)));
  default: { /* one bit moved up */
    flatten(c, power_of_two(g, g->z), p);
    Z3_ast bit = Z3_mk_bvand(c, x, g->z);
    return Z3_mk_eq(c, Z3_mk_ite(c, Z3_mk_eq(c, bit, number(g, 0)), number(g, 0), g->z),
                    off ? Z3_mk_bvor(c, bit, number(g, off)) : bit);
  }
  }
}

START_TEST(identities) {
  for (unsigned which = 0; which < 5; which++)
    for (uint64_t off = 0; off < 2; off++) {
      struct gen g = gen_new(128, 1);
      struct ast_list p = {0};
      Z3_ast e = identity(&g, which, off, &p);
      enum answer a = by_index(&g, &p, e);
      ck_assert_msg((a == VALID) == (off == 0), "identity %u with %d off", which, (int)off);
      vec_free(&p);
      Z3_del_context(g.c);
    }
}
END_TEST

int main(void) {
  Suite *s = suite_create("index");
  TCase *t = tcase_create("index");
  tcase_set_timeout(t, 900);
  tcase_add_test(t, proofs_are_confirmed);
  tcase_add_test(t, identities);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed != 0;
}
