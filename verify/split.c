/* split.c: case distinction on shift amounts and on constants that a guard confines to few values. */
#include <stdlib.h>
#include <string.h>

#include "ladder.h"
#include "smt.h"
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

typedef VEC(Z3_ast) ast_list;

static bool input_term(Z3_context c, Z3_ast e) {
  if (Z3_get_ast_kind(c, e) != Z3_APP_AST || Z3_get_app_num_args(c, Z3_to_app(c, e))) return false;
  return Z3_get_decl_kind(c, Z3_get_app_decl(c, Z3_to_app(c, e))) == Z3_OP_UNINTERPRETED &&
         Z3_get_sort_kind(c, Z3_get_sort(c, e)) == Z3_BV_SORT;
}

static bool visited(ast_list *seen, Z3_ast e) {
  for (uint32_t i = seen->n; i-- > 0;)
    if (seen->at[i] == e) return true;
  *vec_push(seen) = e;
  return false;
}

static void inputs_of(struct splitter *s, Z3_ast e, ast_list *seen) {
  Z3_context c = s->c;
  if (Z3_get_ast_kind(c, e) != Z3_APP_AST || visited(seen, e)) return;
  if (input_term(c, e)) {
    for (unsigned i = 0; i < s->nvar; i++)
      if (s->vars[i] == e) return;
    if (s->nvar < 3) s->vars[s->nvar++] = e;
    return;
  }
  for (unsigned i = 0; i < Z3_get_app_num_args(c, Z3_to_app(c, e)); i++)
    inputs_of(s, Z3_get_app_arg(c, Z3_to_app(c, e), i), seen);
}

/* Inputs that occur in the amount of a shift. */
static void amounts_in(struct splitter *s, Z3_ast e, ast_list *seen, ast_list *seen_amount) {
  Z3_context c = s->c;
  if (Z3_get_ast_kind(c, e) != Z3_APP_AST || visited(seen, e)) return;
  Z3_app a = Z3_to_app(c, e);
  Z3_decl_kind k = Z3_get_decl_kind(c, Z3_get_app_decl(c, a));
  if (k == Z3_OP_BSHL || k == Z3_OP_BLSHR || k == Z3_OP_BASHR) inputs_of(s, Z3_get_app_arg(c, a, 1), seen_amount);
  for (unsigned i = 0; i < Z3_get_app_num_args(c, a); i++) amounts_in(s, Z3_get_app_arg(c, a, i), seen, seen_amount);
}

static Z3_ast fixed(struct splitter *s, Z3_ast goal, Z3_ast var, struct bv value) {
  Z3_ast v = smt_const_bv(s->c, value);
  return Z3_simplify(s->c, Z3_substitute(s->c, goal, 1, &var, &v));
}

static enum answer solve_case(struct splitter *s, Z3_ast goal) {
  s->cases++;
  struct outcome b = blast(s->c, goal, CASE_STEPS * s->q->scale);
  s->steps += b.steps;
  if (b.answer == INVALID) s->model = b.model;
  return b.answer;
}

/* Amounts 0 … w-1 one by one, then all others at once. A refutation found in a case lacks the case's own value and is
 * left to the caller's bit-blasting: it counts as open here. */
static enum answer split_amount(struct splitter *s, Z3_ast goal, unsigned depth) {
  Z3_lbool known = Z3_get_bool_value(s->c, goal);
  if (known == Z3_L_TRUE) return VALID;
  if (known == Z3_L_FALSE) return INVALID;
  if (depth >= s->nvar) return solve_case(s, goal);
  Z3_ast var = s->vars[depth];
  unsigned w = smt_width(s->c, var);
  for (unsigned k = 0; k < w; k++) {
    if (s->cases++ > MAX_CASES) return OPEN;
    enum answer a = split_amount(s, fixed(s, goal, var, bv_u64(w, k)), depth + 1);
    if (a != VALID) return a;
  }
  if (w < 32 && 1u << w <= w) return VALID; /* no other values */
  Z3_ast big = Z3_mk_bvule(s->c, smt_const_bv(s->c, bv_u64(w, w)), var);
  Z3_ast rest = Z3_simplify(s->c, Z3_mk_implies(s->c, big, goal));
  if (Z3_get_bool_value(s->c, rest) == Z3_L_TRUE) return VALID;
  return depth + 1 < s->nvar ? split_amount(s, rest, depth + 1) : solve_case(s, rest);
}

static struct outcome split_amounts(const struct query *q, Z3_ast goal) {
  struct splitter s = {.q = q, .c = q->c};
  ast_list seen = {0}, amount = {0};
  amounts_in(&s, goal, &seen, &amount);
  vec_free(&seen);
  vec_free(&amount);
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  if (s.nvar && split_amount(&s, Z3_simplify(q->c, goal), 0) == VALID) out.answer = VALID;
  out.cases = s.cases;
  out.steps = s.steps;
  return out;
}

/* The k-th member of a family of constants: 2^k, 2^k - 1, -2^k. */
static struct bv member(unsigned family, unsigned w, unsigned k) {
  struct bv one = bv_u64(w, 1), p = k < w ? bv_shl(one, bv_u64(w, k)) : bv_u64(w, 0);
  return family == 0 ? p : family == 1 ? bv_sub(p, one) : bv_neg(p);
}

/* Proves the goal when it holds outside a family of values of `var` (normally because the guard excludes them), and
 * at each member. */
static bool split_family(struct splitter *s, Z3_ast goal, Z3_ast var, unsigned family) {
  unsigned w = smt_width(s->c, var);
  Z3_ast *out = calloc(w + 1, sizeof *out);
  if (!out) bug("out of memory");
  for (unsigned k = 0; k <= w; k++)
    out[k] = Z3_mk_not(s->c, Z3_mk_eq(s->c, var, smt_const_bv(s->c, member(family, w, k))));
  Z3_ast outside = Z3_mk_implies(s->c, Z3_mk_and(s->c, w + 1, out), goal);
  free(out);
  struct outcome b = blast(s->c, outside, CASE_STEPS / 4 * s->q->scale);
  s->steps += b.steps;
  if (b.answer != VALID) return false;
  for (unsigned k = 0; k <= w; k++) {
    Z3_ast g = fixed(s, goal, var, member(family, w, k));
    s->cases++;
    if (Z3_get_bool_value(s->c, g) == Z3_L_TRUE) continue;
    if (split_amount(s, g, 0) != VALID) return false;
  }
  return true;
}

static struct outcome split_constants(const struct query *q, Z3_ast goal) {
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  for (unsigned i = 0; i < q->nconstant && out.answer == OPEN; i++)
    for (unsigned family = 0; family < 3 && out.answer == OPEN; family++) {
      struct splitter s = {.q = q, .c = q->c};
      if (split_family(&s, goal, q->constants[i], family)) out.answer = VALID;
      out.steps += s.steps;
      out.cases += s.cases;
    }
  return out;
}

struct outcome split_prove(const struct query *q, Z3_ast goal) {
  struct outcome c = split_constants(q, goal);
  if (c.answer == VALID) return c;
  struct outcome a = split_amounts(q, goal);
  a.steps += c.steps;
  a.cases += c.cases;
  return a;
}
