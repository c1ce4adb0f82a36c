/* obligation.c: from an instance to guards and clauses. See obligation.h. */
#include "obligation.h"

#include <string.h>

static Z3_ast defined_premise(struct obligation *o) {
  Z3_ast p = o->left.ub ? smt_not(o->c, o->left.ub) : NULL;
  return p ? p : Z3_mk_true(o->c);
}

static void add_clause(struct obligation *o, enum clause_kind kind, Z3_ast premise, Z3_ast claim) {
  if (Z3_get_bool_value(o->c, claim) == Z3_L_TRUE) return;
  *vec_push(&o->clauses) = (struct clause){kind, premise, claim};
}

static void ub_clause(struct obligation *o) {
  if (o->right.ub) add_clause(o, CLAUSE_UB, defined_premise(o), smt_not(o->c, o->right.ub));
}

/* The right value refines the left one. A wider right value counts by its low bits: a narrow value in a wide
 * register. */
static void value_clauses(struct obligation *o, struct value l, struct value r, bool flags) {
  Z3_context c = o->c;
  if (o->unsupported || !l.val) return;
  if (!r.val) {
    give_up(o, "the result has no value where the pattern has one");
    return;
  }
  unsigned lw = smt_width(c, l.val), rw = smt_width(c, r.val);
  if (rw < lw) {
    give_up(o, "the result is narrower than the pattern");
    return;
  }
  Z3_ast rv = rw > lw ? Z3_mk_extract(c, lw - 1, 0, r.val) : r.val, lv = l.val;
  Z3_ast premise = defined_premise(o);
  if (o->right.ub) premise = smt_and2(c, premise, smt_not(c, o->right.ub));
  if (l.poison) premise = smt_and2(c, premise, smt_not(c, l.poison));
  if (r.poison) {
    add_clause(o, CLAUSE_POISON, premise, smt_not(c, r.poison));
    premise = smt_and2(c, premise, smt_not(c, r.poison));
  }
  Z3_ast mask = flags ? o->flags_mask : o->demanded;
  if (mask && smt_width(c, mask) == lw) {
    lv = Z3_mk_bvand(c, lv, mask);
    rv = Z3_mk_bvand(c, rv, mask);
  }
  add_clause(o, flags ? CLAUSE_FLAGS : CLAUSE_VALUE, premise, smt_eq(c, lv, rv));
  Z3_ast here = l.poison ? smt_not(c, l.poison) : Z3_mk_true(c);
  o->defined = o->defined ? smt_or2(c, o->defined, here) : here;
}

static void branch_clauses(struct obligation *o, struct value l, struct value r) {
  Z3_context c = o->c;
  Z3_ast premise = defined_premise(o);
  if (l.poison) premise = smt_and2(c, premise, smt_not(c, l.poison));
  if (r.poison) {
    add_clause(o, CLAUSE_POISON, premise, smt_not(c, r.poison));
    premise = smt_and2(c, premise, smt_not(c, r.poison));
  }
  Z3_ast lt = o->left.taken ? o->left.taken : Z3_mk_true(c),
         rt = o->right.taken ? o->right.taken : Z3_mk_true(c);
  add_clause(o, CLAUSE_BRANCH, premise, Z3_mk_iff(c, lt, rt));
}

static bool is_flags(const struct obligation *o, struct tyref ty) {
  return vt_kind(tyref_vt(ty, o->in->types)) == TK_FLAGS;
}

/* The value of a result: halves stand for the wide value that they make. */
static struct value result_value(struct obligation *o, const struct pat *rhs) {
  if (rhs->kind != P_HALVES) return side_value(&o->right, rhs);
  struct value lo = side_value(&o->right, rhs->kid[0]), hi = side_value(&o->right, rhs->kid[1]);
  if (o->unsupported || !lo.val || !hi.val) return (struct value){0};
  return (struct value){.val = Z3_mk_concat(o->c, hi.val, lo.val),
                        .poison = smt_or2(o->c, lo.poison, hi.poison)};
}

/* Undefined behaviour first, so that a failed clause is the first in the order ub, poison, value. */
static void compare_results(struct obligation *o, const struct pat *lhs, const struct pat *rhs) {
  if (rhs->kind == P_RESULTS) {
    struct done_pat l = *side_node(&o->left, lhs);
    for (uint32_t i = 0; i < rhs->nkid && !o->unsupported; i++) {
      struct value r = result_value(o, rhs->kid[i]);
      if (o->unsupported) return;
      if (i == 0) ub_clause(o);
      if (r.val)
        value_clauses(o, l.res[i], r, lhs->kind == P_OP && is_flags(o, lhs->op->res[i].ty));
      else
        o->right.mem = r.mem;
    }
    return;
  }
  o->left_root = side_value(&o->left, lhs);
  if (o->unsupported) return;
  o->right_root = result_value(o, rhs);
  if (o->unsupported) return;
  ub_clause(o);
  if (o->left_root.val)
    value_clauses(o, o->left_root, o->right_root, is_flags(o, lhs->ty));
  else if (rhs->kind != P_INST && !o->right_root.val)
    o->right.mem = o->right_root.mem;
}

