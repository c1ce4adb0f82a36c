/* check_expr.c: expressions of the three sorts; the widths of literals come from their siblings. */
#include "rulec/check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* How the operands of an operator relate. */
enum shape {
  NUMS,    /* nums → num */
  NUM_CMP, /* two nums → bool */
  BVS,     /* bvs of one width → bv of it */
  BV_CMP,  /* two bvs of one width → bool */
  BOOLS,   /* bools → bool */
  SPECIAL,
};

struct operator_row {
  const char *name;
  enum shape shape;
  enum xop op;
  uint8_t min, max; /* operands; max 0: any number, nested to the left */
  bool swap;
};

static const struct operator_row operators[] = {
    {"+", NUMS, N_ADD, 1, 0, 0},
    {"-", NUMS, N_SUB, 1, 2, 0},
    {"*", NUMS, N_MUL, 1, 0, 0},
    {"/", NUMS, N_DIV, 2, 2, 0},
    {"log2n", NUMS, N_LOG2, 1, 1, 0},
    {"minn", NUMS, N_MIN, 2, 0, 0},
    {"maxn", NUMS, N_MAX, 2, 0, 0},
    {"<", NUM_CMP, B_NLT, 2, 2, 0},
    {"<=", NUM_CMP, B_NLE, 2, 2, 0},
    {">", NUM_CMP, B_NLT, 2, 2, 1},
    {">=", NUM_CMP, B_NLE, 2, 2, 1},
    {"==", NUM_CMP, B_NEQ, 2, 2, 0},
    {"bvadd", BVS, X_ADD, 2, 0, 0},
    {"bvsub", BVS, X_SUB, 2, 2, 0},
    {"bvmul", BVS, X_MUL, 2, 0, 0},
    {"bvudiv", BVS, X_UDIV, 2, 2, 0},
    {"bvurem", BVS, X_UREM, 2, 2, 0},
    {"bvsdiv", BVS, X_SDIV, 2, 2, 0},
    {"bvsrem", BVS, X_SREM, 2, 2, 0},
    {"bvneg", BVS, X_NEG, 1, 1, 0},
    {"bvnot", BVS, X_NOT, 1, 1, 0},
    {"bvand", BVS, X_AND, 2, 0, 0},
    {"bvor", BVS, X_OR, 2, 0, 0},
    {"bvxor", BVS, X_XOR, 2, 0, 0},
    {"bvshl", BVS, X_SHL, 2, 2, 0},
    {"bvlshr", BVS, X_LSHR, 2, 2, 0},
    {"bvashr", BVS, X_ASHR, 2, 2, 0},
    {"popcount", BVS, X_POPCOUNT, 1, 1, 0},
    {"clz", BVS, X_CLZ, 1, 1, 0},
    {"ctz", BVS, X_CTZ, 1, 1, 0},
    {"bitreverse", BVS, X_BITREV, 1, 1, 0},
    {"bswap", BVS, X_BSWAP, 1, 1, 0},
    {"bvult", BV_CMP, B_ULT, 2, 2, 0},
    {"bvule", BV_CMP, B_ULE, 2, 2, 0},
    {"bvslt", BV_CMP, B_SLT, 2, 2, 0},
    {"bvsle", BV_CMP, B_SLE, 2, 2, 0},
    {"bvugt", BV_CMP, B_ULT, 2, 2, 1},
    {"bvuge", BV_CMP, B_ULE, 2, 2, 1},
    {"bvsgt", BV_CMP, B_SLT, 2, 2, 1},
    {"bvsge", BV_CMP, B_SLE, 2, 2, 1},
    {"bvuaddo", BV_CMP, B_UADDO, 2, 2, 0},
    {"bvsaddo", BV_CMP, B_SADDO, 2, 2, 0},
    {"bvusubo", BV_CMP, B_USUBO, 2, 2, 0},
    {"bvssubo", BV_CMP, B_SSUBO, 2, 2, 0},
    {"bvumulo", BV_CMP, B_UMULO, 2, 2, 0},
    {"bvsmulo", BV_CMP, B_SMULO, 2, 2, 0},
    {"and", BOOLS, B_AND, 1, 0, 0},
    {"or", BOOLS, B_OR, 1, 0, 0},
    {"not", BOOLS, B_NOT, 1, 1, 0},
    {"xor", BOOLS, B_XOR, 2, 0, 0},
    {"=>", BOOLS, B_IMPLIES, 2, 2, 0},
    {"=", SPECIAL, B_EQ, 2, 2, 0},
    {"distinct", SPECIAL, B_EQ, 2, 2, 0},
    {"ite", SPECIAL, X_ITE, 3, 3, 0},
    {"width", SPECIAL, N_WIDTH, 1, 1, 0},
    {"concat", SPECIAL, X_CONCAT, 2, 0, 0},
    {"extract", SPECIAL, X_EXTRACT, 3, 3, 0},
    {"zext-to", SPECIAL, X_ZEXT, 2, 2, 0},
    {"sext-to", SPECIAL, X_SEXT, 2, 2, 0},
    {"trunc-to", SPECIAL, X_TRUNC, 2, 2, 0},
    {"b2bv", SPECIAL, X_B2BV, 2, 2, 0},
    {"bv", SPECIAL, X_LIT, 2, 2, 0},
    {"fresh", SPECIAL, X_FRESH, 1, 1, 0},
    {"read", SPECIAL, X_READ, 2, 2, 0},
    {"let", SPECIAL, XOP_COUNT, 2, 2, 0},
    {"poison?", SPECIAL, B_POISON, 1, 1, 0},
};
enum { NOPERATORS = sizeof operators / sizeof operators[0] };

