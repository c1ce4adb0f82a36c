/* check_result.c: right sides. Nodes, constant expressions, shared nodes, machine instructions. */
#include "rulec/check.h"

#include <ctype.h>
#include <string.h>

struct pat *op_node(struct scope *s, const struct sx *x, struct head *h); /* check_pattern.c */

static struct tyref op_ty(const struct pat *p, struct tyref t) { return t.var < 0 ? t : p->optys[t.var]; }

/* The variable of sort value that a constant expression may not use, or -1. */
static int not_constant(struct scope *s, const struct expr *e) {
  if (e->op == X_VAR) {
    enum var_kind k = s->vars.at[e->var].kind;
    return k == VAR_CONST || k == VAR_FOUND || k == VAR_IMM ? -1 : e->var;
  }
  for (uint32_t i = 0; i < e->nkid; i++) {
    int v = not_constant(s, e->kid[i]);
    if (v >= 0) return v;
  }
  return -1;
}

static struct pat *constant(struct scope *s, const struct sx *x, struct tyref ty) {
  struct pat *p = new_pat(s, P_EXPR, x->loc);
  bool open = ty.var < 0 && ty.fixed == VT_NONE;
  p->ty = open ? ty_fresh(s, NULL) : ty;
  p->value = check_bv(s, x, width_of(s, x->loc, p->ty));
  if (!p->value) return NULL;
  if (p->value->op == X_VAR && !ty_expect(s, x->loc, s->vars.at[p->value->var].ty, p->ty)) return NULL;
  int v = not_constant(s, p->value);
  if (v < 0) return p;
  diag_error(
      s->c->d, x->loc,
      "a result's expression is computed from constants (upper-case names); nodes are built from operations",
      "'%s' is not a constant", s->vars.at[v].name);
  return NULL;
}

static struct pat *result_name(struct scope *s, const struct sx *x, struct tyref ty) {
  const char *colon = strchr(x->text, ':');
  const char *name = colon ? intern(s->c->reader.names, x->text, (size_t)(colon - x->text)) : x->text;
  int v = var_find(s, name);
  struct tyref written;
  if (colon && v >= 0 && parse_type(s, keep(s->c, colon + 1), &written) &&
      !ty_expect(s, x->loc, s->vars.at[v].ty, written))
    return NULL;
  const struct physreg *zero = v < 0 && !colon ? find_physreg(s->c, name) : NULL;
  if (zero && zero->zero) {
    struct pat *p = new_pat(s, P_PHYSIN, x->loc);
    p->reg = zero;
    p->ty = ty_fixed(zero->ty);
    return p;
  }
  const struct physreg *reg = v < 0 && s->rule->kind == RULE_SELECT ? find_physreg(s->c, name) : NULL;
  if (reg && reg->zero) {
    struct pat *z = new_pat(s, P_PHYSIN, x->loc);
    z->reg = reg;
    z->ty = ty_fixed(reg->ty);
    return z;
  }
  if (v < 0) return constant(s, x, ty);
  enum var_kind k = s->vars.at[v].kind;
  if (k == VAR_CONST || k == VAR_FOUND || k == VAR_IMM) return constant(s, x, ty);
  if (k == VAR_FLAGS) {
    diag_error(s->c->d, x->loc, "put it into brackets behind an operation: add[f]", "'%s' stands for flags",
               name);
    return NULL;
  }
  struct pat *p = new_pat(s, k == VAR_NODE ? P_NODE : k == VAR_MEM ? P_MEM : P_VAR, x->loc);
  p->var = v;
  p->ty = s->vars.at[v].ty;
  p->nonterm = s->vars.at[v].nonterm;
  if (k == VAR_NODE && s->vars.at[v].node) p->res = s->vars.at[v].node->res;
  s->var_used.at[v]++;
  return p;
}

/* ---- Nodes ----------------------------------------------------------------------------------------- */

