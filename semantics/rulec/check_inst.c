/* check_inst.c: machine instructions, their semantics and the patterns that select them. */
#include "rulec/check.h"

#include <string.h>

static const char usage[] = "(inst NAME (out d:CLASS …) (in a:CLASS …) (sem …) (match …) …)";

static const struct sx *clause(const struct sx *form, const char *name) {
  for (uint32_t i = 2; i < form->n; i++)
    if (sx_head(form->kid[i]) && sx_is(form->kid[i]->kid[0], name)) return form->kid[i];
  return NULL;
}

/* ---- Declaration ----------------------------------------------------------------------------------- */

static bool operand_of(struct checker *c, const struct sx *x, struct inst_operand *o) {
  const char *colon = x->kind == SX_ATOM ? strchr(x->text, ':') : NULL;
  if (!colon) {
    diag_error(c->d, x->loc, "write NAME:CLASS", "an operand was expected");
    return false;
  }
  const char *cls = keep(c, colon + 1);
  *o = (struct inst_operand){
      .name = intern(c->reader.names, x->text, (size_t)(colon - x->text)), .var = -1, .tied = -1};
  struct class_ref *r = find_class(c, cls);
  if (strcmp(cls, "block") == 0) {
    o->kind = OPND_BLOCK;
  } else if (!r) {
    diag_error(c->d, x->loc, hint_spelling(c, NEAREST(c, cls, SPACE_CLASS)), "unknown class '%s'", cls);
    return false;
  } else if (r->kind == CLASS_REG) {
    o->kind = OPND_REG;
    o->cls = r->p;
  } else if (r->kind == CLASS_IMM) {
    o->kind = OPND_IMM;
    o->imm = r->p;
  } else {
    o->kind = OPND_MEM;
    o->nonterm = r->p;
  }
  return true;
}

static bool operand_list(struct checker *c, const struct sx *x, struct inst_operand **out, uint32_t *n) {
  *n = x ? x->n - 1 : 0;
  *out = ARENA_ARRAY(c->a, struct inst_operand, *n + 1);
  for (uint32_t i = 0; i < *n; i++)
    if (!operand_of(c, x->kid[i + 1], &(*out)[i])) return false;
  return true;
}

static bool register_list(struct checker *c, const struct sx *x, const struct physreg ***out, uint32_t *n) {
  *n = x ? x->n - 1 : 0;
  *out = ARENA_ARRAY(c->a, const struct physreg *, *n + 1);
  for (uint32_t i = 0; i < *n; i++) {
    const struct sx *a = x->kid[i + 1];
    (*out)[i] = a->kind == SX_ATOM ? find_physreg(c, a->text) : NULL;
    if (!(*out)[i]) {
      diag_error(c->d, a->loc, a->kind == SX_ATOM ? hint_spelling(c, NEAREST(c, a->text, SPACE_REG)) : NULL,
                 "a physical register was expected");
      return false;
    }
  }
  return true;
}

static int operand_named(const struct inst_operand *o, uint32_t n, const char *name) {
  for (uint32_t i = 0; i < n; i++)
    if (o[i].name == name) return (int)i;
  return -1;
}

/* (tied d a): output d is the same register as input a. */
static bool tie(struct checker *c, const struct sx *x, struct inst *i) {
  if (!want_list(c, x, 3, 3, "(tied OUT IN)") || !want_atom(c, x->kid[1], "an output") ||
      !want_atom(c, x->kid[2], "an input"))
    return false;
  int o = operand_named(i->out, i->nout, x->kid[1]->text), in = operand_named(i->in, i->nin, x->kid[2]->text);
  if (o < 0 || in < 0) {
    diag_error(c->d, x->loc, NULL, "(tied OUT IN) names an output and an input");
    return false;
  }
  i->in[in].tied = o;
  return true;
}

/* The width of an immediate whose use does not say one. */
static vt imm_fallback(const struct checker *c, const struct immclass *k) {
  return vt_int(k->bits ? k->bits : c->target->pointer_bits);
}

