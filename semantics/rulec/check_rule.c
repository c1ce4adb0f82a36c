/* check_rule.c: rules of the graph: rule, expand, lower, promote, expand-int, legal, action. */
#include "rulec/check.h"

#include <stdlib.h>
#include <string.h>

struct rule *new_rule(struct checker *c, enum rule_kind kind, struct loc loc) {
  struct rule *r = ARENA_NEW(c->a, struct rule);
  *r = (struct rule){.kind = kind, .loc = loc, .target = c->target, .addr_child = -1, .cost = 1};
  return r;
}

uint32_t find_arrow(struct checker *c, const struct sx *form) {
  for (uint32_t i = 1; i < form->n; i++)
    if (sx_is(form->kid[i], "=>")) {
      if (i + 1 < form->n) return i;
      break;
    }
  diag_error(c->d, form->loc, "write PATTERN => RESULT", "'=>' and a result are missing");
  return 0;
}

bool name_and_law(struct checker *c, const struct sx *form, struct rule *r, uint32_t *next) {
  if (!want_list(c, form, 4, UINT32_MAX, "(KIND NAME \"law\" PATTERN => RESULT CLAUSE …)") ||
      !want_atom(c, form->kid[1], "a name"))
    return false;
  r->name = form->kid[1]->text;
  r->loc = form->kid[1]->loc;
  *next = 2;
  if (form->kid[2]->kind == SX_STRING) {
    r->law = form->kid[2]->text;
    *next = 3;
  }
  return true;
}

/* ---- Clauses --------------------------------------------------------------------------------------- */

static bool find_clause(struct scope *s, const struct sx *x) {
  struct rule *r = s->rule;
  if (!want_list(s->c, x, 3, 3, "(find (NAME …) (ORACLE CONSTANT …))")) return false;
  const struct sx *names = x->kid[1], *call = x->kid[2];
  if (!want_list(s->c, names, 1, 8, "(find (NAME …) (ORACLE CONSTANT …))") || !sx_head(call)) {
    diag_error(s->c->d, call->loc, NULL, "an oracle and its arguments were expected");
    return false;
  }
  r->oracle = call->kid[0]->text;
  r->nfound = names->n;
  r->nfound_arg = call->n - 1;
  r->found_arg = ARENA_ARRAY(s->c->a, const struct expr *, call->n);
  for (uint32_t i = 1; i < call->n; i++) {
    /* a lone literal has 64 bits; one inside an expression has its neighbour's width */
    bool whole = call->kid[i]->kind == SX_ATOM;
    const struct expr *e = check_bv(s, call->kid[i], whole ? num_lit(s, call->kid[i]->loc, 64) : NULL);
    if (!e) return false;
    r->found_arg[i - 1] = e;
  }
  return true;
}

/* The names that an oracle proposes must be known before the result is read. */
static bool declare_found(struct scope *s, const struct sx *x) {
  const struct sx *names = x->n > 1 ? x->kid[1] : NULL;
  if (!names || names->kind != SX_LIST) return true;
  s->rule->found = ARENA_ARRAY(s->c->a, int, names->n + 1);
  for (uint32_t i = 0; i < names->n; i++) {
    if (!want_atom(s->c, names->kid[i], "a name")) return false;
    const char *colon = strchr(names->kid[i]->text, ':');
    const char *name =
        colon ? intern(s->c->reader.names, names->kid[i]->text, (size_t)(colon - names->kid[i]->text))
              : names->kid[i]->text;
    if (var_find(s, name) >= 0) {
      diag_error(s->c->d, names->kid[i]->loc, NULL, "'%s' already has a meaning", name);
      return false;
    }
    struct tyref ty = ty_fresh(s, NULL), written;
    s->ty.at[ty.var].soft = true;
    if (colon && parse_type(s, keep(s->c, colon + 1), &written)) ty = written;
    s->rule->found[i] = var_add(s, name, VAR_FOUND, ty, names->kid[i]->loc);
  }
  return true;
}

