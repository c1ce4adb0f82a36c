/* ladder.c: see ladder.h. Order: simplification, the ring normal form, a short bit-blasting; then, for
 * products or divisions of unknowns, integers before a longer one, else case splits before integers;
 * congruence; a long one. */
#include "ladder.h"

#include <stdlib.h>
#include <string.h>

#include "ring.h"
#include "smt.h"
#include "terms.h"
#include "util/diag.h"

/* Budgets in solver steps. */
enum {
  STEPS_SHORT = 400000,
  STEPS_INDEX = 400000,
  STEPS_LIA = 150000,
  STEPS_LEMMAS = 250000,
  STEPS_BLAST = 6000000,
  STEPS_LAST = 30000000
};

/* ---- Terms -------------------------------------------------------------------------------------------- */

static bool is_division(Z3_decl_kind k) {
  return k == Z3_OP_BUDIV || k == Z3_OP_BUREM || k == Z3_OP_BSDIV || k == Z3_OP_BSREM || k == Z3_OP_BUDIV_I ||
         k == Z3_OP_BUREM_I || k == Z3_OP_BSDIV_I || k == Z3_OP_BSREM_I;
}

static bool products_in(Z3_context c, Z3_ast e, bool divisions_only, struct seen *s) {
  if (!first_visit(s, c, e)) return false;
  Z3_decl_kind k = term_kind(c, e);
  if (is_division(k)) return true;
  if (k == Z3_OP_BMUL && !divisions_only) {
    unsigned unknown = 0;
    for (unsigned i = 0; i < term_nargs(c, e); i++) unknown += !term_is_number(c, term_arg(c, e, i));
    if (unknown > 1) return true;
  }
  for (unsigned i = 0; i < term_nargs(c, e); i++)
    if (products_in(c, term_arg(c, e, i), divisions_only, s)) return true;
  return false;
}

bool uses_products(Z3_context c, Z3_ast e) {
  struct seen s = {0};
  bool yes = products_in(c, e, false, &s);
  seen_free(&s);
  return yes;
}

static bool uses_division(Z3_context c, Z3_ast e) {
  struct seen s = {0};
  bool yes = products_in(c, e, true, &s);
  seen_free(&s);
  return yes;
}

static unsigned widest_in(Z3_context c, Z3_ast e, struct seen *s) {
  if (!first_visit(s, c, e)) return 0;
  Z3_sort sort = Z3_get_sort(c, e);
  unsigned w = Z3_get_sort_kind(c, sort) == Z3_BV_SORT ? Z3_get_bv_sort_size(c, sort) : 0;
  for (unsigned i = 0; i < term_nargs(c, e); i++) {
    unsigned k = widest_in(c, term_arg(c, e, i), s);
    if (k > w) w = k;
  }
  return w;
}

static unsigned widest(Z3_context c, Z3_ast e) {
  struct seen s = {0};
  unsigned w = widest_in(c, e, &s);
  seen_free(&s);
  return w;
}

/* ---- Normalisation of a query ---------------------------------------------------------------------------
 */

/* A premise that gives a constant its value: p, not p, x = 5, x = y + z. */
static bool fixes(Z3_context c, Z3_ast e, Z3_ast *what, Z3_ast *value) {
  if (term_is_input(c, e)) {
    *what = e;
    *value = Z3_mk_true(c);
    return true;
  }
  Z3_decl_kind k = term_kind(c, e);
  if (k == Z3_OP_NOT && term_is_input(c, term_arg(c, e, 0))) {
    *what = term_arg(c, e, 0);
    *value = Z3_mk_false(c);
    return true;
  }
  if (k != Z3_OP_EQ) return false;
  for (unsigned i = 0; i < 2; i++)
    if (term_is_input(c, term_arg(c, e, i)) && !term_mentions(c, term_arg(c, e, 1 - i), term_arg(c, e, i))) {
      *what = term_arg(c, e, i);
      *value = term_arg(c, e, 1 - i);
      return true;
    }
  return false;
}

static bool is_value(Z3_context c, Z3_ast e) {
  return term_is_number(c, e) || Z3_get_bool_value(c, e) != Z3_L_UNDEF;
}

/* Substitutes what premises fix, until nothing changes. Fixing premises stay in `fixed` (as equations), so
 * that a model still gives them values. */