static void make_vars(struct checker *c, struct inst *i) {
  i->nvar = i->nin + i->nuse;
  i->vars = ARENA_ARRAY(c->a, struct var, i->nvar + 1);
  for (uint32_t k = 0; k < i->nin; k++) {
    struct inst_operand *o = &i->in[k];
    struct var v = {.name = o->name, .loc = i->loc, .cls = o->cls, .imm = o->imm, .nonterm = o->nonterm};
    v.ty = ty_fixed(o->kind == OPND_REG   ? vt_int(o->cls->bits)
                    : o->kind == OPND_MEM ? vt_int(c->target->pointer_bits)
                    : o->kind == OPND_IMM ? VT_NONE
                                          : VT_BLOCK);
    v.kind = o->kind == OPND_REG   ? VAR_VALUE
             : o->kind == OPND_MEM ? VAR_MEM
             : o->kind == OPND_IMM ? VAR_IMM
                                   : VAR_BLOCK;
    o->var = (int)k;
    i->vars[k] = v;
  }
  for (uint32_t k = 0; k < i->nuse; k++)
    i->vars[i->nin + k] = (struct var){
        .name = i->use[k]->name, .kind = VAR_VALUE, .ty = ty_fixed(i->use[k]->ty), .loc = i->loc};
}

static bool number(struct checker *c, const struct sx *x, unsigned *out) {
  int64_t n;
  if (x->n == 2 && x->kid[1]->kind == SX_ATOM && parse_int(x->kid[1]->text, &n) && n >= 0 && n < 1000) {
    *out = (unsigned)n;
    return true;
  }
  diag_error(c->d, x->loc, NULL, "'%s' takes a number", x->kid[0]->text);
  return false;
}

static bool features(struct checker *c, const struct sx *x, struct inst *i) {
  const char **list = ARENA_ARRAY(c->a, const char *, x->n);
  for (uint32_t k = 1; k < x->n; k++) {
    if (!want_atom(c, x->kid[k], "a feature")) return false;
    list[k - 1] = x->kid[k]->text;
    if (name_get(&c->names, c->target, SPACE_FACT, list[k - 1])) continue;
    diag_error(c->d, x->kid[k]->loc, hint_spelling(c, NEAREST(c, list[k - 1], SPACE_FACT)),
               "unknown feature '%s'", list[k - 1]);
    return false;
  }
  i->requires = list;
  i->nrequires = x->n - 1;
  return true;
}

static bool simple_clause(struct checker *c, const struct sx *x, struct inst *i) {
  const struct sx *h = x->kid[0];
  static const char *const elsewhere[] = {"out", "in", "uses", "defs", "sem", "match", "doc"};
  if (sx_is(h, "tied")) return tie(c, x, i);
  if (sx_is(h, "cost")) return number(c, x, &i->cost);
  if (sx_is(h, "latency")) return number(c, x, &i->latency);
  if (sx_is(h, "size")) return number(c, x, &i->size);
  if (sx_is(h, "requires")) return features(c, x, i);
  if (sx_is(h, "pseudo")) return i->pseudo = true;
  if (sx_is(h, "load")) return i->load = true;
  if (sx_is(h, "store")) return i->store = true;
  if (sx_is(h, "term")) return i->term = true;
  for (int k = 0; k < 7; k++)
    if (sx_is(h, elsewhere[k])) return true;
  diag_error(c->d, x->loc,
             "clauses are out in uses defs tied sem match requires cost latency size pseudo load store term",
             "unknown clause '%s'", h->text);
  return false;
}

static bool declare(struct checker *c, const struct sx *x, struct inst *i) {
  if (!operand_list(c, clause(x, "out"), &i->out, &i->nout) ||
      !operand_list(c, clause(x, "in"), &i->in, &i->nin) ||
      !register_list(c, clause(x, "uses"), &i->use, &i->nuse) ||
      !register_list(c, clause(x, "defs"), &i->def, &i->ndef))
    return false;
  for (uint32_t k = 0; k < i->nout; k++)
    if (i->out[k].kind != OPND_REG) {
      diag_error(c->d, i->loc, NULL, "output '%s' is not of a register class", i->out[k].name);
      return false;
    }
  for (uint32_t k = 2; k < x->n; k++) {
    if (!sx_head(x->kid[k])) {
      diag_error(c->d, x->kid[k]->loc, usage, "a clause was expected");
      return false;
    }
    if (!simple_clause(c, x->kid[k], i)) return false;
  }
  make_vars(c, i);
  return true;
}

