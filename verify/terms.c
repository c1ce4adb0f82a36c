/* terms.c: see terms.h. */
#include "terms.h"

#include <stdlib.h>

#include "util/diag.h"

Z3_decl_kind term_kind(Z3_context c, Z3_ast e) {
  if (Z3_get_ast_kind(c, e) != Z3_APP_AST) return Z3_OP_INTERNAL;
  return Z3_get_decl_kind(c, Z3_get_app_decl(c, Z3_to_app(c, e)));
}

unsigned term_nargs(Z3_context c, Z3_ast e) {
  return Z3_get_ast_kind(c, e) == Z3_APP_AST ? Z3_get_app_num_args(c, Z3_to_app(c, e)) : 0;
}

Z3_ast term_arg(Z3_context c, Z3_ast e, unsigned i) { return Z3_get_app_arg(c, Z3_to_app(c, e), i); }

unsigned term_parameter(Z3_context c, Z3_ast e, unsigned i) {
  return (unsigned)Z3_get_decl_int_parameter(c, Z3_get_app_decl(c, Z3_to_app(c, e)), i);
}

bool term_is_number(Z3_context c, Z3_ast e) { return Z3_get_ast_kind(c, e) == Z3_NUMERAL_AST; }

bool term_is_input(Z3_context c, Z3_ast e) {
  return term_kind(c, e) == Z3_OP_UNINTERPRETED && term_nargs(c, e) == 0;
}

bool term_is_bv(Z3_context c, Z3_ast e) { return Z3_get_sort_kind(c, Z3_get_sort(c, e)) == Z3_BV_SORT; }

bool first_visit(struct seen *s, Z3_context c, Z3_ast e) {
  unsigned id = Z3_get_ast_id(c, e);
  while (s->bits.n <= id / 8) *vec_push(&s->bits) = 0;
  bool known = s->bits.at[id / 8] >> id % 8 & 1;
  s->bits.at[id / 8] |= (uint8_t)(1u << id % 8);
  return !known;
}

void seen_free(struct seen *s) { vec_free(&s->bits); }

static bool mentions(Z3_context c, Z3_ast e, Z3_ast what, struct seen *s) {
  if (e == what) return true;
  if (!first_visit(s, c, e)) return false;
  for (unsigned i = 0; i < term_nargs(c, e); i++)
    if (mentions(c, term_arg(c, e, i), what, s)) return true;
  return false;
}

bool term_mentions(Z3_context c, Z3_ast e, Z3_ast what) {
  struct seen s = {0};
  bool yes = mentions(c, e, what, &s);
  seen_free(&s);
  return yes;
}

void flatten(Z3_context c, Z3_ast e, struct ast_list *out) {
  Z3_decl_kind k = term_kind(c, e);
  if (k == Z3_OP_TRUE) return;
  if (k == Z3_OP_AND) {
    for (unsigned i = 0; i < term_nargs(c, e); i++) flatten(c, term_arg(c, e, i), out);
    return;
  }
  if (k == Z3_OP_NOT && term_kind(c, term_arg(c, e, 0)) == Z3_OP_OR) {
    Z3_ast o = term_arg(c, e, 0);
    for (unsigned i = 0; i < term_nargs(c, o); i++) flatten(c, Z3_mk_not(c, term_arg(c, o, i)), out);
    return;
  }
  if (k == Z3_OP_NOT && term_kind(c, term_arg(c, e, 0)) == Z3_OP_NOT) {
    flatten(c, term_arg(c, term_arg(c, e, 0), 0), out);
    return;
  }
  *vec_push(out) = e;
}

Z3_ast conjunction(Z3_context c, const struct ast_list *l) {
  return l->n == 0 ? Z3_mk_true(c) : l->n == 1 ? l->at[0] : Z3_mk_and(c, l->n, l->at);
}

bool list_has(const struct ast_list *l, Z3_ast e) {
  for (uint32_t i = 0; i < l->n; i++)
    if (l->at[i] == e) return true;
  return false;
}

void inputs_in(Z3_context c, Z3_ast e, struct seen *s, struct ast_list *out) {
  if (!first_visit(s, c, e)) return;
  if (term_is_input(c, e) && term_is_bv(c, e)) *vec_push(out) = e;
  for (unsigned i = 0; i < term_nargs(c, e); i++) inputs_in(c, term_arg(c, e, i), s, out);
}

void substitute(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast from, Z3_ast to) {
  for (uint32_t i = 0; i < premises->n; i++)
    premises->at[i] = Z3_substitute(c, premises->at[i], 1, &from, &to);
  *claim = Z3_substitute(c, *claim, 1, &from, &to);
}

/* ---- Rewriting ---------------------------------------------------------------------------------------- */

struct rewriter {
  Z3_context c;
  Z3_ast (*each)(void *self, Z3_ast e, const Z3_ast *arg);
  void *self;
  struct {
    Z3_ast from, to;
  } * slot; /* by id, open addressing; a power of two of them */
  uint32_t nslot, used;
};

static uint32_t slot_of(const struct rewriter *r, Z3_ast e) {
  uint32_t i = Z3_get_ast_id(r->c, e) * 2654435761u & (r->nslot - 1); /* Knuth's multiplicative hash */
  while (r->slot[i].from && r->slot[i].from != e) i = (i + 1) & (r->nslot - 1);
  return i;
}

static void remember(struct rewriter *r, Z3_ast from, Z3_ast to) {
  if (2 * r->used >= r->nslot) {
    struct rewriter old = *r;
    r->nslot = old.nslot ? 2 * old.nslot : 64;
    r->slot = calloc(r->nslot, sizeof *r->slot);
    if (!r->slot) bug("out of memory");
    for (uint32_t i = 0; i < old.nslot; i++)
      if (old.slot[i].from) r->slot[slot_of(r, old.slot[i].from)] = old.slot[i];
    free(old.slot);
  }
  uint32_t i = slot_of(r, from);
  r->slot[i].from = from;
  r->slot[i].to = to;
  r->used++;
}

static Z3_ast rewritten(struct rewriter *r, Z3_ast e) {
  unsigned n = term_nargs(r->c, e);
  if (n == 0) return e;
  if (r->nslot) {
    Z3_ast known = r->slot[slot_of(r, e)].to;
    if (known) return known;
  }
  struct ast_list arg = {0};
  for (unsigned i = 0; i < n; i++) *vec_push(&arg) = rewritten(r, term_arg(r->c, e, i));
  Z3_ast to = r->each(r->self, e, arg.at);
  if (!to) to = Z3_update_term(r->c, e, n, arg.at);
  vec_free(&arg);
  remember(r, e, to);
  return to;
}

Z3_ast rewrite_term(Z3_context c, Z3_ast e, Z3_ast (*each)(void *self, Z3_ast e, const Z3_ast *arg),
                    void *self) {
  struct rewriter r = {.c = c, .each = each, .self = self};
  Z3_ast to = rewritten(&r, e);
  free(r.slot);
  return to;
}

/* ---- What a term is made of --------------------------------------------------------------------------- */

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

bool uses_division(Z3_context c, Z3_ast e) {
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

unsigned widest(Z3_context c, Z3_ast e) {
  struct seen s = {0};
  unsigned w = widest_in(c, e, &s);
  seen_free(&s);
  return w;
}
