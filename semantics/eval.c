/* eval.c: expressions and operations on concrete values. The other reading of the same bodies is smt.c; the
 * two are compared exhaustively at small widths. */
#include "model.h"

vt tyref_vt(struct tyref t, const vt *types) { return t.var < 0 ? t.fixed : types[t.var]; }

static int64_t log2_floor(int64_t n) {
  int64_t k = -1;
  for (; n > 0; n >>= 1) k++;
  return k;
}

int64_t eval_num(const struct expr *e, const struct eval_env *env) {
  int64_t a, b;
  switch (e->op) {
  case N_LIT: return e->num;
  case N_WIDTH: {
    vt t = tyref_vt(e->ty, env->types);
    return vt_bits(t);
  }
  case N_LOG2: return log2_floor(eval_num(e->kid[0], env));
  default: break;
  }
  if (e->op < N_ADD || e->op > N_MAX) bug("expression %d is not a num", (int)e->op);
  a = eval_num(e->kid[0], env);
  for (uint32_t i = 1; i < e->nkid; i++) {
    b = eval_num(e->kid[i], env);
    switch (e->op) {
    case N_ADD: a += b; break;
    case N_SUB: a -= b; break;
    case N_MUL: a *= b; break;
    case N_DIV: a = b ? a / b : 0; break;
    case N_MIN: a = a < b ? a : b; break;
    default: a = a > b ? a : b; break;
    }
  }
  return a;
}

static bool mul_overflows(const struct expr *e, const struct eval_env *env) {
  struct bv x = eval_bv(e->kid[0], env), y = eval_bv(e->kid[1], env);
  unsigned w = x.width;
  if (e->op == B_UMULO) {
    if (w <= 32) return bv_to_u64(x) * bv_to_u64(y) >> w != 0;
    return !bv_is_zero(x) && bv_ult(bv_udiv(bv_ones(w), x), y);
  }
  /* Signed: the product of the magnitudes against the bound of the result's sign. */
  bool neg = bv_sign(x) != bv_sign(y);
  struct bv ax = bv_sign(x) ? bv_neg(x) : x, ay = bv_sign(y) ? bv_neg(y) : y;
  struct bv max = bv_lshr(bv_ones(w), bv_u64(w, 1));
  if (w == 1) return bv_bit(x, 0) && bv_bit(y, 0); /* (-1)·(-1) = 1 */
  struct bv bound = neg ? bv_add(max, bv_u64(w, 1)) : max;
  return !bv_is_zero(ax) && bv_ult(bv_udiv(bound, ax), ay);
}

static bool overflows(const struct expr *e, const struct eval_env *env) {
  if (e->op == B_UMULO || e->op == B_SMULO) return mul_overflows(e, env);
  struct bv x = eval_bv(e->kid[0], env), y = eval_bv(e->kid[1], env);
  switch (e->op) {
  case B_UADDO: return bv_ult(bv_add(x, y), x);
  case B_USUBO: return bv_ult(x, y);
  case B_SADDO: return bv_sign(x) == bv_sign(y) && bv_sign(bv_add(x, y)) != bv_sign(x);
  case B_SSUBO: return bv_sign(x) != bv_sign(y) && bv_sign(bv_sub(x, y)) != bv_sign(x);
  default: bug("expression %d is no overflow", (int)e->op);
  }
}

static bool compare(const struct expr *e, const struct eval_env *env) {
  struct bv x = eval_bv(e->kid[0], env), y = eval_bv(e->kid[1], env);
  switch (e->op) {
  case B_ULT: return bv_ult(x, y);
  case B_ULE: return !bv_ult(y, x);
  case B_SLT: return bv_slt(x, y);
  case B_SLE: return !bv_slt(y, x);
  default: return bv_eq(x, y);
  }
}