static void compare_branches(struct obligation *o, const struct rule *r) {
  bool branches = o->left.taken || o->right.taken;
  if (!branches) return;
  struct value l = side_node(&o->left, r->lhs)->res[0];
  struct value v = r->rhs->kind == P_OP ? side_node(&o->right, r->rhs)->res[0] : (struct value){0};
  branch_clauses(o, l, v);
}

static void make_variables(struct obligation *o) {
  const struct rule *r = o->in->rule;
  o->nvar = r->nvar;
  o->vals = ARENA_ARRAY(&o->arena, Z3_ast, r->nvar + 1);
  o->poison = ARENA_ARRAY(&o->arena, Z3_ast, r->nvar + 1);
  for (uint32_t i = 0; i < r->nvar; i++) {
    const struct var *v = &r->vars[i];
    vt t = tyref_vt(v->ty, o->in->types);
    if (v->kind == VAR_FLAGS || v->kind == VAR_NODE || v->kind == VAR_BLOCK || vt_kind(t) == TK_CHAIN)
      continue;
    if (v->kind == VAR_MEM && v->node) continue; /* the address is a node of the pattern */
    unsigned bits = v->kind == VAR_MEM ? o->in->pointer_bits : vt_bits(t);
    if (!bits) continue;
    o->vals[i] = new_input(o, (struct input){.role = IN_VALUE, .name = v->name, .var = (int)i}, bits);
    if (v->kind != VAR_VALUE && v->kind != VAR_HALF && v->kind != VAR_MEM) continue;
    const char *name = arena_printf(&o->arena, "%s.poison", v->name);
    o->poison[i] = new_input(o, (struct input){.role = IN_POISON, .name = name, .var = (int)i}, 0);
  }
}

static bool expr_uses(const struct expr *e, int var) {
  if ((e->op == X_VAR || e->op == B_POISON) && e->var == var) return true;
  for (uint32_t i = 0; i < e->nkid; i++)
    if (expr_uses(e->kid[i], var)) return true;
  return false;
}

static bool pat_uses(const struct pat *p, int var) {
  if (!p) return false;
  if (p->var == var || (p->value && expr_uses(p->value, var)) || pat_uses(p->chain, var)) return true;
  for (uint32_t i = 0; i < p->nkid; i++)
    if (pat_uses(p->kid[i], var)) return true;
  return false;
}

static bool rule_uses(const struct rule *r, int var) {
  bool used = pat_uses(r->rhs, var);
  for (uint32_t i = 0; i < r->nlet && !used; i++) used = pat_uses(r->let_node[i], var);
  for (uint32_t i = 0; i < r->nwhen && !used; i++) used = expr_uses(r->when[i], var);
  return used;
}

bool made_of_halves(const struct rule *r, uint32_t i) {
  int lo = r->half[i].lo, hi = r->half[i].hi;
  return r->half[i].whole >= 0 && lo >= 0 && hi >= 0 && (rule_uses(r, lo) || rule_uses(r, hi));
}

/* A wide operand is its halves; it is poison when one of them is. */
static void join_halves(struct obligation *o) {
  const struct rule *r = o->in->rule;
  for (uint32_t i = 0; i < r->nhalf; i++) {
    int whole = r->half[i].whole, lo = r->half[i].lo, hi = r->half[i].hi;
    if (!made_of_halves(r, i)) continue;
    o->vals[whole] = Z3_mk_concat(o->c, o->vals[hi], o->vals[lo]);
    o->poison[whole] = smt_or2(o->c, o->poison[lo], o->poison[hi]);
  }
}

/* Named pattern nodes have a value for guards. */
static void name_nodes(struct obligation *o) {
  const struct rule *r = o->in->rule;
  for (uint32_t i = 0; i < r->nvar && !o->unsupported; i++) {
    const struct var *v = &r->vars[i];
    if ((v->kind != VAR_NODE && v->kind != VAR_MEM) || !v->node) continue;
    bool let = false;
    for (uint32_t k = 0; k < r->nlet; k++) let |= r->let_var[k] == (int)i;
    if (let) continue;
    struct value n = side_value(&o->left, v->node);
    o->vals[i] = n.val;
    o->poison[i] = n.poison;
  }
}

