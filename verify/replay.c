/* replay.c: see replay.h. */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "util/diag.h"

static const struct rule *rule_of(const struct replay *r) { return r->o->in->rule; }

/* ---- Guards ------------------------------------------------------------------------------------- */

static bool any_poison(const struct replay *r, const struct expr *e) {
  if (e->op == X_VAR && e->var >= 0 && r->poison[e->var]) return true;
  for (uint32_t i = 0; i < e->nkid; i++)
    if (any_poison(r, e->kid[i])) return true;
  return false;
}

static bool has_sign_bits(struct bv v, int64_t n) {
  if (n > (int64_t)v.width) return false;
  for (int64_t i = 1; i < n; i++)
    if (bv_bit(v, v.width - 1 - (unsigned)i) != bv_sign(v)) return false;
  return true;
}

static bool little(const struct replay *r) {
  if (r->o->target) return !r->o->target->big_endian;
  for (uint32_t i = 0; i < r->o->inputs.n; i++)
    if (r->o->inputs.at[i].role == IN_LITTLE) return !bv_is_zero(r->input[i]);
  return true;
}

static bool fact_holds(void *self, const struct expr *e, const struct eval_env *env) {
  struct replay *r = self;
  struct bv x = {0};
  if (e->nkid && e->kid[0]->sort == SORT_BV) x = eval_bv(e->kid[0], env);
  bool free = e->nkid && any_poison(r, e->kid[0]);
  switch (e->fact) {
  case FACT_KNOWN_ZERO: return free || bv_is_zero(x);
  case FACT_KNOWN_BOOL: return free || !bv_ult(bv_u64(x.width, 1), x) || x.width == 1;
  case FACT_KNOWN_NONZERO: return free || !bv_is_zero(x);
  case FACT_KNOWN_NONNEG: return free || !bv_sign(x);
  case FACT_SIGN_BITS: return free || has_sign_bits(x, eval_num(e->kid[1], env));
  case FACT_ALIGNED: return free || bv_is_zero(bv_and(x, bv_u64(x.width, (uint64_t)e->num - 1)));
  case FACT_NOT_POISON: return e->nkid ? !free : !(e->var >= 0 && r->poison[e->var]);
  case FACT_LITTLE_ENDIAN: return little(r);
  case FACT_DEMANDED_IN:
    r->demanded = r->masked ? bv_and(r->demanded, x) : x;
    r->masked = true;
    return true;
  case FACT_ZERO_UPPER:
  case FACT_USERS_READ: return true;
  default: return false;
  }
}

static bool guards_hold(struct replay *r) {
  const struct rule *rule = rule_of(r);
  struct eval_env env = {
      .types = r->o->in->types, .vals = r->vals, .poison = r->poison, .fact = fact_holds, .self = r};
  for (uint32_t i = 0; i < rule->nwhen; i++)
    if (!eval_bool(rule->when[i], &env)) return false;
  for (uint32_t i = 0; i < rule->nvar; i++) {
    const struct immclass *imm = rule->vars[i].imm;
    if (!imm || !imm->check || !r->vals[i].width) continue;
    vt type = vt_int(r->vals[i].width);
    struct eval_env one = {.types = &type, .vals = &r->vals[i]};
    if (!eval_bool(imm->check, &one)) return false;
  }
  return true;
}

/* ---- Variables ---------------------------------------------------------------------------------- */

static void give_variables(struct replay *r) {
  const struct obligation *o = r->o;
  r->vals = ARENA_ARRAY(&r->arena, struct bv, o->nvar + 1);
  r->poison = ARENA_ARRAY(&r->arena, bool, o->nvar + 1);
  for (uint32_t i = 0; i < o->inputs.n; i++) {
    const struct input *in = &o->inputs.at[i];
    if (in->var < 0) continue;
    if (in->role == IN_VALUE) r->vals[in->var] = r->input[i];
    if (in->role == IN_POISON) r->poison[in->var] = !bv_is_zero(r->input[i]);
  }
  const struct rule *rule = rule_of(r);
  for (uint32_t i = 0; i < rule->nhalf; i++) {
    int whole = rule->half[i].whole, lo = rule->half[i].lo, hi = rule->half[i].hi;
    if (!made_of_halves(rule, i)) continue;
    r->vals[whole] = bv_concat(r->vals[hi], r->vals[lo]);
    r->poison[whole] = r->poison[lo] || r->poison[hi];
  }
}

static void name_nodes(struct replay *r) {
  const struct rule *rule = rule_of(r);
  for (uint32_t i = 0; i < rule->nvar; i++) {
    const struct var *v = &rule->vars[i];
    if ((v->kind != VAR_NODE && v->kind != VAR_MEM) || !v->node) continue;
    bool let = false;
    for (uint32_t k = 0; k < rule->nlet; k++) let |= rule->let_var[k] == (int)i;
    if (let) continue;
    struct cvalue n = concrete_value(&r->left, v->node);
    r->vals[i] = n.v;
    r->poison[i] = n.poison;
  }
}

/* ---- Comparison --------------------------------------------------------------------------------- */