/* [f & g & nuw]: captured flags to intersect and flags that alone may survive. */
static bool result_flags(struct scope *s, const struct sx *x, const struct head *h, struct pat *p) {
  if (!h->bracket) return true;
  uint16_t named = 0;
  char *text = arena_strdup(s->c->a, h->bracket);
  for (char *word = strtok(text, " &"); word; word = strtok(NULL, " &")) {
    int flag = -1, v = var_find(s, keep(s->c, word));
    for (int f = 0; f < FLAG_COUNT; f++)
      if (strcmp(flag_name[f], word) == 0) flag = f;
    if (flag >= 0) {
      named |= (uint16_t)(1u << flag);
    } else if (v >= 0 && s->vars.at[v].kind == VAR_FLAGS && v < 32) {
      p->flagvars |= 1u << v;
      s->var_used.at[v]++;
    } else {
      diag_error(s->c->d, x->kid[0]->loc, "name flags in the pattern: add[f]",
                 "'%s' is not a flag or captured flags", word);
      return false;
    }
  }
  if (p->flagvars)
    p->flagmask = named ? named : p->op->flags;
  else
    p->flags |= named;
  if ((named | p->flags) & ~p->op->flags) {
    diag_error(s->c->d, x->kid[0]->loc, NULL, "'%s' has no such flag", p->op->name);
    return false;
  }
  return true;
}

static struct pat *result_chain(struct scope *s, const struct sx *x) {
  if (x->kind == SX_ATOM) return check_result(s, x, ty_fixed(VT_CHAIN));
  if (!sx_head(x)) {
    diag_error(s->c->d, x->loc, NULL, "a chain was expected");
    return NULL;
  }
  bool tf = sx_is(x->kid[0], "tokenfactor");
  if (!tf && !sx_is(x->kid[0], "chain")) return check_result(s, x, ty_fixed(VT_CHAIN));
  struct pat *p = new_pat(s, tf ? P_TF : P_CHAIN, x->loc);
  p->ty = ty_fixed(VT_CHAIN);
  if (!tf) {
    p->var = x->n == 2 && x->kid[1]->kind == SX_ATOM ? var_find(s, x->kid[1]->text) : -1;
    if (p->var >= 0 && s->vars.at[p->var].kind == VAR_NODE) {
      s->var_used.at[p->var]++;
      return p;
    }
    diag_error(s->c->d, x->loc, NULL, "(chain n) takes the name of a memory node");
    return NULL;
  }
  p->nkid = x->n - 1;
  p->kid = ARENA_ARRAY(s->c->a, struct pat *, x->n);
  for (uint32_t i = 1; i < x->n; i++)
    if (!(p->kid[i - 1] = result_chain(s, x->kid[i]))) return NULL;
  return p;
}

static struct pat *result_op(struct scope *s, const struct sx *x) {
  struct head h;
  struct pat *p = op_node(s, x, &h);
  if (!p || !result_flags(s, x, &h, p)) return NULL;
  uint32_t from = h.nargs - p->op->nin;
  if (from && !(p->chain = result_chain(s, h.args[0]))) return NULL;
  for (uint32_t i = 0; i < p->nkid; i++) {
    struct tyref want = op_ty(p, p->op->in[i].ty);
    if (!(p->kid[i] = check_result(s, h.args[from + i], want))) return NULL;
    if (!ty_expect(s, p->kid[i]->loc, p->kid[i]->ty, want)) return NULL;
  }
  return p;
}

/* (res NAME node): one of several results of a node or of a named one. */
static struct pat *result_res(struct scope *s, const struct sx *x) {
  if (!want_list(s->c, x, 3, 3, "(res NAME NODE)") || !want_atom(s->c, x->kid[1], "a result's name"))
    return NULL;
  struct pat *p = check_result(s, x->kid[2], ty_fixed(VT_NONE));
  if (!p) return NULL;
  const struct pat *node = p->kind == P_NODE ? s->vars.at[p->var].node : p;
  for (uint32_t i = 0; node->op && i < node->op->nres; i++)
    if (node->op->res[i].name == x->kid[1]->text) {
      p->res = (int)i;
      p->ty = op_ty(node, node->op->res[i].ty);
      return p;
    }
  diag_error(s->c->d, x->kid[1]->loc, NULL, "'%s' has no result '%s'", node->op ? node->op->name : "this",
             x->kid[1]->text);
  return NULL;
}

