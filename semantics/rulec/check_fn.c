/* check_fn.c: functions of expressions. A body is checked once, over type variables; each call is its copy
 * with arguments and widths put in. */
#include "rulec/check.h"

#include <string.h>

struct fn *find_fn(struct checker *c, const char *name) {
  struct fn *f = name_get(&c->names, c->target, SPACE_FN, name);
  if (!f && c->target) f = name_get(&c->names, NULL, SPACE_FN, name);
  if (f && f->state == FN_NEW) finish_fn(c, f);
  return f;
}

static const char fn_usage[] = "write (fn NAME ((PARAMETER TYPE) …) SORT BODY)";

void declare_fn(struct checker *c, const struct form *form) {
  const struct sx *x = form->sx;
  if (!want_list(c, x, 5, 5, fn_usage) || !want_atom(c, x->kid[1], "a name")) return;
  const char *name = x->kid[1]->text;
  struct fn *old = name_get(&c->names, c->target, SPACE_FN, name);
  if (!old) old = name_get(&c->names, NULL, SPACE_FN, name);
  if (old) {
    diag_error(c->d, x->kid[1]->loc, NULL, "function '%s' is already defined at %s:%u", name,
               old->form->loc.src->path, old->form->loc.line);
    return;
  }
  if (is_expr_head(c, name)) {
    diag_error(c->d, x->kid[1]->loc, "choose another name", "'%s' is an operator of the language", name);
    return;
  }
  struct fn *f = ARENA_NEW(c->a, struct fn);
  f->name = name;
  f->form = x;
  f->target = form->target;
  name_put(&c->names, c->target, SPACE_FN, name, f);
}

/* The type of a parameter or result: a sort, a type variable, or a width. */
static bool fn_type(struct scope *s, const struct sx *x, bool param, enum sort *sort, struct tyref *ty,
                    const struct expr **width) {
  int64_t bits;
  *sort = SORT_BV;
  *width = NULL;
  if (sx_is(x, "num") || sx_is(x, "bool")) {
    *sort = sx_is(x, "num") ? SORT_NUM : SORT_BOOL;
    *ty = ty_fixed(VT_NONE);
    return true;
  }
  if (x->kind == SX_ATOM && parse_int(x->text, &bits)) {
    if (bits < 1 || bits > VT_MAX_BITS) {
      diag_error(s->c->d, x->loc, NULL, "a width is between 1 and %d", VT_MAX_BITS);
      return false;
    }
    *ty = ty_fixed(vt_int((unsigned)bits));
  } else if (x->kind != SX_ATOM || !parse_type(s, x->text, ty)) {
    *width = check_num(s, x);
    if (param) *ty = ty_fresh(s, NULL);
    return *width != NULL;
  }
  *width = width_of(s, x->loc, *ty);
  return true;
}

static bool fn_params(struct scope *s, struct fn *f) {
  const struct sx *list = f->form->kid[2];
  if (list->kind != SX_LIST) {
    diag_error(s->c->d, list->loc, fn_usage, "a list of parameters was expected");
    return false;
  }
  f->nparam = list->n;
  f->param = arena_alloc(s->c->a, sizeof *f->param * (list->n + 1));
  for (uint32_t i = 0; i < list->n; i++) {
    const struct sx *p = list->kid[i];
    if (!want_list(s->c, p, 2, 2, fn_usage) || !want_atom(s->c, p->kid[0], "a name")) return false;
    f->param[i].name = p->kid[0]->text;
    if (!fn_type(s, p->kid[1], true, &f->param[i].sort, &f->param[i].ty, &f->param[i].width)) return false;
    int v = var_add(s, "", VAR_VALUE, f->param[i].ty, p->loc);
    *vec_push(&s->params) = (struct param){.name = f->param[i].name, .sort = f->param[i].sort, .index = v};
  }
  return true;
}

static bool fn_body(struct scope *s, struct fn *f) {
  struct tyref ty;
  if (!fn_params(s, f) || !fn_type(s, f->form->kid[3], false, &f->result, &ty, &f->result_width))
    return false;
  if (f->result == SORT_BV)
    f->body = check_bv(s, f->form->kid[4], f->result_width);
  else
    f->body = f->result == SORT_NUM ? check_num(s, f->form->kid[4]) : check_bool(s, f->form->kid[4]);
  if (!f->body) return false;
  scope_settle(s, &f->ntyvar, &f->tyvars);
  for (uint32_t i = 0; i < f->nparam; i++)
    if (f->param[i].sort == SORT_BV) f->param[i].ty = ty_settled(s, f->param[i].ty);
  f->nfresh = s->nfresh;
  return true;
}

bool finish_fn(struct checker *c, struct fn *f) {
  if (f->state == FN_BUSY) {
    diag_error(c->d, f->form->loc, NULL, "function '%s' calls itself", f->name);
    f->state = FN_BAD;
  }
  if (f->state != FN_NEW) return f->state == FN_DONE;
  struct target *saved = c->target;
  struct scope s = {.c = c, .kind = SCOPE_FN};
  f->state = FN_BUSY;
  c->target = f->target;
  bool ok = fn_body(&s, f);
  f->state = ok ? FN_DONE : FN_BAD;
  c->target = saved;
  scope_free(&s);
  return ok;
}