static bool widths_clause(struct scope *s, const struct sx *x) {
  unsigned *w = ARENA_ARRAY(s->c->a, unsigned, x->n);
  for (uint32_t i = 1; i < x->n; i++) {
    int64_t n;
    if (x->kid[i]->kind != SX_ATOM || !parse_int(x->kid[i]->text, &n) || n < 1 || n > VT_MAX_BITS) {
      diag_error(s->c->d, x->kid[i]->loc, NULL, "a width between 1 and %d was expected", VT_MAX_BITS);
      return false;
    }
    w[i - 1] = (unsigned)n;
  }
  s->rule->widths = w;
  s->rule->nwidth = x->n - 1;
  return true;
}

static bool requires_clause(struct scope *s, const struct sx *x) {
  struct rule *r = s->rule;
  const char **list = ARENA_ARRAY(s->c->a, const char *, x->n);
  for (uint32_t i = 1; i < x->n; i++) {
    if (!want_atom(s->c, x->kid[i], "a feature")) return false;
    list[i - 1] = x->kid[i]->text;
    if (!name_get(&s->c->names, s->c->target, SPACE_FACT, list[i - 1])) {
      diag_error(s->c->d, x->kid[i]->loc, hint_spelling(s->c, NEAREST(s->c, list[i - 1], SPACE_FACT)),
                 "unknown feature '%s'", list[i - 1]);
      return false;
    }
  }
  r->requires = list;
  r->nrequires = x->n - 1;
  return true;
}

static bool number_clause(struct scope *s, const struct sx *x, int64_t *out) {
  if (x->n == 2 && x->kid[1]->kind == SX_ATOM && parse_int(x->kid[1]->text, out)) return true;
  diag_error(s->c->d, x->loc, NULL, "'%s' takes a number", x->kid[0]->text);
  return false;
}

bool check_clauses(struct scope *s, const struct sx *form, uint32_t from) {
  struct rule *r = s->rule;
  for (uint32_t i = from; i < form->n; i++) {
    const struct sx *x = form->kid[i];
    int64_t n = 0;
    bool ok = true;
    s->facts = true;
    s->heuristics = sx_head(x) && sx_is(x->kid[0], "only-if");
    if (!sx_head(x))
      ok = want_list(s->c, x, 1, UINT32_MAX, "a clause: (when …)");
    else if (sx_is(x->kid[0], "when"))
      ok = check_conjuncts(s, x, &r->when, &r->nwhen);
    else if (s->heuristics)
      ok = check_conjuncts(s, x, &r->onlyif, &r->nonlyif);
    else if (sx_is(x->kid[0], "find"))
      ok = find_clause(s, x);
    else if (sx_is(x->kid[0], "widths"))
      ok = widths_clause(s, x);
    else if (sx_is(x->kid[0], "requires"))
      ok = requires_clause(s, x);
    else if (sx_is(x->kid[0], "added-complexity") && (ok = number_clause(s, x, &n)))
      r->added_complexity = (int)n;
    else if (sx_is(x->kid[0], "cost") && (ok = number_clause(s, x, &n)))
      r->cost = (uint32_t)n;
    else if (ok) {
      diag_error(s->c->d, x->loc, "clauses are when only-if find widths requires added-complexity cost",
                 "unknown clause '%s'", x->kid[0]->text);
      ok = false;
    }
    s->facts = s->heuristics = false;
    if (!ok) return false;
  }
  return true;
}

/* ---- Finishing ------------------------------------------------------------------------------------- */

/* How specific a pattern is: nodes count most, then fixed constants, constants, repeated names, flags, types.
 */
static int specificity(const struct scope *s, const struct pat *p) {
  int n = 0;
  switch (p->kind) {
  case P_OP: n = 10 + (p->ty.var < 0) + 2 * __builtin_popcount(p->flags); break;
  case P_EXPR: n = 8; break;
  case P_CONST: n = s->vars.at[p->var].kind == VAR_IMM ? 5 : 4; break;
  case P_MEM: n = 6; break;
  default: break;
  }
  for (uint32_t i = 0; i < p->nkid; i++) n += specificity(s, p->kid[i]);
  return n;
}

