/* check_op.c: (op …) forms. */
#include "rulec/check.h"

#include <string.h>

static const char usage[] = "write (op NAME (int x y) CLAUSE …) or (op NAME ((x TYPE) …) TYPE CLAUSE …)";

struct op *find_op(struct checker *c, const char *name) {
  struct op *op = name_get(&c->names, c->target, SPACE_OP, name);
  return op || !c->target ? op : name_get(&c->names, NULL, SPACE_OP, name);
}

static bool op_type(struct scope *s, const struct sx *x, struct tyref *ty) {
  if (x->kind == SX_ATOM && parse_type(s, x->text, ty)) return true;
  diag_error(s->c->d, x->loc,
             "types are i1 … i512, flags (in a target), chain, block, or one upper-case letter",
             "a type was expected");
  return false;
}

static bool op_operands(struct scope *s, struct op *op, const struct sx *x) {
  bool same = sx_head(x) && sx_is(x->kid[0], "int");
  uint32_t from = same ? 1 : 0;
  op->nin = x->n - from;
  op->in = ARENA_ARRAY(s->c->a, struct operand, op->nin + 1);
  for (uint32_t i = 0; i < op->nin; i++) {
    const struct sx *o = x->kid[i + from];
    struct tyref ty = ty_fixed(VT_NONE);
    if (same)
      ty = ty_named(s, keep(s->c, "T"));
    else if (!want_list(s->c, o, 2, 2, usage) || !op_type(s, o->kid[1], &ty))
      return false;
    const struct sx *name = same ? o : o->kid[0];
    if (!want_atom(s->c, name, "an operand's name")) return false;
    if (var_find(s, name->text) >= 0) {
      diag_error(s->c->d, name->loc, NULL, "operand '%s' is named twice", name->text);
      return false;
    }
    op->in[i] = (struct operand){.name = name->text, .ty = ty};
    var_add(s, name->text, VAR_VALUE, ty, name->loc);
  }
  return true;
}

static const struct sx *clause(const struct sx *form, uint32_t from, const char *name) {
  for (uint32_t i = from; i < form->n; i++)
    if (sx_head(form->kid[i]) && sx_is(form->kid[i]->kid[0], name)) return form->kid[i];
  return NULL;
}

/* Operand mask of (ub-if-poison x …). */
static bool operand_mask(struct scope *s, const struct sx *x, uint32_t *mask) {
  for (uint32_t i = 1; i < x->n; i++) {
    int v = x->kid[i]->kind == SX_ATOM ? var_find(s, x->kid[i]->text) : -1;
    if (v < 0) {
      diag_error(s->c->d, x->kid[i]->loc, NULL, "an operand was expected");
      return false;
    }
    *mask |= 1u << v;
  }
  return true;
}

/* The clauses without expressions, which the expressions may refer to. */
static bool plain_clause(struct scope *s, struct op *op, const struct sx *x) {
  static const char *const props[] = {"comm", "assoc", "chain"};
  struct checker *c = s->c;
  bool *const prop[] = {&op->comm, &op->assoc, &op->chained};
  if (sx_is(x->kid[0], "structural"))
    op->structural = true;
  else if (sx_is(x->kid[0], "poison-own"))
    op->poison_own = true;
  else if (sx_is(x->kid[0], "ub-if-poison"))
    return operand_mask(s, x, &op->ub_if_poison);
  for (uint32_t i = 1; i < x->n; i++) {
    bool known = true;
    const struct sx *a = x->kid[i];
    if (sx_is(x->kid[0], "props")) {
      known = false;
      for (int k = 0; k < 3; k++)
        if (sx_is(a, props[k])) known = *prop[k] = true;
    } else if (sx_is(x->kid[0], "flags")) {
      known = false;
      for (int k = 0; k < FLAG_COUNT; k++)
        if (sx_is(a, flag_name[k])) known = true, op->flags |= (uint16_t)(1u << k);
    } else if (sx_is(x->kid[0], "mem")) {
      known = sx_is(a, "read") || sx_is(a, "write");
      op->mem = sx_is(a, "read") ? MEM_READ : MEM_WRITE;
      op->chained = true;
    } else if (sx_is(x->kid[0], "second")) {
      struct tyref ty;
      known = a->kind == SX_ATOM && is_tyvar_name(a->text) && parse_type(s, a->text, &ty);
      if (known) op->second = ty.var;
    }
    if (!known) {
      diag_error(c->d, a->loc, NULL, "unknown word in '%s'", x->kid[0]->text);
      return false;
    }
  }
  return true;
}