void declare_inst(struct checker *c, struct form *f) {
  const struct sx *x = f->sx;
  if (!want_list(c, x, 3, UINT32_MAX, usage) || !want_atom(c, x->kid[1], "an opcode")) return;
  if (!c->target) {
    diag_error(c->d, x->loc, NULL, "'inst' belongs to a target");
    return;
  }
  struct inst *i = ARENA_NEW(c->a, struct inst), *old = find_inst(c, x->kid[1]->text);
  *i = (struct inst){.name = x->kid[1]->text,
                     .loc = x->kid[1]->loc,
                     .id = c->target->insts.n,
                     .target = c->target,
                     .cost = 1,
                     .latency = 1,
                     .size = 1};
  if (old) {
    diag_error(c->d, i->loc, "an instruction may have several (match …) clauses",
               "instruction '%s' is already defined at %s:%u", i->name, old->loc.src->path, old->loc.line);
    return;
  }
  if (!declare(c, x, i)) return;
  *vec_push(&c->target->insts) = i;
  name_put(&c->names, c->target, SPACE_INST, i->name, i);
  f->inst = i;
}

/* ---- Matches --------------------------------------------------------------------------------------- */

static void soft_type(struct scope *s, struct tyref *ty, vt fallback) {
  *ty = ty_fresh(s, NULL);
  s->ty.at[ty->var].soft = true;
  s->ty.at[ty->var].fallback = fallback;
}

static void operand_vars(struct scope *s, const struct inst *i) {
  for (uint32_t k = 0; k < i->nvar; k++) {
    struct var v = i->vars[k];
    if (v.kind == VAR_IMM && v.ty.fixed == VT_NONE) soft_type(s, &v.ty, imm_fallback(s->c, v.imm));
    *vec_push(&s->vars) = v;
    *vec_push(&s->var_used) = 0;
  }
}

/* The instruction with its operands by name: the result of every match. */
static bool match_result(struct scope *s, const struct sx *x, const struct inst *i) {
  struct pat *p = new_pat(s, P_INST, x->loc);
  struct checker *c = s->c;
  p->inst = i;
  p->nkid = i->nvar;
  p->kid = ARENA_ARRAY(c->a, struct pat *, i->nvar + 1);
  for (uint32_t k = 0; k < i->nvar; k++) {
    const struct var *v = &s->vars.at[k];
    if (!s->var_used.at[k]) {
      diag_error(c->d, x->loc, NULL, "operand '%s' of %s does not occur in the pattern", v->name, i->name);
      return false;
    }
    enum pkind kind = v->kind == VAR_IMM ? P_EXPR : v->kind == VAR_MEM ? P_MEM : P_VAR;
    struct pat *o = new_pat(s, kind, x->loc);
    o->var = kind == P_EXPR ? -1 : (int)k;
    o->ty = v->ty;
    o->nonterm = v->nonterm;
    if (kind == P_EXPR) o->value = var_expr(s, x->loc, (int)k);
    p->kid[k] = o;
    if (k < i->nin) continue;
    struct pat *phys = new_pat(s, P_PHYSIN, x->loc);
    phys->reg = i->use[k - i->nin];
    phys->ty = o->ty;
    phys->nkid = 1;
    phys->kid = ARENA_ARRAY(c->a, struct pat *, 1);
    phys->kid[0] = o;
    p->kid[k] = phys;
  }
  const struct pat *l = s->rule->lhs;
  bool chain = l->ty.var < 0 && l->ty.fixed == VT_CHAIN;
  p->ty = chain     ? ty_fixed(VT_CHAIN)
          : i->nout ? ty_fixed(vt_int(i->out[0].cls->bits))
          : i->ndef ? ty_fixed(i->def[0]->ty)
                    : ty_fixed(VT_CHAIN);
  s->rule->rhs = p;
  return ty_expect(s, x->loc, l->ty, p->ty);
}

