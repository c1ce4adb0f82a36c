/* check_pattern.c: left sides. Operations, variables, constants, and how an operation's head is spelled. */
#include "rulec/check.h"

#include <ctype.h>
#include <string.h>

struct pat *new_pat(struct scope *s, enum pkind kind, struct loc loc) {
  struct pat *p = ARENA_NEW(s->c->a, struct pat);
  *p = (struct pat){.kind = kind, .loc = loc, .var = -1, .flagvar = -1};
  p->ty = p->ty2 = ty_fixed(VT_NONE);
  *vec_push(&s->pats) = p;
  return p;
}

/* ---- Heads: NAME(.flag)*([flags])?(:type)* ---------------------------------------------------------- */

/* Splits the atom: the bare name, the text in brackets, the types. */
static const char *split_head(struct checker *c, const char *text, struct head *h) {
  char *copy = arena_strdup(c->a, text), *open = strchr(copy, '['), *rest;
  if (open) {
    char *close = strchr(open, ']');
    if (!close) return NULL;
    *close = 0;
    h->bracket = open + 1;
    *open = 0;
    rest = close + 1;
    if (*rest && *rest != ':') return NULL;
  } else {
    rest = strchr(copy, ':');
  }
  char *types[2] = {NULL, NULL};
  char *colon = strchr(copy, ':');
  if (colon && !open)
    rest = colon;
  else if (colon) {
    /* `add:i32[f]`: types before the bracket */
    rest = colon;
  }
  for (int i = 0; rest && *rest == ':' && i < 2; i++) {
    types[i] = rest + 1;
    *rest = 0;
    rest = strchr(types[i], ':');
  }
  for (int i = 0; i < 2; i++) h->ty[i] = types[i] ? keep(c, types[i]) : NULL;
  return copy;
}

static bool take_flag(char *name, uint16_t *flags) {
  char *dot = strrchr(name, '.');
  for (int f = 0; dot && f < FLAG_COUNT; f++)
    if (strcmp(dot + 1, flag_name[f]) == 0) {
      *flags |= (uint16_t)(1u << f);
      *dot = 0;
      return true;
    }
  return false;
}

/* Finds the operation; 0: none. Fills the head. */
static bool resolve_head(struct scope *s, const struct sx *x, struct head *h, char **bare) {
  *h = (struct head){.args = (const struct sx *const *)x->kid + 1, .nargs = x->n - 1};
  const char *text = split_head(s->c, x->kid[0]->text, h);
  if (!text) return false;
  char *name = arena_strdup(s->c->a, text);
  *bare = name;
  do {
    h->op = find_op(s->c, keep(s->c, name));
    if (!h->op && x->n > 1 && x->kid[1]->kind == SX_ATOM) {
      h->op = find_op(s->c, keep(s->c, arena_printf(s->c->a, "%s.%s", name, x->kid[1]->text)));
      if (h->op) h->args++, h->nargs--;
    }
  } while (!h->op && take_flag(name, &h->flags));
  return h->op != NULL;
}

const struct op *head_op(struct scope *s, const struct sx *x) {
  struct head h;
  char *bare;
  return sx_head(x) && resolve_head(s, x, &h, &bare) ? h.op : NULL;
}

bool parse_head(struct scope *s, const struct sx *x, struct head *h) {
  char *bare = NULL;
  if (!sx_head(x)) {
    diag_error(s->c->d, x->loc, NULL, "an operation was expected");
    return false;
  }
  if (!resolve_head(s, x, h, &bare)) {
    const char *near = bare ? NEAREST(s->c, bare, SPACE_OP) : NULL;
    if (bare && s->rhs) near = nearer(bare, near, nearest_operator(s->c, bare));
    diag_error(s->c->d, x->kid[0]->loc, hint_spelling(s->c, near), "unknown operation '%s'",
               bare ? bare : x->kid[0]->text);
    return false;
  }
  if (h->flags & ~h->op->flags) {
    int f = 0;
    while (!((h->flags & ~h->op->flags) >> f & 1)) f++;
    diag_error(s->c->d, x->kid[0]->loc, NULL, "'%s' has no flag '%s'", h->op->name, flag_name[f]);
    return false;
  }
  return true;
}

/* ---- Bindings -------------------------------------------------------------------------------------- */

