/* terms.h: looking at Z3 terms. */
#ifndef VERIDAG_TERMS_H
#define VERIDAG_TERMS_H

#include <stdbool.h>
#include <z3.h>

#include "util/vec.h"

VEC_TYPE(ast_list, Z3_ast);

/* The operator; Z3_OP_INTERNAL for what is not an application. */
Z3_decl_kind term_kind(Z3_context c, Z3_ast e);
unsigned term_nargs(Z3_context c, Z3_ast e);
Z3_ast term_arg(Z3_context c, Z3_ast e, unsigned i);
/* Parameter i of the operator: the bounds of an extract. */
unsigned term_parameter(Z3_context c, Z3_ast e, unsigned i);
bool term_is_number(Z3_context c, Z3_ast e);
/* An uninterpreted constant, of whatever sort. */
bool term_is_input(Z3_context c, Z3_ast e);
bool term_is_bv(Z3_context c, Z3_ast e);
bool term_mentions(Z3_context c, Z3_ast e, Z3_ast what);

/* Terms seen, by id. */
struct seen {
  VEC(uint8_t) bits;
};
bool first_visit(struct seen *s, Z3_context c, Z3_ast e);
void seen_free(struct seen *s);

/* Adds the conjuncts of `e` to the list. */
void flatten(Z3_context c, Z3_ast e, struct ast_list *out);
Z3_ast conjunction(Z3_context c, const struct ast_list *l);

#endif