/* (let ((n node-or-constant) …) result) */
static struct pat *result_let(struct scope *s, const struct sx *x, struct tyref ty,
                              struct pat *(*root)(struct scope *, const struct sx *)) {
  if (!want_list(s->c, x, 3, 3, "(let ((NAME VALUE) …) RESULT)") ||
      !want_list(s->c, x->kid[1], 1, UINT32_MAX, "((NAME VALUE) …)"))
    return NULL;
  int pushed = 0;
  for (uint32_t i = 0; i < x->kid[1]->n; i++) {
    const struct sx *b = x->kid[1]->kid[i];
    if (!want_list(s->c, b, 2, 2, "(NAME VALUE)") || !want_atom(s->c, b->kid[0], "a name")) return NULL;
    if (var_find(s, b->kid[0]->text) >= 0) {
      diag_error(s->c->d, b->kid[0]->loc, NULL, "'%s' already has a meaning", b->kid[0]->text);
      return NULL;
    }
    bool expression = b->kid[1]->kind == SX_ATOM || (sx_head(b->kid[1]) && !head_op(s, b->kid[1]) &&
                                                     is_expr_head(s->c, b->kid[1]->kid[0]->text));
    if (expression) {
      struct sx one = {.kind = SX_LIST, .loc = b->loc, .n = 1, .kid = (struct sx *[]){(struct sx *)b}};
      if (check_bindings(s, &one, NULL) < 0) return NULL;
      pushed++;
      continue;
    }
    struct pat *p = check_result(s, b->kid[1], ty_fixed(VT_NONE));
    if (!p) return NULL;
    int v = var_add(s, b->kid[0]->text, VAR_NODE, p->ty, b->kid[0]->loc);
    s->vars.at[v].node = p;
    *vec_push(&s->let_nodes) = p;
    *vec_push(&s->let_vars) = v;
  }
  struct pat *p = root ? root(s, x->kid[2]) : check_result(s, x->kid[2], ty);
  pop_bindings(s, pushed);
  return p;
}

/* (any a) (zero a) (sign a): operand a of a promoted operation, extended to W. */
static struct pat *result_ext(struct scope *s, const struct sx *x, enum ext_kind kind) {
  int v = x->n == 2 && x->kid[1]->kind == SX_ATOM ? var_find(s, x->kid[1]->text) : -1;
  if (v < 0 || s->vars.at[v].kind != VAR_VALUE) {
    diag_error(s->c->d, x->loc, NULL, "(any x), (zero x) and (sign x) take an operand of the pattern");
    return NULL;
  }
  struct pat *p = new_pat(s, P_EXT, x->loc);
  p->var = v;
  p->num = kind;
  p->ty = ty_named(s, keep(s->c, "W"));
  s->var_used.at[v]++;
  return p;
}

/* ---- Machine instructions -------------------------------------------------------------------------- */

static struct tyref inst_type(const struct inst *i, struct tyref want) {
  if (i->nout) return ty_fixed(vt_int(i->out[0].cls->bits));
  bool chain = want.var < 0 && want.fixed == VT_CHAIN;
  if (i->ndef && !chain) return ty_fixed(i->def[0]->ty);
  return ty_fixed(VT_CHAIN);
}

static struct pat *inst_operand(struct scope *s, const struct sx *x, const struct inst *inst,
                                const struct inst_operand *o) {
  struct tyref ty = o->kind == OPND_REG     ? ty_fixed(vt_int(o->cls->bits))
                    : o->kind == OPND_BLOCK ? ty_fixed(VT_BLOCK)
                                            : inst->vars[o->var].ty;
  struct pat *p = check_result(s, x, ty);
  if (!p) return NULL;
  bool ok = o->kind == OPND_IMM   ? p->kind == P_EXPR
            : o->kind == OPND_MEM ? p->kind == P_MEM && p->nonterm == o->nonterm
                                  : true;
  if (!ok) {
    diag_error(s->c->d, x->loc, NULL, "operand '%s' of %s is %s", o->name, inst->name,
               o->kind == OPND_IMM ? "an immediate: give a constant" : "an address: match it with x:mem");
    return NULL;
  }
  return o->kind == OPND_MEM || ty_expect(s, x->loc, p->ty, ty) ? p : NULL;
}

