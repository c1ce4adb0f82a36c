/* smt.c: the meaning of expressions and operations as Z3 terms. */
#include "smt.h"

#include <stdlib.h>
#include <string.h>

/* Terms that one call has already built: bodies share subexpressions, and terms must share them too. */
struct memo_slot {
  const struct expr *e;
  Z3_ast term;
};
struct memo {
  struct memo_slot *slot;
  uint32_t n, cap;
};

struct run {
  const struct smt_env *env;
  Z3_context c;
  struct eval_env widths; /* types only */
  struct memo memo;
};

static struct memo_slot *memo_slot(struct memo_slot *slot, uint32_t cap, const struct expr *e) {
  uint32_t i = (uint32_t)((uintptr_t)e >> 4) * 2654435761u;
  for (i &= cap - 1;; i = (i + 1) & (cap - 1))
    if (!slot[i].e || slot[i].e == e) return &slot[i];
}

static void memo_put(struct memo *m, const struct expr *e, Z3_ast term) {
  if (m->n * 2 >= m->cap) {
    uint32_t cap = m->cap ? m->cap * 2 : 64;
    struct memo_slot *slot = calloc(cap, sizeof *slot);
    if (!slot) bug("out of memory for %u terms", cap);
    for (uint32_t i = 0; i < m->cap; i++)
      if (m->slot[i].e) *memo_slot(slot, cap, m->slot[i].e) = m->slot[i];
    free(m->slot);
    m->slot = slot;
    m->cap = cap;
  }
  *memo_slot(m->slot, m->cap, e) = (struct memo_slot){e, term};
  m->n++;
}

/* ---- Small constructors ---------------------------------------------------------------------------- */

static Z3_lbool truth(Z3_context c, Z3_ast a) { return Z3_get_bool_value(c, a); }

Z3_ast smt_and2(Z3_context c, Z3_ast a, Z3_ast b) {
  if (!a || truth(c, a) == Z3_L_TRUE) return b ? b : Z3_mk_true(c);
  if (!b || truth(c, b) == Z3_L_TRUE) return a;
  if (truth(c, a) == Z3_L_FALSE || truth(c, b) == Z3_L_FALSE) return Z3_mk_false(c);
  return Z3_mk_and(c, 2, (Z3_ast[]){a, b});
}

Z3_ast smt_or2(Z3_context c, Z3_ast a, Z3_ast b) {
  if (!a || truth(c, a) == Z3_L_FALSE) return b ? b : Z3_mk_false(c);
  if (!b || truth(c, b) == Z3_L_FALSE) return a;
  if (truth(c, a) == Z3_L_TRUE || truth(c, b) == Z3_L_TRUE) return Z3_mk_true(c);
  return Z3_mk_or(c, 2, (Z3_ast[]){a, b});
}

Z3_ast smt_not(Z3_context c, Z3_ast a) {
  if (truth(c, a) == Z3_L_TRUE) return Z3_mk_false(c);
  if (truth(c, a) == Z3_L_FALSE) return Z3_mk_true(c);
  return Z3_mk_not(c, a);
}

static Z3_ast ite(Z3_context c, Z3_ast cond, Z3_ast a, Z3_ast b) {
  if (truth(c, cond) == Z3_L_TRUE || a == b) return a;
  if (truth(c, cond) == Z3_L_FALSE) return b;
  return Z3_mk_ite(c, cond, a, b);
}

static Z3_sort bv_sort(Z3_context c, unsigned width) { return Z3_mk_bv_sort(c, width); }

Z3_ast smt_const_bv(Z3_context c, struct bv value) {
  char buf[160];
  return Z3_mk_numeral(c, bv_dec(value, buf), bv_sort(c, value.width));
}

static Z3_ast number(Z3_context c, unsigned width, uint64_t n) { return smt_const_bv(c, bv_u64(width, n)); }

Z3_ast smt_var_bv(Z3_context c, const char *name, unsigned width) {
  return Z3_mk_const(c, Z3_mk_string_symbol(c, name), bv_sort(c, width));
}

Z3_ast smt_var_bool(Z3_context c, const char *name) {
  return Z3_mk_const(c, Z3_mk_string_symbol(c, name), Z3_mk_bool_sort(c));
}

unsigned smt_width(Z3_context c, Z3_ast a) { return Z3_get_bv_sort_size(c, Z3_get_sort(c, a)); }

