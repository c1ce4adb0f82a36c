/* ring_check.c: evaluates the ring translation on concrete inputs (see ring.h); used by tests to guard the
 * trusted code. */
#include "ring.h"

#include <stdlib.h>

#include "util/diag.h"

struct checker {
  struct ring *r;
  unsigned n;
  const Z3_ast *inputs, *values;
  mpz_t *atom;       /* value by atom */
  Z3_ast *from, *to; /* integer constants and their values */
  uint32_t nsub;
};

static void poly_value(struct checker *k, const struct poly *p, mpz_t out) {
  mpz_t t;
  mpz_init(t);
  mpz_set_ui(out, 0);
  for (uint32_t i = 0; i < p->n; i++) {
    mpz_set(t, p->t[i].c);
    for (uint32_t j = 0; j < p->t[i].n; j++) mpz_mul(t, t, k->atom[p->t[i].m[j]]);
    mpz_add(out, out, t);
  }
  mpz_clear(t);
}

static void bv_value(struct checker *k, Z3_ast e, mpz_t out) {
  Z3_ast v = Z3_simplify(k->r->ctx, Z3_substitute(k->r->ctx, e, k->n, k->inputs, k->values));
  if (Z3_get_ast_kind(k->r->ctx, v) != Z3_NUMERAL_AST)
    bug("a term without value: %s", Z3_ast_to_string(k->r->ctx, v));
  mpz_set_str(out, Z3_get_numeral_string(k->r->ctx, v), 10);
}

/* A formula over integer constants already given a value, and Bool inputs. */
static bool formula_holds(struct checker *k, Z3_ast e) {
  Z3_context c = k->r->ctx;
  Z3_ast v = Z3_substitute(c, e, k->nsub, k->from, k->to);
  v = Z3_simplify(c, Z3_substitute(c, v, k->n, k->inputs, k->values));
  if (Z3_get_bool_value(c, v) == Z3_L_UNDEF) bug("a formula without value: %s", Z3_ast_to_string(c, v));
  return Z3_get_bool_value(c, v) == Z3_L_TRUE;
}

/* The products among atoms with value, for formulas. */
static void substitute_monos(struct checker *k, uint32_t natom) {
  mpz_t v;
  mpz_init(v);
  k->nsub = natom;
  for (uint32_t i = 0; i < k->r->monos.n; i++) {
    const struct mono_z *m = &k->r->monos.at[i];
    bool known = true;
    mpz_set_ui(v, 1);
    for (uint32_t j = 0; j < m->t.n; j++) {
      known &= m->t.m[j] < natom;
      if (known) mpz_mul(v, v, k->atom[m->t.m[j]]);
    }
    if (!known) continue;
    k->from[k->nsub] = m->z;
    k->to[k->nsub++] = ring_mpz(k->r, v);
  }
  mpz_clear(v);
}

static void atom_value(struct checker *k, uint32_t i) {
  const struct atom_def *d = &k->r->defs.at[i];
  mpz_t a, b;
  mpz_inits(a, b, NULL);
  if (d->a) poly_value(k, d->a, a);
  if (d->b) poly_value(k, d->b, b);
  switch (d->kind) {
  case ATOM_VAR: bv_value(k, d->ast, k->atom[i]); break;
  case ATOM_BIT:
    bv_value(k, d->ast, a);
    mpz_set_ui(k->atom[i], (unsigned long)mpz_tstbit(a, d->k));
    break;
  case ATOM_FLOOR: mpz_fdiv_q(k->atom[i], a, b); break;
  case ATOM_AND: mpz_and(k->atom[i], a, b); break;
  case ATOM_POW2:
    if (mpz_cmp_ui(a, d->k) < 0) mpz_setbit(k->atom[i], mpz_get_ui(a));
    break;
  case ATOM_QUOT:
    if (mpz_sgn(b)) mpz_fdiv_q(k->atom[i], a, b);
    break;
  case ATOM_BOOL:
    substitute_monos(k, i);
    mpz_set_ui(k->atom[i], formula_holds(k, d->ast));
    break;
  }
  k->from[i] = d->z;
  k->to[i] = ring_mpz(k->r, k->atom[i]);
  mpz_clears(a, b, NULL);
}

static const char *check_terms(struct checker *k) {
  const char *wrong = NULL;
  mpz_t v, p;
  mpz_inits(v, p, NULL);
  for (uint32_t i = 0; i < k->r->done.n && !wrong; i++) {
    const struct ring_done *d = &k->r->done.at[i];
    if (!d->poly) continue;
    bv_value(k, d->ast, v);
    poly_value(k, d->poly, p);
    if (mpz_cmp(p, d->poly->lo) < 0 || mpz_cmp(p, d->poly->hi) > 0)
      wrong = "a polynomial is outside its bounds";
    mpz_sub(v, v, p);
    unsigned w = Z3_get_bv_sort_size(k->r->ctx, Z3_get_sort(k->r->ctx, d->ast));
    if (!mpz_divisible_2exp_p(v, w)) wrong = "a polynomial is not congruent to its term";
  }
  mpz_clears(v, p, NULL);
  return wrong;
}

static const char *check_formulas(struct checker *k) {
  for (uint32_t i = 0; i < k->r->axioms.n; i++)
    if (!formula_holds(k, k->r->axioms.at[i])) return "an axiom does not hold";
  for (uint32_t i = 0; i < k->r->done.n; i++) {
    const struct ring_done *d = &k->r->done.at[i];
    if (d->poly) continue;
    Z3_ast v = Z3_simplify(k->r->ctx, Z3_substitute(k->r->ctx, d->ast, k->n, k->inputs, k->values));
    if (formula_holds(k, d->z) != (Z3_get_bool_value(k->r->ctx, v) == Z3_L_TRUE))
      return "a formula differs from its term";
  }
  return NULL;
}

const char *ring_check(struct ring *r, unsigned ninput, const Z3_ast *inputs, const Z3_ast *values) {
  uint32_t n = r->defs.n;
  struct checker k = {.r = r, .n = ninput, .inputs = inputs, .values = values};
  k.atom = calloc(n ? n : 1, sizeof *k.atom);
  k.from = calloc(n + r->monos.n + 1, sizeof *k.from);
  k.to = calloc(n + r->monos.n + 1, sizeof *k.to);
  if (!k.atom || !k.from || !k.to) bug("out of memory");
  for (uint32_t i = 0; i < n; i++) mpz_init(k.atom[i]);
  for (uint32_t i = 0; i < n; i++) atom_value(&k, i);
  substitute_monos(&k, n);
  const char *wrong = check_terms(&k);
  if (!wrong) wrong = check_formulas(&k);
  for (uint32_t i = 0; i < n; i++) mpz_clear(k.atom[i]);
  free(k.atom);
  free(k.from);
  free(k.to);
  return wrong;
}