bool eval_bool(const struct expr *e, const struct eval_env *env) {
  switch (e->op) {
  case B_TRUE: return true;
  case B_FALSE: return false;
  case B_AND:
    for (uint32_t i = 0; i < e->nkid; i++)
      if (!eval_bool(e->kid[i], env)) return false;
    return true;
  case B_OR:
    for (uint32_t i = 0; i < e->nkid; i++)
      if (eval_bool(e->kid[i], env)) return true;
    return false;
  case B_NOT: return !eval_bool(e->kid[0], env);
  case B_XOR: return eval_bool(e->kid[0], env) != eval_bool(e->kid[1], env);
  case B_IMPLIES: return !eval_bool(e->kid[0], env) || eval_bool(e->kid[1], env);
  case B_ITE: return eval_bool(e->kid[eval_bool(e->kid[0], env) ? 1 : 2], env);
  case B_EQ:
    if (e->kid[0]->sort == SORT_BOOL) return eval_bool(e->kid[0], env) == eval_bool(e->kid[1], env);
    return compare(e, env);
  case B_ULT:
  case B_ULE:
  case B_SLT:
  case B_SLE: return compare(e, env);
  case B_UADDO:
  case B_SADDO:
  case B_USUBO:
  case B_SSUBO:
  case B_UMULO:
  case B_SMULO: return overflows(e, env);
  case B_NLT: return eval_num(e->kid[0], env) < eval_num(e->kid[1], env);
  case B_NLE: return eval_num(e->kid[0], env) <= eval_num(e->kid[1], env);
  case B_NEQ: return eval_num(e->kid[0], env) == eval_num(e->kid[1], env);
  case B_FLAG: return env->flags >> e->flag & 1;
  case B_POISON: return env->poison && env->poison[e->var];
  case B_FACT:
    if (!env->fact) bug("a fact is asked where none can be answered");
    return env->fact(env->self, e, env);
  default: bug("expression %d is not a bool", (int)e->op);
  }
}

/* Operators of two or more operands, folded from the left. */
static struct bv eval_nary(const struct expr *e, const struct eval_env *env) {
  struct bv a = eval_bv(e->kid[0], env);
  for (uint32_t i = 1; i < e->nkid; i++) {
    struct bv b = eval_bv(e->kid[i], env);
    switch (e->op) {
    case X_ADD: a = bv_add(a, b); break;
    case X_SUB: a = bv_sub(a, b); break;
    case X_MUL: a = bv_mul(a, b); break;
    case X_UDIV: a = bv_udiv(a, b); break;
    case X_UREM: a = bv_urem(a, b); break;
    case X_SDIV: a = bv_sdiv(a, b); break;
    case X_SREM: a = bv_srem(a, b); break;
    case X_AND: a = bv_and(a, b); break;
    case X_OR: a = bv_or(a, b); break;
    case X_XOR: a = bv_xor(a, b); break;
    case X_SHL: a = bv_shl(a, b); break;
    case X_LSHR: a = bv_lshr(a, b); break;
    case X_ASHR: a = bv_ashr(a, b); break;
    default: a = bv_concat(a, b); break;
    }
  }
  return a;
}

static unsigned width_of(const struct expr *e, const struct eval_env *env) {
  int64_t w = eval_num(e->width, env);
  if (w < 1 || w > VT_MAX_BITS) bug("an expression has width %lld", (long long)w);
  return (unsigned)w;
}

static struct bv eval_resize(const struct expr *e, const struct eval_env *env) {
  struct bv x = eval_bv(e->kid[0], env);
  unsigned w = width_of(e, env);
  return e->op == X_TRUNC ? bv_trunc(x, w) : e->op == X_ZEXT ? bv_zext(x, w) : bv_sext(x, w);
}