static bool class_suffix(struct scope *s, const struct sx *x, const char *suffix, struct var *v) {
  struct class_ref *r = find_class(s->c, suffix);
  if (!r) {
    diag_error(s->c->d, x->loc, hint_spelling(s->c, NEAREST(s->c, suffix, SPACE_CLASS)),
               "'%s' is not a type or class", suffix);
    return false;
  }
  if (r->kind == CLASS_REG) {
    v->cls = r->p;
    v->ty = ty_fixed(vt_int(v->cls->bits));
  } else if (r->kind == CLASS_IMM) {
    v->imm = r->p;
    v->kind = VAR_IMM;
  } else {
    v->nonterm = r->p;
    v->kind = VAR_MEM;
    v->ty = ty_fixed(vt_int(s->c->target->pointer_bits));
  }
  return true;
}

static enum pkind pattern_kind(enum var_kind k) {
  return k == VAR_MEM ? P_MEM : k == VAR_CONST || k == VAR_IMM || k == VAR_FOUND ? P_CONST : P_VAR;
}

static struct pat *pattern_literal(struct scope *s, const struct sx *x);

/* A variable or constant, with an optional type or class after a colon. */
static struct pat *pattern_name(struct scope *s, const struct sx *x) {
  const char *colon = strchr(x->text, ':'), *name = x->text;
  if (colon) name = intern(s->c->reader.names, x->text, (size_t)(colon - x->text));
  int64_t number;
  if (colon && parse_int(name, &number)) {
    struct sx bare = *x;
    struct tyref ty;
    bare.text = name;
    struct pat *p = pattern_literal(s, &bare);
    if (!p) return NULL;
    if (parse_type(s, keep(s->c, colon + 1), &ty)) return ty_expect(s, x->loc, p->ty, ty) ? p : NULL;
    diag_error(s->c->d, x->loc, NULL, "'%s' is not a type", colon + 1);
    return NULL;
  }
  if (strpbrk(name, ".[]{}") || !(isalpha((unsigned char)*name) || *name == '_')) {
    diag_error(s->c->d, x->loc, NULL, "'%s' is not the name of a variable", name);
    return NULL;
  }
  int v = var_find(s, name);
  if (v >= 0 && s->vars.at[v].kind == VAR_NODE) {
    diag_error(s->c->d, x->loc, "write the node's pattern out again: equal nodes are one node",
               "'%s' names a node", name);
    return NULL;
  }
  if (v < 0) {
    enum var_kind kind = isupper((unsigned char)*name) ? VAR_CONST : VAR_VALUE;
    v = var_add(s, name, kind, ty_fresh(s, NULL), x->loc);
  }
  struct tyref ty;
  if (colon && parse_type(s, keep(s->c, colon + 1), &ty)) {
    if (!ty_expect(s, x->loc, s->vars.at[v].ty, ty)) return NULL;
  } else if (colon) {
    struct var with = s->vars.at[v];
    if (!class_suffix(s, x, keep(s->c, colon + 1), &with)) return NULL;
    if (!ty_expect(s, x->loc, s->vars.at[v].ty, with.ty)) return NULL;
    s->vars.at[v] = with;
  }
  struct pat *p = new_pat(s, pattern_kind(s->vars.at[v].kind), x->loc);
  p->var = v;
  p->ty = s->vars.at[v].ty;
  p->nonterm = s->vars.at[v].nonterm;
  s->var_used.at[v]++;
  return p;
}

/* Gives a node its name; (chain n) may have spoken of it before. */
static bool bind_node(struct scope *s, const struct sx *x, struct pat *p) {
  int v = var_find(s, x->bind);
  if (v >= 0 && s->vars.at[v].kind == VAR_MEM && !s->var_used.at[v]) {
    p->var = v;
    p->nonterm = s->vars.at[v].nonterm;
    s->vars.at[v].node = p;
    s->var_used.at[v]++;
    return ty_expect(s, x->loc, p->ty, s->vars.at[v].ty);
  }
  if (v >= 0 && (s->vars.at[v].kind != VAR_NODE || s->vars.at[v].node)) {
    diag_error(s->c->d, x->loc, NULL, "'%s' already has a meaning", x->bind);
    return false;
  }
  if (v < 0) v = var_add(s, x->bind, VAR_NODE, p->ty, x->loc);
  s->vars.at[v].ty = p->ty;
  s->vars.at[v].node = p;
  p->var = v;
  return true;
}

static bool has_variable(const struct expr *e) {
  if (e->op == X_VAR) return true;
  for (uint32_t i = 0; i < e->nkid; i++)
    if (has_variable(e->kid[i])) return true;
  return false;
}

/* A constant that the author fixed: a number or an expression over widths. */
static struct pat *pattern_literal(struct scope *s, const struct sx *x) {
  struct pat *p = new_pat(s, P_EXPR, x->loc);
  p->ty = ty_fresh(s, NULL);
  p->value = check_bv(s, x, width_of(s, x->loc, p->ty));
  if (!p->value) return NULL;
  if (has_variable(p->value)) {
    diag_error(s->c->d, x->loc, "match a constant and relate it in (when …)",
               "a pattern's constants may not use variables");
    return NULL;
  }
  return p;
}

