/* check_types.c: type variables of one form, by unification. */
#include "rulec/check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void scope_free(struct scope *s) {
  vec_free(&s->ty);
  vec_free(&s->vars);
  vec_free(&s->var_used);
  vec_free(&s->lets);
  vec_free(&s->params);
  vec_free(&s->exprs);
  vec_free(&s->pats);
  vec_free(&s->let_nodes);
  vec_free(&s->let_vars);
}

struct tyref ty_fixed(vt t) {
  return (struct tyref){.fixed = t, .var = -1};
}

struct tyref ty_fresh(struct scope *s, const char *name) {
  if (s->ty.n >= INT16_MAX) bug("too many type variables in one form");
  *vec_push(&s->ty) = (struct tynode){.name = name, .parent = -1};
  return (struct tyref){.fixed = VT_NONE, .var = (int16_t)(s->ty.n - 1)};
}

static int named(const struct scope *s, const char *name) {
  for (uint32_t i = 0; i < s->ty.n; i++)
    if (s->ty.at[i].name == name) return (int)i;
  return -1;
}

bool ty_is_named(const struct scope *s, const char *name) { return named(s, name) >= 0; }

struct tyref ty_named(struct scope *s, const char *name) {
  int i = named(s, name);
  return i >= 0 ? (struct tyref){.fixed = VT_NONE, .var = (int16_t)i} : ty_fresh(s, name);
}

struct tyref ty_find(const struct scope *s, struct tyref t) {
  while (t.var >= 0 && s->ty.at[t.var].parent >= 0) t.var = (int16_t)s->ty.at[t.var].parent;
  if (t.var >= 0 && s->ty.at[t.var].fixed != VT_NONE) return ty_fixed(s->ty.at[t.var].fixed);
  return t;
}

static int root_of(const struct scope *s, int v) {
  while (s->ty.at[v].parent >= 0) v = s->ty.at[v].parent;
  return v;
}

bool ty_unify(struct scope *s, struct tyref a, struct tyref b) {
  struct tyref x = ty_find(s, a), y = ty_find(s, b);
  if (x.var < 0 && y.var < 0) return x.fixed == y.fixed;
  if (x.var < 0) return ty_unify(s, b, a);
  int rx = root_of(s, x.var);
  if (y.var < 0) {
    s->ty.at[rx].fixed = y.fixed;
    return true;
  }
  int ry = root_of(s, y.var);
  if (rx == ry) return true;
  /* The one with a name, and the one that is not soft, stays. */
  if (s->ty.at[ry].soft || (s->ty.at[rx].name && !s->ty.at[ry].name && !s->ty.at[rx].soft)) {
    int t = rx;
    rx = ry;
    ry = t;
  }
  s->ty.at[rx].parent = ry;
  s->ty.at[ry].given |= s->ty.at[rx].given;
  s->ty.at[ry].soft &= s->ty.at[rx].soft;
  return true;
}

const char *ty_text(struct checker *c, const struct scope *s, struct tyref t) {
  char buf[16];
  struct tyref r = ty_find(s, t);
  if (r.var < 0) return keep(c, vt_name(r.fixed, buf));
  return s->ty.at[r.var].name ? s->ty.at[r.var].name : "an integer type";
}

bool ty_expect(struct scope *s, struct loc at, struct tyref got, struct tyref want) {
  if (ty_unify(s, got, want)) return true;
  diag_error(s->c->d, at, NULL, "this has type %s, but %s is needed here", ty_text(s->c, s, got),
             ty_text(s->c, s, want));
  return false;
}

bool is_tyvar_name(const char *text) { return isupper((unsigned char)text[0]) && text[1] == 0; }

bool parse_type(struct scope *s, const char *text, struct tyref *out) {
  char *end;
  if (is_tyvar_name(text)) {
    *out = ty_named(s, text);
    return true;
  }
  if (text[0] == 'i' && isdigit((unsigned char)text[1])) {
    unsigned long bits = strtoul(text + 1, &end, 10);
    if (*end || bits == 0 || bits > VT_MAX_BITS) return false;
    *out = ty_fixed(vt_int((unsigned)bits));
    return true;
  }
  if (strcmp(text, "chain") == 0)
    *out = ty_fixed(VT_CHAIN);
  else if (strcmp(text, "glue") == 0)
    *out = ty_fixed(VT_GLUE);
  else if (strcmp(text, "block") == 0)
    *out = ty_fixed(VT_BLOCK);
  else if (strcmp(text, "flags") == 0 && s->c->target)
    *out = ty_fixed(VT_FLAGSN(s->c->target->flag_bits));
  else
    return false;
  return true;
}

/* During settling, `fallback` of a root holds its new number + 1. */
struct tyref ty_settled(const struct scope *s, struct tyref t) {
  struct tyref r = ty_find(s, t);
  if (r.var >= 0) r.var = (int16_t)(s->ty.at[r.var].fallback - 1);
  return r;
}

static void number_types(struct scope *s, uint32_t *ntyvar, const char *const **tyvars) {
  struct checker *c = s->c;
  VEC(const char *) names = {0};
  for (uint32_t i = 0; i < s->ty.n; i++) {
    struct tynode *t = &s->ty.at[i];
    if (t->parent < 0 && t->fixed == VT_NONE && t->soft) t->fixed = t->fallback;
  }
  /* T, the type that actions are indexed by, comes first. */
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < s->ty.n; i++) {
      struct tynode *t = &s->ty.at[i];
      bool is_t = t->name && strcmp(t->name, "T") == 0;
      if (t->parent >= 0 || t->fixed != VT_NONE || is_t != (pass == 0)) continue;
      t->fallback = names.n + 1;
      const char *name = t->name ? t->name : keep(c, arena_printf(c->a, "t%u", names.n));
      *vec_push(&names) = name;
    }
  const char **copy = ARENA_ARRAY(c->a, const char *, names.n ? names.n : 1);
  for (uint32_t i = 0; i < names.n; i++) copy[i] = names.at[i];
  *ntyvar = names.n;
  *tyvars = copy;
  vec_free(&names);
}

void scope_settle(struct scope *s, uint32_t *ntyvar, const char *const **tyvars) {
  number_types(s, ntyvar, tyvars);
  for (uint32_t i = 0; i < s->exprs.n; i++) {
    struct expr *e = s->exprs.at[i];
    if (e->op == N_WIDTH || (e->op == B_FACT && e->fact == FACT_LEGAL)) e->ty = ty_settled(s, e->ty);
    if (e->op == N_WIDTH && e->ty.var < 0) {
      e->num = vt_bits(e->ty.fixed);
      e->op = N_LIT;
    }
  }
  for (uint32_t i = 0; i < s->pats.n; i++) {
    struct pat *p = s->pats.at[i];
    p->ty = ty_settled(s, p->ty);
    p->ty2 = ty_settled(s, p->ty2);
    for (uint32_t k = 0; p->op && k < p->op->ntyvar; k++) p->optys[k] = ty_settled(s, p->optys[k]);
  }
  for (uint32_t i = 0; i < s->vars.n; i++) s->vars.at[i].ty = ty_settled(s, s->vars.at[i].ty);
}

int var_find(const struct scope *s, const char *name) {
  for (uint32_t i = s->vars.n; i-- > 0;)
    if (s->vars.at[i].name == name) return (int)i;
  return -1;
}

int var_add(struct scope *s, const char *name, enum var_kind kind, struct tyref ty, struct loc loc) {
  *vec_push(&s->vars) = (struct var){.name = name, .kind = kind, .ty = ty, .loc = loc};
  *vec_push(&s->var_used) = 0;
  return (int)s->vars.n - 1;
}
