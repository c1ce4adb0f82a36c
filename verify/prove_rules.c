/* prove_rules.c: one instance from obligation to verdict. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ladder.h"
#include "replay.h"
#include "util/diag.h"

const char *const verdict_name[] = {"proved", "refuted", "unknown", "vacuous"};
const char *const rung_name[] = {"none", "simplify",   "ring",      "gf2",   "index",
                                 "lia",  "lia+lemmas", "bit-blast", "split", "uf"};
const char *const clause_name[] = {"ub",     "poison",    "value", "flags",    "memory",
                                   "branch", "immediate", "guard", "left side"};

struct prover {
  Z3_context c;
  struct obligation o;
  const struct options *opt;
  struct row *row;
  struct ast_list assume;     /* guards, memory, --values */
  struct ast_list constants;  /* inputs that are constants of the rule */
  struct ast_list left_fresh; /* inputs that the left side may choose */
};

static void say(struct row *row, const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  free(row->text);
  row->text = strdup(text);
}

static bool is_bool(const struct prover *p, Z3_ast e) {
  return Z3_get_sort_kind(p->c, Z3_get_sort(p->c, e)) == Z3_BOOL_SORT;
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

static void sort_inputs(struct prover *p) {
  const struct rule *r = p->o.in->rule;
  for (uint32_t i = 0; i < p->o.inputs.n; i++) {
    const struct input *in = &p->o.inputs.at[i];
    if (in->role == IN_FRESH_LEFT) *vec_push(&p->left_fresh) = in->term;
    if (in->role != IN_VALUE || in->var < 0 || (uint32_t)in->var >= r->nvar || !r->lhs) continue;
    enum var_kind k = r->vars[in->var].kind;
    if (k == VAR_CONST || k == VAR_FOUND || k == VAR_IMM) *vec_push(&p->constants) = in->term;
  }
}

/* Adds "name = value" of --values; false when a name or a value is not understood. */
static bool fix_value(struct prover *p, const char *name, size_t len, const char *value) {
  for (uint32_t i = 0; i < p->o.inputs.n; i++) {
    const struct input *in = &p->o.inputs.at[i];
    if (!in->name || strlen(in->name) != len || strncmp(in->name, name, len)) continue;
    struct bv v;
    if (!bv_parse(&v, is_bool(p, in->term) ? 1 : smt_width(p->c, in->term), value)) break;
    Z3_ast e = !is_bool(p, in->term) ? Z3_mk_eq(p->c, in->term, smt_const_bv(p->c, v))
               : bv_is_zero(v)       ? Z3_mk_not(p->c, in->term)
                                     : in->term;
    *vec_push(&p->assume) = e;
    return true;
  }
  say(p->row, "--values: no variable '%.*s' with value %s here", (int)len, name, value);
  return false;
}

static bool fix_values(struct prover *p) {
  const char *at = p->opt->values;
  while (at && *at) {
    const char *eq = strchr(at, '='), *end = strchr(at, ',');
    char value[200];
    if (!end) end = at + strlen(at);
    if (!eq || eq > end || (size_t)(end - eq) > sizeof value) {
      say(p->row, "--values: expected name=value, not '%s'", at);
      return false;
    }
    snprintf(value, sizeof value, "%.*s", (int)(end - eq - 1), eq + 1);
    if (!fix_value(p, at, (size_t)(eq - at), value)) return false;
    at = *end ? end + 1 : end;
  }
  return true;
}

/* The value of an input in a model. */
static struct bv model_value(struct prover *p, Z3_model m, const struct input *in) {
  Z3_ast v = NULL;
  struct bv out = bv_u64(is_bool(p, in->term) ? 1 : smt_width(p->c, in->term), 0);
  if (!Z3_model_eval(p->c, m, in->term, true, &v)) return out;
  if (is_bool(p, in->term)) return bv_u64(1, Z3_get_bool_value(p->c, v) == Z3_L_TRUE);
  smt_value(p->c, v, &out);
  return out;
}

/* ---- Counterexamples ---------------------------------------------------------------------------- */

static struct bv random_bits(unsigned width, uint64_t *seed) {
  struct bv v = bv_u64(width, 0);
  for (unsigned i = 0; i < (width + 63) / 64; i++) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    struct bv part = bv_u64(width, *seed >> 1 ^ *seed << 31);
    v = bv_or(bv_shl(v, bv_u64(width, width > 64 ? 64 : 0)), part);
  }
  return v;
}