static void add_guards(struct obligation *o) {
  const struct rule *r = o->in->rule;
  for (uint32_t i = 0; i < r->nwhen && !o->unsupported; i++) *vec_push(&o->guard) = expr_bool(o, r->when[i]);
  for (uint32_t i = 0; i < r->nvar; i++) {
    const struct immclass *imm = r->vars[i].imm;
    if (!imm || !imm->check || !o->vals[i]) continue;
    vt type = vt_int(smt_width(o->c, o->vals[i]));
    struct smt_env env = {.ctx = o->c, .types = &type, .vals = &o->vals[i]};
    *vec_push(&o->guard) = smt_bool(imm->check, &env);
  }
}

static void build_rewrite(struct obligation *o) {
  const struct rule *r = o->in->rule;
  make_variables(o);
  join_halves(o);
  o->left_root = side_value(&o->left, r->lhs);
  name_nodes(o);
  add_guards(o);
  if (o->unsupported) return;
  compare_results(o, r->lhs, r->rhs);
  if (o->unsupported) return;
  if (!o->left_root.val)
    o->left.mem = o->left_root.mem ? o->left_root.mem : o->left.mem;
  else if (!o->right.mem)
    o->right.mem = o->left.mem; /* only the root is replaced: what it hangs on stays */
  compare_branches(o, r);
  memory_refines(o);
}

/* ---- (promote op (ext …)) ---------------------------------------------------------------------------------
 */

static Z3_ast widened(struct obligation *o, enum ext_kind ext, uint32_t i, unsigned from, unsigned to) {
  Z3_ast x = o->vals[i];
  if (to <= from || ext == EXT_KEEP) return x;
  if (ext == EXT_ZERO) return Z3_mk_zero_ext(o->c, to - from, x);
  if (ext == EXT_SIGN) return Z3_mk_sign_ext(o->c, to - from, x);
  return Z3_mk_concat(o->c, side_fresh(&o->right, &o->in->rule->promote_op->in[i], 0, to - from), x);
}

static Z3_ast promoted_fresh(void *self, int number, unsigned width) {
  struct side *s = self;
  return side_fresh(s, s->o->in->rule->promote_op, number, width);
}

static struct smt_applied apply_promoted(struct side *s, const vt *types, Z3_ast *vals) {
  const struct op *op = s->o->in->rule->promote_op;
  struct smt_env env = {.ctx = s->o->c,
                        .types = types,
                        .vals = vals,
                        .poison = s->o->poison,
                        .fresh = promoted_fresh,
                        .self = s};
  struct smt_applied a = smt_op(op, &env);
  s->ub = a.ub && Z3_get_bool_value(s->o->c, a.ub) != Z3_L_FALSE ? a.ub : NULL;
  return a;
}

static void build_promotion(struct obligation *o) {
  const struct rule *r = o->in->rule;
  const struct op *op = r->promote_op;
  vt wide[MAX_TYVARS];
  memcpy(wide, o->in->types, sizeof wide);
  wide[0] = o->in->wide; /* operations go by their first type variable */
  o->nvar = op->nin;
  o->vals = ARENA_ARRAY(&o->arena, Z3_ast, op->nin + 1);
  o->poison = ARENA_ARRAY(&o->arena, Z3_ast, op->nin + 1);
  Z3_ast *ext = ARENA_ARRAY(&o->arena, Z3_ast, op->nin + 1);
  for (uint32_t i = 0; i < op->nin; i++) {
    unsigned from = vt_bits(tyref_vt(op->in[i].ty, o->in->types)), to = vt_bits(tyref_vt(op->in[i].ty, wide));
    const char *poison = arena_printf(&o->arena, "%s.poison", op->in[i].name);
    o->vals[i] = new_input(o, (struct input){.role = IN_VALUE, .name = op->in[i].name, .var = (int)i}, from);
    o->poison[i] = new_input(o, (struct input){.role = IN_POISON, .name = poison, .var = (int)i}, 0);
    ext[i] = widened(o, r->ext[i], i, from, to);
  }
  o->left.right = false;
  struct smt_applied l = apply_promoted(&o->left, o->in->types, o->vals);
  struct smt_applied w = apply_promoted(&o->right, wide, ext);
  ub_clause(o);
  o->left_root = (struct value){l.val[0], l.poison, NULL};
  o->right_root = (struct value){w.val[0], w.poison, NULL};
  for (uint32_t i = 0; i < op->nres; i++)
    value_clauses(o, (struct value){l.val[i], l.poison, NULL}, (struct value){w.val[i], w.poison, NULL},
                  false);
}