static void check_match(struct checker *c, const struct sx *x, struct inst *i) {
  struct rule *r = new_rule(c, RULE_SELECT, x->loc);
  struct scope s = {.c = c, .kind = SCOPE_RULE, .rule = r, .inst = i};
  r->name = keep(c, i->nmatch ? arena_printf(c->a, "%s-%u", i->name, i->nmatch + 1) : i->name);
  r->requires = i->requires;
  r->nrequires = i->nrequires;
  r->cost = i->cost;
  operand_vars(&s, i);
  if (x->n < 2) {
    diag_error(c->d, x->loc, NULL, "write (match PATTERN CLAUSE …)");
  } else if (pattern_root(&s, x->kid[1]) && match_result(&s, x, i) && check_clauses(&s, x, 2)) {
    uint32_t before = c->m->rules.n;
    finish_rule(&s);
    if (c->m->rules.n > before) {
      struct rule **list = ARENA_ARRAY(c->a, struct rule *, i->nmatch + 1);
      if (i->nmatch) memcpy(list, i->match, i->nmatch * sizeof *list);
      list[i->nmatch++] = r;
      i->match = list;
      for (uint32_t k = 0; k < i->nvar; k++)
        if (i->vars[k].kind == VAR_IMM && i->vars[k].ty.fixed == VT_NONE) i->vars[k].ty = r->vars[k].ty;
    }
  }
  scope_free(&s);
}

/* ---- Semantics ------------------------------------------------------------------------------------- */

struct sem {
  struct scope s;
  struct inst *i;
  VEC(struct inst_set) sets;
};

static bool set_form(struct sem *m, const struct sx *x) {
  struct scope *s = &m->s;
  struct inst *i = m->i;
  if (!want_list(s->c, x, 3, 3, "(set NAME VALUE)") ||
      !want_atom(s->c, x->kid[1], "an output or a register in (defs …)"))
    return false;
  int o = operand_named(i->out, i->nout, x->kid[1]->text), d = -1;
  for (uint32_t k = 0; k < i->ndef; k++)
    if (i->def[k]->name == x->kid[1]->text) d = (int)k;
  if (o < 0 && d < 0) {
    diag_error(s->c->d, x->kid[1]->loc, NULL, "'%s' is neither an output nor in (defs …)", x->kid[1]->text);
    return false;
  }
  unsigned bits = o >= 0 ? i->out[o].cls->bits : vt_bits(i->def[d]->ty);
  const struct expr *e = check_bv(s, x->kid[2], num_lit(s, x->kid[2]->loc, bits));
  if (!e) return false;
  for (uint32_t k = 0; k < m->sets.n; k++)
    if (m->sets.at[k].kind == (o >= 0 ? SET_OUT : SET_PHYS) && m->sets.at[k].index == (o >= 0 ? o : d)) {
      diag_error(s->c->d, x->kid[1]->loc, NULL, "'%s' is set twice", x->kid[1]->text);
      return false;
    }
  *vec_push(&m->sets) =
      (struct inst_set){.kind = o >= 0 ? SET_OUT : SET_PHYS, .index = o >= 0 ? o : d, .value = e};
  return true;
}

static bool write_form(struct sem *m, const struct sx *x) {
  struct scope *s = &m->s;
  int64_t bytes;
  if (!want_list(s->c, x, 4, 4, "(write ADDRESS BYTES VALUE)")) return false;
  if (x->kid[2]->kind != SX_ATOM || !parse_int(x->kid[2]->text, &bytes) || bytes < 1 || bytes > 64) {
    diag_error(s->c->d, x->kid[2]->loc, NULL, "a number of bytes was expected");
    return false;
  }
  const struct expr *addr = check_bv(s, x->kid[1], NULL);
  const struct expr *e = check_bv(s, x->kid[3], num_lit(s, x->kid[3]->loc, bytes * 8));
  if (!addr || !e) return false;
  *vec_push(&m->sets) =
      (struct inst_set){.kind = SET_WRITE, .addr = addr, .value = e, .bytes = (unsigned)bytes};
  m->i->store = true;
  return true;
}

