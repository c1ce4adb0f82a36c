/* ladder.c: see ladder.h. A goal without products of unknowns climbs one ladder, a goal with them another:
 * its circuit is costly at all but small widths, so integers come before it. Each is in the order of what a
 * rung costs where it fails, against what it is needed for. */
#include "ladder.h"

#include "rungs.h"
#include "terms.h"

/* A claim on its way up. */
struct task {
  const struct query *q;
  const struct ast_list *premises;
  Z3_ast claim, goal;
  const struct ast_list *exponents; /* see name_powers */
  bool divides;                     /* the goal has a division */
  Z3_ast weak;                      /* the goal without remainders, if it has no product then; else NULL */
};

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

/* ---- Rungs, for a task -------------------------------------------------------------------------------- */

static struct outcome if_proved(bool proved, enum rung rung) {
  return (struct outcome){.answer = proved ? VALID : OPEN, .rung = rung};
}

static struct outcome by_ring(const struct task *t) {
  return if_proved(ring_proves(t->q->c, t->claim, false), RUNG_RING);
}
static struct outcome by_bits_in_ring(const struct task *t) {
  return if_proved(widest(t->q->c, t->goal) <= 128 && ring_proves(t->q->c, t->claim, true), RUNG_RING);
}
static struct outcome by_sums_of_bits(const struct task *t) {
  return if_proved(linear_proves(t->q->c, t->claim), RUNG_GF2);
}
static struct outcome by_blasting_shortly(const struct task *t) {
  return blast(t->q->c, t->goal, STEPS_SHORT * t->q->scale);
}
static struct outcome
by_blasting_if_narrow(const struct task *t) { /* a wide divider alone takes long to build */
  return widest(t->q->c, t->goal) <= 40 ? blast(t->q->c, t->goal, STEPS_SHORT / 8 * t->q->scale)
                                        : if_proved(false, RUNG_BITBLAST);
}
static struct outcome by_blasting(const struct task *t) {
  return blast(t->q->c, t->goal, STEPS_BLAST * t->q->scale);
}
static struct outcome by_blasting_long(const struct task *t) {
  return blast(t->q->c, t->goal, STEPS_LAST * t->q->scale);
}
static struct outcome by_index(const struct task *t) {
  return index_prove(t->q, t->premises, t->claim, STEPS_INDEX * t->q->scale);
}
static struct outcome by_weaker_shortly(const struct task *t) {
  bool proved = t->weak && blast(t->q->c, t->weak, STEPS_SHORT * t->q->scale).answer == VALID;
  return if_proved(proved, RUNG_BITBLAST);
}
static struct outcome by_weaker(const struct task *t) {
  bool proved = t->weak && blast(t->q->c, t->weak, STEPS_BLAST * t->q->scale).answer == VALID;
  return if_proved(proved, RUNG_BITBLAST);
}
static struct outcome by_choices(const struct task *t) { return choice_cases(t->q, t->premises, t->claim); }
static struct outcome by_integers_shortly(const struct task *t) {
  return integers(t->q, t->premises, t->goal, t->q->scale / 8);
}
static struct outcome by_integers(const struct task *t) {
  return integers(t->q, t->premises, t->goal, t->q->scale);
}
static struct outcome by_exponents(const struct task *t) {
  return exponent_cases(t->q, t->premises, t->claim, t->exponents);
}
static struct outcome by_amounts(const struct task *t) { return split_amounts(t->q, t->goal); }
static struct outcome by_small_constants(const struct task *t) {
  return amount_cases(t->q, t->premises, t->claim);
}
static struct outcome by_constants(const struct task *t) {
  return split_constants(t->q, cheap_premise(t->q->c, t->premises), t->goal);
}
static struct outcome by_signs(const struct task *t) {
  return sign_cases(t->q, t->premises, t->claim, t->goal);
}
static struct outcome by_signs_if_divided(const struct task *t) {
  return t->divides ? by_signs(t) : if_proved(false, RUNG_SPLIT);
}
static struct outcome by_signs_if_multiplied(const struct task *t) {
  return t->divides ? if_proved(false, RUNG_SPLIT) : by_signs(t);
}
static struct outcome by_parity(const struct task *t) {
  return t->weak ? parity_cases(t->q, t->goal) : if_proved(false, RUNG_SPLIT);
}
static struct outcome by_congruence(const struct task *t) { return uf_prove(t->q, t->goal); }

/* What a proof by an abstraction is compared with, where bit-blasting is asked to check it. */
enum proves { BIT_PRECISE, PROVES_CLAIM, PROVES_GOAL };

struct step {
  struct outcome (*prove)(const struct task *t);
  enum proves proves;
};

static const struct step without_products[] = {
    {by_ring, PROVES_CLAIM},
    {by_sums_of_bits, PROVES_CLAIM},
    {by_blasting_shortly, BIT_PRECISE},
    {by_bits_in_ring, PROVES_CLAIM},
    {by_index, PROVES_GOAL},
    {by_choices, BIT_PRECISE},
    {by_integers_shortly, PROVES_GOAL},
    {by_exponents, BIT_PRECISE},
    {by_amounts, BIT_PRECISE},
    {by_blasting, BIT_PRECISE},
    {by_constants, BIT_PRECISE},
    {by_integers, PROVES_GOAL},
    {by_blasting_long, BIT_PRECISE},
    {NULL, BIT_PRECISE},
};

static const struct step with_products[] = {
    {by_ring, PROVES_CLAIM},
    {by_sums_of_bits, PROVES_CLAIM},
    {by_blasting_if_narrow, BIT_PRECISE},
    {by_index, PROVES_GOAL},
    {by_weaker_shortly, PROVES_GOAL},
    {by_exponents, BIT_PRECISE},
    {by_constants, BIT_PRECISE},
    {by_signs_if_divided, PROVES_GOAL},
    {by_integers, PROVES_GOAL},
    {by_parity, PROVES_GOAL},
    {by_signs_if_multiplied, PROVES_GOAL},
    {by_weaker, PROVES_GOAL},
    {by_small_constants, PROVES_GOAL},
    {by_blasting, BIT_PRECISE},
    {by_amounts, BIT_PRECISE},
    {by_congruence, PROVES_GOAL},
    {by_blasting_long, BIT_PRECISE},
    {NULL, BIT_PRECISE},
};

/* ---- The climb ---------------------------------------------------------------------------------------- */

static struct outcome climb(const struct query *q, const struct ast_list *premises, Z3_ast claim,
                            const struct ast_list *exponents) {
  Z3_context c = q->c;
  Z3_ast goal = Z3_mk_implies(c, conjunction(c, premises), claim), simple = Z3_simplify(c, goal);
  if (Z3_get_bool_value(c, simple) == Z3_L_TRUE) return if_proved(true, RUNG_SIMPLIFY);
  struct task t = {q, premises, claim, goal, exponents, .divides = uses_division(c, goal)};
  bool products = uses_products(c, simple);
  if (products) t.weak = forget_remainders(c, goal);
  if (t.weak && uses_products(c, Z3_simplify(c, t.weak))) t.weak = NULL;
  struct outcome total = {.answer = OPEN};
  for (const struct step *s = products ? with_products : without_products; s->prove; s++)
    if (answered(&total, s->prove(&t)))
      return s->proves ? cross_checked(q, s->proves == PROVES_CLAIM ? claim : goal, total) : total;
  return total;
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