static void propagate(Z3_context c, struct ast_list *premises, Z3_ast *claim, struct ast_list *fixed) {
  for (int round = 0; round < 16; round++) {
    struct ast_list from = {0}, to = {0}, rest = {0};
    for (uint32_t i = 0; i < premises->n; i++) {
      Z3_ast what, value, p = premises->at[i];
      bool dup = false;
      if (fixes(c, p, &what, &value)) {
        for (uint32_t j = 0; j < from.n; j++) dup |= from.at[j] == what;
        if (!dup && !is_value(c, value))
          dup = from.n > 0; /* a definition alone: two may be about each other */
        if (!dup && from.n && !is_value(c, to.at[0])) dup = true;
        if (!dup) {
          *vec_push(&from) = what;
          *vec_push(&to) = value;
          *vec_push(fixed) = p;
          continue;
        }
      }
      *vec_push(&rest) = p;
    }
    premises->n = 0;
    for (uint32_t i = 0; i < rest.n; i++) {
      Z3_ast p = from.n ? Z3_substitute(c, rest.at[i], from.n, from.at, to.at) : rest.at[i];
      if (from.n && Z3_get_bool_value(c, Z3_simplify(c, p)) == Z3_L_TRUE) continue;
      flatten(c, p, premises);
    }
    bool changed = from.n > 0;
    if (changed) *claim = Z3_substitute(c, *claim, from.n, from.at, to.at);
    vec_free(&from);
    vec_free(&to);
    vec_free(&rest);
    if (!changed) return;
  }
}

/* ---- Rungs ------------------------------------------------------------------------------------------------
 */

void limit_steps(Z3_context c, Z3_solver s, double steps) {
  Z3_params p = Z3_mk_params(c);
  Z3_params_inc_ref(c, p);
  unsigned limit = steps > 4e9 ? 4000000000u : (unsigned)steps;
  Z3_params_set_uint(c, p, Z3_mk_string_symbol(c, "rlimit"), limit);
  Z3_solver_set_params(c, s, p);
  Z3_params_dec_ref(c, p);
}

uint64_t steps_of(Z3_context c, Z3_solver s) {
  Z3_stats st = Z3_solver_get_statistics(c, s);
  for (unsigned i = 0; i < Z3_stats_size(c, st); i++)
    if (!strcmp(Z3_stats_get_key(c, st, i), "rlimit count") && Z3_stats_is_uint(c, st, i))
      return Z3_stats_get_uint_value(c, st, i);
  return 0;
}

struct outcome blast(Z3_context c, Z3_ast goal, double steps) {
  Z3_solver s = Z3_mk_solver_from_tactic(c, Z3_mk_tactic(c, "qfbv"));
  Z3_solver_inc_ref(c, s);
  limit_steps(c, s, steps);
  Z3_solver_assert(c, s, Z3_mk_not(c, goal));
  Z3_lbool a = Z3_solver_check(c, s);
  struct outcome r = {.answer = a == Z3_L_FALSE  ? VALID
                                : a == Z3_L_TRUE ? INVALID
                                                 : OPEN,
                      .rung = RUNG_BITBLAST};
  if (a == Z3_L_TRUE) {
    r.model = Z3_solver_get_model(c, s);
    Z3_model_inc_ref(c, r.model);
  }
  r.steps = steps_of(c, s);
  Z3_solver_dec_ref(c, s);
  return r;
}

/* The claim alone, or the whole goal, is an identity of the ring. */
bool ring_proves(Z3_context c, Z3_ast goal, bool bits) {
  struct ring r;
  ring_init(&r, c, bits, 400000);
  Z3_ast z = ring_bool(&r, goal);
  bool proved = !r.p.failed && Z3_get_bool_value(c, Z3_simplify(c, z)) == Z3_L_TRUE;
  ring_free(&r);
  return proved;
}

/* Steps do not bound arithmetic on long numbers, so time does: a check that is cut off proves nothing, and
 * the next rung has its turn. */
enum { INTEGER_MS = 5000 };