static struct pat *phys_in(struct scope *s, const struct sx *x, const struct physreg *r) {
  if (!want_list(s->c, x, 2, 2, "(REGISTER VALUE)")) return NULL;
  struct pat *p = new_pat(s, P_PHYSIN, x->loc);
  p->reg = r;
  p->ty = ty_fixed(r->ty);
  p->nkid = 1;
  p->kid = ARENA_ARRAY(s->c->a, struct pat *, 1);
  p->kid[0] = check_result(s, x->kid[1], p->ty);
  return p->kid[0] && ty_expect(s, x->loc, p->kid[0]->ty, p->ty) ? p : NULL;
}

static bool has_phys(const struct pat *p, uint32_t from, uint32_t n, const struct physreg *r) {
  for (uint32_t i = from; i < n; i++)
    if (p->kid[i]->reg == r) return true;
  return false;
}

static struct pat *result_inst(struct scope *s, const struct sx *x, const struct inst *inst,
                               struct tyref want) {
  struct pat *p = new_pat(s, P_INST, x->loc);
  p->inst = inst;
  p->ty = inst_type(inst, want);
  p->kid = ARENA_ARRAY(s->c->a, struct pat *, x->n);
  p->nkid = x->n - 1;
  for (uint32_t i = 0; i < p->nkid; i++) {
    const struct sx *a = x->kid[i + 1];
    const struct physreg *r = sx_head(a) && a->n == 2 ? find_physreg(s->c, a->kid[0]->text) : NULL;
    if (i < inst->nin && !r) {
      if (!(p->kid[i] = inst_operand(s, a, inst, &inst->in[i]))) return NULL;
    } else if (i >= inst->nin && r) {
      if (!(p->kid[i] = phys_in(s, a, r))) return NULL;
    } else {
      break;
    }
  }
  if (p->nkid < inst->nin || (p->nkid && !p->kid[p->nkid - 1])) {
    diag_error(s->c->d, x->loc, "operands come in LLVM's order, then implicit ones as (REGISTER VALUE)",
               "%s takes %u operand%s", inst->name, inst->nin, PLURAL(inst->nin));
    return NULL;
  }
  for (uint32_t i = 0; i < inst->nuse; i++)
    if (!has_phys(p, inst->nin, p->nkid, inst->use[i])) {
      diag_error(s->c->d, x->loc, "add (REGISTER VALUE) behind the operands",
                 "%s reads %s, which is not given", inst->name, inst->use[i]->name);
      return NULL;
    }
  return p;
}

static bool pseudo_class(struct scope *s, const struct sx *x, struct pat *p) {
  struct class_ref *r = x->kind == SX_ATOM ? find_class(s->c, x->text) : NULL;
  if (!r || r->kind != CLASS_REG) {
    diag_error(s->c->d, x->loc, NULL, "a register class was expected");
    return false;
  }
  p->cls = r->p;
  p->ty = ty_fixed(vt_int(p->cls->bits));
  return true;
}

static const struct pseudo_row {
  const char *name, *usage;
  enum pseudo pseudo;
  uint32_t nkid;
  bool cls, sub, reg;
} pseudos[] = {
    {"IMPLICIT_DEF", "(IMPLICIT_DEF CLASS)", PSEUDO_IMPLICIT_DEF, 0, true, false, false},
    {"COPY", "(COPY CLASS x)", PSEUDO_COPY, 1, true, false, false},
    {"INSERT_SUBREG", "(INSERT_SUBREG x y INDEX)", PSEUDO_INSERT_SUBREG, 2, false, true, false},
    {"EXTRACT_SUBREG", "(EXTRACT_SUBREG x INDEX)", PSEUDO_EXTRACT_SUBREG, 1, false, true, false},
    {"SUBREG_TO_REG", "(SUBREG_TO_REG x INDEX)", PSEUDO_SUBREG_TO_REG, 1, false, true, false},
    {"physout", "(physout REGISTER (INST …))", PSEUDO_PHYSOUT, 1, false, false, true},
};