/* The clause that fails between two values; CLAUSE_COUNT when the right one refines the left one. */
static enum clause_kind compare(const struct replay *r, struct cvalue l, struct cvalue v, bool flags) {
  if (!l.has || l.poison) return CLAUSE_COUNT;
  if (v.poison) return CLAUSE_POISON;
  struct bv a = l.v, b = bv_trunc(v.v, l.v.width);
  struct bv mask = bv_ones(a.width);
  if (!flags && r->masked && r->demanded.width == a.width) mask = r->demanded;
  const struct rule *rule = rule_of(r);
  for (uint32_t i = 0; flags && i < rule->nwhen; i++)
    if (rule->when[i]->op == B_FACT && rule->when[i]->fact == FACT_USERS_READ)
      mask = bv_u64(a.width, (uint64_t)rule->when[i]->num);
  return bv_eq(bv_and(a, mask), bv_and(b, mask)) ? CLAUSE_COUNT : flags ? CLAUSE_FLAGS : CLAUSE_VALUE;
}

static enum clause_kind compare_memory(struct replay *r) {
  const struct cwrite *lists[2] = {r->left.mem, r->right.mem};
  for (int k = 0; k < 2; k++)
    for (const struct cwrite *w = lists[k]; w; w = w->older) {
      bool lp, rp, ub[2] = {r->left.ub, r->right.ub};
      struct bv lb = concrete_read(&r->left, r->left.mem, w->addr, 1, (lp = false, &lp));
      struct bv rb = concrete_read(&r->right, r->right.mem, w->addr, 1, (rp = false, &rp));
      r->left.ub = ub[0];
      r->right.ub = ub[1];
      if (!lp && (rp || !bv_eq(lb, rb))) return CLAUSE_MEMORY;
    }
  return CLAUSE_COUNT;
}

static bool is_flags(const struct replay *r, struct tyref ty) {
  return vt_kind(tyref_vt(ty, r->o->in->types)) == TK_FLAGS;
}

static enum clause_kind first_of(enum clause_kind a, enum clause_kind b) { return a < b ? a : b; }

/* The value of a result: halves stand for the wide value that they make. */
static struct cvalue result_value(struct replay *r, const struct pat *rhs) {
  if (rhs->kind != P_HALVES) return concrete_value(&r->right, rhs);
  struct cvalue lo = concrete_value(&r->right, rhs->kid[0]), hi = concrete_value(&r->right, rhs->kid[1]);
  return (struct cvalue){.v = bv_concat(hi.v, lo.v), .has = true, .poison = lo.poison || hi.poison};
}

static enum clause_kind compare_roots(struct replay *r) {
  const struct pat *lhs = rule_of(r)->lhs, *rhs = rule_of(r)->rhs;
  enum clause_kind c = CLAUSE_COUNT;
  if (rhs->kind == P_RESULTS) {
    struct cnode l = *concrete_node(&r->left, lhs);
    for (uint32_t i = 0; i < rhs->nkid; i++) {
      struct cvalue v = result_value(r, rhs->kid[i]);
      if (v.has)
        c = first_of(c, compare(r, l.res[i], v, lhs->kind == P_OP && is_flags(r, lhs->op->res[i].ty)));
      else
        r->right.mem = v.mem;
    }
    return c;
  }
  r->right_root = result_value(r, rhs);
  if (!r->left_root.has && rhs->kind != P_INST && !r->right_root.has) r->right.mem = r->right_root.mem;
  return compare(r, r->left_root, r->right_root, is_flags(r, lhs->ty));
}

static enum clause_kind run_rewrite(struct replay *r) {
  const struct rule *rule = rule_of(r);
  r->left_root = concrete_value(&r->left, rule->lhs);
  name_nodes(r);
  bool ok = guards_hold(r);
  enum clause_kind c = compare_roots(r);
  if (!ok) return CLAUSE_GUARD;
  if (r->left.ub) return CLAUSE_COUNT;
  if (r->right.ub) return CLAUSE_UB;
  if (r->bad_immediate) return CLAUSE_IMMEDIATE;
  if (!r->left_root.has && r->left_root.mem)
    r->left.mem = r->left_root.mem;
  else if (r->left_root.has && !r->right.mem)
    r->right.mem = r->left.mem;
  if ((r->left.branches || r->right.branches) && !r->left.taken_poison) {
    bool lt = r->left.branches ? r->left.taken : true, rt = r->right.branches ? r->right.taken : true;
    if (r->right.taken_poison) return CLAUSE_POISON;
    if (lt != rt) return CLAUSE_BRANCH;
  }
  return first_of(c, compare_memory(r));
}

/* ---- Promotions and addresses ------------------------------------------------------------------- */

static struct bv widened(struct replay *r, enum ext_kind ext, uint32_t i, unsigned to) {
  struct bv x = r->vals[i];
  if (to <= x.width || ext == EXT_KEEP) return x;
  if (ext == EXT_ZERO) return bv_zext(x, to);
  if (ext == EXT_SIGN) return bv_sext(x, to);
  return bv_concat(concrete_fresh(&r->right, &rule_of(r)->promote_op->in[i], 0, to - x.width), x);
}

