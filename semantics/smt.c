/* smt.c: expressions and operations as Z3 terms; the counterpart of eval.c. */
#include "smt.h"

/* ---- Small constructors ------------------------------------------------------------------------ */

static bool is_true(Z3_context c, Z3_ast a) { return Z3_get_bool_value(c, a) == Z3_L_TRUE; }
static bool is_false(Z3_context c, Z3_ast a) { return Z3_get_bool_value(c, a) == Z3_L_FALSE; }

Z3_ast smt_and2(Z3_context c, Z3_ast a, Z3_ast b) {
  if (!a && !b) return Z3_mk_true(c);
  if (!a || is_true(c, a)) return b ? b : a;
  if (!b || is_true(c, b) || is_false(c, a)) return a;
  if (is_false(c, b) || a == b) return b;
  return Z3_mk_and(c, 2, (Z3_ast[]){a, b});
}

Z3_ast smt_or2(Z3_context c, Z3_ast a, Z3_ast b) {
  if (!a && !b) return Z3_mk_false(c);
  if (!a || is_false(c, a)) return b ? b : a;
  if (!b || is_false(c, b) || is_true(c, a)) return a;
  if (is_true(c, b) || a == b) return b;
  return Z3_mk_or(c, 2, (Z3_ast[]){a, b});
}

Z3_ast smt_not(Z3_context c, Z3_ast a) {
  if (is_true(c, a)) return Z3_mk_false(c);
  if (is_false(c, a)) return Z3_mk_true(c);
  return Z3_mk_not(c, a);
}

unsigned smt_width(Z3_context c, Z3_ast a) { return Z3_get_bv_sort_size(c, Z3_get_sort(c, a)); }

Z3_ast smt_const_bv(Z3_context c, struct bv value) {
  char buf[160];
  return Z3_mk_numeral(c, bv_dec(value, buf), Z3_mk_bv_sort(c, value.width));
}

Z3_ast smt_var_bv(Z3_context c, const char *name, unsigned width) {
  return Z3_mk_const(c, Z3_mk_string_symbol(c, name), Z3_mk_bv_sort(c, width));
}

Z3_ast smt_var_bool(Z3_context c, const char *name) {
  return Z3_mk_const(c, Z3_mk_string_symbol(c, name), Z3_mk_bool_sort(c));
}

bool smt_value(Z3_context c, Z3_ast a, struct bv *out) {
  if (Z3_get_ast_kind(c, a) != Z3_NUMERAL_AST || Z3_get_sort_kind(c, Z3_get_sort(c, a)) != Z3_BV_SORT)
    return false;
  return bv_parse(out, smt_width(c, a), Z3_get_numeral_string(c, a));
}

static Z3_ast zero(Z3_context c, unsigned w) { return Z3_mk_unsigned_int64(c, 0, Z3_mk_bv_sort(c, w)); }
static Z3_ast number(Z3_context c, unsigned w, uint64_t v) { return smt_const_bv(c, bv_u64(w, v)); }

static Z3_ast ite(Z3_context c, Z3_ast b, Z3_ast x, Z3_ast y) {
  if (is_true(c, b) || x == y) return x;
  if (is_false(c, b)) return y;
  return Z3_mk_ite(c, b, x, y);
}

static Z3_ast sign(Z3_context c, Z3_ast x) { return Z3_mk_bvslt(c, x, zero(c, smt_width(c, x))); }

static Z3_ast zext_to(Z3_context c, Z3_ast x, unsigned w) {
  unsigned from = smt_width(c, x);
  return w == from ? x : Z3_mk_zero_ext(c, w - from, x);
}
static Z3_ast sext_to(Z3_context c, Z3_ast x, unsigned w) {
  unsigned from = smt_width(c, x);
  return w == from ? x : Z3_mk_sign_ext(c, w - from, x);
}

/* ---- Nums: the evaluator's, at the environment's types ------------------------------------------- */

int64_t smt_num(const struct expr *e, const struct smt_env *env) {
  return eval_num(e, &(struct eval_env){.types = env->types});
}

bool smt_applicable(const struct expr *e, const struct smt_env *env) {
  return expr_applicable(e, &(struct eval_env){.types = env->types});
}

static unsigned width_of(const struct expr *e, const struct smt_env *env) {
  int64_t w = smt_num(e->width, env);
  if (w < 1 || w > VT_MAX_BITS) bug("an expression has width %lld", (long long)w);
  return (unsigned)w;
}