static const struct pseudo_row *pseudo_named(const char *name) {
  for (uint32_t i = 0; i < sizeof pseudos / sizeof *pseudos; i++)
    if (strcmp(pseudos[i].name, name) == 0) return &pseudos[i];
  return NULL;
}

static struct pat *result_pseudo(struct scope *s, const struct sx *x, const struct pseudo_row *row,
                                 struct tyref want) {
  struct pat *p = new_pat(s, P_PSEUDO, x->loc);
  uint32_t from = 1 + (row->cls || row->reg);
  if (!want_list(s->c, x, from + row->nkid + row->sub, from + row->nkid + row->sub, row->usage)) return NULL;
  p->pseudo = row->pseudo;
  p->nkid = row->nkid;
  p->kid = ARENA_ARRAY(s->c->a, struct pat *, row->nkid + 1);
  p->ty = want.var < 0 && want.fixed == VT_NONE ? ty_fresh(s, NULL) : want;
  if (row->cls && !pseudo_class(s, x->kid[1], p)) return NULL;
  if (row->reg) {
    p->reg = x->kid[1]->kind == SX_ATOM ? find_physreg(s->c, x->kid[1]->text) : NULL;
    if (!p->reg) {
      diag_error(s->c->d, x->kid[1]->loc, NULL, "a physical register was expected");
      return NULL;
    }
    p->ty = ty_fixed(p->reg->ty);
  }
  for (uint32_t i = 0; i < row->nkid; i++) {
    struct tyref kid = row->pseudo == PSEUDO_COPY || (row->pseudo == PSEUDO_INSERT_SUBREG && i == 0)
                           ? p->ty
                           : ty_fixed(VT_NONE);
    if (!(p->kid[i] = check_result(s, x->kid[from + i], kid))) return NULL;
    if (row->pseudo == PSEUDO_INSERT_SUBREG && i == 0 && !ty_expect(s, x->loc, p->kid[0]->ty, p->ty))
      return NULL;
  }
  if (row->sub) {
    const struct sx *idx = x->kid[from + row->nkid];
    if (!want_atom(s->c, idx, "a sub-register index")) return NULL;
    p->subreg = idx->text;
  }
  return p;
}

/* ---- Dispatch -------------------------------------------------------------------------------------- */

static struct pat *machine_result(struct scope *s, const struct sx *x, struct tyref ty) {
  const char *head = x->kid[0]->text;
  const struct inst *inst = find_inst(s->c, head);
  if (inst) return result_inst(s, x, inst, ty);
  const struct pseudo_row *pseudo = pseudo_named(head);
  if (pseudo) return result_pseudo(s, x, pseudo, ty);
  if (is_expr_head(s->c, head)) return constant(s, x, ty);
  diag_error(s->c->d, x->kid[0]->loc, hint_spelling(s->c, NEAREST(s->c, head, SPACE_INST)),
             "unknown instruction '%s'", head);
  return NULL;
}

struct pat *check_result(struct scope *s, const struct sx *x, struct tyref ty) {
  static const char *const ext[] = {"any", "zero", "sign"};
  int64_t n;
  if (x->kind == SX_ATOM) return parse_int(x->text, &n) ? constant(s, x, ty) : result_name(s, x, ty);
  if (!sx_head(x)) {
    diag_error(s->c->d, x->loc, NULL, "a result was expected");
    return NULL;
  }
  const struct sx *h = x->kid[0];
  if (x->bind) {
    diag_error(s->c->d, x->loc, "share a node with (let ((n …)) …)", "'%s:' binds only in a pattern",
               x->bind);
    return NULL;
  }
  if (sx_is(h, "let")) return result_let(s, x, ty, NULL);
  if (sx_is(h, "res")) return result_res(s, x);
  if (sx_is(h, "chain") || sx_is(h, "tokenfactor")) return result_chain(s, x);
  for (int i = 0; s->rule->kind == RULE_PROMOTE && i < 3; i++)
    if (sx_is(h, ext[i])) return result_ext(s, x, (enum ext_kind)i);
  if (s->rule->kind == RULE_SELECT) return machine_result(s, x, ty);
  if (!head_op(s, x) && is_expr_head(s->c, h->text)) return constant(s, x, ty);
  return result_op(s, x);
}