struct bv eval_bv(const struct expr *e, const struct eval_env *env) {
  switch (e->op) {
  case X_LIT: return bv_s64(width_of(e, env), eval_num(e->kid[0], env));
  case X_VAR: return env->vals[e->var];
  case X_NEG: return bv_neg(eval_bv(e->kid[0], env));
  case X_NOT: return bv_not(eval_bv(e->kid[0], env));
  case X_EXTRACT:
    return bv_extract(eval_bv(e->kid[2], env), (unsigned)eval_num(e->kid[0], env),
                      (unsigned)eval_num(e->kid[1], env));
  case X_ZEXT:
  case X_SEXT:
  case X_TRUNC: return eval_resize(e, env);
  case X_POPCOUNT:
  case X_CLZ:
  case X_CTZ: {
    struct bv x = eval_bv(e->kid[0], env);
    return bv_u64(x.width, e->op == X_POPCOUNT ? bv_popcount(x) : e->op == X_CLZ ? bv_clz(x) : bv_ctz(x));
  }
  case X_BITREV: return bv_bitreverse(eval_bv(e->kid[0], env));
  case X_BSWAP: return bv_bswap(eval_bv(e->kid[0], env));
  case X_ITE: return eval_bv(e->kid[eval_bool(e->kid[0], env) ? 1 : 2], env);
  case X_B2BV: return bv_u64(width_of(e, env), eval_bool(e->kid[0], env));
  case X_FRESH: return env->fresh ? env->fresh[e->var] : bv_u64(width_of(e, env), 0);
  case X_READ: {
    struct bv out;
    if (!env->read || !env->read(env->self, eval_bv(e->kid[0], env), (unsigned)e->num, &out))
      bug("memory is read where there is none");
    return out;
  }
  default:
    if (e->op < X_ADD || e->op > X_CONCAT) bug("expression %d is not a bit-vector", (int)e->op);
    return eval_nary(e, env);
  }
}

/* Whether the num v is a value of w bits, unsigned or as two's complement. */
static bool literal_fits(int64_t v, int64_t w) {
  if (w < 1) return false;
  if (w >= 64) return true;
  return v >= 0 ? v >> w == 0 : v >= -(INT64_C(1) << (w - 1));
}

bool expr_applicable(const struct expr *e, const struct eval_env *env) {
  if (e->sort == SORT_NUM) return true;
  for (uint32_t i = 0; i < e->nkid; i++)
    if (!expr_applicable(e->kid[i], env)) return false;
  if (e->sort == SORT_BV) {
    int64_t w = eval_num(e->width, env);
    if (w < 1 || w > VT_MAX_BITS) return false;
    if (e->op == X_LIT) return !e->strict || literal_fits(eval_num(e->kid[0], env), w);
    if (e->op == X_BSWAP) return w % 8 == 0;
    if (e->op == X_ZEXT || e->op == X_SEXT) return eval_num(e->kid[0]->width, env) <= w;
    if (e->op == X_TRUNC) return eval_num(e->kid[0]->width, env) >= w;
    if (e->op == X_EXTRACT) {
      int64_t hi = eval_num(e->kid[0], env), lo = eval_num(e->kid[1], env);
      return lo >= 0 && hi >= lo && hi < eval_num(e->kid[2]->width, env);
    }
  }
  return true;
}

bool eval_op(const struct op *op, const vt *types, uint16_t flags, const struct bv *val, const bool *poison,
             struct bv *res_val, bool *res_poison) {
  struct eval_env env = {.types = types, .vals = val, .poison = poison, .flags = flags};
  bool spread = false;
  for (uint32_t i = 0; i < op->nin; i++) {
    if (poison && poison[i] && op->ub_if_poison >> i & 1) return false;
    spread |= poison && poison[i];
  }
  if (op->ub && eval_bool(op->ub, &env)) return false;
  bool own = op->poison && eval_bool(op->poison, &env);
  for (uint32_t i = 0; i < op->nres; i++) {
    if (!op->res[i].val) bug("operation %s has no value to evaluate", op->name);
    res_val[i] = eval_bv(op->res[i].val, &env);
    res_poison[i] = own || (spread && !op->poison_own);
  }
  return true;
}
