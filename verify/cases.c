/* cases.c: the claim case by case, where each case is easier than all at once. */
#include "rungs.h"
#include "smt.h"
#include "terms.h"

static Z3_ast known_choice(void *self, Z3_ast e, const Z3_ast *arg) {
  Z3_context c = self;
  if (term_kind(c, e) != Z3_OP_ITE) return NULL;
  Z3_lbool known = Z3_get_bool_value(c, Z3_simplify(c, arg[0]));
  return known == Z3_L_UNDEF ? NULL : known == Z3_L_TRUE ? arg[1] : arg[2];
}

/* Choices whose condition is known are made. */
static Z3_ast folded_ites(Z3_context c, Z3_ast e) { return rewrite_term(c, e, known_choice, c); }

/* ---- Signs -------------------------------------------------------------------------------------------- */

/* The input x of x < 0, where x may be extended; NULL for other terms. */
static Z3_ast signed_input(Z3_context c, Z3_ast e) {
  struct bv v;
  if (term_kind(c, e) != Z3_OP_SLT || !smt_value(c, term_arg(c, e, 1), &v) || !bv_is_zero(v)) return NULL;
  Z3_ast x = term_arg(c, e, 0);
  while (term_kind(c, x) == Z3_OP_SIGN_EXT) x = term_arg(c, x, 0);
  return term_is_input(c, x) ? x : NULL;
}

/* Questions for an input's sign. */
static void signs_in(Z3_context c, Z3_ast e, struct seen *s, struct ast_list *out) {
  if (!first_visit(s, c, e)) return;
  if (signed_input(c, e)) *vec_push(out) = e;
  for (unsigned i = 0; i < term_nargs(c, e); i++) signs_in(c, term_arg(c, e, i), s, out);
}

/* The premises and the claim where x < 0, or x >= 0: what depends on it alone disappears. */
static struct outcome integers_where(const struct query *q, const struct ast_list *premises, Z3_ast *claim,
                                     Z3_ast x, bool negative, const struct ast_list *atoms,
                                     struct ast_list *p) {
  Z3_context c = q->c;
  struct ast_list from = {0}, to = {0};
  for (uint32_t i = 0; i < atoms->n; i++)
    if (signed_input(c, atoms->at[i]) == x) {
      *vec_push(&from) = atoms->at[i];
      *vec_push(&to) = negative ? Z3_mk_true(c) : Z3_mk_false(c);
    }
  for (uint32_t i = 0; i < premises->n; i++)
    flatten(c, folded_ites(c, Z3_substitute(c, premises->at[i], from.n, from.at, to.at)), p);
  Z3_ast below = Z3_mk_bvslt(c, x, smt_const_bv(c, bv_u64(smt_width(c, x), 0)));
  *vec_push(p) = negative ? below : Z3_mk_not(c, below);
  *claim = folded_ites(c, Z3_substitute(c, *claim, from.n, from.at, to.at));
  vec_free(&from);
  vec_free(&to);
  return integers(q, p, Z3_mk_implies(c, conjunction(c, p), *claim), q->scale);
}

/* Once for x >= 0 and once for x < 0, for up to two inputs whose sign matters: the second is split where the
 * first alone does not do. */
static enum answer split_signs(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                               const struct ast_list *atoms, const struct ast_list *inputs, uint32_t at,
                               unsigned *cases) {
  if (at >= inputs->n || at >= 2) return OPEN;
  enum answer a = VALID;
  for (unsigned k = 0; k < 2 && a == VALID; k++) {
    struct ast_list p = {0};
    Z3_ast here = claim;
    ++*cases;
    a = integers_where(q, premises, &here, inputs->at[at], k, atoms, &p).answer;
    if (a != VALID) a = split_signs(q, &p, here, atoms, inputs, at + 1, cases);
    vec_free(&p);
  }
  return a;
}