/* The operation on one side; false when it is undefined behaviour. */
static bool run_promoted(struct cside *s, const vt *types, const struct bv *vals, struct cvalue *out) {
  const struct op *op = rule_of(s->r)->promote_op;
  struct bv fresh[16];
  bool any = false;
  for (int i = 0; i < 16; i++) fresh[i] = concrete_fresh(s, op, i, 1);
  struct eval_env env = {.types = types, .vals = vals, .poison = s->r->poison, .fresh = fresh};
  for (uint32_t i = 0; i < op->nin; i++) {
    any |= s->r->poison[i];
    s->ub |= s->r->poison[i] && op->ub_if_poison >> i & 1;
  }
  if (op->ub) s->ub |= eval_bool(op->ub, &env);
  bool bad = op->poison && eval_bool(op->poison, &env);
  if (!op->poison_own) bad |= any;
  for (uint32_t i = 0; i < op->nres && i < 8; i++)
    out[i] = (struct cvalue){.v = eval_bv(op->res[i].val, &env), .has = true, .poison = bad};
  return !s->ub;
}

static enum clause_kind run_promotion(struct replay *r) {
  const struct op *op = rule_of(r)->promote_op;
  const vt *types = r->o->in->types;
  vt wide[MAX_TYVARS];
  struct bv ext[16];
  struct cvalue l[8] = {0}, v[8] = {0};
  memcpy(wide, types, sizeof wide);
  wide[0] = r->o->in->wide;
  for (uint32_t i = 0; i < op->nin && i < 16; i++)
    ext[i] = widened(r, rule_of(r)->ext[i], i, vt_bits(tyref_vt(op->in[i].ty, wide)));
  if (!run_promoted(&r->left, types, r->vals, l)) return CLAUSE_COUNT;
  if (!run_promoted(&r->right, wide, ext, v)) return CLAUSE_UB;
  r->left_root = l[0];
  r->right_root = v[0];
  enum clause_kind c = CLAUSE_COUNT;
  for (uint32_t i = 0; i < op->nres && i < 8; i++) c = first_of(c, compare(r, l[i], v[i], false));
  return c;
}

static unsigned field_bits(const struct replay *r, const struct field *f) {
  return f->reg && f->cls ? f->cls->bits : r->o->in->pointer_bits;
}

static struct bv field_input(const struct replay *r, const struct field *f) {
  for (uint32_t i = 0; i < r->o->inputs.n; i++)
    if (r->o->inputs.at[i].at == f) return r->input[i];
  return bv_u64(field_bits(r, f), f->nchoice ? 1 : 0);
}

static enum clause_kind run_address(struct replay *r) {
  const struct rule *rule = rule_of(r);
  const struct nonterm *n = rule->nonterm;
  struct bv *fields = ARENA_ARRAY(&r->arena, struct bv, n->nfield + 1);
  for (uint32_t i = 0; i < n->nfield; i++) fields[i] = field_input(r, &n->fields[i]);
  struct eval_env addr = {.vals = fields};
  if (rule->addr_child >= 0) r->vals[rule->addr_child] = eval_bv(n->value, &addr);
  r->left_root = concrete_value(&r->left, rule->lhs);
  name_nodes(r);
  if (!guards_hold(r)) return CLAUSE_GUARD;
  struct eval_env env = {.types = r->o->in->types, .vals = r->vals};
  for (uint32_t k = 0; k < rule->nset; k++) {
    struct bv v = rule->set[k].value ? eval_bv(rule->set[k].value, &env) : r->vals[rule->set[k].var];
    const struct field *f = &n->fields[rule->set[k].field];
    bool choice = f->nchoice == 0;
    for (uint32_t i = 0; i < f->nchoice; i++) choice |= bv_eq(v, bv_u64(v.width, (uint64_t)f->choice[i]));
    r->bad_immediate |= !choice;
    fields[rule->set[k].field] = rule->set[k].add ? bv_add(fields[rule->set[k].field], v) : v;
  }
  r->right_root = (struct cvalue){.v = eval_bv(n->value, &addr), .has = true};
  if (r->left.ub) return CLAUSE_COUNT;
  return r->bad_immediate ? CLAUSE_IMMEDIATE : compare(r, r->left_root, r->right_root, false);
}

enum clause_kind replay_run(struct replay *r, const struct obligation *o, const struct bv *input) {
  *r = (struct replay){.o = o};
  r->left = (struct cside){.r = r};
  r->right = (struct cside){.r = r, .right = true};
  r->input = ARENA_ARRAY(&r->arena, struct bv, o->inputs.n + 1);
  memcpy(r->input, input, o->inputs.n * sizeof *input);
  give_variables(r);
  const struct rule *rule = rule_of(r);
  if (rule->kind == RULE_PROMOTE && !rule->lhs) return run_promotion(r);
  return rule->kind == RULE_ADDR ? run_address(r) : run_rewrite(r);
}

void replay_free(struct replay *r) {
  vec_free(&r->left.done);
  vec_free(&r->right.done);
  arena_free(&r->arena);
}
