/* check_target.c: a target's registers, immediates, features and addressing modes. */
#include "rulec/check.h"

#include <string.h>

struct class_ref *find_class(struct checker *c, const char *name) {
  return c->target ? name_get(&c->names, c->target, SPACE_CLASS, name) : NULL;
}
struct physreg *find_physreg(struct checker *c, const char *name) {
  return c->target ? name_get(&c->names, c->target, SPACE_REG, name) : NULL;
}
struct inst *find_inst(struct checker *c, const char *name) {
  return c->target ? name_get(&c->names, c->target, SPACE_INST, name) : NULL;
}

static bool unsigned_arg(struct checker *c, const struct sx *x, int64_t max, unsigned *out) {
  int64_t n;
  if (x->kind == SX_ATOM && parse_int(x->text, &n) && n >= 0 && n <= max) {
    *out = (unsigned)n;
    return true;
  }
  diag_error(c->d, x->loc, NULL, "a number of at most %lld was expected", (long long)max);
  return false;
}

/* ---- (target …) ------------------------------------------------------------------------------------ */

static bool int_types(struct checker *c, const struct sx *x, struct target *t) {
  struct scope s = {.c = c};
  for (uint32_t i = 1; i < x->n; i++) {
    struct tyref ty;
    if (x->kid[i]->kind != SX_ATOM || is_tyvar_name(x->kid[i]->text) ||
        !parse_type(&s, x->kid[i]->text, &ty) || !vt_is_scalar_int(ty.fixed)) {
      diag_error(c->d, x->kid[i]->loc, NULL, "a type such as i32 was expected");
      return false;
    }
    *vec_push(&t->types) = ty.fixed;
  }
  return true;
}

/* (flags 5) or (flags cf pf zf sf of), lowest bit first. */
static bool flags_clause(struct checker *c, const struct sx *x, struct target *t) {
  int64_t n;
  if (x->n == 2 && x->kid[1]->kind == SX_ATOM && parse_int(x->kid[1]->text, &n))
    return unsigned_arg(c, x->kid[1], 16, &t->flag_bits);
  t->flag_bits = x->n - 1;
  c->infos.at[t->id].flag_names = x;
  return true;
}

static bool target_clause(struct checker *c, const struct sx *x, struct target *t) {
  if (!want_list(c, x, 2, UINT32_MAX, "a clause: (pointer 64)") || !sx_head(x)) return false;
  const struct sx *h = x->kid[0], *a = x->kid[1];
  if (sx_is(h, "pointer")) return unsigned_arg(c, a, 64, &t->pointer_bits);
  if (sx_is(h, "types")) return int_types(c, x, t);
  if (sx_is(h, "flags")) return flags_clause(c, x, t);
  if (sx_is(h, "bool")) {
    if (a->kind != SX_ATOM) return false;
    struct sx number = *a;
    if (a->text[0] == 'i') number.text = a->text + 1;
    return unsigned_arg(c, &number, 64, &t->bool_bits);
  }
  if (sx_is(h, "endian") && (sx_is(a, "little") || sx_is(a, "big"))) {
    t->big_endian = sx_is(a, "big");
    return true;
  }
  diag_error(c->d, x->loc, "clauses are pointer endian types flags bool", "unknown clause of a target");
  return false;
}

void check_target(struct checker *c, const struct sx *x) {
  if (!want_list(c, x, 2, UINT32_MAX, "(target NAME CLAUSE …)") || !want_atom(c, x->kid[1], "a name")) return;
  struct target *t = name_get(&c->names, NULL, SPACE_TARGET, x->kid[1]->text);
  if (x->n == 2 || t) {
    if (t && x->n == 2)
      c->target = t;
    else if (t)
      diag_error(c->d, x->kid[1]->loc, NULL, "target '%s' is already defined at %s:%u", t->name,
                 t->loc.src->path, t->loc.line);
    else
      diag_error(c->d, x->kid[1]->loc, NULL, "unknown target '%s'", x->kid[1]->text);
    return;
  }
  t = ARENA_NEW(c->a, struct target);
  *t = (struct target){.name = x->kid[1]->text,
                       .loc = x->kid[1]->loc,
                       .id = c->m->targets.n,
                       .pointer_bits = 64,
                       .bool_bits = 8};
  *vec_push(&c->m->targets) = t;
  const char *path = x->loc.src->path, *slash = strrchr(path, '/');
  *vec_push(&c->infos) = (struct target_info){.dir = path, .dir_len = slash ? (size_t)(slash - path) + 1 : 0};
  name_put(&c->names, NULL, SPACE_TARGET, t->name, t);
  c->target = t;
  for (uint32_t i = 2; i < x->n; i++)
    if (!target_clause(c, x->kid[i], t)) return;
}