static const struct operator_row *operator_named(const char *name) {
  for (int i = 0; i < NOPERATORS; i++)
    if (strcmp(operators[i].name, name) == 0) return &operators[i];
  return NULL;
}

bool is_expr_head(struct checker *c, const char *name) { return operator_named(name) || find_fn(c, name); }

const char *nearest_operator(struct checker *c, const char *name) {
  const char *best = NULL;
  for (int i = 0; i < NOPERATORS; i++) best = nearer(name, best, operators[i].name);
  const char *fn = NEAREST(c, name, SPACE_FN);
  return fn ? nearer(name, best, fn) : best;
}

/* ---- Building blocks ------------------------------------------------------------------------------- */

struct expr *new_expr(struct scope *s, enum xop op, enum sort sort, struct loc loc, uint32_t nkid) {
  struct expr *e = ARENA_NEW(s->c->a, struct expr);
  e->op = op;
  e->sort = sort;
  e->loc = loc;
  e->nkid = nkid;
  if (nkid) e->kid = ARENA_ARRAY(s->c->a, const struct expr *, nkid);
  e->ty = ty_fixed(VT_NONE);
  e->var = -1;
  *vec_push(&s->exprs) = e;
  return e;
}

struct expr *num_lit(struct scope *s, struct loc loc, int64_t n) {
  struct expr *e = new_expr(s, N_LIT, SORT_NUM, loc, 0);
  e->num = n;
  return e;
}

const struct expr *width_of(struct scope *s, struct loc loc, struct tyref ty) {
  struct expr *e = new_expr(s, N_WIDTH, SORT_NUM, loc, 0);
  e->ty = ty;
  return e;
}

const struct expr *var_expr(struct scope *s, struct loc loc, int var) {
  struct expr *e = new_expr(s, X_VAR, SORT_BV, loc, 0);
  e->var = var;
  e->width = width_of(s, loc, s->vars.at[var].ty);
  return e;
}

/* Lets a type that is still open follow the width that its place asks for. */
static void settle_soft(struct scope *s, const struct expr *got, const struct expr *want) {
  if (!got || !want || got->op != N_WIDTH) return;
  struct tyref a = ty_find(s, got->ty);
  if (a.var < 0 || !s->ty.at[a.var].soft) return;
  if (want->op == N_WIDTH)
    ty_unify(s, got->ty, want->ty);
  else if (want->op == N_LIT && want->num > 0 && want->num <= VT_MAX_BITS)
    ty_unify(s, got->ty, ty_fixed(vt_int((unsigned)want->num)));
}

static const struct expr *literal_of(struct scope *s, const struct expr *num, const struct expr *width,
                                     bool strict) {
  struct expr *e = new_expr(s, X_LIT, SORT_BV, num->loc, 1);
  e->kid[0] = num;
  e->width = width;
  e->strict = strict;
  return e;
}

static const char *sort_name(enum sort k) {
  return k == SORT_NUM ? "a number" : k == SORT_BOOL ? "a bool" : "a bit-vector";
}