bool smt_value(Z3_context c, Z3_ast a, struct bv *out) {
  if (Z3_get_ast_kind(c, a) != Z3_NUMERAL_AST) return false;
  return bv_parse(out, smt_width(c, a), Z3_get_numeral_string(c, a));
}

/* ---- Booleans as bit-vectors: 1 or 0 of any width ---------------------------------------------------- */

static Z3_ast from_bool(Z3_context c, Z3_ast b, unsigned width) {
  return ite(c, b, number(c, width, 1), number(c, width, 0));
}

/* The Bool of which `a` is the bit-vector, or NULL. Logic on such vectors is logic on the Bools, whatever the
 * width: without that, conditions of 8 bits are harder than those of one. */
static Z3_ast as_bool(Z3_context c, Z3_ast a) {
  struct bv v;
  if (smt_value(c, a, &v))
    return bv_is_zero(v) ? Z3_mk_false(c) : bv_eq(v, bv_u64(v.width, 1)) ? Z3_mk_true(c) : NULL;
  if (Z3_get_ast_kind(c, a) != Z3_APP_AST) return NULL;
  Z3_app app = Z3_to_app(c, a);
  if (Z3_get_decl_kind(c, Z3_get_app_decl(c, app)) != Z3_OP_ITE) return NULL;
  if (Z3_get_app_arg(c, app, 1) != number(c, smt_width(c, a), 1)) return NULL;
  return Z3_get_app_arg(c, app, 2) == number(c, smt_width(c, a), 0) ? Z3_get_app_arg(c, app, 0) : NULL;
}

Z3_ast smt_eq(Z3_context c, Z3_ast a, Z3_ast b) {
  if (a == b) return Z3_mk_true(c);
  if (Z3_get_sort_kind(c, Z3_get_sort(c, a)) != Z3_BV_SORT) return Z3_mk_eq(c, a, b);
  Z3_ast p = as_bool(c, a), q = p ? as_bool(c, b) : NULL;
  if (!q) return Z3_mk_eq(c, a, b);
  if (truth(c, q) != Z3_L_UNDEF) return truth(c, q) == Z3_L_TRUE ? p : smt_not(c, p);
  if (truth(c, p) != Z3_L_UNDEF) return truth(c, p) == Z3_L_TRUE ? q : smt_not(c, q);
  return p == q ? Z3_mk_true(c) : Z3_mk_iff(c, p, q);
}

/* a op b for two booleans; NULL when one is not a boolean. */
static Z3_ast bool_logic(Z3_context c, enum xop op, Z3_ast a, Z3_ast b) {
  Z3_ast p = as_bool(c, a), q = p ? as_bool(c, b) : NULL;
  if (!q) return NULL;
  Z3_ast v = op == X_AND ? smt_and2(c, p, q) : op == X_OR ? smt_or2(c, p, q) : smt_not(c, smt_eq(c, a, b));
  return from_bool(c, v, smt_width(c, a));
}

static Z3_ast zext_to(Z3_context c, Z3_ast a, unsigned width) {
  unsigned w = smt_width(c, a);
  if (w == width) return a;
  Z3_ast b = Z3_get_ast_kind(c, a) == Z3_NUMERAL_AST ? NULL : as_bool(c, a);
  return b ? from_bool(c, b, width) : Z3_mk_zero_ext(c, width - w, a);
}

static Z3_ast sext_to(Z3_context c, Z3_ast a, unsigned width) {
  unsigned w = smt_width(c, a);
  return w == width ? a : Z3_mk_sign_ext(c, width - w, a);
}

static Z3_ast extract(Z3_context c, Z3_ast a, unsigned hi, unsigned lo);

/* Bits of what a number of bits was shifted off; NULL when `a` is no such term. The amount of a funnel shift
 * by a constant is one. */
static Z3_ast extract_shifted(Z3_context c, Z3_ast a, unsigned hi, unsigned lo) {
  struct bv n;
  if (Z3_get_ast_kind(c, a) != Z3_APP_AST) return NULL;
  Z3_app app = Z3_to_app(c, a);
  Z3_decl_kind k = Z3_get_decl_kind(c, Z3_get_app_decl(c, app));
  if (k == Z3_OP_BLSHR && smt_value(c, Z3_get_app_arg(c, app, 1), &n)) {
    if (!bv_ult(n, bv_u64(n.width, smt_width(c, a) - hi))) return NULL;
    unsigned by = (unsigned)bv_to_u64(n);
    return extract(c, Z3_get_app_arg(c, app, 0), hi + by, lo + by);
  }
  if (k != Z3_OP_CONCAT || Z3_get_app_num_args(c, app) != 2) return NULL;
  Z3_ast high = Z3_get_app_arg(c, app, 0), low = Z3_get_app_arg(c, app, 1);
  unsigned w = smt_width(c, low);
  if (hi < w) return extract(c, low, hi, lo);
  if (lo >= w) return extract(c, high, hi - w, lo - w);
  return Z3_mk_concat(c, extract(c, high, hi - w, 0), extract(c, low, w - 1, lo));
}