static bool report_unused(struct scope *s) {
  for (uint32_t i = 0; i < s->vars.n; i++) {
    const struct var *v = &s->vars.at[i];
    if (s->var_used.at[i] || (v->kind != VAR_NODE && v->kind != VAR_FLAGS && v->kind != VAR_FOUND)) continue;
    diag_error(s->c->d, v->loc, "delete the name", "'%s' is never used", v->name);
    return false;
  }
  return true;
}

static void repeated_names(struct scope *s, const struct pat *p, uint8_t *seen, int *n) {
  if ((p->kind == P_VAR || p->kind == P_CONST) && p->var >= 0 && seen[p->var]++) *n += 3;
  for (uint32_t i = 0; i < p->nkid; i++) repeated_names(s, p->kid[i], seen, n);
}

static void copy_vars(struct scope *s) {
  struct rule *r = s->rule;
  r->nvar = s->vars.n;
  r->vars = ARENA_ARRAY(s->c->a, struct var, s->vars.n + 1);
  if (s->vars.n) memcpy(r->vars, s->vars.at, s->vars.n * sizeof *r->vars);
  r->nlet = s->let_nodes.n;
  r->let_node = ARENA_ARRAY(s->c->a, struct pat *, r->nlet + 1);
  r->let_var = ARENA_ARRAY(s->c->a, int, r->nlet + 1);
  for (uint32_t i = 0; i < r->nlet; i++) {
    r->let_node[i] = s->let_nodes.at[i];
    r->let_var[i] = s->let_vars.at[i];
  }
}

void finish_rule(struct scope *s) {
  struct rule *r = s->rule;
  struct checker *c = s->c;
  if (!report_unused(s)) return;
  scope_settle(s, &r->ntyvar, &r->tyvars);
  for (uint32_t i = 0; i < s->ty.n; i++) {
    const struct tynode *t = &s->ty.at[i];
    if (t->parent < 0 && t->fixed == VT_NONE && !t->given && t->fallback <= 32)
      r->bool_tyvars |= 1u << (t->fallback - 1);
  }
  copy_vars(s);
  if (r->lhs) {
    uint8_t *seen = ARENA_ARRAY(c->a, uint8_t, r->nvar + 1);
    r->complexity = specificity(s, r->lhs) + (r->nwhen ? 1 : 0);
    repeated_names(s, r->lhs, seen, &r->complexity);
  }
  if (r->target) r->name = keep(c, arena_printf(c->a, "%s.%s", r->target->name, r->name));
  const struct rule *old = r->name ? name_get(&c->names, NULL, SPACE_RULE, r->name) : NULL;
  if (old) {
    diag_error(c->d, r->loc, "rule names are unique over all files", "rule '%s' is already defined at %s:%u",
               r->name, old->loc.src->path, old->loc.line);
    return;
  }
  if (r->name) name_put(&c->names, NULL, SPACE_RULE, r->name, r);
  r->index = c->m->rules.n;
  *vec_push(&c->m->rules) = r;
  check_rule_widths(c, r);
}

static const struct sx *clause_named(const struct sx *form, const char *name) {
  for (uint32_t i = 1; i < form->n; i++)
    if (sx_head(form->kid[i]) && sx_is(form->kid[i]->kid[0], name)) return form->kid[i];
  return NULL;
}

