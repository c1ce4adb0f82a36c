/* solve.c: the rungs that ask the solver once, or the ring alone. */
#include <string.h>

#include "ring.h"
#include "rungs.h"
#include "terms.h"

enum { RING_WORK = 400000, MAX_AXIOMS = 6000 };

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

bool ring_proves(Z3_context c, Z3_ast goal, bool bits) {
  struct ring r;
  ring_init(&r, c, bits, RING_WORK);
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

struct outcome integers(const struct query *q, const struct ast_list *premises, Z3_ast goal, double scale) {
  struct outcome out = {.answer = OPEN};
  struct ring r;
  ring_init(&r, q->c, false, RING_WORK);
  for (uint32_t i = 0; i < premises->n; i++) ring_assume(&r, premises->at[i]);
  Z3_ast z = ring_bool(&r, goal);
  ring_add_inverses(&r);
  if (!r.p.failed && r.axioms.n < MAX_AXIOMS) {
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