static bool sem_item(struct sem *m, const struct sx *x);

static bool sem_let(struct sem *m, const struct sx *x) {
  if (!want_list(m->s.c, x, 3, UINT32_MAX, "(let ((NAME VALUE) …) ITEM …)")) return false;
  int n = check_bindings(&m->s, x->kid[1], NULL);
  if (n < 0) return false;
  bool ok = true;
  for (uint32_t i = 2; ok && i < x->n; i++) ok = sem_item(m, x->kid[i]);
  pop_bindings(&m->s, n);
  return ok;
}

static bool sem_item(struct sem *m, const struct sx *x) {
  struct checker *c = m->s.c;
  if (!sx_head(x)) {
    diag_error(c->d, x->loc, NULL, "(set …), (write …), (branch …), (trap …) or (let …) was expected");
    return false;
  }
  if (sx_is(x->kid[0], "let")) return sem_let(m, x);
  if (sx_is(x->kid[0], "set")) return set_form(m, x);
  if (sx_is(x->kid[0], "write")) return write_form(m, x);
  bool branch = sx_is(x->kid[0], "branch");
  if (!branch && !sx_is(x->kid[0], "trap")) {
    diag_error(c->d, x->kid[0]->loc, "items are set write branch trap let", "unknown item '%s'",
               x->kid[0]->text);
    return false;
  }
  if (!want_list(c, x, 2, 2, "(branch CONDITION)")) return false;
  const struct expr *e = check_bool(&m->s, x->kid[1]);
  if (!e) return false;
  *vec_push(&m->sets) = (struct inst_set){.kind = branch ? SET_BRANCH : SET_TRAP, .value = e};
  m->i->term |= branch;
  return true;
}

static bool outputs_set(struct sem *m) {
  for (uint32_t k = 0; k < m->i->nout; k++) {
    bool set = false;
    for (uint32_t j = 0; j < m->sets.n; j++)
      set |= m->sets.at[j].kind == SET_OUT && m->sets.at[j].index == (int)k;
    if (set) continue;
    diag_error(m->s.c->d, m->i->loc, "add (set …) to (sem …)", "the semantics of %s leaves output '%s' open",
               m->i->name, m->i->out[k].name);
    return false;
  }
  return true;
}

static void check_sem(struct checker *c, const struct sx *x, struct inst *i) {
  struct sem m = {.s = {.c = c, .kind = SCOPE_INST, .inst = i}, .i = i};
  bool ok = true;
  operand_vars(&m.s, i);
  for (uint32_t k = 1; ok && k < x->n; k++) ok = sem_item(&m, x->kid[k]);
  if (ok && outputs_set(&m)) {
    uint32_t ntyvar;
    const char *const *tyvars;
    scope_settle(&m.s, &ntyvar, &tyvars);
    for (uint32_t k = 0; k < i->nvar; k++) i->vars[k].ty = m.s.vars.at[k].ty;
    for (uint32_t k = 0; k < m.s.exprs.n; k++) i->load |= m.s.exprs.at[k]->op == X_READ;
    i->nset = m.sets.n;
    i->set = ARENA_ARRAY(c->a, struct inst_set, m.sets.n + 1);
    if (m.sets.n) memcpy(i->set, m.sets.at, m.sets.n * sizeof *i->set);
    check_inst_widths(c, i);
  }
  vec_free(&m.sets);
  scope_free(&m.s);
}

void check_inst(struct checker *c, const struct form *f) {
  const struct sx *x = f->sx, *sem = clause(x, "sem");
  if (!f->inst) return;
  for (uint32_t k = 2; k < x->n; k++)
    if (sx_is(x->kid[k]->kid[0], "match")) check_match(c, x->kid[k], f->inst);
  if (sem)
    check_sem(c, sem, f->inst);
  else
    diag_error(c->d, f->inst->loc, "add (sem …)", "instruction '%s' has no semantics", f->inst->name);
}