/* Brings an expression to the sort that is needed. */
static const struct expr *coerce(struct scope *s, const struct expr *e, enum sort want,
                                 const struct expr *expect) {
  if (!e || e->sort == want) {
    if (e && want == SORT_BV) settle_soft(s, e->width, expect);
    return e;
  }
  if (e->sort == SORT_NUM && want == SORT_BV) {
    if (expect) return literal_of(s, e, expect, true);
    diag_error(s->c->d, e->loc, "write (bv N V) to give the width", "the width of this number is not known");
    return NULL;
  }
  const char *hint = e->sort == SORT_BV && want == SORT_BOOL   ? "compare it: (= x 1)"
                     : e->sort == SORT_BOOL && want == SORT_BV ? "convert it: (b2bv N b)"
                                                               : NULL;
  diag_error(s->c->d, e->loc, hint, "%s is needed here, but this is %s", sort_name(want), sort_name(e->sort));
  return NULL;
}

bool parse_int(const char *text, int64_t *out) {
  const char *p = text + (*text == '-' || *text == '+');
  if (!isdigit((unsigned char)*p)) return false;
  char *end;
  int base = p[0] == '0' && (p[1] == 'x' || p[1] == 'b') ? (p[1] == 'x' ? 16 : 2) : 10;
  if (base != 10) p += 2;
  unsigned long long v = strtoull(p, &end, base);
  if (*end || end == p) return false;
  *out = *text == '-' ? (int64_t)(0 - v) : (int64_t)v;
  return true;
}

/* ---- Names ----------------------------------------------------------------------------------------- */

static const struct expr *flag_expr(struct scope *s, const struct sx *x) {
  for (int f = 0; f < FLAG_COUNT; f++)
    if (strcmp(flag_name[f], x->text) == 0) {
      if (!(s->op->flags >> f & 1)) {
        diag_error(s->c->d, x->loc, NULL, "'%s' is not in the (flags …) of '%s'", x->text, s->op->name);
        return NULL;
      }
      struct expr *e = new_expr(s, B_FLAG, SORT_BOOL, x->loc, 0);
      e->flag = f;
      return e;
    }
  return NULL;
}

static const struct expr *param_expr(struct scope *s, const struct sx *x) {
  for (uint32_t i = 0; i < s->params.n; i++) {
    const struct param *p = &s->params.at[i];
    if (p->name != x->text) continue;
    if (p->sort == SORT_BV) return var_expr(s, x->loc, p->index);
    struct expr *e = new_expr(s, p->sort == SORT_NUM ? XOP_NUM_PARAM : XOP_BOOL_PARAM, p->sort, x->loc, 0);
    e->var = p->index;
    return e;
  }
  return NULL;
}

static const char *nearest_value(struct scope *s, const char *name) {
  const char *best = NULL;
  for (uint32_t i = 0; i < s->lets.n; i++) best = nearer(name, best, s->lets.at[i].name);
  for (uint32_t i = 0; i < s->vars.n; i++) best = nearer(name, best, s->vars.at[i].name);
  for (uint32_t i = 0; i < s->params.n; i++) best = nearer(name, best, s->params.at[i].name);
  return hint_spelling(s->c, best);
}

static const struct expr *check_atom(struct scope *s, const struct sx *x) {
  int64_t n;
  if (parse_int(x->text, &n)) return num_lit(s, x->loc, n);
  if (sx_is(x, "true") || sx_is(x, "false"))
    return new_expr(s, sx_is(x, "true") ? B_TRUE : B_FALSE, SORT_BOOL, x->loc, 0);
  for (uint32_t i = s->lets.n; i-- > 0;)
    if (s->lets.at[i].name == x->text) {
      s->lets.at[i].used = true;
      return s->lets.at[i].value;
    }
  const struct expr *e = param_expr(s, x);
  if (e) return e;
  int v = var_find(s, x->text);
  if (v >= 0) {
    s->var_used.at[v] = 1;
    enum type_kind k = vt_kind(ty_find(s, s->vars.at[v].ty).fixed);
    if (s->vars.at[v].kind == VAR_FLAGS || k == TK_CHAIN || k == TK_BLOCK) {
      diag_error(s->c->d, x->loc, NULL, "'%s' is not a value", x->text);
      return NULL;
    }
    return var_expr(s, x->loc, v);
  }
  if (s->op) {
    unsigned before = s->c->d->errors;
    e = flag_expr(s, x);
    if (e || s->c->d->errors != before) return e;
  }
  if (is_tyvar_name(x->text) && ty_is_named(s, x->text)) return width_of(s, x->loc, ty_named(s, x->text));
  diag_error(s->c->d, x->loc, nearest_value(s, x->text), "unknown name '%s'", x->text);
  return NULL;
}