struct outcome sign_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim, Z3_ast goal) {
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  struct ast_list atoms = {0}, inputs = {0};
  struct seen s = {0};
  signs_in(q->c, goal, &s, &atoms);
  seen_free(&s);
  for (int round = 0; round < 2; round++) /* a guard fixes the sign of most constants: they come last */
    for (uint32_t i = 0; i < atoms.n; i++) {
      Z3_ast x = signed_input(q->c, atoms.at[i]);
      bool constant = false;
      for (unsigned k = 0; k < q->nconstant; k++) constant |= q->constants[k] == x;
      if (constant == (round == 1) && !list_has(&inputs, x)) *vec_push(&inputs) = x;
    }
  if (inputs.n) out.answer = split_signs(q, premises, claim, &atoms, &inputs, 0, &out.cases);
  vec_free(&atoms);
  vec_free(&inputs);
  return out;
}

/* ---- Values ------------------------------------------------------------------------------------------- */

/* The premises and the claim for one value of an input; the goal of these, or NULL when it is plainly true.
 */
static Z3_ast goal_at(Z3_context c, const struct ast_list *premises, Z3_ast *claim, Z3_ast var, unsigned k,
                      struct ast_list *p) {
  Z3_ast v = smt_const_bv(c, bv_u64(smt_width(c, var), k));
  struct ast_list fixed = {0};
  for (uint32_t i = 0; i < premises->n; i++) {
    Z3_ast e = premises->at[i];
    flatten(c, term_mentions(c, e, var) ? Z3_simplify(c, Z3_substitute(c, e, 1, &var, &v)) : e, p);
  }
  *claim = Z3_substitute(c, *claim, 1, &var, &v);
  propagate(c, p, claim, &fixed);
  vec_free(&fixed);
  Z3_ast goal = Z3_mk_implies(c, conjunction(c, p), *claim);
  return Z3_get_bool_value(c, Z3_simplify(c, goal)) == Z3_L_TRUE ? NULL : goal;
}

static bool integers_at(const struct query *q, const struct ast_list *premises, Z3_ast claim, Z3_ast var,
                        unsigned k) {
  struct ast_list p = {0};
  Z3_ast goal = goal_at(q->c, premises, &claim, var, k, &p);
  bool holds = !goal || integers(q, &p, goal, q->scale).answer == VALID;
  vec_free(&p);
  return holds;
}

/* The bound of a premise var < n, else 0. */
static unsigned small_bound(Z3_context c, const struct ast_list *premises, Z3_ast var) {
  uint64_t n;
  for (uint32_t i = 0; i < premises->n; i++) {
    Z3_ast e = premises->at[i];
    if (term_kind(c, e) == Z3_OP_ULT && term_arg(c, e, 0) == var && term_is_number(c, term_arg(c, e, 1)) &&
        Z3_get_numeral_uint64(c, term_arg(c, e, 1), &n) && n <= 128)
      return (unsigned)n;
  }
  return 0;
}

struct outcome amount_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim) {
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  for (unsigned i = 0; i < q->nconstant && out.answer == OPEN; i++) {
    Z3_ast var = q->constants[i];
    unsigned n = small_bound(q->c, premises, var), k = 0;
    if (n < 2 || !integers_at(q, premises, claim, var, 1)) continue; /* 0 is often easier than the others */
    while (k < n && (k == 1 || integers_at(q, premises, claim, var, k))) k++;
    out.cases += k;
    if (k == n) out.answer = VALID;
  }
  return out;
}

/* The goal with a value for an exponent: by integers, the sign of what is divided given, or by bits. */
static bool holds_at_exponent(const struct query *q, const struct ast_list *premises, Z3_ast claim, Z3_ast j,
                              unsigned k) {
  struct ast_list p = {0};
  Z3_ast goal = goal_at(q->c, premises, &claim, j, k, &p);
  bool holds = !goal || ring_proves(q->c, claim, false) || sign_cases(q, &p, claim, goal).answer == VALID ||
               integers(q, &p, goal, q->scale / 4).answer == VALID ||
               blast(q->c, goal, STEPS_BLAST / 4 * q->scale).answer == VALID;
  vec_free(&p);
  return holds;
}