/* ---- (addr …) ---------------------------------------------------------------------------------------------
 */

static unsigned field_bits(const struct obligation *o, const struct field *f) {
  return f->reg && f->cls ? f->cls->bits : o->in->pointer_bits;
}

static Z3_ast absent_field(struct obligation *o, const struct field *f) {
  return smt_const_bv(o->c, bv_u64(field_bits(o, f), f->nchoice ? 1 : 0));
}

static Z3_ast address_value(struct obligation *o, const struct nonterm *n, const Z3_ast *fields) {
  struct smt_env env = {.ctx = o->c, .vals = fields};
  return smt_bv(n->value, &env);
}

/* The fields that a rule starts from: the inner address's, or absent ones. A field that the rule sets must be
 * free in the inner address unless it adds to it. */
static void start_fields(struct obligation *o, const struct rule *r, Z3_ast *fields) {
  const struct nonterm *n = r->nonterm;
  for (uint32_t i = 0; i < n->nfield; i++) {
    fields[i] = absent_field(o, &n->fields[i]);
    bool set = false;
    for (uint32_t k = 0; k < r->nset; k++) set |= r->set[k].field == (int)i && !r->set[k].add;
    if (r->addr_child >= 0 && !set)
      fields[i] = new_input(
          o, (struct input){.role = IN_VALUE, .name = n->fields[i].name, .var = -1, .at = &n->fields[i]},
          field_bits(o, &n->fields[i]));
  }
}

static void set_field(struct obligation *o, const struct rule *r, uint32_t k, Z3_ast *fields) {
  const struct field *f = &r->nonterm->fields[r->set[k].field];
  Z3_ast v = r->set[k].value ? expr_bv(o, r->set[k].value) : o->vals[r->set[k].var];
  unsigned want = field_bits(o, f);
  if (!v || smt_width(o->c, v) != want) {
    give_up(o, "field '%s' is set to a value of another width", f->name);
    return;
  }
  fields[r->set[k].field] = r->set[k].add ? Z3_mk_bvadd(o->c, fields[r->set[k].field], v) : v;
  if (!f->nchoice) return;
  Z3_ast any = NULL;
  for (uint32_t i = 0; i < f->nchoice; i++)
    any = smt_or2(o->c, any, Z3_mk_eq(o->c, v, smt_const_bv(o->c, bv_u64(want, (uint64_t)f->choice[i]))));
  *vec_push(&o->clauses) = (struct clause){CLAUSE_IMMEDIATE, Z3_mk_true(o->c), any};
}

static void build_address(struct obligation *o) {
  const struct rule *r = o->in->rule;
  const struct nonterm *n = r->nonterm;
  make_variables(o);
  Z3_ast *fields = ARENA_ARRAY(&o->arena, Z3_ast, n->nfield + 1);
  start_fields(o, r, fields);
  if (r->addr_child >= 0) o->vals[r->addr_child] = address_value(o, n, fields);
  o->left_root = side_value(&o->left, r->lhs);
  name_nodes(o);
  add_guards(o);
  for (uint32_t k = 0; k < r->nset && !o->unsupported; k++) set_field(o, r, k, fields);
  if (o->unsupported) return;
  o->right_root = (struct value){.val = address_value(o, n, fields)};
  value_clauses(o, o->left_root, o->right_root, false);
}

/* The operation that is poison whatever comes: a rule about it is no rule about nothing. */
static bool is_about_poison(const struct rule *r) {
  const struct op *op = r->promote_op ? r->promote_op : r->lhs && r->lhs->kind == P_OP ? r->lhs->op : NULL;
  return op && !op->nin && op->poison && op->poison->op == B_TRUE;
}

bool obligation_build(struct obligation *o, Z3_context c, const struct instance *in) {
  *o = (struct obligation){.c = c, .in = in, .target = in->target};
  o->left = (struct side){.o = o};
  o->right = (struct side){.o = o, .right = true};
  const struct rule *r = in->rule;
  if (r->kind == RULE_PROMOTE && !r->lhs)
    build_promotion(o);
  else if (r->kind == RULE_ADDR)
    build_address(o);
  else
    build_rewrite(o);
  if (!o->defined || is_about_poison(r)) o->defined = Z3_mk_true(c);
  o->defined = smt_and2(c, o->defined, defined_premise(o));
  return !o->unsupported;
}

void obligation_free(struct obligation *o) {
  vec_free(&o->inputs);
  vec_free(&o->assume);
  vec_free(&o->guard);
  vec_free(&o->clauses);
  vec_free(&o->left.done);
  vec_free(&o->right.done);
  arena_free(&o->arena);
}