/* Gives the left side's choices their k-th value: all of them when there are few, else corners and random
 * ones. */
static bool next_choice(struct prover *p, struct bv *input, uint32_t k, unsigned bits, uint64_t *seed) {
  uint32_t limit = bits <= 12 ? 1u << bits : 2000;
  if (k >= limit) return false;
  unsigned at = 0;
  for (uint32_t i = 0; i < p->o.inputs.n; i++) {
    if (p->o.inputs.at[i].role != IN_FRESH_LEFT) continue;
    unsigned w = input[i].width;
    if (bits <= 12)
      input[i] = bv_u64(w, k >> at);
    else
      input[i] = k == 0 ? bv_u64(w, 0) : k == 1 ? bv_ones(w) : random_bits(w, seed);
    at += w;
  }
  return true;
}

/* Replays a model: the instance is refuted when a clause fails for every choice of the left side. */
static bool replays(struct prover *p, Z3_model m) {
  uint32_t n = p->o.inputs.n;
  struct bv *input = calloc(n + 1, sizeof *input);
  if (!input) bug("out of memory");
  unsigned bits = 0;
  for (uint32_t i = 0; i < n; i++) {
    input[i] = model_value(p, m, &p->o.inputs.at[i]);
    if (p->o.inputs.at[i].role == IN_FRESH_LEFT) bits += input[i].width;
  }
  struct replay r;
  uint64_t seed = 1;
  bool fails = true;
  enum clause_kind clause = CLAUSE_COUNT;
  for (uint32_t k = 0; fails && next_choice(p, input, k, bits, &seed); k++) {
    enum clause_kind one = replay_run(&r, &p->o, input);
    fails = one != CLAUSE_COUNT && one != CLAUSE_GUARD;
    if (k == 0) clause = one;
    if (fails && k == 0) {
      free(p->row->text);
      p->row->text = replay_text(&r, one);
    }
    replay_free(&r);
  }
  free(input);
  if (fails) {
    p->row->verdict = REFUTED;
    p->row->clause = clause;
  }
  return fails;
}

/* ---- Satisfiability of the guard and the left side ---------------------------------------------- */

/* Whether the conjunction holds at one of a few simple assignments. */
static bool holds_at_samples(struct prover *p, Z3_ast all) {
  uint32_t n = p->o.inputs.n;
  Z3_ast *from = calloc(2 * (size_t)n + 2, sizeof *from), *to = from + n;
  if (!from) bug("out of memory");
  bool found = false;
  for (unsigned k = 0; k < 6 && !found; k++) {
    for (uint32_t i = 0; i < n; i++) {
      const struct input *in = &p->o.inputs.at[i];
      from[i] = in->term;
      if (is_bool(p, in->term)) {
        to[i] = in->role == IN_BYTE_OK || in->role == IN_LITTLE ? Z3_mk_true(p->c) : Z3_mk_false(p->c);
        continue;
      }
      unsigned w = smt_width(p->c, in->term);
      to[i] = smt_const_bv(p->c, k == 0   ? bv_u64(w, i + 1)
                                 : k == 1 ? bv_u64(w, 0)
                                 : k == 2 ? bv_u64(w, 1)
                                 : k == 3 ? bv_u64(w, 4)
                                 : k == 4 ? bv_ones(w)
                                          : bv_u64(w, 2));
    }
    found = Z3_get_bool_value(p->c, Z3_simplify(p->c, Z3_substitute(p->c, all, n, from, to))) == Z3_L_TRUE;
  }
  free(from);
  return found;
}

/* Large guards over products: constants are tried, the solver finds the rest. */
static bool satisfiable_with_constants(struct prover *p, Z3_ast all) {
  static const unsigned tries[] = {3, 10, 7, 1, 2, 5, 0, 100};
  Z3_ast x = p->constants.n ? p->constants.at[0] : NULL;
  for (unsigned i = 0; x && i < 8; i++) {
    Z3_ast v = smt_const_bv(p->c, bv_u64(smt_width(p->c, x), tries[i]));
    Z3_ast e = Z3_simplify(p->c, Z3_substitute(p->c, all, 1, &x, &v));
    for (unsigned s = 0; s < 2; s++) {
      Z3_ast second = p->constants.n > 2 ? p->constants.at[p->constants.n - 1] : NULL, g = e;
      if (s && !second) break;
      for (unsigned k = 0; k < (s ? smt_width(p->c, second) : 1); k++) {
        Z3_ast kv = s ? smt_const_bv(p->c, bv_u64(smt_width(p->c, second), k)) : NULL;
        if (s) g = Z3_simplify(p->c, Z3_substitute(p->c, e, 1, &second, &kv));
        if (Z3_get_bool_value(p->c, g) == Z3_L_FALSE) continue;
        if (ladder_satisfy(p->c, &g, 1, 0.05 * p->opt->scale).answer == INVALID) return true;
      }
    }
  }
  return false;
}