static bool check_integers(Z3_context c, struct ring *r, Z3_ast goal, unsigned arith_solver, double steps,
                           uint64_t *used) {
  Z3_solver s = Z3_mk_simple_solver(c);
  Z3_solver_inc_ref(c, s);
  Z3_params p = Z3_mk_params(c);
  Z3_params_inc_ref(c, p);
  if (arith_solver) Z3_params_set_uint(c, p, Z3_mk_string_symbol(c, "smt.arith.solver"), arith_solver);
  Z3_params_set_uint(c, p, Z3_mk_string_symbol(c, "rlimit"), (unsigned)(steps > 4e9 ? 4e9 : steps));
  Z3_params_set_uint(c, p, Z3_mk_string_symbol(c, "timeout"), INTEGER_MS);
  Z3_solver_set_params(c, s, p);
  Z3_params_dec_ref(c, p);
  for (uint32_t i = 0; i < r->axioms.n; i++) Z3_solver_assert(c, s, r->axioms.at[i]);
  Z3_solver_assert(c, s, Z3_mk_not(c, goal));
  bool proved = Z3_solver_check(c, s) == Z3_L_FALSE;
  *used = steps_of(c, s);
  Z3_solver_dec_ref(c, s);
  return proved;
}

/* Linear integer arithmetic over the ring's atoms, with both arithmetic solvers, then with lemmas. */
static struct outcome integers(const struct query *q, const struct ast_list *premises, Z3_ast goal,
                               double scale) {
  struct outcome out = {.answer = OPEN};
  struct ring r;
  ring_init(&r, q->c, false, 400000);
  for (uint32_t i = 0; i < premises->n; i++) ring_assume(&r, premises->at[i]);
  Z3_ast z = ring_bool(&r, goal);
  ring_add_inverses(&r);
  if (!r.p.failed && r.axioms.n < 6000) {
    double steps = STEPS_LIA * scale;
    out.rung = RUNG_LIA;
    if (check_integers(q->c, &r, z, 0, steps, &out.steps) ||
        check_integers(q->c, &r, z, 2, steps, &out.steps)) {
      out.answer = VALID;
    } else if (ring_add_lemmas(&r), !r.p.failed) {
      out.rung = RUNG_LEMMAS;
      if (check_integers(q->c, &r, z, 0, STEPS_LEMMAS * scale, &out.steps)) out.answer = VALID;
    }
  }
  ring_free(&r);
  return out;
}

static Z3_ast fold_ites(Z3_context c, Z3_ast e, struct ast_list done[2]) {
  unsigned n = term_nargs(c, e);
  if (!n) return e;
  for (uint32_t i = 0; i < done[0].n; i++)
    if (done[0].at[i] == e) return done[1].at[i];
  struct ast_list a = {0};
  for (unsigned i = 0; i < n; i++) *vec_push(&a) = fold_ites(c, term_arg(c, e, i), done);
  Z3_lbool known = Z3_L_UNDEF;
  Z3_ast to = NULL;
  if (term_kind(c, e) == Z3_OP_ITE) {
    known = Z3_get_bool_value(c, Z3_simplify(c, a.at[0]));
    if (known != Z3_L_UNDEF) to = known == Z3_L_TRUE ? a.at[1] : a.at[2];
  }
  if (!to) to = Z3_update_term(c, e, n, a.at);
  vec_free(&a);
  *vec_push(&done[0]) = e;
  *vec_push(&done[1]) = to;
  return to;
}

/* Choices whose condition is known are made. */
static Z3_ast folded_ites(Z3_context c, Z3_ast e) {
  struct ast_list done[2] = {{0}, {0}};
  Z3_ast r = fold_ites(c, e, done);
  vec_free(&done[0]);
  vec_free(&done[1]);
  return r;
}

/* ---- Integers by cases
 * ---------------------------------------------------------------------------------------- */

/* Terms whose sign the goal asks for: x < 0, of an input or its extension. */
static void signs_in(Z3_context c, Z3_ast e, struct seen *s, struct ast_list *out) {
  struct bv v;
  if (!first_visit(s, c, e)) return;
  if (term_kind(c, e) == Z3_OP_SLT && smt_value(c, term_arg(c, e, 1), &v) && bv_is_zero(v)) {
    Z3_ast x = term_arg(c, e, 0);
    while (term_kind(c, x) == Z3_OP_SIGN_EXT) x = term_arg(c, x, 0);
    if (term_is_input(c, x)) *vec_push(out) = e;
  }
  for (unsigned i = 0; i < term_nargs(c, e); i++) signs_in(c, term_arg(c, e, i), s, out);
}