/* (rule …), (expand …), (lower …) and (select …): NAME "law" PATTERN => RESULT CLAUSE … */
static void plain_rule(struct checker *c, const struct form *f, enum rule_kind kind) {
  uint32_t next, arrow;
  struct rule *r = new_rule(c, kind, f->sx->loc);
  struct scope s = {.c = c, .kind = SCOPE_RULE, .rule = r};
  if (!name_and_law(c, f->sx, r, &next) || !(arrow = find_arrow(c, f->sx))) return;
  const struct sx *find = clause_named(f->sx, "find");
  if (arrow != next + 1) {
    diag_error(c->d, f->sx->loc, NULL, "one pattern goes before '=>'");
  } else if (!r->law && kind == RULE_COMBINE) {
    diag_error(c->d, r->loc, "state the law behind the name: \"x * 2^k = x << k\"", "rule '%s' states no law",
               r->name);
  } else if (pattern_root(&s, f->sx->kid[next]) && (!find || declare_found(&s, find)) &&
             result_root(&s, f->sx->kid[arrow + 1]) && check_clauses(&s, f->sx, arrow + 2)) {
    finish_rule(&s);
  }
  scope_free(&s);
}

void check_rule(struct checker *c, const struct form *f) {
  const struct sx *h = f->sx->kid[0];
  plain_rule(c, f, sx_is(h, "rule") ? RULE_COMBINE : sx_is(h, "expand") ? RULE_EXPAND : RULE_LOWER);
}

void check_select(struct checker *c, const struct form *f) { plain_rule(c, f, RULE_SELECT); }

/* ---- Legalization ---------------------------------------------------------------------------------- */

/* The operations that a form names: one atom or a list of atoms. Calls `each` for every one. */
static bool each_op(struct checker *c, const struct sx *x,
                    bool (*each)(struct checker *, const struct form *, const struct op *, struct loc),
                    const struct form *f) {
  for (uint32_t i = 0; i < (x->kind == SX_LIST ? x->n : 1); i++) {
    const struct sx *a = x->kind == SX_LIST ? x->kid[i] : x;
    if (!want_atom(c, a, "an operation")) return false;
    const struct op *op = find_op(c, a->text);
    if (!op) {
      diag_error(c->d, a->loc, hint_spelling(c, NEAREST(c, a->text, SPACE_OP)), "unknown operation '%s'",
                 a->text);
      return false;
    }
    if (!each(c, f, op, a->loc)) return false;
  }
  return true;
}

static bool promote_ext(struct scope *s, const struct sx *x, const struct op *op) {
  static const char *const word[] = {"any", "zero", "sign", "keep"};
  struct rule *r = s->rule;
  if (x->n - 1 != op->nin) {
    diag_error(s->c->d, x->loc, "one of any, zero, sign, keep for each operand",
               "'%s' has %u operand%s, not %u", op->name, op->nin, PLURAL(op->nin), x->n - 1);
    return false;
  }
  r->ext = ARENA_ARRAY(s->c->a, enum ext_kind, op->nin + 1);
  for (uint32_t i = 0; i < op->nin; i++) {
    int k = 0;
    while (k < 4 && !sx_is(x->kid[i + 1], word[k])) k++;
    bool promoted = op->in[i].ty.var == 0;
    if (k == 4 || promoted != (k != EXT_KEEP)) {
      diag_error(s->c->d, x->kid[i + 1]->loc, NULL,
                 k == 4     ? "an extension is any, zero, sign or keep"
                 : promoted ? "operand %u has the promoted type and needs an extension"
                            : "operand %u has not the promoted type: write keep",
                 i + 1);
      return false;
    }
    r->ext[i] = (enum ext_kind)k;
  }
  r->promote_op = op;
  return true;
}

static bool promote_one(struct checker *c, const struct form *f, const struct op *op, struct loc at) {
  const struct sx *how = f->sx->kid[2];
  struct rule *r = new_rule(c, RULE_PROMOTE, at);
  struct scope s = {.c = c, .kind = SCOPE_RULE, .rule = r};
  r->name = keep(c, arena_printf(c->a, "promote-%s", op->name));
  bool ok = false;
  if (sx_is(how->kid[0], "ext")) {
    ok = promote_ext(&s, how, op);
  } else {
    uint32_t arrow = find_arrow(c, how);
    r->promote_op = op;
    ty_named(&s, keep(c, "N"));
    ty_named(&s, keep(c, "W"));
    ok = arrow == 2 && pattern_root(&s, how->kid[1]);
    if (ok && r->lhs->op != op) {
      diag_error(c->d, how->kid[1]->loc, NULL, "the pattern's root is '%s', not '%s'", r->lhs->op->name,
                 op->name);
      ok = false;
    }
    ok = ok && result_root(&s, how->kid[3]) && check_clauses(&s, how, 4);
  }
  if (ok) finish_rule(&s);
  scope_free(&s);
  return ok;
}