/* ---- Division: one bvudiv per pair of operands -------------------------------------------------- */

/* |x| as an unsigned value of the same width. */
static Z3_ast magnitude(Z3_context c, Z3_ast x) { return ite(c, sign(c, x), Z3_mk_bvneg(c, x), x); }

static Z3_ast urem(Z3_context c, Z3_ast x, Z3_ast y) {
  return Z3_mk_bvsub(c, x, Z3_mk_bvmul(c, Z3_mk_bvudiv(c, x, y), y));
}

static Z3_ast sdiv(Z3_context c, Z3_ast x, Z3_ast y) {
  Z3_ast q = Z3_mk_bvudiv(c, magnitude(c, x), magnitude(c, y));
  return ite(c, Z3_mk_xor(c, sign(c, x), sign(c, y)), Z3_mk_bvneg(c, q), q);
}

static Z3_ast srem(Z3_context c, Z3_ast x, Z3_ast y) {
  return Z3_mk_bvsub(c, x, Z3_mk_bvmul(c, sdiv(c, x, y), y));
}

/* ---- Booleans ----------------------------------------------------------------------------------- */

static Z3_ast overflow(const struct expr *e, const struct smt_env *env) {
  Z3_context c = env->ctx;
  Z3_ast x = smt_bv(e->kid[0], env), y = smt_bv(e->kid[1], env);
  unsigned w = smt_width(c, x);
  switch (e->op) {
  case B_UADDO: return Z3_mk_bvult(c, Z3_mk_bvadd(c, x, y), x);
  case B_USUBO: return Z3_mk_bvult(c, x, y);
  case B_SADDO:
    return smt_and2(c, Z3_mk_eq(c, sign(c, x), sign(c, y)),
                    smt_not(c, Z3_mk_eq(c, sign(c, Z3_mk_bvadd(c, x, y)), sign(c, x))));
  case B_SSUBO:
    return smt_and2(c, smt_not(c, Z3_mk_eq(c, sign(c, x), sign(c, y))),
                    smt_not(c, Z3_mk_eq(c, sign(c, Z3_mk_bvsub(c, x, y)), sign(c, x))));
  case B_UMULO: {
    Z3_ast p = Z3_mk_bvmul(c, zext_to(c, x, 2 * w), zext_to(c, y, 2 * w));
    return smt_not(c, Z3_mk_eq(c, Z3_mk_extract(c, 2 * w - 1, w, p), zero(c, w)));
  }
  case B_SMULO: {
    Z3_ast p = Z3_mk_bvmul(c, sext_to(c, x, 2 * w), sext_to(c, y, 2 * w));
    return smt_not(c, Z3_mk_eq(c, p, sext_to(c, Z3_mk_extract(c, w - 1, 0, p), 2 * w)));
  }
  default: bug("expression %d is no overflow", (int)e->op);
  }
}

static Z3_ast connective(const struct expr *e, const struct smt_env *env) {
  Z3_context c = env->ctx;
  Z3_ast a = smt_bool(e->kid[0], env);
  switch (e->op) {
  case B_AND:
  case B_OR:
    for (uint32_t i = 1; i < e->nkid; i++) {
      Z3_ast b = smt_bool(e->kid[i], env);
      a = e->op == B_AND ? smt_and2(c, a, b) : smt_or2(c, a, b);
    }
    return a;
  case B_NOT: return smt_not(c, a);
  case B_XOR: return Z3_mk_xor(c, a, smt_bool(e->kid[1], env));
  case B_IMPLIES: return smt_or2(c, smt_not(c, a), smt_bool(e->kid[1], env));
  default: return ite(c, a, smt_bool(e->kid[1], env), smt_bool(e->kid[2], env));
  }
}

static Z3_ast comparison(const struct expr *e, const struct smt_env *env) {
  Z3_context c = env->ctx;
  if (e->kid[0]->sort == SORT_BOOL) return Z3_mk_eq(c, smt_bool(e->kid[0], env), smt_bool(e->kid[1], env));
  Z3_ast x = smt_bv(e->kid[0], env), y = smt_bv(e->kid[1], env);
  switch (e->op) {
  case B_ULT: return Z3_mk_bvult(c, x, y);
  case B_ULE: return Z3_mk_bvule(c, x, y);
  case B_SLT: return Z3_mk_bvslt(c, x, y);
  case B_SLE: return Z3_mk_bvsle(c, x, y);
  default: return Z3_mk_eq(c, x, y);
  }
}