static Z3_ast signed_input(Z3_context c, Z3_ast atom) {
  Z3_ast x = term_arg(c, atom, 0);
  while (term_kind(c, x) == Z3_OP_SIGN_EXT) x = term_arg(c, x, 0);
  return x;
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

static bool listed(const struct ast_list *l, Z3_ast e) {
  for (uint32_t i = 0; i < l->n; i++)
    if (l->at[i] == e) return true;
  return false;
}

static struct outcome sign_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                                 Z3_ast goal) {
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
      if (constant == (round == 1) && !listed(&inputs, x)) *vec_push(&inputs) = x;
    }
  if (inputs.n) out.answer = split_signs(q, premises, claim, &atoms, &inputs, 0, &out.cases);
  vec_free(&atoms);
  vec_free(&inputs);
  return out;
}

static struct outcome integers_at(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                                  Z3_ast var, unsigned k) {
  Z3_ast v = Z3_mk_unsigned_int64(q->c, k, Z3_get_sort(q->c, var));
  struct ast_list p = {0}, fixed = {0};
  for (uint32_t i = 0; i < premises->n; i++)
    flatten(q->c, Z3_substitute(q->c, premises->at[i], 1, &var, &v), &p);
  Z3_ast g = Z3_substitute(q->c, claim, 1, &var, &v);
  propagate(q->c, &p, &g, &fixed);
  struct outcome out = {.answer = VALID};
  Z3_ast goal = Z3_mk_implies(q->c, conjunction(q->c, &p), g);
  if (Z3_get_bool_value(q->c, Z3_simplify(q->c, goal)) != Z3_L_TRUE) out = integers(q, &p, goal, q->scale);
  vec_free(&p);
  vec_free(&fixed);
  return out;
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

/* For each value of a constant that the premises keep small: a shift amount. */
static struct outcome amount_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim) {
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  for (unsigned i = 0; i < q->nconstant && out.answer == OPEN; i++) {
    Z3_ast var = q->constants[i];
    unsigned n = small_bound(q->c, premises, var);
    if (n < 2 || integers_at(q, premises, claim, var, 1).answer != VALID) continue;
    out.answer = VALID;
    for (unsigned k = 0; k < n && out.answer == VALID; k++, out.cases++)
      if (k != 1) out.answer = integers_at(q, premises, claim, var, k).answer;
    if (out.answer != VALID) out.answer = OPEN;
  }
  return out;
}

/* The goal with a value for an exponent: by integers, the sign of what is divided given, or by bits. */
static bool holds_at_exponent(const struct query *q, const struct ast_list *premises, Z3_ast claim, Z3_ast j,
                              unsigned k, unsigned *cases) {
  Z3_context c = q->c;
  Z3_ast v = smt_const_bv(c, bv_u64(smt_width(c, j), k));
  struct ast_list p = {0}, fixed = {0};
  for (uint32_t i = 0; i < premises->n; i++) {
    Z3_ast e = Z3_simplify(c, Z3_substitute(c, premises->at[i], 1, &j, &v));
    flatten(c, term_mentions(c, premises->at[i], j) ? e : premises->at[i], &p);
  }
  Z3_ast g = Z3_substitute(c, claim, 1, &j, &v);
  propagate(c, &p, &g, &fixed);
  Z3_ast goal = Z3_mk_implies(c, conjunction(c, &p), g);
  ++*cases;
  bool holds = Z3_get_bool_value(c, Z3_simplify(c, goal)) == Z3_L_TRUE || ring_proves(c, g, false) ||
               sign_cases(q, &p, g, goal).answer == VALID ||
               integers(q, &p, goal, q->scale / 4).answer == VALID ||
               blast(c, goal, STEPS_BLAST / 4 * q->scale).answer == VALID;
  vec_free(&p);
  vec_free(&fixed);
  return holds;
}

static struct outcome exponent_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                                     const struct ast_list *exponents) {
  struct outcome out = {.answer = OPEN, .rung = RUNG_SPLIT};
  for (uint32_t i = 0; i < exponents->n && out.answer == OPEN; i++) {
    Z3_ast j = exponents->at[i];
    unsigned w = smt_width(q->c, j), k = 0;
    while (k < w && holds_at_exponent(q, premises, claim, j, k, &out.cases)) k++;
    if (k == w) out.answer = VALID;
  }
  return out;
}