/* ---- Which widths come from inside ----------------------------------------------------------------- */

static bool atom_has_width(struct scope *s, const char *name) {
  for (uint32_t i = s->lets.n; i-- > 0;)
    if (s->lets.at[i].name == name) return s->lets.at[i].value && s->lets.at[i].value->sort == SORT_BV;
  for (uint32_t i = 0; i < s->params.n; i++)
    if (s->params.at[i].name == name) return s->params.at[i].sort == SORT_BV;
  int v = var_find(s, name);
  if (v >= 0) {
    struct tyref t = ty_find(s, s->vars.at[v].ty);
    return t.var < 0 || !s->ty.at[t.var].soft;
  }
  return false;
}

/* True when the width of `x` follows from its parts, so that it can give a sibling literal its width. */
bool has_width(struct scope *s, const struct sx *x) {
  if (x->kind == SX_ATOM) return atom_has_width(s, x->text);
  const char *head = sx_head(x);
  if (!head) return false;
  const struct operator_row *row = operator_named(head);
  if (!row) {
    struct fn *f = find_fn(s->c, head);
    if (!f || f->result != SORT_BV) return false;
    if (!f->result_width || f->result_width->op != N_WIDTH) return true;
    for (uint32_t i = 0; i < f->nparam && i + 1 < x->n; i++)
      if (f->param[i].sort == SORT_BV && has_width(s, x->kid[i + 1])) return true;
    return false;
  }
  if (row->op == X_ITE) return x->n == 4 && (has_width(s, x->kid[2]) || has_width(s, x->kid[3]));
  if (row->op == XOP_COUNT) return x->n == 3 && (x->kid[2]->kind == SX_LIST || has_width(s, x->kid[2]));
  if (row->shape != BVS) return row->shape == SPECIAL && row->op >= X_LIT;
  for (uint32_t i = 1; i < x->n; i++)
    if (has_width(s, x->kid[i])) return true;
  return false;
}

/* ---- Lists ----------------------------------------------------------------------------------------- */

static const struct expr *synth(struct scope *s, const struct sx *x, const struct expr *expect);

static const struct expr *nest(struct scope *s, const struct sx *x, enum xop op, enum sort sort,
                               const struct expr *const *kid, uint32_t n) {
  const struct expr *acc = kid[0];
  for (uint32_t i = 1; i < n; i++) {
    struct expr *e = new_expr(s, op, sort, x->loc, 2);
    e->kid[0] = acc;
    e->kid[1] = kid[i];
    e->width = acc->width;
    acc = e;
  }
  return acc;
}

/* Checks operands that share a width: those that know it first, then the others against it. */
static bool same_width_kids(struct scope *s, const struct sx *x, uint32_t from, const struct expr *expect,
                            enum sort want, const struct expr **kid) {
  bool ok = true;
  uint32_t n = x->n - from;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < n; i++) {
      if (has_width(s, x->kid[from + i]) != (pass == 0)) continue;
      const struct expr *e = synth(s, x->kid[from + i], expect);
      if (want == SORT_BV || (e && e->sort == SORT_NUM && expect)) e = coerce(s, e, SORT_BV, expect);
      kid[i] = e;
      if (!e)
        ok = false;
      else if (!expect && e->sort == SORT_BV)
        expect = e->width;
    }
  for (uint32_t i = 0; ok && i < n; i++)
    if (kid[i]->sort == SORT_BV) settle_soft(s, kid[i]->width, expect);
  return ok;
}

