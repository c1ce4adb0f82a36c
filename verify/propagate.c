/* propagate.c: what premises say of an input's value takes the input's place. */
#include "rungs.h"
#include "terms.h"

bool fixes(Z3_context c, Z3_ast e, Z3_ast *what, Z3_ast *value) {
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

void propagate(Z3_context c, struct ast_list *premises, Z3_ast *claim, struct ast_list *fixed) {
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