static struct outcome proved(enum rung rung) { return (struct outcome){.answer = VALID, .rung = rung}; }

/* A proof by an abstraction at small widths, checked by bit-blasting. */
static struct outcome cross_checked(const struct query *q, Z3_ast goal, struct outcome out) {
  if (!q->cross_check || out.answer != VALID || widest(q->c, goal) > 18) return out;
  struct outcome b = blast(q->c, goal, STEPS_LAST);
  if (b.answer == INVALID) out.disagree = true;
  return out;
}

/* Adds a rung's steps and cases to what was tried before it; true when it answered. */
static bool answered(struct outcome *total, struct outcome step) {
  if (step.steps < total->steps) step.steps = total->steps; /* the context counts on */
  step.cases += step.answer == OPEN ? total->cases : 0;
  *total = step;
  return step.answer != OPEN;
}

/* What the premises say without products: enough to see which values a guard leaves to a constant. */
static Z3_ast cheap_premise(Z3_context c, const struct ast_list *premises) {
  struct ast_list cheap = {0};
  for (uint32_t i = 0; i < premises->n; i++)
    if (!uses_products(c, premises->at[i])) *vec_push(&cheap) = premises->at[i];
  Z3_ast e = conjunction(c, &cheap);
  vec_free(&cheap);
  return e;
}

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

/* Where an input is the number that a choice asks for, and where it is not. */
static struct outcome choice_cases(const struct query *q, const struct ast_list *premises, Z3_ast claim) {
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

static void inputs_in(Z3_context c, Z3_ast e, struct seen *s, struct ast_list *out) {
  if (!first_visit(s, c, e)) return;
  if (term_is_input(c, e) && term_is_bv(c, e)) *vec_push(out) = e;
  for (unsigned i = 0; i < term_nargs(c, e); i++) inputs_in(c, term_arg(c, e, i), s, out);
}

/* For an even and for an odd input: a product's low bit follows, and so does the top bit of its rotation. */
static struct outcome parity_cases(const struct query *q, Z3_ast goal) {
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

static struct outcome climb(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                            const struct ast_list *exponents) {
  Z3_context c = q->c;
  Z3_ast premise = conjunction(c, premises);
  struct outcome t = {.answer = OPEN};
  Z3_ast goal = Z3_mk_implies(c, premise, claim);
  if (Z3_get_bool_value(c, Z3_simplify(c, goal)) == Z3_L_TRUE) return proved(RUNG_SIMPLIFY);
  if (ring_proves(c, claim, false)) return cross_checked(q, claim, proved(RUNG_RING));
  if (linear_proves(c, claim)) return cross_checked(q, claim, proved(RUNG_GF2));
  bool hard = uses_products(c, Z3_simplify(c, goal));