/* The type that a result must have. Promotion gives a value of the promoted type in the wide type W; its low
 * bits count. */
static struct tyref root_type(struct scope *s, struct tyref ty) {
  struct tyref a = ty_find(s, ty),
               n = ty_find(s, s->rule->kind == RULE_PROMOTE ? s->rule->lhs->optys[0] : ty_fixed(VT_NONE));
  bool promoted = s->rule->kind == RULE_PROMOTE && a.var == n.var && a.fixed == n.fixed;
  return promoted ? ty_named(s, keep(s->c, "W")) : ty;
}

static struct pat *halves(struct scope *s, const struct sx *x) {
  if (!want_list(s->c, x, 3, 3, "(halves LOW HIGH)")) return NULL;
  struct tyref h = ty_named(s, keep(s->c, "H"));
  struct pat *p = new_pat(s, P_HALVES, x->loc);
  p->nkid = 2;
  p->kid = ARENA_ARRAY(s->c->a, struct pat *, 2);
  for (int i = 0; i < 2; i++) {
    if (!(p->kid[i] = check_result(s, x->kid[i + 1], h))) return NULL;
    if (!ty_expect(s, p->kid[i]->loc, p->kid[i]->ty, h)) return NULL;
  }
  p->ty = h;
  return p;
}

/* A list of results of the root: (results a b …). */
static struct pat *many_results(struct scope *s, const struct sx *x) {
  const struct pat *l = s->rule->lhs;
  struct pat *p = new_pat(s, P_RESULTS, x->loc);
  p->nkid = x->n - 1;
  p->kid = ARENA_ARRAY(s->c->a, struct pat *, x->n);
  if (!l->op || (p->nkid != l->op->nres && !(l->op->chained && p->nkid == l->op->nres + 1))) {
    diag_error(s->c->d, x->loc, NULL, "'%s' has %u result%s, not %u", l->op ? l->op->name : "a constant",
               l->op ? l->op->nres : 1, PLURAL(l->op ? l->op->nres : 1), p->nkid);
    return NULL;
  }
  for (uint32_t i = 0; i < p->nkid; i++) {
    bool two = sx_head(x->kid[i + 1]) && sx_is(x->kid[i + 1]->kid[0], "halves");
    struct tyref want = i < l->op->nres ? root_type(s, op_ty(l, l->op->res[i].ty)) : ty_fixed(VT_CHAIN);
    p->kid[i] = two ? halves(s, x->kid[i + 1]) : check_result(s, x->kid[i + 1], want);
    if (!p->kid[i] || (!two && !ty_expect(s, p->kid[i]->loc, p->kid[i]->ty, want))) return NULL;
  }
  return p;
}

/* A root with several results may be replaced by a node with the same ones. */
static bool same_results(struct scope *s, const struct pat *l, const struct pat *r) {
  for (uint32_t i = 1; l->op && i < l->op->nres && r->kind == P_OP && i < r->op->nres; i++)
    if (!ty_expect(s, r->loc, op_ty(r, r->op->res[i].ty), op_ty(l, l->op->res[i].ty))) return false;
  return true;
}

/* The root of a result; a let may wrap it. */
static struct pat *root_body(struct scope *s, const struct sx *x) {
  const struct pat *l = s->rule->lhs;
  if (sx_head(x) && sx_is(x->kid[0], "results")) return many_results(s, x);
  if (sx_head(x) && sx_is(x->kid[0], "halves")) return halves(s, x);
  if (sx_head(x) && sx_is(x->kid[0], "let")) return result_let(s, x, l->ty, root_body);
  struct tyref want = root_type(s, l->ty);
  struct pat *p = check_result(s, x, want);
  return p && ty_expect(s, p->loc, p->ty, want) && same_results(s, l, p) ? p : NULL;
}

bool result_root(struct scope *s, const struct sx *x) {
  s->rhs = true;
  return (s->rule->rhs = root_body(s, x)) != NULL;
}