/* ---- Operations ------------------------------------------------------------------------------------ */

static bool pattern_chain(struct scope *s, const struct sx *x, struct pat **out) {
  struct pat *p;
  if (sx_head(x) && sx_is(x->kid[0], "chain")) {
    if (!want_list(s->c, x, 2, 2, "(chain NODE)") || !want_atom(s->c, x->kid[1], "a node's name"))
      return false;
    p = new_pat(s, P_CHAIN, x->loc);
    p->var = var_find(s, x->kid[1]->text);
    if (p->var < 0) p->var = var_add(s, x->kid[1]->text, VAR_NODE, ty_fixed(VT_CHAIN), x->kid[1]->loc);
    s->var_used.at[p->var]++;
    p->ty = ty_fixed(VT_CHAIN);
  } else if (sx_head(x) && sx_is(x->kid[0], "tokenfactor")) {
    p = new_pat(s, P_TF, x->loc);
    p->ty = ty_fixed(VT_CHAIN);
    p->nkid = x->n - 1;
    p->kid = ARENA_ARRAY(s->c->a, struct pat *, x->n);
    for (uint32_t i = 1; i < x->n; i++)
      if (!pattern_chain(s, x->kid[i], &p->kid[i - 1])) return false;
  } else if (!check_pattern(s, x, &p) || !ty_expect(s, x->loc, p->ty, ty_fixed(VT_CHAIN))) {
    return false;
  }
  *out = p;
  return true;
}

static struct tyref op_ty(const struct pat *p, struct tyref t) { return t.var < 0 ? t : p->optys[t.var]; }

/* What the k-th type behind a head means: the first result's type (or the first type variable when there is
 * no result); then the second type parameter, or of an operation with two type variables the other one. */
static struct tyref written_type(const struct op *op, const struct pat *p, int k) {
  if (k == 0 && op->nres) return op_ty(p, op->res[0].ty);
  if (k == 0) return op->ntyvar ? p->optys[0] : ty_fixed(VT_NONE);
  if (op->second >= 0) return p->optys[op->second];
  if (op->ntyvar != 2) return ty_fixed(VT_NONE);
  return p->optys[op->nres && op->res[0].ty.var == 1 ? 0 : 1];
}

static bool head_types(struct scope *s, const struct sx *x, const struct head *h, struct pat *p) {
  const struct op *op = h->op;
  p->optys = ARENA_ARRAY(s->c->a, struct tyref, op->ntyvar + 1);
  for (uint32_t i = 0; i < op->ntyvar; i++) p->optys[i] = ty_fresh(s, NULL);
  if (op->second >= 0) p->ty2 = p->optys[op->second];
  for (int i = 0; i < 2; i++) {
    struct tyref ty, mine = written_type(op, p, i);
    if (!h->ty[i]) continue;
    if (!parse_type(s, h->ty[i], &ty)) {
      diag_error(s->c->d, x->kid[0]->loc, "types are i1 … i512 or one upper-case letter",
                 "'%s' is not a type", h->ty[i]);
      return false;
    }
    if (mine.var < 0 && mine.fixed == VT_NONE) {
      diag_error(s->c->d, x->kid[0]->loc, NULL, "'%s' has no such type", op->name);
      return false;
    }
    if (!ty_expect(s, x->kid[0]->loc, ty, mine)) return false;
  }
  p->ty = op->nres ? op_ty(p, op->res[0].ty) : ty_fixed(VT_CHAIN);
  return true;
}

/* The part of an operation's node that patterns and results share: head, types, arity. */
struct pat *op_node(struct scope *s, const struct sx *x, struct head *h) {
  if (!parse_head(s, x, h)) return NULL;
  struct pat *p = new_pat(s, P_OP, x->loc);
  p->op = h->op;
  p->flags = h->flags;
  if (!head_types(s, x, h, p)) return NULL;
  uint32_t n = h->nargs;
  if (n != h->op->nin && !(h->op->chained && n == h->op->nin + 1)) {
    diag_error(s->c->d, x->loc, NULL, "'%s' takes %u operand%s%s, not %u", h->op->name, h->op->nin,
               PLURAL(h->op->nin), h->op->chained ? " (or a chain and them)" : "", n);
    return NULL;
  }
  p->nkid = h->op->nin;
  p->kid = ARENA_ARRAY(s->c->a, struct pat *, p->nkid + 1);
  return p;
}