  double s = q->scale;
  /* The circuit of a wide division alone is costly. */
  if (!hard && answered(&t, blast(c, goal, STEPS_SHORT * s))) return t;
  if (hard && widest(c, goal) <= 40 && answered(&t, blast(c, goal, STEPS_SHORT / 8 * s))) return t;
  if (!hard && widest(c, goal) <= 128 && ring_proves(c, claim, true))
    return cross_checked(q, claim, proved(RUNG_RING));
  if (answered(&t, index_prove(q, premises, claim, STEPS_INDEX * s))) return cross_checked(q, goal, t);
  Z3_ast weak = hard ? forget_remainders(c, goal) : NULL;
  bool weaker = weak && !uses_products(c, Z3_simplify(c, weak));
  if (weaker && blast(c, weak, STEPS_SHORT * s).answer == VALID)
    return cross_checked(q, goal, proved(RUNG_BITBLAST));
  if (!hard && answered(&t, choice_cases(q, premises, claim))) return t;
  if (!hard && answered(&t, integers(q, premises, goal, s / 8))) return cross_checked(q, goal, t);
  if (answered(&t, exponent_cases(q, premises, claim, exponents))) return t;
  if (!hard && answered(&t, split_amounts(q, goal))) return t;
  if (!hard && answered(&t, blast(c, goal, STEPS_BLAST * s))) return t;
  if (answered(&t, split_constants(q, cheap_premise(c, premises), goal))) return t;
  bool divides = hard && uses_division(c, goal);
  if (divides && answered(&t, sign_cases(q, premises, claim, goal))) return cross_checked(q, goal, t);
  if (answered(&t, integers(q, premises, goal, s))) return cross_checked(q, goal, t);
  if (weaker && answered(&t, parity_cases(q, goal))) return cross_checked(q, goal, t);
  if (hard && !divides && answered(&t, sign_cases(q, premises, claim, goal)))
    return cross_checked(q, goal, t);
  if (weaker && blast(c, weak, STEPS_BLAST * s).answer == VALID)
    return cross_checked(q, goal, proved(RUNG_BITBLAST));
  if (hard && answered(&t, amount_cases(q, premises, claim))) return cross_checked(q, goal, t);
  if (hard && answered(&t, blast(c, goal, STEPS_BLAST * s))) return t;
  if (hard && answered(&t, split_amounts(q, goal))) return t;
  if (hard && answered(&t, uf_prove(q, goal))) return t;
  answered(&t, blast(c, goal, STEPS_LAST * s));
  return t;
}

/* One claim that is not a conjunction. */
static struct outcome prove_one(const struct query *q, Z3_ast claim) {
  Z3_context c = q->c;
  struct ast_list premises = {0}, fixed = {0}, exponents = {0};
  for (unsigned i = 0; i < q->npremise; i++) flatten(c, q->premises[i], &premises);
  while (term_kind(c, claim) == Z3_OP_IMPLIES) {
    flatten(c, term_arg(c, claim, 0), &premises);
    claim = term_arg(c, claim, 1);
  }
  propagate(c, &premises, &claim, &fixed);
  name_powers(c, &premises, &claim, &fixed, &exponents);
  struct outcome out = climb(q, &premises, claim, &exponents);
  if (out.answer == INVALID &&
      fixed.n) { /* once more with all premises, for a model that gives every value */
    *vec_push(&fixed) = conjunction(c, &premises);
    struct outcome full = blast(c, Z3_mk_implies(c, conjunction(c, &fixed), claim), STEPS_LAST * q->scale);
    if (full.model)
      out.model = full.model;
    else
      out.answer = OPEN;
  }
  vec_free(&premises);
  vec_free(&fixed);
  vec_free(&exponents);
  return out;
}

/* Many claims about the same terms (the bytes of a store) are blasted together. */
static struct outcome prove_together(const struct query *q) {
  Z3_context c = q->c;
  struct ast_list premises = {0}, fixed = {0}, exponents = {0};
  Z3_ast claim = q->claim;
  for (unsigned i = 0; i < q->npremise; i++) flatten(c, q->premises[i], &premises);
  propagate(c, &premises, &claim, &fixed);
  name_powers(c, &premises, &claim, &fixed, &exponents);
  Z3_ast goal = Z3_mk_implies(c, conjunction(c, &premises), claim);
  struct outcome out = {.answer = OPEN};
  if (!uses_products(c, Z3_simplify(c, goal))) out = blast(c, goal, STEPS_BLAST * q->scale);
  vec_free(&premises);
  vec_free(&fixed);
  vec_free(&exponents);
  return out;
}

struct outcome ladder_prove(const struct query *q) {
  struct ast_list claims = {0};
  flatten(q->c, q->claim, &claims);
  if (claims.n >= 4) {
    struct outcome all = prove_together(q);
    if (all.answer == VALID) {
      vec_free(&claims);
      return all;
    }
  }
  struct outcome total = {.answer = VALID, .rung = RUNG_SIMPLIFY};
  for (uint32_t i = 0; i < claims.n && total.answer == VALID; i++) {
    struct outcome one = prove_one(q, claims.at[i]);
    total.answer = one.answer;
    total.model = one.model;
    total.steps = one.steps;
    total.cases += one.cases;
    total.disagree |= one.disagree;
    if (one.rung > total.rung) total.rung = one.rung;
  }
  vec_free(&claims);
  return total;
}

struct outcome ladder_satisfy(Z3_context c, const Z3_ast *premises, unsigned n, double scale) {
  Z3_ast all = n == 0 ? Z3_mk_true(c) : n == 1 ? premises[0] : Z3_mk_and(c, n, premises);
  return blast(c, Z3_mk_not(c, all), STEPS_BLAST * scale);
}