/* ---- Registers, immediates, facts ------------------------------------------------------------------ */

static void put_class(struct checker *c, const struct sx *name, int kind, void *p) {
  struct class_ref *r = find_class(c, name->text);
  if (r) {
    diag_error(c->d, name->loc, "register classes, immediates and addressing modes share one name space",
               "'%s' is already defined", name->text);
    return;
  }
  r = ARENA_NEW(c->a, struct class_ref);
  r->kind = kind;
  r->p = p;
  name_put(&c->names, c->target, SPACE_CLASS, name->text, r);
}

static void declare_regclass(struct checker *c, const struct sx *x) {
  if (!want_list(c, x, 4, 4, "(regclass NAME \"mir-name\" BITS)") || !want_atom(c, x->kid[1], "a name"))
    return;
  struct regclass *r = ARENA_NEW(c->a, struct regclass);
  *r = (struct regclass){.name = x->kid[1]->text,
                         .mir = x->kid[2]->text,
                         .id = c->target->regclasses.n,
                         .target = c->target,
                         .loc = x->kid[1]->loc};
  if (!unsigned_arg(c, x->kid[3], VT_MAX_BITS, &r->bits)) return;
  *vec_push(&c->target->regclasses) = r;
  put_class(c, x->kid[1], CLASS_REG, r);
}

static void declare_physreg(struct checker *c, const struct sx *x) {
  if (!want_list(c, x, 3, 4, "(physreg NAME BITS) or (physreg NAME flags)") ||
      !want_atom(c, x->kid[1], "a name"))
    return;
  struct physreg *r = ARENA_NEW(c->a, struct physreg);
  unsigned bits;
  *r = (struct physreg){
      .name = x->kid[1]->text, .id = c->target->physregs.n, .target = c->target, .loc = x->kid[1]->loc};
  if (sx_is(x->kid[2], "flags"))
    r->ty = VT_FLAGSN(c->target->flag_bits);
  else if (unsigned_arg(c, x->kid[2], VT_MAX_BITS, &bits))
    r->ty = vt_int(bits);
  else
    return;
  if (x->n == 4 && !(r->zero = sx_is(x->kid[3], "zero"))) {
    diag_error(c->d, x->kid[3]->loc, NULL, "only 'zero' may stand here");
    return;
  }
  if (find_physreg(c, r->name)) {
    diag_error(c->d, r->loc, NULL, "register '%s' is already defined", r->name);
    return;
  }
  *vec_push(&c->target->physregs) = r;
  name_put(&c->names, c->target, SPACE_REG, r->name, r);
}

static struct expr *two(struct scope *s, enum xop op, enum sort sort, struct loc loc, const struct expr *a,
                        const struct expr *b) {
  struct expr *e = new_expr(s, op, sort, loc, 2);
  e->kid[0] = a;
  e->kid[1] = b;
  e->width = sort == SORT_BV ? a->width : NULL;
  return e;
}

/* A num as a bit-vector of width w, modulo 2^w. */
static struct expr *as_bv(struct scope *s, struct loc loc, const struct expr *num, const struct expr *w) {
  struct expr *e = new_expr(s, X_LIT, SORT_BV, loc, 1);
  e->kid[0] = num;
  e->width = w;
  return e;
}

/* (bits N signed) as a bool over variable 0, at any width: it is not wider than N, or its bits from the sign
 * of the narrow value on are all alike; unsigned: the bits from N on are 0. */
static const struct expr *range_check(struct scope *s, struct loc at, int64_t bits, int var, bool is_signed) {
  const struct expr *v = var_expr(s, at, var), *w = v->width;
  const struct expr *narrow = two(s, B_NLE, SORT_BOOL, at, w, num_lit(s, at, bits));
  const struct expr *from = as_bv(s, at, num_lit(s, at, is_signed ? bits - 1 : bits), w);
  const struct expr *upper = two(s, is_signed ? X_ASHR : X_LSHR, SORT_BV, at, v, from);
  const struct expr *top = two(s, N_SUB, SORT_NUM, at, w, num_lit(s, at, 1));
  const struct expr *want =
      is_signed ? two(s, X_ASHR, SORT_BV, at, v, as_bv(s, at, top, w)) : as_bv(s, at, num_lit(s, at, 0), w);
  return two(s, B_OR, SORT_BOOL, at, narrow, two(s, B_EQ, SORT_BOOL, at, upper, want));
}