static bool capture_flags(struct scope *s, const struct sx *x, const struct head *h, struct pat *p) {
  if (!h->bracket) return true;
  const char *name = keep(s->c, h->bracket);
  for (int f = 0; f < FLAG_COUNT; f++)
    if (strcmp(flag_name[f], name) == 0) {
      diag_error(s->c->d, x->kid[0]->loc, "a pattern demands a flag with a dot: add.nsw",
                 "[%s] captures flags under a flag's name", name);
      return false;
    }
  if (strpbrk(name, " &") || var_find(s, name) >= 0 || !*name) {
    diag_error(s->c->d, x->kid[0]->loc, "write add[f] with a new name",
               "a new name for the flags was expected in [%s]", name);
    return false;
  }
  p->flagvar = var_add(s, name, VAR_FLAGS, ty_fixed(VT_NONE), x->kid[0]->loc);
  return true;
}

static struct pat *pattern_op(struct scope *s, const struct sx *x) {
  struct head h;
  struct pat *p = op_node(s, x, &h);
  if (!p || !capture_flags(s, x, &h, p)) return NULL;
  if (p->op->structural && s->rule->kind == RULE_COMBINE) {
    diag_error(s->c->d, x->kid[0]->loc, NULL, "'%s' has no meaning of its own and cannot be proven",
               p->op->name);
    return NULL;
  }
  uint32_t from = h.nargs - p->op->nin;
  if (from && !pattern_chain(s, h.args[0], &p->chain)) return NULL;
  for (uint32_t i = 0; i < p->nkid; i++) {
    if (!check_pattern(s, h.args[from + i], &p->kid[i])) return NULL;
    if (!ty_expect(s, p->kid[i]->loc, p->kid[i]->ty, op_ty(p, p->op->in[i].ty))) return NULL;
  }
  return p;
}

static struct pat *pattern_result(struct scope *s, const struct sx *x) {
  struct pat *p;
  if (!want_list(s->c, x, 3, 3, "(res NAME (op …))") || !want_atom(s->c, x->kid[1], "a result's name"))
    return NULL;
  if (!check_pattern(s, x->kid[2], &p)) return NULL;
  for (uint32_t i = 0; p->op && i < p->op->nres; i++)
    if (p->op->res[i].name == x->kid[1]->text) {
      p->res = (int)i;
      p->ty = op_ty(p, p->op->res[i].ty);
      return p;
    }
  diag_error(s->c->d, x->kid[1]->loc, NULL, "'%s' has no result '%s'", p->op ? p->op->name : "this",
             x->kid[1]->text);
  return NULL;
}

bool check_pattern(struct scope *s, const struct sx *x, struct pat **out) {
  struct pat *p = NULL;
  int64_t n;
  if (x->kind == SX_STRING || (x->kind == SX_LIST && !sx_head(x))) {
    diag_error(s->c->d, x->loc, NULL, "a pattern was expected");
  } else if (x->kind == SX_ATOM && sx_is(x, "_")) {
    p = new_pat(s, P_ANY, x->loc);
    p->ty = ty_fresh(s, NULL);
  } else if (x->kind == SX_ATOM) {
    p = parse_int(x->text, &n) ? pattern_literal(s, x) : pattern_name(s, x);
  } else if (sx_is(x->kid[0], "res")) {
    p = pattern_result(s, x);
  } else if (!head_op(s, x) && (is_expr_head(s->c, x->kid[0]->text))) {
    p = pattern_literal(s, x);
  } else {
    p = pattern_op(s, x);
  }
  if (p && x->bind && !bind_node(s, x, p)) p = NULL;
  *out = p;
  return p != NULL;
}

bool pattern_root(struct scope *s, const struct sx *x) {
  struct pat *p;
  if (!check_pattern(s, x, &p)) return false;
  if (p->kind != P_OP && s->rule->kind != RULE_ADDR &&
      !((p->kind == P_CONST || p->kind == P_EXPR) && s->rule->kind == RULE_SELECT)) {
    diag_error(s->c->d, x->loc, NULL, "the root of a pattern is an operation");
    return false;
  }
  s->rule->lhs = p;
  for (uint32_t i = 0; i < s->vars.n; i++)
    if (s->vars.at[i].kind == VAR_NODE && !s->vars.at[i].node) {
      diag_error(s->c->d, s->vars.at[i].loc, NULL, "no node is named '%s'", s->vars.at[i].name);
      return false;
    }
  for (uint32_t i = 0; i < s->ty.n; i++) s->ty.at[i].given = true;
  return true;
}
