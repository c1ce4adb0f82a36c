/* terms.c: see terms.h. */
#include "terms.h"

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