static const struct expr *both(struct scope *s, const struct expr *a, const struct expr *b) {
  if (!a || !b) return a ? a : b;
  struct expr *e = new_expr(s, B_AND, SORT_BOOL, b->loc, 2);
  e->kid[0] = a;
  e->kid[1] = b;
  return e;
}

static bool imm_clause(struct scope *s, const struct sx *x, struct immclass *k, int var) {
  if (!want_list(s->c, x, 2, 3, "(bits N), (bits N signed) or (check E)")) return false;
  if (sx_head(x) && sx_is(x->kid[0], "check")) {
    const struct expr *e = check_bool(s, x->kid[1]);
    k->check = both(s, k->check, e);
    return e != NULL;
  }
  bool is_signed = x->n == 3 && sx_is(x->kid[2], "signed");
  if (!sx_head(x) || !sx_is(x->kid[0], "bits") ||
      (x->n == 3 && !is_signed && !sx_is(x->kid[2], "unsigned"))) {
    diag_error(s->c->d, x->loc, NULL, "(bits N), (bits N signed) or (check E) was expected");
    return false;
  }
  if (!unsigned_arg(s->c, x->kid[1], 64, &k->bits)) return false;
  k->is_signed = is_signed;
  k->check = both(s, k->check, range_check(s, x->loc, k->bits, var, is_signed));
  return true;
}

/* The constant of an immediate's check is C; its width is that of the place where it is used. */
static void declare_immclass(struct checker *c, const struct sx *x) {
  if (!want_list(c, x, 2, UINT32_MAX, "(immclass NAME (bits N signed) (check E))") ||
      !want_atom(c, x->kid[1], "a name"))
    return;
  struct immclass *k = ARENA_NEW(c->a, struct immclass);
  *k = (struct immclass){.name = x->kid[1]->text, .target = c->target, .loc = x->kid[1]->loc};
  struct scope s = {.c = c, .kind = SCOPE_IMM};
  int v = var_add(&s, keep(c, "C"), VAR_CONST, ty_fresh(&s, keep(c, "T")), x->loc);
  bool ok = true;
  for (uint32_t i = 2; ok && i < x->n; i++) ok = imm_clause(&s, x->kid[i], k, v);
  uint32_t ntyvar;
  const char *const *tyvars;
  if (ok) {
    if (!k->check) k->check = new_expr(&s, B_TRUE, SORT_BOOL, x->loc, 0);
    scope_settle(&s, &ntyvar, &tyvars);
    *vec_push(&c->target->immclasses) = k;
    put_class(c, x->kid[1], CLASS_IMM, k);
  }
  scope_free(&s);
}

static void declare_fact(struct checker *c, const struct sx *x) {
  bool feature = sx_is(x->kid[0], "feature");
  for (uint32_t i = 1; i < x->n; i++) {
    if (!want_atom(c, x->kid[i], "a name")) return;
    name_put(&c->names, c->target, SPACE_FACT, x->kid[i]->text, (void *)x);
    if (!c->target) continue;
    if (feature)
      *vec_push(&c->target->features) = x->kid[i]->text;
    else
      *vec_push(&c->target->tastes) = x->kid[i]->text;
  }
}

void declare_target_form(struct checker *c, const struct form *f) {
  const struct sx *x = f->sx, *h = x->kid[0];
  if (!c->target && !sx_is(h, "taste")) {
    diag_error(c->d, x->loc, "begin with (target NAME …)", "'%s' belongs to a target", h->text);
    return;
  }
  if (sx_is(h, "regclass"))
    declare_regclass(c, x);
  else if (sx_is(h, "physreg"))
    declare_physreg(c, x);
  else if (sx_is(h, "immclass"))
    declare_immclass(c, x);
  else
    declare_fact(c, x);
}

/* ---- Addressing modes ------------------------------------------------------------------------------ */

