/* concrete.c: the value of a pattern or result tree on concrete inputs, and memory. The counterpart of side.c
 * and memory.c, written over the evaluator. */
#include <string.h>

#include "replay.h"
#include "util/diag.h"

static const struct rule *rule_of(const struct cside *s) { return s->r->o->in->rule; }

static vt type_of(const struct cside *s, const struct pat *p) { return tyref_vt(p->ty, s->r->o->in->types); }

/* The value of the input with a role at a place; false when the query has none. */
static bool find_input(const struct replay *r, enum input_role role, const void *at, int var, int number,
                       struct bv *out) {
  for (uint32_t i = 0; i < r->o->inputs.n; i++) {
    const struct input *in = &r->o->inputs.at[i];
    if (in->role != role || in->at != at || in->var != var || in->number != number) continue;
    *out = r->input[i];
    return true;
  }
  return false;
}

struct bv concrete_fresh(const struct cside *s, const void *at, int number, unsigned width) {
  struct bv v = bv_u64(width, 0);
  find_input(s->r, s->right ? IN_FRESH_RIGHT : IN_FRESH_LEFT, at, -1, number, &v);
  return v;
}

/* ---- Memory ------------------------------------------------------------------------------------- */

static bool is_little(const struct replay *r) {
  struct bv v = bv_u64(1, 1);
  if (r->o->target) return !r->o->target->big_endian;
  find_input(r, IN_LITTLE, NULL, -1, 0, &v);
  return !bv_is_zero(v);
}

/* The concrete address of a byte input. */
static struct bv address_of(const struct replay *r, uint32_t i) {
  Z3_context c = r->o->c;
  uint32_t n = r->o->inputs.n;
  Z3_ast from[512], to[512];
  uint32_t k = 0;
  for (uint32_t j = 0; j < n && k < 512; j++, k++) {
    const struct input *in = &r->o->inputs.at[j];
    from[k] = in->term;
    bool is_bool = Z3_get_sort_kind(c, Z3_get_sort(c, in->term)) == Z3_BOOL_SORT;
    to[k] = !is_bool                  ? smt_const_bv(c, r->input[j])
            : bv_is_zero(r->input[j]) ? Z3_mk_false(c)
                                      : Z3_mk_true(c);
  }
  struct bv v = {0};
  Z3_ast a = Z3_simplify(c, Z3_substitute(c, r->o->inputs.at[i].addr, k, from, to));
  if (!smt_value(c, a, &v)) bug("an address without a value");
  return v;
}

static void byte_at(struct cside *s, const struct cwrite *mem, struct bv addr, uint8_t *byte, bool *poison,
                    bool *ok) {
  const struct replay *r = s->r;
  *byte = 0;
  *poison = false;
  *ok = true;
  for (uint32_t i = 0; i < r->o->inputs.n; i++)
    if (r->o->inputs.at[i].role == IN_BYTE && bv_eq(address_of(r, i), addr)) {
      *byte = (uint8_t)bv_to_u64(r->input[i]);
      *poison = !bv_is_zero(r->input[i + 1]);
      *ok = !bv_is_zero(r->input[i + 2]);
      break;
    }
  for (; mem; mem = mem->older)
    if (bv_eq(mem->addr, addr)) {
      *byte = mem->byte;
      *poison = mem->poison;
      return;
    }
}

static struct bv plus(struct bv addr, unsigned i) { return bv_add(addr, bv_u64(addr.width, i)); }

struct bv concrete_read(struct cside *s, const struct cwrite *mem, struct bv addr, unsigned bytes,
                        bool *poison) {
  struct bv v = {0};
  for (unsigned i = 0; i < bytes; i++) {
    uint8_t byte;
    bool bad, ok;
    byte_at(s, mem, plus(addr, is_little(s->r) ? bytes - 1 - i : i), &byte, &bad, &ok);
    struct bv b = bv_u64(8, byte);
    v = i ? bv_concat(v, b) : b;
    if (poison) *poison |= bad;
    s->ub |= !ok;
  }
  return v;
}

const struct cwrite *concrete_write(struct cside *s, const struct cwrite *mem, struct bv addr, struct bv v,
                                    bool poison) {
  unsigned bytes = v.width / 8;
  for (unsigned i = 0; i < bytes; i++) {
    unsigned at = is_little(s->r) ? i : bytes - 1 - i;
    struct cwrite *w = ARENA_NEW(&s->r->arena, struct cwrite);
    uint8_t old;
    bool bad, ok;
    *w = (struct cwrite){mem, plus(addr, i), (uint8_t)bv_to_u64(bv_extract(v, 8 * at + 7, 8 * at)), poison};
    byte_at(s, NULL, w->addr, &old, &bad, &ok);
    s->ub |= !ok;
    mem = w;
  }
  return mem;
}