static bool value_clause(struct scope *s, struct op *op, const struct sx *x) {
  const char *k = x->kid[0]->text;
  const struct expr **slot = strcmp(k, "poison") == 0  ? &op->poison
                             : strcmp(k, "ub") == 0    ? &op->ub
                             : strcmp(k, "where") == 0 ? &op->where
                             : strcmp(k, "taken") == 0 ? &op->taken
                                                       : NULL;
  if (slot) {
    if (!want_list(s->c, x, 2, 2, "one expression")) return false;
    if (*slot) {
      diag_error(s->c->d, x->loc, NULL, "'%s' is given twice", k);
      return false;
    }
    if (slot == &op->taken) op->chained = true;
    return (*slot = check_bool(s, x->kid[1])) != NULL;
  }
  if (strcmp(k, "val") == 0) {
    if (!want_list(s->c, x, 2, 2, "(val EXPRESSION)")) return false;
    if (op->nres != 1 || op->res[0].val) {
      diag_error(s->c->d, x->loc, "write (results (NAME TYPE VALUE) …)", "this operation has not one result");
      return false;
    }
    return (op->res[0].val = check_bv(s, x->kid[1], width_of(s, x->loc, op->res[0].ty))) != NULL;
  }
  if (strcmp(k, "results") == 0) {
    for (uint32_t i = 0; i < op->nres; i++)
      if (x->kid[i + 1]->n == 3 &&
          !(op->res[i].val = check_bv(s, x->kid[i + 1]->kid[2], width_of(s, x->loc, op->res[i].ty))))
        return false;
    return true;
  }
  static const char *const plain[] = {"structural", "poison-own", "ub-if-poison", "props",
                                      "flags",      "mem",        "second"};
  for (uint32_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(plain[i], k) == 0) return true;
  diag_error(s->c->d, x->kid[0]->loc,
             "clauses are val results poison poison-own ub ub-if-poison where second mem taken props flags "
             "structural",
             "unknown clause '%s'", k);
  return false;
}

static bool op_results(struct scope *s, struct op *op, const struct sx *x, uint32_t from, struct tyref one) {
  const struct sx *list = clause(x, from, "results");
  bool single = one.var >= 0 || one.fixed != VT_NONE;
  op->nres = list ? list->n - 1 : single ? 1 : 0;
  op->res = ARENA_ARRAY(s->c->a, struct result, op->nres + 1);
  if (!list) {
    op->res[0] = (struct result){.name = keep(s->c, "res"), .ty = one};
    return true;
  }
  for (uint32_t i = 0; i < op->nres; i++) {
    const struct sx *r = list->kid[i + 1];
    if (!want_list(s->c, r, 2, 3, "(NAME TYPE VALUE)") || !want_atom(s->c, r->kid[0], "a name")) return false;
    op->res[i].name = r->kid[0]->text;
    if (!op_type(s, r->kid[1], &op->res[i].ty)) return false;
  }
  return true;
}

static bool op_complete(struct checker *c, const struct op *op) {
  bool valued = op->structural || op->mem != MEM_NONE;
  for (uint32_t i = 0; !valued && i < op->nres; i++)
    if (!op->res[i].val) {
      diag_error(c->d, op->loc, "add (val …), or (structural) for one that only the graph knows",
                 "operation '%s' has no meaning", op->name);
      return false;
    }
  return true;
}