static const struct expr *check_row(struct scope *s, const struct sx *x, const struct operator_row *row,
                                    const struct expr *expect) {
  uint32_t n = x->n - 1;
  const struct expr **kid = ARENA_ARRAY(s->c->a, const struct expr *, n);
  bool ok = true;
  if (row->shape == BVS || row->shape == BV_CMP) {
    ok = same_width_kids(s, x, 1, row->shape == BVS ? expect : NULL, SORT_BV, kid);
  } else {
    for (uint32_t i = 0; i < n; i++) {
      kid[i] = row->shape == BOOLS ? check_bool(s, x->kid[i + 1]) : check_num(s, x->kid[i + 1]);
      if (!kid[i]) ok = false;
    }
  }
  if (!ok) return NULL;
  enum sort sort = row->shape == BVS ? SORT_BV : row->shape == NUMS ? SORT_NUM : SORT_BOOL;
  if (row->op == N_SUB && n == 1) {
    const struct expr *zero_first[2] = {num_lit(s, x->loc, 0), kid[0]};
    return nest(s, x, N_SUB, SORT_NUM, zero_first, 2);
  }
  if (row->max == 0) return nest(s, x, row->op, sort, kid, n);
  struct expr *e = new_expr(s, row->op, sort, x->loc, n);
  for (uint32_t i = 0; i < n; i++) e->kid[i] = kid[row->swap ? n - 1 - i : i];
  if (sort == SORT_BV) e->width = kid[0]->width;
  return e;
}

static const struct expr *check_equal(struct scope *s, const struct sx *x) {
  const struct expr *kid[2];
  if (!same_width_kids(s, x, 1, NULL, SORT_NUM, kid)) return NULL;
  if (kid[0]->sort != kid[1]->sort) {
    diag_error(s->c->d, x->loc, NULL, "%s and %s are compared", sort_name(kid[0]->sort),
               sort_name(kid[1]->sort));
    return NULL;
  }
  struct expr *e = new_expr(s, kid[0]->sort == SORT_NUM ? B_NEQ : B_EQ, SORT_BOOL, x->loc, 2);
  e->kid[0] = kid[0];
  e->kid[1] = kid[1];
  if (!sx_is(x->kid[0], "distinct")) return e;
  struct expr *no = new_expr(s, B_NOT, SORT_BOOL, x->loc, 1);
  no->kid[0] = e;
  return no;
}

static const struct expr *check_ite(struct scope *s, const struct sx *x, const struct expr *expect) {
  const struct expr *cond = check_bool(s, x->kid[1]), *kid[2];
  if (!same_width_kids(s, x, 2, expect, SORT_NUM, kid) || !cond) return NULL;
  if (kid[0]->sort != kid[1]->sort || kid[0]->sort == SORT_NUM) {
    if (kid[0]->sort == SORT_NUM && kid[1]->sort == SORT_NUM)
      coerce(s, kid[0], SORT_BV, NULL);
    else
      diag_error(s->c->d, x->loc, NULL, "the branches are %s and %s", sort_name(kid[0]->sort),
                 sort_name(kid[1]->sort));
    return NULL;
  }
  struct expr *e = new_expr(s, kid[0]->sort == SORT_BV ? X_ITE : B_ITE, kid[0]->sort, x->loc, 3);
  e->kid[0] = cond;
  e->kid[1] = kid[0];
  e->kid[2] = kid[1];
  e->width = kid[0]->width;
  return e;
}

static const struct expr *check_width(struct scope *s, const struct sx *x) {
  const struct sx *k = x->kid[1];
  if (k->kind == SX_ATOM && is_tyvar_name(k->text) && ty_is_named(s, k->text) && var_find(s, k->text) < 0)
    return width_of(s, x->loc, ty_named(s, k->text));
  struct tyref ty;
  if (k->kind == SX_ATOM && !is_tyvar_name(k->text) && var_find(s, k->text) < 0 &&
      parse_type(s, k->text, &ty))
    return width_of(s, x->loc, ty);
  const struct expr *e = synth(s, k, NULL);
  e = e ? coerce(s, e, SORT_BV, NULL) : NULL;
  return e ? e->width : NULL;
}

static const struct expr *binary_num(struct scope *s, struct loc loc, enum xop op, const struct expr *a,
                                     const struct expr *b) {
  struct expr *e = new_expr(s, op, SORT_NUM, loc, 2);
  e->kid[0] = a;
  e->kid[1] = b;
  return e;
}