/* base:gr64? scale:{1 2 4 8} disp:simm32 sym? */
static bool field_of(struct scope *s, const struct sx *x, struct field *f) {
  struct checker *c = s->c;
  if (!want_atom(c, x, "a field: NAME:CLASS")) return false;
  char *text = arena_strdup(c->a, x->text), *colon = strchr(text, ':');
  size_t len = strlen(text);
  struct tyref ty = ty_fixed(vt_int(c->target->pointer_bits));
  if (len && text[len - 1] == '?') {
    f->optional = true;
    text[len - 1] = 0;
  }
  if (colon) *colon++ = 0;
  f->name = keep(c, text);
  struct class_ref *r = colon ? find_class(c, keep(c, colon)) : NULL;
  if (!colon) {
    f->sym = true;
  } else if (*colon == '{') {
    int64_t *choice = ARENA_ARRAY(c->a, int64_t, strlen(colon)), n;
    for (char *w = strtok(colon + 1, " }"); w; w = strtok(NULL, " }")) {
      if (!parse_int(w, &n)) {
        diag_error(c->d, x->loc, NULL, "'%s' is not a number", w);
        return false;
      }
      choice[f->nchoice++] = n;
    }
    f->choice = choice;
  } else if (r && r->kind == CLASS_REG) {
    f->reg = true;
    f->cls = r->p;
    ty = ty_fixed(vt_int(f->cls->bits));
  } else if (r && r->kind == CLASS_IMM) {
    f->imm = r->p;
    ty = ty_fresh(s, NULL);
    s->ty.at[ty.var].soft = true;
    s->ty.at[ty.var].fallback = vt_int(f->imm->bits ? f->imm->bits : c->target->pointer_bits);
  } else {
    diag_error(c->d, x->loc, hint_spelling(c, NEAREST(c, colon, SPACE_CLASS)), "unknown class '%s'", colon);
    return false;
  }
  var_add(s, f->name, f->reg ? VAR_VALUE : VAR_IMM, ty, x->loc);
  return true;
}

static bool nonterm_clause(struct scope *s, const struct sx *x, struct nonterm *n) {
  struct checker *c = s->c;
  if (!want_list(c, x, 2, UINT32_MAX, "a clause: (fields …)") || !sx_head(x)) return false;
  const struct sx *h = x->kid[0];
  if (sx_is(h, "fields")) {
    n->nfield = x->n - 1;
    n->fields = ARENA_ARRAY(c->a, struct field, x->n);
    for (uint32_t i = 0; i < n->nfield; i++)
      if (!field_of(s, x->kid[i + 1], &n->fields[i])) return false;
    return true;
  }
  if (sx_is(h, "operands")) {
    const char **mir = ARENA_ARRAY(c->a, const char *, x->n);
    n->nmir = x->n - 1;
    for (uint32_t i = 0; i < n->nmir; i++) {
      if (!want_atom(c, x->kid[i + 1], "a field")) return false;
      mir[i] = x->kid[i + 1]->text;
      if (strcmp(mir[i], "segment") && var_find(s, mir[i]) < 0) {
        diag_error(c->d, x->kid[i + 1]->loc, NULL, "no field is named '%s'", mir[i]);
        return false;
      }
    }
    n->mir = mir;
    return true;
  }
  if (sx_is(h, "value"))
    return (n->value = check_bv(s, x->kid[1], num_lit(s, x->loc, c->target->pointer_bits))) != NULL;
  if (sx_is(h, "legal")) {
    /* What is no legal address is not formed; the value is proven without it. */
    s->facts = s->heuristics = true;
    n->legal = check_bool(s, x->kid[1]);
    s->facts = s->heuristics = false;
    return n->legal != NULL;
  }
  diag_error(c->d, x->loc, "clauses are fields operands value legal", "unknown clause '%s'", h->text);
  return false;
}

void declare_nonterm(struct checker *c, const struct form *f) {
  const struct sx *x = f->sx;
  if (!want_list(c, x, 4, UINT32_MAX, "(nonterm NAME (fields …) (operands …) (value …))") ||
      !want_atom(c, x->kid[1], "a name"))
    return;
  if (!c->target) {
    diag_error(c->d, x->loc, NULL, "'nonterm' belongs to a target");
    return;
  }
  struct nonterm *n = ARENA_NEW(c->a, struct nonterm);
  *n = (struct nonterm){
      .name = x->kid[1]->text, .loc = x->kid[1]->loc, .id = c->target->nonterms.n, .target = c->target};
  struct scope s = {.c = c, .kind = SCOPE_NONTERM};
  bool ok = true;
  for (uint32_t i = 2; ok && i < x->n; i++) ok = nonterm_clause(&s, x->kid[i], n);
  if (ok && (!n->value || !n->mir)) {
    diag_error(c->d, n->loc, NULL, "'%s' needs (fields …), (operands …) and (value …)", n->name);
    ok = false;
  }
  if (ok) {
    uint32_t ntyvar;
    const char *const *tyvars;
    scope_settle(&s, &ntyvar, &tyvars);
    for (uint32_t i = 0; i < n->nfield; i++) n->fields[i].ty = ty_settled(&s, s.vars.at[i].ty).fixed;
    *vec_push(&c->target->nonterms) = n;
    put_class(c, x->kid[1], CLASS_MEM, n);
  }
  scope_free(&s);
}