/* True when the guard and the left side can both be had. Else the verdict is set. */
static bool reachable(struct prover *p) {
  struct ast_list all = {0};
  for (uint32_t i = 0; i < p->assume.n; i++) *vec_push(&all) = p->assume.at[i];
  struct row *row = p->row;
  uint32_t nguard = all.n;
  *vec_push(&all) = p->o.defined;
  Z3_ast both = Z3_mk_and(p->c, all.n, all.at);
  bool ok = holds_at_samples(p, both);
  if (!ok) {
    struct outcome s = ladder_satisfy(p->c, all.at, all.n, 0.1 * p->opt->scale);
    if (s.answer == OPEN && satisfiable_with_constants(p, both)) s.answer = INVALID;
    if (s.answer == OPEN) s = ladder_satisfy(p->c, all.at, all.n, 4 * p->opt->scale);
    if (s.steps > row->rlimit) row->rlimit = s.steps;
    ok = s.answer == INVALID;
    if (s.answer == OPEN) {
      row->verdict = UNKNOWN;
      row->clause = CLAUSE_GUARD;
      say(row, "no values were found that satisfy the guard");
    } else if (s.answer == VALID) {
      bool guard = ladder_satisfy(p->c, all.at, nguard, p->opt->scale).answer == INVALID;
      row->verdict = VACUOUS;
      row->clause = guard ? CLAUSE_LEFT : CLAUSE_GUARD;
      say(row, guard ? "the pattern is undefined or poison wherever the guard holds: the rule says nothing"
                     : "the guard can never hold: the rule never fires");
    }
  }
  vec_free(&all);
  return ok;
}

/* ---- Clauses ------------------------------------------------------------------------------------ */

static struct outcome prove_claim(struct prover *p, Z3_ast claim, Z3_ast premise) {
  struct ast_list premises = {0};
  for (uint32_t i = 0; i < p->assume.n; i++) *vec_push(&premises) = p->assume.at[i];
  *vec_push(&premises) = premise;
  struct query q = {.c = p->c,
                    .premises = premises.at,
                    .npremise = premises.n,
                    .claim = claim,
                    .constants = p->constants.at,
                    .nconstant = p->constants.n,
                    .scale = p->opt->scale,
                    .cross_check = p->opt->cross_check};
  struct outcome out = ladder_prove(&q);
  if (out.disagree) {
    say(p->row, "BUG: bit-blasting refutes what rung '%s' proved", rung_name[out.rung]);
    p->row->verdict = UNKNOWN;
    out.answer = OPEN;
  }
  if (out.steps > p->row->rlimit) p->row->rlimit = out.steps;
  p->row->cases += out.cases;
  vec_free(&premises);
  return out;
}

static void proved_at(struct row *row, enum rung rung) {
  if (rung > row->rung) row->rung = rung;
}

/* Without choices on the left: clause by clause. A refutation beats an open clause. */
static void prove_clauses(struct prover *p) {
  struct row *row = p->row;
  row->verdict = PROVED;
  row->rung = RUNG_SIMPLIFY;
  for (uint32_t i = 0; i < p->o.clauses.n; i++) {
    const struct clause *k = &p->o.clauses.at[i];
    struct outcome out = prove_claim(p, k->claim, k->premise);
    proved_at(row, out.rung);
    if (out.answer == VALID) continue;
    if (out.answer == INVALID && replays(p, out.model)) return;
    if (row->verdict == PROVED) {
      row->verdict = UNKNOWN;
      row->clause = k->kind;
      if (!row->text)
        say(row, out.answer == INVALID ? "the solver's model does not replay on the evaluator"
                                       : "no rung of the ladder proves or refutes it");
    }
  }
}

/* ---- Choices of the left side ------------------------------------------------------------------- */

