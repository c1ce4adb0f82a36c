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
/* A product of two unknowns, or a division, occurs in it; a division. */
bool uses_products(Z3_context c, Z3_ast e);
bool uses_division(Z3_context c, Z3_ast e);
/* The width in bits of its widest bit-vector; 0 when it has none. */
unsigned widest(Z3_context c, Z3_ast e);

/* Terms seen, by id. */
struct seen {
  VEC(uint8_t) bits;
};
bool first_visit(struct seen *s, Z3_context c, Z3_ast e);
void seen_free(struct seen *s);
/* Adds the bit-vector inputs of what was not seen yet. */
void inputs_in(Z3_context c, Z3_ast e, struct seen *s, struct ast_list *out);

bool list_has(const struct ast_list *l, Z3_ast e);
/* Rewrites from the leaves up: `each` gets an application and its rewritten operands, and returns what takes
 * its place, or NULL: itself with these operands. Shared terms are rewritten once. */
Z3_ast rewrite_term(Z3_context c, Z3_ast e, Z3_ast (*each)(void *self, Z3_ast e, const Z3_ast *arg),
                    void *self);
/* `to` for `from`, in all premises and the claim. */
void substitute(Z3_context c, struct ast_list *premises, Z3_ast *claim, Z3_ast from, Z3_ast to);

/* Adds the conjuncts of `e` to the list. */
void flatten(Z3_context c, Z3_ast e, struct ast_list *out);
Z3_ast conjunction(Z3_context c, const struct ast_list *l);

#endif