/* ---- Operations --------------------------------------------------------------------------------- */

static uint16_t node_flags(const struct cside *s, const struct pat *p) {
  uint16_t flags = 0;
  const struct rule *r = rule_of(s);
  struct bv v;
  for (int b = 0; b < FLAG_COUNT; b++) {
    if (!(p->op->flags >> b & 1)) continue;
    bool on = p->flags >> b & 1;
    if (!on && !s->right) {
      v = bv_u64(1, 0);
      if (p->flagvar >= 0)
        find_input(s->r, IN_FLAG, NULL, p->flagvar, b, &v);
      else
        find_input(s->r, IN_FLAG, p, -1, b, &v);
      on = !bv_is_zero(v);
    } else if (!on && p->flagvars && p->flagmask >> b & 1) {
      on = true;
      for (uint32_t i = 0; i < r->nvar && i < 32; i++) {
        v = bv_u64(1, 0);
        if (p->flagvars >> i & 1) on &= find_input(s->r, IN_FLAG, NULL, (int)i, b, &v) && !bv_is_zero(v);
      }
    }
    if (on) flags |= (uint16_t)(1u << b);
  }
  return flags;
}

static void run_op(struct cside *s, const struct pat *p, const struct cvalue *in, struct cnode *d) {
  const struct op *op = p->op;
  vt types[16];
  struct bv vals[16] = {0}, fresh[16];
  bool poison[16] = {0}, any = false;
  for (uint32_t i = 0; i < op->ntyvar; i++) types[i] = tyref_vt(p->optys[i], s->r->o->in->types);
  for (uint32_t i = 0; i < op->nin; i++) {
    vals[i] = in[i].v;
    poison[i] = in[i].poison;
    any |= poison[i];
    s->ub |= poison[i] && op->ub_if_poison >> i & 1;
  }
  for (int i = 0; i < 16; i++) fresh[i] = concrete_fresh(s, p, i, 1);
  struct eval_env env = {
      .types = types, .vals = vals, .poison = poison, .flags = node_flags(s, p), .fresh = fresh};
  if (op->ub) s->ub |= eval_bool(op->ub, &env);
  bool bad = op->poison && eval_bool(op->poison, &env);
  if (!op->poison_own) bad |= any;
  for (uint32_t i = 0; i < op->nres; i++)
    d->res[i] = (struct cvalue){.v = eval_bv(op->res[i].val, &env), .has = true, .poison = bad};
  d->res[op->nres].mem = s->mem;
  d->nres = op->nres + 1;
  if (!op->taken) return;
  s->branches = true;
  s->taken = eval_bool(op->taken, &env);
  s->taken_poison = bad;
}

static unsigned memory_bits(const struct cside *s, const struct pat *p) {
  vt types[16];
  const struct op *op = p->op;
  for (uint32_t i = 0; i < op->ntyvar; i++) types[i] = tyref_vt(p->optys[i], s->r->o->in->types);
  if (op->second >= 0) return vt_bits(types[op->second]);
  return vt_bits(tyref_vt(op->mem == MEM_READ ? op->res[0].ty : op->in[0].ty, types));
}

static void run_load(struct cside *s, const struct pat *p, const struct cvalue *in, const struct cwrite *mem,
                     struct cnode *d) {
  unsigned bits = memory_bits(s, p), width = vt_bits(type_of(s, p));
  const struct cvalue *addr = &in[p->op->nin - 1];
  s->ub |= addr->poison;
  bool poison = false;
  struct bv v = concrete_read(s, mem, addr->v, bits / 8, &poison);
  if (bits < width && !strcmp(p->op->name, "sextload"))
    v = bv_sext(v, width);
  else if (bits < width && !strcmp(p->op->name, "zextload"))
    v = bv_zext(v, width);
  else if (bits < width)
    v = bv_concat(concrete_fresh(s, p, 0, width - bits), v);
  d->res[0] = (struct cvalue){.v = v, .has = true, .poison = poison};
  d->res[1].mem = mem;
  d->nres = 2;
}

static void run_store(struct cside *s, const struct pat *p, const struct cvalue *in, const struct cwrite *mem,
                      struct cnode *d) {
  unsigned bits = memory_bits(s, p);
  const struct cvalue *addr = &in[p->op->nin - 1];
  s->ub |= addr->poison;
  s->mem = concrete_write(s, mem, addr->v, bv_trunc(in[0].v, bits), in[0].poison);
  d->res[p->op->nres].mem = s->mem;
  d->nres = p->op->nres + 1;
}