void check_promote(struct checker *c, const struct form *f) {
  const char *usage = "(promote OP (ext EXTENSION …)) or (promote OP (custom PATTERN => RESULT))";
  if (!want_list(c, f->sx, 3, 4, usage)) return;
  const struct sx *how = f->sx->kid[2];
  bool law = how->kind == SX_STRING && f->sx->n == 4;
  struct sx moved = *f->sx;
  if (law) {
    moved.kid = (struct sx *[]){f->sx->kid[0], f->sx->kid[1], f->sx->kid[3]};
    moved.n = 3;
    how = f->sx->kid[3];
  }
  if (!sx_head(how) || (!sx_is(how->kid[0], "ext") && !sx_is(how->kid[0], "custom"))) {
    diag_error(c->d, how->loc, usage, "(ext …) or (custom …) was expected");
    return;
  }
  struct form g = {.sx = &moved, .target = f->target};
  each_op(c, f->sx->kid[1], promote_one, &g);
}

/* The operands of an expand-int: (x xl xh) for a wide one, x for another. */
static bool half_operands(struct scope *s, const struct sx *list, const struct op *op, struct pat *lhs) {
  struct rule *r = s->rule;
  struct tyref h = ty_named(s, keep(s->c, "H"));
  if (!want_list(s->c, list, op->nin, op->nin, "one entry per operand: (x LOW HIGH), or x")) return false;
  r->nhalf = op->nin;
  r->half = arena_alloc(s->c->a, sizeof *r->half * (op->nin + 1));
  for (uint32_t i = 0; i < op->nin; i++) {
    const struct sx *o = list->kid[i];
    const struct sx *name = o->kind == SX_LIST && o->n ? o->kid[0] : o;
    if (o->kind == SX_LIST && !want_list(s->c, o, 3, 3, "(x LOW HIGH)")) return false;
    for (uint32_t k = 0; k < (o->kind == SX_LIST ? 3 : 1); k++) {
      const struct sx *n = o->kind == SX_LIST ? o->kid[k] : o;
      if (!want_atom(s->c, n, "a name")) return false;
      if (!sx_is(n, "_") && var_find(s, n->text) >= 0) {
        diag_error(s->c->d, n->loc, NULL, "'%s' is named twice", n->text);
        return false;
      }
    }
    struct tyref ty = op->in[i].ty.var < 0 ? op->in[i].ty : lhs->optys[op->in[i].ty.var];
    r->half[i].whole = var_add(s, name->text, VAR_VALUE, ty, name->loc);
    r->half[i].lo = r->half[i].hi = -1;
    if (o->kind == SX_LIST) {
      r->half[i].lo = var_add(s, o->kid[1]->text, VAR_HALF, h, o->kid[1]->loc);
      r->half[i].hi = var_add(s, o->kid[2]->text, VAR_HALF, h, o->kid[2]->loc);
    }
    lhs->kid[i] = new_pat(s, P_VAR, o->loc);
    lhs->kid[i]->var = r->half[i].whole;
    lhs->kid[i]->ty = ty;
  }
  return true;
}