static Z3_ast boolean(Z3_context c, bool v) { return v ? Z3_mk_true(c) : Z3_mk_false(c); }

Z3_ast smt_bool(const struct expr *e, const struct smt_env *env) {
  Z3_context c = env->ctx;
  switch (e->op) {
  case B_TRUE: return Z3_mk_true(c);
  case B_FALSE: return Z3_mk_false(c);
  case B_AND:
  case B_OR:
  case B_NOT:
  case B_XOR:
  case B_IMPLIES:
  case B_ITE: return connective(e, env);
  case B_EQ:
  case B_ULT:
  case B_ULE:
  case B_SLT:
  case B_SLE: return comparison(e, env);
  case B_UADDO:
  case B_SADDO:
  case B_USUBO:
  case B_SSUBO:
  case B_UMULO:
  case B_SMULO: return overflow(e, env);
  case B_NLT: return boolean(c, smt_num(e->kid[0], env) < smt_num(e->kid[1], env));
  case B_NLE: return boolean(c, smt_num(e->kid[0], env) <= smt_num(e->kid[1], env));
  case B_NEQ: return boolean(c, smt_num(e->kid[0], env) == smt_num(e->kid[1], env));
  case B_FLAG: return env->flags && env->flags[e->flag] ? env->flags[e->flag] : Z3_mk_false(c);
  case B_POISON: return env->poison && env->poison[e->var] ? env->poison[e->var] : Z3_mk_false(c);
  case B_FACT:
    if (!env->fact) bug("a fact is asked where none can be answered");
    return env->fact(env->self, e, env);
  default: bug("expression %d is not a bool", (int)e->op);
  }
}

/* ---- Bit-vectors -------------------------------------------------------------------------------- */

static Z3_ast bit(Z3_context c, Z3_ast x, unsigned i) {
  return Z3_mk_eq(c, Z3_mk_extract(c, i, i, x), number(c, 1, 1));
}

static Z3_ast popcount(Z3_context c, Z3_ast x) {
  unsigned w = smt_width(c, x);
  Z3_ast sum = zext_to(c, Z3_mk_extract(c, 0, 0, x), w);
  for (unsigned i = 1; i < w; i++) sum = Z3_mk_bvadd(c, sum, zext_to(c, Z3_mk_extract(c, i, i, x), w));
  return sum;
}

static Z3_ast clz(Z3_context c, Z3_ast x) {
  unsigned w = smt_width(c, x);
  Z3_ast r = number(c, w, w);
  for (unsigned i = 0; i < w; i++) r = ite(c, bit(c, x, i), number(c, w, w - 1 - i), r);
  return r;
}

static Z3_ast ctz(Z3_context c, Z3_ast x) {
  unsigned w = smt_width(c, x);
  Z3_ast r = number(c, w, w);
  for (unsigned i = w; i-- > 0;) r = ite(c, bit(c, x, i), number(c, w, i), r);
  return r;
}

/* Groups of `unit` bits in reverse order. */
static Z3_ast reverse(Z3_context c, Z3_ast x, unsigned unit) {
  unsigned w = smt_width(c, x);
  Z3_ast r = Z3_mk_extract(c, unit - 1, 0, x);
  for (unsigned i = unit; i < w; i += unit) r = Z3_mk_concat(c, r, Z3_mk_extract(c, i + unit - 1, i, x));
  return r;
}

static Z3_ast nary(const struct expr *e, const struct smt_env *env) {
  Z3_context c = env->ctx;
  Z3_ast a = smt_bv(e->kid[0], env);
  for (uint32_t i = 1; i < e->nkid; i++) {
    Z3_ast b = smt_bv(e->kid[i], env);
    switch (e->op) {
    case X_ADD: a = Z3_mk_bvadd(c, a, b); break;
    case X_SUB: a = Z3_mk_bvsub(c, a, b); break;
    case X_MUL: a = Z3_mk_bvmul(c, a, b); break;
    case X_UDIV: a = Z3_mk_bvudiv(c, a, b); break;
    case X_UREM: a = urem(c, a, b); break;
    case X_SDIV: a = sdiv(c, a, b); break;
    case X_SREM: a = srem(c, a, b); break;
    case X_AND: a = Z3_mk_bvand(c, a, b); break;
    case X_OR: a = Z3_mk_bvor(c, a, b); break;
    case X_XOR: a = Z3_mk_bvxor(c, a, b); break;
    case X_SHL: a = Z3_mk_bvshl(c, a, b); break;
    case X_LSHR: a = Z3_mk_bvlshr(c, a, b); break;
    case X_ASHR: a = Z3_mk_bvashr(c, a, b); break;
    default: a = Z3_mk_concat(c, a, b); break;
    }
  }
  return a;
}