/* When `t` is bit k of the constant `f`, possibly under a choice, that k; else -1. */
static int bit_of(Z3_context c, Z3_ast t, Z3_ast f) {
  if (t == f) return 0;
  if (Z3_get_ast_kind(c, t) != Z3_APP_AST) return -1;
  Z3_app a = Z3_to_app(c, t);
  Z3_func_decl d = Z3_get_app_decl(c, a);
  Z3_decl_kind k = Z3_get_decl_kind(c, d);
  if (k == Z3_OP_EXTRACT && Z3_get_app_arg(c, a, 0) == f) return Z3_get_decl_int_parameter(c, d, 1);
  if (k != Z3_OP_ITE) return -1;
  int left = bit_of(c, Z3_get_app_arg(c, a, 1), f);
  return left >= 0 ? left : bit_of(c, Z3_get_app_arg(c, a, 2), f);
}

/* The target's value at the place where a choice shows in the pattern's value: bit by bit, 0 where it does
 * not. */
static Z3_ast target_value(struct prover *p, Z3_ast f) {
  Z3_ast l = p->o.left_root.val, r = p->o.right_root.val, out = NULL;
  unsigned w = smt_width(p->c, f);
  Z3_ast *bit = calloc(w, sizeof *bit);
  if (!bit) bug("out of memory");
  bool any = false;
  for (unsigned j = 0; l && r && j < smt_width(p->c, l) && j < smt_width(p->c, r); j++) {
    int k = bit_of(p->c, Z3_simplify(p->c, Z3_mk_extract(p->c, j, j, l)), f);
    if (k < 0 || (unsigned)k >= w || bit[k]) continue;
    bit[k] = Z3_mk_extract(p->c, j, j, r);
    any = true;
  }
  for (unsigned k = 0; any && k < w; k++) {
    Z3_ast b = bit[k] ? bit[k] : smt_const_bv(p->c, bv_u64(1, 0));
    out = out ? Z3_mk_concat(p->c, b, out) : b;
  }
  free(bit);
  return out ? Z3_simplify(p->c, out) : NULL;
}

/* The n-th candidate for a choice: the target's value there, then fresh values and variables of its width,
 * then constants. NULL when there is none. */
static Z3_ast candidate(struct prover *p, Z3_ast f, unsigned n) {
  unsigned w = smt_width(p->c, f);
  Z3_ast t = target_value(p, f);
  if (t && n-- == 0) return t;
  for (int role = 0; role < 2; role++)
    for (uint32_t i = 0; i < p->o.inputs.n; i++) {
      const struct input *in = &p->o.inputs.at[i];
      if (in->role != (role == 0 ? IN_FRESH_RIGHT : IN_VALUE) || smt_width(p->c, in->term) != w) continue;
      if (n-- == 0) return in->term;
    }
  if (n-- == 0) return smt_const_bv(p->c, bv_u64(w, 0));
  if (n-- == 0) return smt_const_bv(p->c, bv_ones(w));
  return NULL;
}

enum { MAX_FRESH = 8 };

static Z3_ast chosen(struct prover *p, Z3_ast e, const Z3_ast *witness) {
  return Z3_substitute(p->c, e, p->left_fresh.n, p->left_fresh.at, witness);
}

/* All clauses under one choice. */
static bool proves_with(struct prover *p, const Z3_ast *witness) {
  enum rung rung = RUNG_SIMPLIFY;
  for (uint32_t i = 0; i < p->o.clauses.n; i++) {
    const struct clause *k = &p->o.clauses.at[i];
    struct outcome out = prove_claim(p, chosen(p, k->claim, witness), chosen(p, k->premise, witness));
    if (out.answer != VALID) return false;
    if (out.rung > rung) rung = out.rung;
  }
  p->row->verdict = PROVED;
  proved_at(p->row, rung);
  return true;
}

static Z3_ast all_clauses(struct prover *p) {
  struct ast_list all = {0};
  for (uint32_t i = 0; i < p->o.clauses.n; i++)
    *vec_push(&all) = Z3_mk_implies(p->c, p->o.clauses.at[i].premise, p->o.clauses.at[i].claim);
  Z3_ast e = all.n ? Z3_mk_and(p->c, all.n, all.at) : Z3_mk_true(p->c);
  vec_free(&all);
  return e;
}

static Z3_ast model_term(struct prover *p, Z3_model m, Z3_ast t) {
  Z3_ast v = NULL;
  if (!Z3_model_eval(p->c, m, t, true, &v)) bug("a model without a value");
  return v;
}