static bool expand_int_one(struct checker *c, const struct form *f, const struct op *op, struct loc at) {
  const struct sx *x = f->sx;
  struct rule *r = new_rule(c, RULE_EXPAND_INT, at);
  struct scope s = {.c = c, .kind = SCOPE_RULE, .rule = r};
  uint32_t arrow = find_arrow(c, x);
  r->name = keep(c, arena_printf(c->a, "expand-int-%s", op->name));
  struct pat *lhs = new_pat(&s, P_OP, at);
  lhs->op = op;
  lhs->nkid = op->nin;
  lhs->kid = ARENA_ARRAY(c->a, struct pat *, op->nin + 1);
  lhs->optys = ARENA_ARRAY(c->a, struct tyref, op->ntyvar + 1);
  for (uint32_t i = 0; i < op->ntyvar; i++) {
    bool clash = strcmp(op->tyvars[i], "H") == 0;
    lhs->optys[i] = clash ? ty_fresh(&s, NULL) : ty_named(&s, op->tyvars[i]);
  }
  if (op->second >= 0) lhs->ty2 = lhs->optys[op->second];
  lhs->ty = !op->nres               ? ty_fixed(VT_CHAIN)
            : op->res[0].ty.var < 0 ? op->res[0].ty
                                    : lhs->optys[op->res[0].ty.var];
  r->lhs = lhs;
  bool ok = arrow == 3 || arrow == 4;
  if (arrow == 4 && x->kid[2]->kind == SX_STRING) r->law = x->kid[2]->text;
  ok = ok && half_operands(&s, x->kid[arrow - 1], op, lhs);
  for (uint32_t i = 0; i < s.ty.n; i++) s.ty.at[i].given = true;
  ok = ok && result_root(&s, x->kid[arrow + 1]) && check_clauses(&s, x, arrow + 2);
  if (ok) finish_rule(&s);
  scope_free(&s);
  return ok;
}

void check_expand_int(struct checker *c, const struct form *f) {
  if (!want_list(c, f->sx, 5, UINT32_MAX, "(expand-int OP ((x LOW HIGH) …) => RESULT CLAUSE …)")) return;
  each_op(c, f->sx->kid[1], expand_int_one, f);
}

/* ---- Actions --------------------------------------------------------------------------------------- */

static bool action_word(struct checker *c, const struct sx *x, struct action_row *row) {
  static const char *const word[] = {"none", "legal", "promote", "expand", "libcall", "custom"};
  for (int i = ACT_LEGAL; i <= ACT_CUSTOM; i++)
    if (sx_is(x, word[i]) && i != ACT_LIBCALL) {
      row->action = (enum action)i;
      return true;
    }
  if (sx_head(x) && sx_is(x->kid[0], "libcall") && x->n == 2 && x->kid[1]->kind == SX_STRING) {
    row->action = ACT_LIBCALL;
    row->libcall = keep(c, x->kid[1]->text);
    if (name_get(&c->names, NULL, SPACE_ROUTINE, row->libcall)) return true;
    diag_error(c->d, x->kid[1]->loc, "say what it returns: (routine NAME ((x TYPE) …) TYPE (val E))",
               "routine '%s' has no meaning", row->libcall);
    return false;
  }
  diag_error(c->d, x->loc, NULL, "an action is legal, promote, expand, custom or (libcall \"NAME\")");
  return false;
}

static struct pat *op_over_vars(struct scope *s, const struct op *op, struct loc at, vt type) {
  struct pat *p = new_pat(s, P_OP, at);
  p->op = op;
  p->nkid = op->nin;
  p->kid = ARENA_ARRAY(s->c->a, struct pat *, op->nin + 1);
  p->optys = ARENA_ARRAY(s->c->a, struct tyref, op->ntyvar + 1);
  for (uint32_t i = 0; i < op->ntyvar; i++) p->optys[i] = ty_fixed(type);
  p->ty = op->res[0].ty.var < 0 ? op->res[0].ty : ty_fixed(type);
  for (uint32_t i = 0; i < op->nin; i++) {
    p->kid[i] = new_pat(s, P_VAR, at);
    p->kid[i]->var = (int)i;
    p->kid[i]->ty = op->in[i].ty.var < 0 ? op->in[i].ty : ty_fixed(type);
  }
  return p;
}