static const struct expr *check_concat(struct scope *s, const struct sx *x) {
  const struct expr *acc = NULL;
  for (uint32_t i = 1; i < x->n; i++) {
    const struct expr *k = check_bv(s, x->kid[i], NULL);
    if (!k) return NULL;
    if (!acc) {
      acc = k;
      continue;
    }
    struct expr *e = new_expr(s, X_CONCAT, SORT_BV, x->loc, 2);
    e->kid[0] = acc;
    e->kid[1] = k;
    e->width = binary_num(s, x->loc, N_ADD, acc->width, k->width);
    acc = e;
  }
  return acc;
}

static const struct expr *check_extract(struct scope *s, const struct sx *x) {
  const struct expr *hi = check_num(s, x->kid[1]), *lo = check_num(s, x->kid[2]);
  const struct expr *v = check_bv(s, x->kid[3], NULL);
  if (!hi || !lo || !v) return NULL;
  struct expr *e = new_expr(s, X_EXTRACT, SORT_BV, x->loc, 3);
  e->kid[0] = hi;
  e->kid[1] = lo;
  e->kid[2] = v;
  if (hi->op == N_LIT && lo->op == N_LIT)
    e->width = num_lit(s, x->loc, hi->num - lo->num + 1);
  else
    e->width = binary_num(s, x->loc, N_ADD, binary_num(s, x->loc, N_SUB, hi, lo), num_lit(s, x->loc, 1));
  return e;
}

static const struct expr *check_sized(struct scope *s, const struct sx *x, const struct operator_row *row) {
  const struct expr *width = check_num(s, x->kid[1]);
  if (row->op == X_FRESH) {
    struct expr *e = width ? new_expr(s, X_FRESH, SORT_BV, x->loc, 0) : NULL;
    if (!e) return NULL;
    e->width = width;
    e->var = s->nfresh++;
    return e;
  }
  const struct expr *k = row->op == X_LIT    ? check_num(s, x->kid[2])
                         : row->op == X_B2BV ? check_bool(s, x->kid[2])
                                             : check_bv(s, x->kid[2], NULL);
  if (!width || !k) return NULL;
  if (row->op == X_LIT) return literal_of(s, k, width, false);
  struct expr *e = new_expr(s, row->op, SORT_BV, x->loc, 1);
  e->kid[0] = k;
  e->width = width;
  return e;
}

static const struct expr *check_read(struct scope *s, const struct sx *x) {
  int64_t bytes;
  if (s->kind != SCOPE_INST) {
    diag_error(s->c->d, x->loc, NULL, "'read' belongs to the semantics of an instruction");
    return NULL;
  }
  const struct expr *addr = check_bv(s, x->kid[1], NULL);
  if (!addr) return NULL;
  if (x->kid[2]->kind != SX_ATOM || !parse_int(x->kid[2]->text, &bytes) || bytes < 1 || bytes > 64) {
    diag_error(s->c->d, x->kid[2]->loc, "write (read ADDRESS BYTES)", "a number of bytes was expected");
    return NULL;
  }
  struct expr *e = new_expr(s, X_READ, SORT_BV, x->loc, 1);
  e->kid[0] = addr;
  e->num = bytes;
  e->width = num_lit(s, x->loc, bytes * 8);
  return e;
}

static const struct expr *check_is_poison(struct scope *s, const struct sx *x) {
  int v = x->kid[1]->kind == SX_ATOM ? var_find(s, x->kid[1]->text) : -1;
  if (s->kind != SCOPE_OP || v < 0) {
    diag_error(s->c->d, x->kid[1]->loc, NULL, "(poison? x) asks about an operand of an operation");
    return NULL;
  }
  s->var_used.at[v] = 1;
  struct expr *e = new_expr(s, B_POISON, SORT_BOOL, x->loc, 0);
  e->var = v;
  return e;
}

int check_bindings(struct scope *s, const struct sx *list, const struct expr *expect) {
  int n = 0;
  if (!want_list(s->c, list, 1, UINT32_MAX, "((NAME VALUE) …)")) return -1;
  for (uint32_t i = 0; i < list->n; i++) {
    const struct sx *b = list->kid[i];
    if (!want_list(s->c, b, 2, 2, "(NAME VALUE)") || !want_atom(s->c, b->kid[0], "a name")) {
      pop_bindings(s, n);
      return -1;
    }
    const struct expr *e = synth(s, b->kid[1], has_width(s, b->kid[1]) ? NULL : expect);
    if (!e) {
      pop_bindings(s, n);
      return -1;
    }
    *vec_push(&s->lets) = (struct local){.name = b->kid[0]->text, .loc = b->kid[0]->loc, .value = e};
    n++;
  }
  return n;
}