/* ---- (addr NAME "law" PATTERN => (mem (FIELD VALUE) …) CLAUSE …) ------------------------------------- */

static int field_index(const struct nonterm *n, const char *name) {
  for (uint32_t i = 0; i < n->nfield; i++)
    if (n->fields[i].name == name) return (int)i;
  return -1;
}

/* (base x), (disp C), (disp (+ C)): the last adds to what the inner address has. */
static bool addr_field(struct scope *s, const struct sx *x, uint32_t k) {
  struct rule *r = s->rule;
  struct checker *c = s->c;
  if (!want_list(c, x, 2, 2, "(FIELD VALUE)") || !want_atom(c, x->kid[0], "a field")) return false;
  int f = field_index(r->nonterm, x->kid[0]->text);
  if (f < 0) {
    diag_error(c->d, x->kid[0]->loc, NULL, "'%s' has no field '%s'", r->nonterm->name, x->kid[0]->text);
    return false;
  }
  const struct field *field = &r->nonterm->fields[f];
  const struct sx *v = x->kid[1];
  r->set[k].field = f;
  r->set[k].var = -1;
  if (sx_head(v) && sx_is(v->kid[0], "+") && v->n == 2) {
    r->set[k].add = true;
    v = v->kid[1];
    if (r->addr_child < 0 || field->reg) {
      diag_error(c->d, x->loc, NULL, "(+ …) adds to a number of the inner address");
      return false;
    }
  }
  int var = v->kind == SX_ATOM ? var_find(s, v->text) : -1;
  if (var >= 0 && (field->reg || field->sym)) {
    r->set[k].var = var;
    s->var_used.at[var]++;
    return ty_expect(s, v->loc, s->vars.at[var].ty, ty_fixed(field->ty));
  }
  if (field->reg || field->sym) {
    diag_error(c->d, v->loc, NULL, "field '%s' takes a variable of the pattern", field->name);
    return false;
  }
  r->set[k].value = check_bv(s, v, num_lit(s, v->loc, vt_bits(field->ty)));
  return r->set[k].value != NULL;
}

static bool addr_result(struct scope *s, const struct sx *x) {
  struct rule *r = s->rule;
  struct checker *c = s->c;
  if (!sx_head(x)) {
    diag_error(c->d, x->loc, "write (mem (base x) (disp C))", "an address was expected");
    return false;
  }
  int v = var_find(s, x->kid[0]->text);
  struct class_ref *ref = find_class(c, x->kid[0]->text);
  if (v >= 0 && s->vars.at[v].kind == VAR_MEM) {
    r->nonterm = s->vars.at[v].nonterm;
    r->addr_child = v;
    s->var_used.at[v]++;
  } else if (ref && ref->kind == CLASS_MEM) {
    r->nonterm = ref->p;
  } else {
    diag_error(c->d, x->kid[0]->loc, hint_spelling(c, NEAREST(c, x->kid[0]->text, SPACE_CLASS)),
               "'%s' is neither an addressing mode nor an inner address", x->kid[0]->text);
    return false;
  }
  r->nset = x->n - 1;
  r->set = arena_alloc(c->a, sizeof *r->set * x->n);
  for (uint32_t i = 0; i < r->nset; i++)
    if (!addr_field(s, x->kid[i + 1], i)) return false;
  return true;
}

void check_addr(struct checker *c, const struct form *f) {
  uint32_t next, arrow;
  struct rule *r = new_rule(c, RULE_ADDR, f->sx->loc);
  struct scope s = {.c = c, .kind = SCOPE_RULE, .rule = r};
  if (!name_and_law(c, f->sx, r, &next) || !(arrow = find_arrow(c, f->sx))) return;
  if (!c->target)
    diag_error(c->d, r->loc, NULL, "'addr' belongs to a target");
  else if (arrow != next + 1)
    diag_error(c->d, f->sx->loc, NULL, "one pattern goes before '=>'");
  else if (pattern_root(&s, f->sx->kid[next]) &&
           ty_expect(&s, r->loc, r->lhs->ty, ty_fixed(vt_int(c->target->pointer_bits))) &&
           addr_result(&s, f->sx->kid[arrow + 1]) && check_clauses(&s, f->sx, arrow + 2)) {
    r->name = keep(c, arena_printf(c->a, "addr-%s", r->name));
    finish_rule(&s);
  }
  scope_free(&s);
}