static bool op_body(struct scope *s, struct op *op, const struct sx *x) {
  uint32_t from = 3;
  const struct sx *operands = x->kid[2];
  bool none = operands->kind != SX_LIST || (sx_head(operands) && !sx_is(operands->kid[0], "int"));
  if (none) {
    from = 2;
    op->in = ARENA_ARRAY(s->c->a, struct operand, 1);
  } else if (!op_operands(s, op, operands)) {
    return false;
  }
  struct tyref one = ty_fixed(VT_NONE);
  if (from < x->n && x->kid[from]->kind == SX_ATOM) {
    if (!op_type(s, x->kid[from], &one)) return false;
    from++;
  } else if (!none && sx_head(operands)) {
    one = ty_named(s, keep(s->c, "T"));
  }
  for (uint32_t i = from; i < x->n; i++)
    if (!sx_head(x->kid[i])) {
      diag_error(s->c->d, x->kid[i]->loc, usage, "a clause was expected");
      return false;
    } else if (!plain_clause(s, op, x->kid[i])) {
      return false;
    }
  if (!op_results(s, op, x, from, one)) return false;
  for (uint32_t i = from; i < x->n; i++)
    if (!value_clause(s, op, x->kid[i])) return false;
  return op_complete(s->c, op);
}

/* Reads what follows the name. */
static bool op_definition(struct checker *c, struct op *op, const struct sx *x) {
  struct scope s = {.c = c, .kind = SCOPE_OP, .op = op};
  bool ok = op_body(&s, op, x);
  if (ok) {
    int second = op->second;
    scope_settle(&s, &op->ntyvar, &op->tyvars);
    for (uint32_t i = 0; i < op->nin; i++) op->in[i].ty = ty_settled(&s, op->in[i].ty);
    for (uint32_t i = 0; i < op->nres; i++) op->res[i].ty = ty_settled(&s, op->res[i].ty);
    if (second >= 0)
      op->second = ty_settled(&s, (struct tyref){.fixed = VT_NONE, .var = (int16_t)second}).var;
  }
  scope_free(&s);
  return ok;
}

void check_op(struct checker *c, const struct form *f) {
  const struct sx *x = f->sx;
  if (!want_list(c, x, 3, UINT32_MAX, usage) || !want_atom(c, x->kid[1], "a name")) return;
  struct op *op = ARENA_NEW(c->a, struct op);
  *op =
      (struct op){.name = x->kid[1]->text, .loc = x->kid[1]->loc, .second = -1, .target = f->target != NULL};
  struct op *old = find_op(c, op->name);
  if (old) {
    diag_error(c->d, op->loc, NULL, "operation '%s' is already defined at %s:%u", op->name,
               old->loc.src->path, old->loc.line);
    return;
  }
  if (is_expr_head(c, op->name) && strcmp(op->name, "and") && strcmp(op->name, "or") &&
      strcmp(op->name, "xor") && strcmp(op->name, "bswap") && strcmp(op->name, "bitreverse")) {
    diag_error(c->d, op->loc, "choose another name",
               "'%s' is a function; operations and functions may not share names", op->name);
    return;
  }
  if (!op_definition(c, op, x)) return;
  op->id = c->m->ops.n;
  *vec_push(&c->m->ops) = op;
  name_put(&c->names, f->target, SPACE_OP, op->name, op);
  check_op_widths(c, op);
}

void check_routine(struct checker *c, const struct form *f) {
  static const char how[] = "write (routine NAME ((x TYPE) …) TYPE (ub E) (val E))";
  const struct sx *x = f->sx;
  if (!want_list(c, x, 5, UINT32_MAX, how) || !want_atom(c, x->kid[1], "a name")) return;
  struct op *op = ARENA_NEW(c->a, struct op);
  *op = (struct op){.name = x->kid[1]->text, .loc = x->kid[1]->loc, .second = -1, .poison_own = true};
  struct op *old = name_get(&c->names, NULL, SPACE_ROUTINE, op->name);
  if (old) {
    diag_error(c->d, op->loc, NULL, "routine '%s' is already defined at %s:%u", op->name, old->loc.src->path,
               old->loc.line);
    return;
  }
  if (!op_definition(c, op, x)) return;
  if (op->ntyvar || op->nres != 1 || op->mem != MEM_NONE) {
    diag_error(c->d, op->loc, how, "a routine has operands and one result of fixed types");
    return;
  }
  *vec_push(&c->m->routines) = op;
  name_put(&c->names, NULL, SPACE_ROUTINE, op->name, op);
  check_op_widths(c, op);
}