static Z3_ast extract(Z3_context c, Z3_ast a, unsigned hi, unsigned lo) {
  if (lo == 0 && hi + 1 == smt_width(c, a)) return a;
  Z3_ast part = extract_shifted(c, a, hi, lo);
  if (part) return part;
  Z3_ast b = lo || Z3_get_ast_kind(c, a) == Z3_NUMERAL_AST ? NULL : as_bool(c, a);
  return b ? from_bool(c, b, hi + 1) : Z3_mk_extract(c, hi, lo, a);
}

static Z3_ast is_negative(Z3_context c, Z3_ast a) {
  struct bv v;
  if (smt_value(c, a, &v)) return bv_bit(v, v.width - 1) ? Z3_mk_true(c) : Z3_mk_false(c);
  return Z3_mk_bvslt(c, a, number(c, smt_width(c, a), 0));
}

/* An operation on numerals alone becomes their result. */
static Z3_ast folded(Z3_context c, Z3_ast op, Z3_ast a, Z3_ast b) {
  bool constant = Z3_get_ast_kind(c, a) == Z3_NUMERAL_AST && (!b || Z3_get_ast_kind(c, b) == Z3_NUMERAL_AST);
  return constant ? Z3_simplify(c, op) : op;
}

static Z3_ast negated(Z3_context c, Z3_ast a) { return folded(c, Z3_mk_bvneg(c, a), a, NULL); }

/* ---- Operators with an encoding of their own ------------------------------------------------------- */

static Z3_ast sdiv(Z3_context c, Z3_ast a, Z3_ast b) {
  Z3_ast na = is_negative(c, a), nb = is_negative(c, b);
  Z3_ast ma = ite(c, na, negated(c, a), a), mb = ite(c, nb, negated(c, b), b);
  Z3_ast q = Z3_mk_bvudiv(c, ma, mb), one = number(c, 1, 1), zero = number(c, 1, 0);
  return ite(c, smt_eq(c, ite(c, na, one, zero), ite(c, nb, one, zero)), q, Z3_mk_bvneg(c, q));
}

static Z3_ast remainder_of(Z3_context c, Z3_ast a, Z3_ast b, Z3_ast quotient) {
  return Z3_mk_bvsub(c, a, Z3_mk_bvmul(c, quotient, b));
}

/* The number of ones among bits lo … lo + n - 1, in as many bits as that needs: pairs are added first. */
static Z3_ast ones_among(Z3_context c, Z3_ast a, unsigned lo, unsigned n) {
  if (n == 1) return extract(c, a, lo, lo);
  unsigned half = n / 2, w = 1;
  while (n >> w) w++;
  return Z3_mk_bvadd(c, zext_to(c, ones_among(c, a, lo, n - half), w),
                     zext_to(c, ones_among(c, a, lo + n - half, half), w));
}

Z3_ast smt_popcount(Z3_context c, Z3_ast a) {
  unsigned w = smt_width(c, a);
  Z3_ast n = ones_among(c, a, 0, w);
  return smt_width(c, n) > w ? extract(c, n, w - 1, 0) : zext_to(c, n, w);
}

/* Zeros before the first one from the top (`leading`) or from the bottom: with every one copied to all places
 * behind it, what is not covered is counted. */
static Z3_ast zeros_before(Z3_context c, Z3_ast a, bool leading) {
  unsigned w = smt_width(c, a);
  for (unsigned k = 1; k < w; k *= 2)
    a = Z3_mk_bvor(c, a, leading ? Z3_mk_bvlshr(c, a, number(c, w, k)) : Z3_mk_bvshl(c, a, number(c, w, k)));
  return smt_popcount(c, Z3_mk_bvnot(c, a));
}

/* The same by a choice at every bit, from the far end to the near one: the better form for a constant, whose
 * count is some shift's amount and is known in each case of a proof. */