void pop_bindings(struct scope *s, int n) {
  for (int i = 0; i < n; i++) {
    const struct local *l = &s->lets.at[s->lets.n - 1];
    if (!l->used && s->c->d->errors == 0)
      diag_error(s->c->d, l->loc, "delete the binding", "'%s' is bound but not used", l->name);
    s->lets.n--;
  }
}

static const struct expr *check_let(struct scope *s, const struct sx *x, const struct expr *expect) {
  int n = check_bindings(s, x->kid[1], NULL);
  if (n < 0) return NULL;
  const struct expr *e = synth(s, x->kid[2], expect);
  pop_bindings(s, n);
  return e;
}

static const struct expr *check_special(struct scope *s, const struct sx *x, const struct operator_row *row,
                                        const struct expr *expect) {
  switch (row->op) {
  case B_EQ: return check_equal(s, x);
  case X_ITE: return check_ite(s, x, expect);
  case N_WIDTH: return check_width(s, x);
  case X_CONCAT: return check_concat(s, x);
  case X_EXTRACT: return check_extract(s, x);
  case X_READ: return check_read(s, x);
  case B_POISON: return check_is_poison(s, x);
  case XOP_COUNT: return check_let(s, x, expect);
  default: return check_sized(s, x, row);
  }
}

static const struct expr *synth(struct scope *s, const struct sx *x, const struct expr *expect) {
  if (x->kind == SX_ATOM) return check_atom(s, x);
  const char *head = sx_head(x);
  if (!head) {
    diag_error(s->c->d, x->loc, NULL, "an expression was expected");
    return NULL;
  }
  const struct operator_row *row = operator_named(head);
  if (row) {
    if (x->n - 1 < row->min || (row->max && x->n - 1 > row->max)) {
      diag_error(s->c->d, x->loc, NULL, "'%s' takes %s%u operand%s, not %u", head,
                 row->max == row->min ? ""
                 : row->max           ? "up to "
                                      : "at least ",
                 row->max ? row->max : row->min, PLURAL(row->max ? row->max : row->min), x->n - 1);
      return NULL;
    }
    return row->shape == SPECIAL ? check_special(s, x, row, expect) : check_row(s, x, row, expect);
  }
  struct fn *f = find_fn(s->c, head);
  if (f) return call_fn(s, f, x, expect);
  if (x->n == 1 && s->kind == SCOPE_NONTERM && var_find(s, head) >= 0) return check_atom(s, x->kid[0]);
  if (s->facts && (is_fact_name(head) || x->n == 1)) return check_fact(s, x);
  if (find_op(s->c, head))
    diag_error(s->c->d, x->kid[0]->loc, "constants are computed with the bv… operators and functions",
               "'%s' is an operation, but an expression is needed here", head);
  else
    diag_error(s->c->d, x->kid[0]->loc, hint_spelling(s->c, nearest_operator(s->c, head)),
               "unknown operator or function '%s'", head);
  return NULL;
}

const struct expr *check_num(struct scope *s, const struct sx *x) {
  const struct expr *e = synth(s, x, NULL);
  return e ? coerce(s, e, SORT_NUM, NULL) : NULL;
}

const struct expr *check_bool(struct scope *s, const struct sx *x) {
  const struct expr *e = synth(s, x, NULL);
  return e ? coerce(s, e, SORT_BOOL, NULL) : NULL;
}

const struct expr *check_bv(struct scope *s, const struct sx *x, const struct expr *expect) {
  const struct expr *e = synth(s, x, expect);
  return e ? coerce(s, e, SORT_BV, expect) : NULL;
}

bool check_conjuncts(struct scope *s, const struct sx *clause, const struct expr ***out, uint32_t *n) {
  const struct expr **list = ARENA_ARRAY(s->c->a, const struct expr *, *n + clause->n);
  if (*n) memcpy(list, *out, *n * sizeof *list);
  for (uint32_t i = 1; i < clause->n; i++) {
    const struct expr *e = check_bool(s, clause->kid[i]);
    if (!e) return false;
    list[(*n)++] = e;
  }
  *out = list;
  return true;
}