struct outcome exponent_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                              const struct ast_list *exponents) {
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  for (uint32_t i = 0; i < exponents->n && out.answer == OPEN; i++) {
    Z3_ast j = exponents->at[i];
    unsigned w = smt_width(q->c, j), k = 0;
    while (k < w && holds_at_exponent(q, premises, claim, j, k)) k++;
    out.cases += k;
    if (k == w) out.answer = VALID;
  }
  return out;
}

/* ---- Choices ------------------------------------------------------------------------------------------ */

/* A choice that an input's being some number decides: that equation, or NULL. */
static Z3_ast choice_in(Z3_context c, Z3_ast e, struct seen *s) {
  if (!first_visit(s, c, e)) return NULL;
  if (term_kind(c, e) == Z3_OP_ITE) {
    Z3_ast what, value, cond = term_arg(c, e, 0);
    if (term_kind(c, cond) == Z3_OP_EQ && fixes(c, cond, &what, &value) && term_is_bv(c, what)) return cond;
  }
  for (unsigned i = 0; i < term_nargs(c, e); i++) {
    Z3_ast found = choice_in(c, term_arg(c, e, i), s);
    if (found) return found;
  }
  return NULL;
}

struct outcome choice_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim) {
  Z3_context c = q->c;
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  struct seen s = {0};
  Z3_ast cond = choice_in(c, claim, &s);
  seen_free(&s);
  if (!cond) return out;
  out.answer = VALID;
  for (unsigned k = 0; k < 2 && out.answer == VALID; k++, out.cases++) {
    struct ast_list p = {0}, fixed = {0};
    for (uint32_t i = 0; i < premises->n; i++) *vec_push(&p) = premises->at[i];
    *vec_push(&p) = k ? Z3_mk_not(c, cond) : cond;
    Z3_ast value = k ? Z3_mk_false(c) : Z3_mk_true(c),
           g = folded_ites(c, Z3_substitute(c, claim, 1, &cond, &value));
    propagate(c, &p, &g, &fixed);
    struct outcome one = blast(c, Z3_mk_implies(c, conjunction(c, &p), g), STEPS_BLAST / 2 * q->scale);
    out.answer = one.answer == VALID ? VALID : OPEN;
    out.steps = one.steps;
    vec_free(&p);
    vec_free(&fixed);
  }
  return out;
}

/* A product's low bit follows from its factors', and so does the top bit of its rotation. */
struct outcome parity_cases(const struct query *q, Z3_ast goal) {
  Z3_context c = q->c;
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  struct ast_list inputs = {0};
  struct seen s = {0};
  inputs_in(c, goal, &s, &inputs);
  seen_free(&s);
  unsigned w = inputs.n ? smt_width(c, inputs.at[0]) : 0;
  if (inputs.n == 1 && w > 1) {
    Z3_ast x = inputs.at[0], high = Z3_mk_fresh_const(c, "high", Z3_mk_bv_sort(c, w - 1));
    out.answer = VALID;
    for (unsigned odd = 0; odd < 2 && out.answer == VALID; odd++, out.cases++) {
      Z3_ast v = Z3_mk_concat(c, high, smt_const_bv(c, bv_u64(1, odd)));
      Z3_ast g = Z3_substitute(c, goal, 1, &x, &v), weak = forget_remainders(c, g);
      struct ast_list none = {0};
      if (weak && blast(c, weak, STEPS_SHORT / 2 * q->scale).answer == VALID) continue;
      out.answer = integers(q, &none, Z3_simplify(c, g), q->scale).answer;
    }
  }
  vec_free(&inputs);
  return out;
}