static Z3_ast zeros_by_choice(Z3_context c, Z3_ast a, bool leading) {
  unsigned w = smt_width(c, a);
  Z3_ast r = number(c, w, w);
  for (unsigned k = w; k-- > 0;) {
    unsigned i = leading ? w - 1 - k : k;
    r = ite(c, Z3_mk_eq(c, extract(c, a, i, i), number(c, 1, 1)), number(c, w, k), r);
  }
  return r;
}

Z3_ast smt_clz(Z3_context c, Z3_ast a) { return zeros_by_choice(c, a, true); }

Z3_ast smt_ctz(Z3_context c, Z3_ast a) { return zeros_by_choice(c, a, false); }

/* Groups of `group` bits in reverse order: 1 for bitreverse, 8 for bswap. */
static Z3_ast reverse(Z3_context c, Z3_ast a, unsigned group) {
  unsigned w = smt_width(c, a);
  Z3_ast r = extract(c, a, group - 1, 0);
  for (unsigned i = group; i < w; i += group) r = Z3_mk_concat(c, r, extract(c, a, i + group - 1, i));
  return r;
}

static Z3_ast overflows(Z3_context c, enum xop op, Z3_ast a, Z3_ast b) {
  unsigned w = smt_width(c, a);
  Z3_ast wide;
  switch (op) {
  case B_UADDO: return Z3_mk_bvult(c, Z3_mk_bvadd(c, a, b), a);
  case B_USUBO: return Z3_mk_bvult(c, a, b);
  case B_UMULO:
    wide = Z3_mk_bvmul(c, zext_to(c, a, 2 * w), zext_to(c, b, 2 * w));
    return Z3_mk_not(c, Z3_mk_eq(c, extract(c, wide, 2 * w - 1, w), number(c, w, 0)));
  case B_SMULO:
    wide = Z3_mk_bvmul(c, sext_to(c, a, 2 * w), sext_to(c, b, 2 * w));
    return Z3_mk_not(c, Z3_mk_eq(c, wide, sext_to(c, extract(c, wide, w - 1, 0), 2 * w)));
  case B_SADDO: wide = Z3_mk_bvadd(c, sext_to(c, a, w + 1), sext_to(c, b, w + 1)); break;
  case B_SSUBO: wide = Z3_mk_bvsub(c, sext_to(c, a, w + 1), sext_to(c, b, w + 1)); break;
  default: bug("operator %d is not an overflow predicate", op);
  }
  return Z3_mk_not(c, Z3_mk_eq(c, wide, sext_to(c, extract(c, wide, w - 1, 0), w + 1)));
}

/* ---- Expressions ----------------------------------------------------------------------------------- */

static Z3_ast term(struct run *r, const struct expr *e);

/* Both operands numerals: the comparison folds, so that a body's choice by width leaves no trace. */
static bool fold_compare(struct run *r, enum xop op, Z3_ast a, Z3_ast b, Z3_ast *out) {
  struct bv x, y;
  if (!smt_value(r->c, a, &x) || !smt_value(r->c, b, &y)) return false;
  bool v = op == B_EQ    ? bv_eq(x, y)
           : op == B_ULT ? bv_ult(x, y)
           : op == B_ULE ? !bv_ult(y, x)
           : op == B_SLT ? bv_slt(x, y)
                         : !bv_slt(y, x);
  *out = v ? Z3_mk_true(r->c) : Z3_mk_false(r->c);
  return true;
}

static Z3_ast compare(struct run *r, const struct expr *e) {
  Z3_context c = r->c;
  Z3_ast a = term(r, e->kid[0]), b = term(r, e->kid[1]), folded;
  bool plain = e->op == B_ULT || e->op == B_ULE || e->op == B_SLT || e->op == B_SLE;
  if ((plain || (e->op == B_EQ && e->kid[0]->sort == SORT_BV)) && fold_compare(r, e->op, a, b, &folded))
    return folded;
  switch (e->op) {
  case B_EQ: return smt_eq(c, a, b);
  case B_ULT: return Z3_mk_bvult(c, a, b);
  case B_ULE: return Z3_mk_bvule(c, a, b);
  case B_SLT: return Z3_mk_bvslt(c, a, b);
  case B_SLE: return Z3_mk_bvsle(c, a, b);
  default: return overflows(c, e->op, a, b);
  }
}

static Z3_ast from_array(const Z3_ast *list, int i, Z3_context c) {
  return list && list[i] ? list[i] : Z3_mk_false(c);
}