static void run_op_node(struct cside *s, const struct pat *p, struct cnode *d) {
  struct cvalue in[16] = {0};
  const struct cwrite *mem = NULL;
  if (p->chain) mem = concrete_value(s, p->chain).mem;
  for (uint32_t i = 0; i < p->nkid && i < p->op->nin; i++) in[i] = concrete_value(s, p->kid[i]);
  if (!p->chain) mem = s->mem;
  if (p->op->mem == MEM_READ) {
    run_load(s, p, in, mem, d);
  } else if (p->op->mem == MEM_WRITE) {
    run_store(s, p, in, mem, d);
  } else if (p->op->structural || (p->op->nres && !p->op->res[0].val)) {
    for (uint32_t i = 0; i < p->op->nres; i++) {
      d->res[i].v = bv_u64(vt_bits(type_of(s, p)), 0);
      d->res[i].has = find_input(s->r, IN_VALUE, p, -1, (int)i, &d->res[i].v);
    }
    d->nres = p->op->nres;
  } else {
    run_op(s, p, in, d);
  }
}

const struct cnode *concrete_node(struct cside *s, const struct pat *p) {
  for (uint32_t i = 0; i < s->done.n; i++)
    if (s->done.at[i].p == p) return &s->done.at[i];
  struct cnode d = {.p = p};
  if (p->kind == P_INST || p->kind == P_PSEUDO)
    d = concrete_machine(s, p);
  else if (p->kind == P_OP)
    run_op_node(s, p, &d);
  else {
    d.res[0] = concrete_value(s, p);
    d.nres = 1;
  }
  *vec_push(&s->done) = d;
  return &s->done.at[s->done.n - 1];
}

/* ---- Leaves ------------------------------------------------------------------------------------- */

static bool inside(const struct pat *p, const struct pat *tree) {
  if (!tree) return false;
  if (p == tree) return true;
  for (uint32_t i = 0; i < tree->nkid; i++)
    if (inside(p, tree->kid[i])) return true;
  return inside(p, tree->chain);
}

static struct cvalue variable(const struct cside *s, int var) {
  return (struct cvalue){.v = s->r->vals[var], .has = s->r->vals[var].width > 0, .poison = s->r->poison[var]};
}

static struct cvalue extended(struct cside *s, const struct pat *p) {
  struct cvalue v = variable(s, p->var);
  unsigned to = vt_bits(type_of(s, p)), from = v.v.width;
  if (to <= from) return v;
  if (p->num == EXT_ZERO)
    v.v = bv_zext(v.v, to);
  else if (p->num == EXT_SIGN)
    v.v = bv_sext(v.v, to);
  else if (p->num == EXT_ANY)
    v.v = bv_concat(concrete_fresh(s, &rule_of(s)->vars[p->var], 0, to - from), v.v);
  return v;
}

static struct cvalue named(struct cside *s, const struct pat *p) {
  const struct pat *n = named_pat(rule_of(s), p->var);
  if (!n) return variable(s, p->var);
  struct cside *owner = inside(n, rule_of(s)->lhs) ? &s->r->left : &s->r->right;
  const struct cnode *d = concrete_node(owner, n);
  unsigned k = p->kind == P_CHAIN ? d->nres - 1 : (unsigned)p->res;
  return d->res[k < d->nres ? k : 0];
}

static const struct cwrite *longest(const struct cwrite *a, const struct cwrite *b) {
  for (const struct cwrite *w = a; w; w = w->older)
    if (w == b) return a;
  return b ? b : a;
}

struct cvalue concrete_value(struct cside *s, const struct pat *p) {
  struct cvalue v = {0};
  switch (p->kind) {
  case P_VAR:
  case P_CONST:
  case P_MEM: return variable(s, p->var);
  case P_EXPR: {
    struct eval_env env = {.types = s->r->o->in->types, .vals = s->r->vals, .poison = s->r->poison};
    return (struct cvalue){.v = eval_bv(p->value, &env), .has = true};
  }
  case P_ANY: {
    struct bv poison = bv_u64(1, 0);
    v.has = find_input(s->r, IN_VALUE, p, -1, 0, &v.v);
    find_input(s->r, IN_POISON, p, -1, 0, &poison);
    v.poison = !bv_is_zero(poison);
    return v;
  }
  case P_NODE:
  case P_CHAIN: return named(s, p);
  case P_EXT: return extended(s, p);
  case P_TF:
    for (uint32_t i = 0; i < p->nkid; i++) v.mem = longest(v.mem, concrete_value(s, p->kid[i]).mem);
    return v;
  case P_PHYSIN: /* without a value, the zero register */
    if (p->nkid) return concrete_value(s, p->kid[0]);
    return (struct cvalue){.v = bv_u64(vt_bits(p->reg->ty), 0), .has = true};
  case P_OP:
  case P_INST:
  case P_PSEUDO: {
    const struct cnode *d = concrete_node(s, p);
    unsigned k = p->res >= 0 ? (unsigned)p->res : 0;
    return d->res[k < d->nres ? k : 0];
  }
  case P_RESULTS:
  case P_HALVES: break;
  }
  return v;
}