static Z3_ast resize(const struct expr *e, const struct smt_env *env) {
  Z3_ast x = smt_bv(e->kid[0], env);
  unsigned w = width_of(e, env);
  if (e->op == X_ZEXT) return zext_to(env->ctx, x, w);
  if (e->op == X_SEXT) return sext_to(env->ctx, x, w);
  return w == smt_width(env->ctx, x) ? x : Z3_mk_extract(env->ctx, w - 1, 0, x);
}

Z3_ast smt_bv(const struct expr *e, const struct smt_env *env) {
  Z3_context c = env->ctx;
  switch (e->op) {
  case X_LIT: return smt_const_bv(c, bv_s64(width_of(e, env), smt_num(e->kid[0], env)));
  case X_VAR: return env->vals[e->var];
  case X_NEG: return Z3_mk_bvneg(c, smt_bv(e->kid[0], env));
  case X_NOT: return Z3_mk_bvnot(c, smt_bv(e->kid[0], env));
  case X_EXTRACT:
    return Z3_mk_extract(c, (unsigned)smt_num(e->kid[0], env), (unsigned)smt_num(e->kid[1], env),
                         smt_bv(e->kid[2], env));
  case X_ZEXT:
  case X_SEXT:
  case X_TRUNC: return resize(e, env);
  case X_POPCOUNT: return popcount(c, smt_bv(e->kid[0], env));
  case X_CLZ: return clz(c, smt_bv(e->kid[0], env));
  case X_CTZ: return ctz(c, smt_bv(e->kid[0], env));
  case X_BITREV: return reverse(c, smt_bv(e->kid[0], env), 1);
  case X_BSWAP: return reverse(c, smt_bv(e->kid[0], env), 8);
  case X_ITE: return ite(c, smt_bool(e->kid[0], env), smt_bv(e->kid[1], env), smt_bv(e->kid[2], env));
  case X_B2BV: {
    unsigned w = width_of(e, env);
    return ite(c, smt_bool(e->kid[0], env), number(c, w, 1), zero(c, w));
  }
  case X_FRESH:
    if (!env->fresh) bug("a fresh value where none may be");
    return env->fresh(env->self, e->var, width_of(e, env));
  case X_READ:
    if (!env->read) bug("memory is read where there is none");
    return env->read(env->self, smt_bv(e->kid[0], env), (unsigned)e->num);
  default:
    if (e->op < X_ADD || e->op > X_CONCAT) bug("expression %d is not a bit-vector", (int)e->op);
    return nary(e, env);
  }
}

/* ---- Operations --------------------------------------------------------------------------------- */

struct smt_applied smt_op(const struct op *op, const struct smt_env *env) {
  Z3_context c = env->ctx;
  struct smt_applied r = {0};
  Z3_ast spread = NULL, ub = NULL;
  for (uint32_t i = 0; i < op->nin; i++) {
    Z3_ast p = env->poison ? env->poison[i] : NULL;
    if (!p) continue;
    spread = smt_or2(c, spread, p);
    if (op->ub_if_poison >> i & 1) ub = smt_or2(c, ub, p);
  }
  if (op->ub) ub = smt_or2(c, ub, smt_bool(op->ub, env));
  Z3_ast own = op->poison ? smt_bool(op->poison, env) : NULL;
  r.poison = smt_or2(c, op->poison_own ? NULL : spread, own);
  r.ub = smt_or2(c, ub, NULL);
  for (uint32_t i = 0; i < op->nres && i < sizeof r.val / sizeof *r.val; i++)
    if (op->res[i].val) r.val[i] = smt_bv(op->res[i].val, env);
  if (op->taken) r.taken = smt_bool(op->taken, env);
  return r;
}