static Z3_ast bool_term(struct run *r, const struct expr *e) {
  Z3_context c = r->c;
  const struct smt_env *env = r->env;
  switch (e->op) {
  case B_TRUE: return Z3_mk_true(c);
  case B_FALSE: return Z3_mk_false(c);
  case B_AND: return smt_and2(c, term(r, e->kid[0]), term(r, e->kid[1]));
  case B_OR: return smt_or2(c, term(r, e->kid[0]), term(r, e->kid[1]));
  case B_NOT: return smt_not(c, term(r, e->kid[0]));
  case B_XOR: return Z3_mk_xor(c, term(r, e->kid[0]), term(r, e->kid[1]));
  case B_IMPLIES: return smt_or2(c, smt_not(c, term(r, e->kid[0])), term(r, e->kid[1]));
  case B_ITE: {
    Z3_ast cond = term(r, e->kid[0]);
    if (truth(c, cond) != Z3_L_UNDEF) return term(r, e->kid[truth(c, cond) == Z3_L_TRUE ? 1 : 2]);
    return ite(c, cond, term(r, e->kid[1]), term(r, e->kid[2]));
  }
  case B_NLT:
  case B_NLE:
  case B_NEQ: return eval_bool(e, &r->widths) ? Z3_mk_true(c) : Z3_mk_false(c);
  case B_FLAG: return from_array(env->flags, e->flag, c);
  case B_POISON: return from_array(env->poison, e->var, c);
  case B_FACT:
    if (!env->fact) bug("nobody answers a fact here");
    return env->fact(env->self, e, env);
  default: return compare(r, e);
  }
}

static Z3_ast binary_of(Z3_context c, const struct expr *e, Z3_ast a, Z3_ast b) {
  if (e->op == X_AND || e->op == X_OR || e->op == X_XOR) {
    Z3_ast v = bool_logic(c, e->op, a, b);
    if (v) return v;
  }
  switch (e->op) {
  case X_ADD: return Z3_mk_bvadd(c, a, b);
  case X_SUB: return Z3_mk_bvsub(c, a, b);
  case X_MUL: return Z3_mk_bvmul(c, a, b);
  case X_UDIV: return Z3_mk_bvudiv(c, a, b);
  case X_UREM: return remainder_of(c, a, b, Z3_mk_bvudiv(c, a, b));
  case X_SDIV: return sdiv(c, a, b);
  case X_SREM: return remainder_of(c, a, b, sdiv(c, a, b));
  case X_AND: return Z3_mk_bvand(c, a, b);
  case X_OR: return Z3_mk_bvor(c, a, b);
  case X_XOR: return Z3_mk_bvxor(c, a, b);
  case X_SHL: return Z3_mk_bvshl(c, a, b);
  case X_LSHR: return Z3_mk_bvlshr(c, a, b);
  case X_ASHR: return Z3_mk_bvashr(c, a, b);
  case X_CONCAT: return Z3_mk_concat(c, a, b);
  default: bug("operator %d is not a bit-vector", e->op);
  }
}

static Z3_ast binary(struct run *r, const struct expr *e) {
  Z3_ast a = term(r, e->kid[0]), b = term(r, e->kid[1]);
  return folded(r->c, binary_of(r->c, e, a, b), a, b);
}

static Z3_ast unary_of(const struct run *r, const struct expr *e, unsigned width, Z3_ast a) {
  Z3_context c = r->c;
  bool by_choice = r->env->constants;
  switch (e->op) {
  case X_NEG: return Z3_mk_bvneg(c, a);
  case X_NOT: return Z3_mk_bvnot(c, a);
  case X_ZEXT: return zext_to(c, a, width);
  case X_SEXT: return sext_to(c, a, width);
  case X_TRUNC: return extract(c, a, width - 1, 0);
  case X_POPCOUNT: return smt_popcount(c, a);
  case X_CLZ:
  case X_CTZ: return (by_choice ? zeros_by_choice : zeros_before)(c, a, e->op == X_CLZ);
  case X_BITREV: return reverse(c, a, 1);
  case X_BSWAP: return reverse(c, a, 8);
  default: bug("operator %d is not a bit-vector", e->op);
  }
}

static Z3_ast unary(struct run *r, const struct expr *e, unsigned width) {
  Z3_ast a = term(r, e->kid[0]);
  return folded(r->c, unary_of(r, e, width, a), a, NULL);
}