static bool same_shape(const struct pat *a, const struct pat *b) {
  bool same = a->nkid == b->nkid && a->ty.fixed == b->ty.fixed;
  for (uint32_t i = 0; same && i < a->nkid; i++) same = a->kid[i]->ty.fixed == b->kid[i]->ty.fixed;
  return same;
}

/* The obligation of a call: the routine refines the operation. */
static bool libcall_rule(struct checker *c, const struct action_row *row) {
  const struct op *routine = name_get(&c->names, NULL, SPACE_ROUTINE, row->libcall);
  struct rule *r = new_rule(c, RULE_LIBCALL, row->loc);
  struct scope s = {.c = c, .kind = SCOPE_RULE, .rule = r};
  char type[16];
  r->name = keep(c, arena_printf(c->a, "libcall-%s-%s", row->op->name, vt_name(row->ty, type)));
  r->law = arena_printf(c->a, "a call of %s", row->libcall);
  r->lhs = row->op->ntyvar == 1 && row->op->nres == 1 ? op_over_vars(&s, row->op, row->loc, row->ty) : NULL;
  r->rhs = op_over_vars(&s, routine, row->loc, VT_NONE);
  bool ok = r->lhs && same_shape(r->lhs, r->rhs);
  if (!ok)
    diag_error(c->d, row->loc, NULL, "routine '%s' does not take and return what '%s' does at %s",
               row->libcall, row->op->name, type);
  for (uint32_t i = 0; ok && i < row->op->nin; i++)
    var_add(&s, row->op->in[i].name, VAR_VALUE, r->lhs->kid[i]->ty, row->loc);
  if (ok) finish_rule(&s);
  scope_free(&s);
  return ok;
}

/* (legal OPS TYPE … (requires F)?) and (action OPS TYPE … ACTION (requires F)?). */
static bool action_one(struct checker *c, const struct form *f, const struct op *op, struct loc at) {
  const struct sx *x = f->sx;
  uint32_t end = x->n;
  struct action_row row = {.op = op, .action = ACT_LEGAL, .loc = at};
  const struct sx *last = x->kid[end - 1];
  if (sx_head(last) && sx_is(last->kid[0], "requires") && last->n == 2 && last->kid[1]->kind == SX_ATOM) {
    row.requires = last->kid[1]->text;
    if (!name_get(&c->names, c->target, SPACE_FACT, row.requires)) {
      diag_error(c->d, last->kid[1]->loc, NULL, "unknown feature '%s'", row.requires);
      return false;
    }
    end--;
  }
  if (sx_is(x->kid[0], "action") && !action_word(c, x->kid[--end], &row)) return false;
  if (row.action == ACT_LIBCALL && end == 2) {
    diag_error(c->d, x->loc, NULL, "a call needs its types");
    return false;
  }
  struct scope s = {.c = c};
  if (end == 2) *vec_push(&c->target->actions) = row; /* no types: at all of them */
  for (uint32_t i = 2; i < end; i++) {
    struct tyref ty;
    if (x->kid[i]->kind != SX_ATOM || is_tyvar_name(x->kid[i]->text) ||
        !parse_type(&s, x->kid[i]->text, &ty)) {
      diag_error(c->d, x->kid[i]->loc, "types come after the operations, an action last",
                 "a type was expected");
      return false;
    }
    row.ty = ty.fixed;
    *vec_push(&c->target->actions) = row;
    if (row.action == ACT_LIBCALL && !libcall_rule(c, &row)) return false;
  }
  scope_free(&s);
  return true;
}

void check_action(struct checker *c, const struct form *f) {
  if (!want_list(c, f->sx, 3, UINT32_MAX, "(legal OPS TYPE …) or (action OPS TYPE … ACTION)")) return;
  if (!c->target) {
    diag_error(c->d, f->sx->loc, NULL, "'%s' belongs to a target", f->sx->kid[0]->text);
    return;
  }
  each_op(c, f->sx->kid[1], action_one, f);
}