/* Fixes everything but the left side's choices to a model. */
static Z3_ast at_model(struct prover *p, Z3_model m, Z3_ast e) {
  struct ast_list from = {0}, to = {0};
  for (uint32_t i = 0; i < p->o.inputs.n; i++) {
    const struct input *in = &p->o.inputs.at[i];
    if (in->role == IN_FRESH_LEFT) continue;
    *vec_push(&from) = in->term;
    *vec_push(&to) = model_term(p, m, in->term);
  }
  Z3_ast v = Z3_substitute(p->c, e, from.n, from.at, to.at);
  vec_free(&from);
  vec_free(&to);
  return v;
}

/* For every input one of a growing list of choices works: counterexamples to the list give new choices, and
 * one that no choice answers refutes the rule. */
static void choose_by_counterexample(struct prover *p) {
  struct row *row = p->row;
  Z3_ast all = all_clauses(p), any[24];
  unsigned n = 0;
  Z3_ast w[MAX_FRESH];
  for (uint32_t i = 0; i < p->left_fresh.n; i++) w[i] = candidate(p, p->left_fresh.at[i], 0);
  any[n++] = chosen(p, all, w);
  row->verdict = UNKNOWN;
  row->clause = CLAUSE_VALUE;
  while (n < 24) {
    Z3_ast claim = Z3_mk_or(p->c, n, any);
    struct outcome out = prove_claim(p, claim, Z3_mk_true(p->c));
    if (out.answer == VALID) {
      row->verdict = PROVED;
      proved_at(row, out.rung);
      return;
    }
    if (out.answer == OPEN) break;
    Z3_ast answer = at_model(p, out.model, all);
    struct outcome inner = ladder_satisfy(p->c, &answer, 1, p->opt->scale);
    if (inner.answer == VALID) {
      if (replays(p, out.model)) return;
      say(row, "the solver's model does not replay on the evaluator");
      return;
    }
    if (inner.answer == OPEN) break;
    for (uint32_t i = 0; i < p->left_fresh.n; i++) w[i] = model_term(p, inner.model, p->left_fresh.at[i]);
    any[n++] = chosen(p, all, w);
  }
  say(row, "no witness was found for the unspecified values of the pattern");
}

static void prove_with_choices(struct prover *p) {
  if (p->left_fresh.n > MAX_FRESH) {
    p->row->verdict = UNKNOWN;
    say(p->row, "too many unspecified values in the pattern");
    return;
  }
  double scale = p->opt->scale;
  struct options small = *p->opt;
  small.scale = scale / 8;
  const struct options *whole = p->opt;
  Z3_ast w[MAX_FRESH];
  p->opt = &small;
  for (unsigned k = 0; k < 6; k++) {
    bool any = false;
    for (uint32_t i = 0; i < p->left_fresh.n; i++) {
      Z3_ast f = candidate(p, p->left_fresh.at[i], k);
      any |= f != NULL;
      w[i] = f ? f : candidate(p, p->left_fresh.at[i], 0);
    }
    if (!any) break;
    if (proves_with(p, w)) {
      p->opt = whole;
      return;
    }
  }
  p->opt = whole;
  choose_by_counterexample(p);
}

/* ---- The instance ------------------------------------------------------------------------------- */

static void error_handler(Z3_context c, Z3_error_code e) { bug("Z3: %s", Z3_get_error_msg(c, e)); }

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void decide(struct prover *p) {
  if (!obligation_build(&p->o, p->c, p->row->in)) {
    p->row->verdict = UNKNOWN;
    say(p->row, "not expressible: %s", p->o.unsupported);
    return;
  }
  for (uint32_t i = 0; i < p->o.assume.n; i++) *vec_push(&p->assume) = p->o.assume.at[i];
  for (uint32_t i = 0; i < p->o.guard.n; i++) *vec_push(&p->assume) = p->o.guard.at[i];
  sort_inputs(p);
  if (!fix_values(p)) {
    p->row->verdict = UNKNOWN;
    p->row->bad_values = true;
    return;
  }
  if (!reachable(p)) return;
  if (p->left_fresh.n)
    prove_with_choices(p);
  else
    prove_clauses(p);
}

void prove_instance(const struct instance *in, const struct options *o, struct row *row) {
  double start = cpu_ms();
  row->in = in;
  Z3_config cfg = Z3_mk_config();
  struct prover p = {.c = Z3_mk_context(cfg), .opt = o, .row = row};
  Z3_del_config(cfg);
  Z3_set_error_handler(p.c, error_handler);
  decide(&p);
  obligation_free(&p.o);
  vec_free(&p.assume);
  vec_free(&p.constants);
  vec_free(&p.left_fresh);
  Z3_del_context(p.c);
  row->ms = cpu_ms() - start;
  row->done = true;
}