static Z3_ast bv_term(struct run *r, const struct expr *e) {
  Z3_context c = r->c;
  const struct smt_env *env = r->env;
  int64_t w = eval_num(e->width, &r->widths);
  if (w < 1 || w > VT_MAX_BITS) bug("a width of %lld bits", (long long)w);
  switch (e->op) {
  case X_LIT: return smt_const_bv(c, bv_s64((unsigned)w, eval_num(e->kid[0], &r->widths)));
  case X_VAR: return env->vals[e->var];
  case X_FRESH:
    if (!env->fresh) bug("nobody makes fresh values here");
    return env->fresh(env->self, e->var, (unsigned)w);
  case X_READ:
    if (!env->read) bug("nobody answers a read here");
    return env->read(env->self, term(r, e->kid[0]), (unsigned)e->num);
  case X_ITE: {
    Z3_ast cond = term(r, e->kid[0]);
    if (truth(c, cond) != Z3_L_UNDEF) return term(r, e->kid[truth(c, cond) == Z3_L_TRUE ? 1 : 2]);
    return ite(c, cond, term(r, e->kid[1]), term(r, e->kid[2]));
  }
  case X_B2BV: return from_bool(c, term(r, e->kid[0]), (unsigned)w);
  case X_EXTRACT:
    return extract(c, term(r, e->kid[2]), (unsigned)eval_num(e->kid[0], &r->widths),
                   (unsigned)eval_num(e->kid[1], &r->widths));
  default: return e->nkid == 1 ? unary(r, e, (unsigned)w) : binary(r, e);
  }
}

/* Bodies without variables, flags or facts are numbers in disguise: the evaluator knows them. */
static bool is_closed(const struct expr *e) {
  switch (e->op) {
  case X_VAR:
  case X_FRESH:
  case X_READ:
  case B_FLAG:
  case B_POISON:
  case B_FACT: return false;
  default: break;
  }
  for (uint32_t i = 0; i < e->nkid; i++)
    if (!is_closed(e->kid[i])) return false;
  return true;
}

static Z3_ast term(struct run *r, const struct expr *e) {
  if (r->memo.cap) {
    struct memo_slot *s = memo_slot(r->memo.slot, r->memo.cap, e);
    if (s->e) return s->term;
  }
  Z3_ast t;
  if (e->nkid && e->sort != SORT_NUM && is_closed(e))
    t = e->sort == SORT_BV         ? smt_const_bv(r->c, eval_bv(e, &r->widths))
        : eval_bool(e, &r->widths) ? Z3_mk_true(r->c)
                                   : Z3_mk_false(r->c);
  else
    t = e->sort == SORT_BOOL ? bool_term(r, e) : bv_term(r, e);
  memo_put(&r->memo, e, t);
  return t;
}

static struct run start(const struct smt_env *env) {
  return (struct run){.env = env, .c = env->ctx, .widths = {.types = env->types}};
}

static Z3_ast run_one(const struct expr *e, const struct smt_env *env) {
  struct run r = start(env);
  Z3_ast t = term(&r, e);
  free(r.memo.slot);
  return t;
}

Z3_ast smt_bool(const struct expr *e, const struct smt_env *env) { return run_one(e, env); }
Z3_ast smt_bv(const struct expr *e, const struct smt_env *env) { return run_one(e, env); }

int64_t smt_num(const struct expr *e, const struct smt_env *env) {
  struct eval_env widths = {.types = env->types};
  return eval_num(e, &widths);
}

bool smt_applicable(const struct expr *e, const struct smt_env *env) {
  struct eval_env widths = {.types = env->types};
  return expr_applicable(e, &widths);
}

struct smt_applied smt_op(const struct op *op, const struct smt_env *env) {
  struct smt_applied out = {.poison = NULL};
  struct run r = start(env);
  if (op->nres > sizeof out.val / sizeof *out.val) bug("operation '%s' has too many results", op->name);
  for (uint32_t i = 0; i < op->nres; i++)
    if (op->res[i].val) out.val[i] = term(&r, op->res[i].val);
  for (uint32_t i = 0; env->poison && i < op->nin; i++) {
    if (op->ub_if_poison >> i & 1)
      out.ub = smt_or2(r.c, out.ub, env->poison[i]);
    else if (!op->poison_own)
      out.poison = smt_or2(r.c, out.poison, env->poison[i]);
  }
  if (op->poison) out.poison = smt_or2(r.c, out.poison, term(&r, op->poison));
  if (op->ub) out.ub = smt_or2(r.c, out.ub, term(&r, op->ub));
  if (op->taken) out.taken = term(&r, op->taken);
  if (!out.poison) out.poison = Z3_mk_false(r.c);
  if (!out.ub) out.ub = Z3_mk_false(r.c);
  free(r.memo.slot);
  return out;
}