/* ---- Calls ----------------------------------------------------------------------------------------- */

struct copy {
  struct scope *s;
  const struct expr **arg, **width; /* by parameter, by type variable */
  struct name_map done;             /* keyed by the expression, so that sharing stays */
};

static const struct expr *copy_expr(struct copy *k, const struct expr *e) {
  if (e->op == XOP_NUM_PARAM || e->op == XOP_BOOL_PARAM || e->op == X_VAR) return k->arg[e->var];
  if (e->op == N_WIDTH && e->ty.var >= 0) return k->width[e->ty.var];
  const struct expr *old = name_get(&k->done, e, SPACE_OP, NULL);
  if (old) return old;
  struct expr *n = new_expr(k->s, e->op, e->sort, e->loc, e->nkid);
  const struct expr **kid = n->kid;
  *n = *e;
  n->kid = kid;
  for (uint32_t i = 0; i < e->nkid; i++) n->kid[i] = copy_expr(k, e->kid[i]);
  if (e->width) n->width = copy_expr(k, e->width);
  if (e->op == X_FRESH) n->var += k->s->nfresh;
  name_put(&k->done, e, SPACE_OP, NULL, n);
  return n;
}

static bool fixed_width(const struct scope *s, const struct expr *w, int64_t *out) {
  if (w->op == N_LIT)
    *out = w->num;
  else if (w->op == N_WIDTH && ty_find(s, w->ty).var < 0)
    *out = vt_bits(ty_find(s, w->ty).fixed);
  else
    return false;
  return true;
}

/* One argument of sort bv; binds the parameter's type variable when it is still open. */
static bool bv_argument(struct copy *k, struct fn *f, uint32_t i, const struct sx *x) {
  struct tyref ty = f->param[i].ty;
  const struct expr *expect = ty.var >= 0 ? k->width[ty.var] : num_lit(k->s, x->loc, vt_bits(ty.fixed));
  const struct expr *e = check_bv(k->s, x, expect);
  if (!e) return false;
  if (!expect) k->width[ty.var] = e->width;
  int64_t got, want;
  if (expect && fixed_width(k->s, e->width, &got) && fixed_width(k->s, expect, &want) && got != want) {
    diag_error(k->s->c->d, x->loc, NULL, "'%s' takes %lld bits here, but this has %lld", f->name,
               (long long)want, (long long)got);
    return false;
  }
  k->arg[i] = e;
  return true;
}

/* The order in which arguments bind types: those with a width of their own first. */
static bool arguments(struct copy *k, struct fn *f, const struct sx *call, const struct expr *expect) {
  struct scope *s = k->s;
  for (int pass = 0; pass < 3; pass++) {
    if (pass == 2 && expect && f->result == SORT_BV && f->result_width && f->result_width->op == N_WIDTH &&
        !k->width[f->result_width->ty.var])
      k->width[f->result_width->ty.var] = expect;
    for (uint32_t i = 0; i < f->nparam; i++) {
      const struct sx *x = call->kid[i + 1];
      int64_t unused;
      bool literal = x->kind == SX_ATOM && parse_int(x->text, &unused);
      if (k->arg[i] || (pass == 0 && (f->param[i].sort != SORT_BV || x->kind == SX_LIST || !has_width(s, x))))
        continue;
      if (pass == 1 && f->param[i].sort == SORT_BV && (literal || !has_width(s, x))) continue;
      if (f->param[i].sort == SORT_BV) {
        if (!bv_argument(k, f, i, x)) return false;
      } else {
        k->arg[i] = f->param[i].sort == SORT_NUM ? check_num(s, x) : check_bool(s, x);
        if (!k->arg[i]) return false;
      }
    }
  }
  return true;
}

const struct expr *call_fn(struct scope *s, struct fn *f, const struct sx *call, const struct expr *expect) {
  if (f->state == FN_BUSY) {
    diag_error(s->c->d, call->loc, NULL, "function '%s' calls itself", f->name);
    f->state = FN_BAD;
  }
  if (f->state != FN_DONE) return NULL;
  if (call->n - 1 != f->nparam) {
    diag_error(s->c->d, call->loc, NULL, "'%s' takes %u argument%s, not %u", f->name, f->nparam,
               PLURAL(f->nparam), call->n - 1);
    return NULL;
  }
  struct copy k = {.s = s,
                   .arg = ARENA_ARRAY(s->c->a, const struct expr *, f->nparam + 1),
                   .width = ARENA_ARRAY(s->c->a, const struct expr *, f->ntyvar + 1)};
  if (!arguments(&k, f, call, expect)) return NULL;
  if (f->ntyvar && expect && f->result_width && f->result_width->op == N_WIDTH &&
      !k.width[f->result_width->ty.var])
    k.width[f->result_width->ty.var] = expect;
  for (uint32_t i = 0; i < f->ntyvar; i++)
    if (!k.width[i]) {
      diag_error(s->c->d, call->loc, NULL, "the width %s of '%s' is not known here", f->tyvars[i], f->name);
      return NULL;
    }
  const struct expr *e = copy_expr(&k, f->body);
  s->nfresh += f->nfresh;
  free_name_map(&k.done);
  return e;
}
