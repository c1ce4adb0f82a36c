/* side.c: the value of a pattern tree or a result tree in terms of the rule's variables. */
#include <stdarg.h>
#include <string.h>

#include "obligation.h"

vt pat_type(const struct obligation *o, const struct pat *p) { return tyref_vt(p->ty, o->in->types); }

const struct pat *named_pat(const struct rule *r, int var) {
  for (uint32_t i = 0; i < r->nlet; i++)
    if (r->let_var[i] == var) return r->let_node[i];
  return r->vars[var].node;
}

bool give_up(struct obligation *o, const char *fmt, ...) {
  if (o->unsupported) return false;
  char text[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  o->unsupported = arena_strdup(&o->arena, text);
  return false;
}

Z3_ast new_input(struct obligation *o, struct input in, unsigned width) {
  char name[64];
  snprintf(name, sizeof name, "%s#%u", in.name ? in.name : "_", o->inputs.n);
  in.term = width ? smt_var_bv(o->c, name, width) : smt_var_bool(o->c, name);
  *vec_push(&o->inputs) = in;
  return in.term;
}

void op_types(const struct obligation *o, const struct pat *p, vt *types) {
  for (uint32_t i = 0; i < p->op->ntyvar; i++) types[i] = tyref_vt(p->optys[i], o->in->types);
}

/* ---- Expressions over the rule's variables ---------------------------------------------------------------
 */

static Z3_ast fact(void *self, const struct expr *e, const struct smt_env *env);

static struct smt_env rule_env(struct obligation *o) {
  return (struct smt_env){.ctx = o->c,
                          .types = o->in->types,
                          .vals = o->vals,
                          .poison = o->poison,
                          .fact = fact,
                          .self = o,
                          .constants = true};
}

Z3_ast expr_bv(struct obligation *o, const struct expr *e) {
  struct smt_env env = rule_env(o);
  return smt_bv(e, &env);
}

Z3_ast expr_bool(struct obligation *o, const struct expr *e) {
  struct smt_env env = rule_env(o);
  return smt_bool(e, &env);
}

static void collect_poison(struct obligation *o, const struct expr *e, Z3_ast *any) {
  if (e->op == X_VAR && e->var >= 0 && o->poison[e->var]) *any = smt_or2(o->c, *any, o->poison[e->var]);
  for (uint32_t i = 0; i < e->nkid; i++) collect_poison(o, e->kid[i], any);
}

static Z3_ast number(struct obligation *o, unsigned width, uint64_t v) {
  return smt_const_bv(o->c, bv_u64(width, v));
}

/* At least n copies of the sign: the top n bits are equal. */
static Z3_ast has_sign_bits(struct obligation *o, Z3_ast x, int64_t n) {
  unsigned w = smt_width(o->c, x);
  if (n <= 1) return Z3_mk_true(o->c);
  if (n > (int64_t)w) return Z3_mk_false(o->c);
  unsigned low = w - (unsigned)n + 1; /* bits of the value with its sign */
  Z3_ast part = low < w ? Z3_mk_sign_ext(o->c, w - low, Z3_mk_extract(o->c, low - 1, 0, x)) : x;
  return Z3_mk_eq(o->c, part, x);
}

/* What a fact says of its first operand, without the leave to be poison. */
static Z3_ast fact_claim(struct obligation *o, const struct expr *e, const struct smt_env *env) {
  Z3_context c = o->c;
  Z3_ast x = e->nkid && e->kid[0]->sort == SORT_BV ? smt_bv(e->kid[0], env) : NULL;
  unsigned w = x ? smt_width(c, x) : 0;
  switch (e->fact) {
  case FACT_KNOWN_ZERO: return Z3_mk_eq(c, x, number(o, w, 0));
  case FACT_KNOWN_BOOL: return Z3_mk_bvule(c, x, number(o, w, 1));
  case FACT_KNOWN_NONZERO: return Z3_mk_not(c, Z3_mk_eq(c, x, number(o, w, 0)));
  case FACT_KNOWN_NONNEG: return Z3_mk_bvsle(c, number(o, w, 0), x);
  case FACT_SIGN_BITS: return has_sign_bits(o, x, smt_num(e->kid[1], env));
  case FACT_ALIGNED:
    return Z3_mk_eq(c, Z3_mk_bvand(c, x, number(o, w, (uint64_t)e->num - 1)), number(o, w, 0));
  default: return NULL;
  }
}

static Z3_ast little_endian(struct obligation *o) {
  if (o->target) return o->target->big_endian ? Z3_mk_false(o->c) : Z3_mk_true(o->c);
  for (uint32_t i = 0; i < o->inputs.n; i++)
    if (o->inputs.at[i].role == IN_LITTLE) return o->inputs.at[i].term;
  return new_input(o, (struct input){.role = IN_LITTLE, .name = "little-endian", .var = -1}, 0);
}

static Z3_ast fact(void *self, const struct expr *e, const struct smt_env *env) {
  struct obligation *o = self;
  switch (e->fact) {
  case FACT_NOT_POISON: {
    Z3_ast any = NULL;
    collect_poison(o, e->nkid ? e->kid[0] : e, &any);
    if (!e->nkid && e->var >= 0) any = o->poison[e->var];
    return any ? smt_not(o->c, any) : Z3_mk_true(o->c);
  }
  case FACT_DEMANDED_IN: {
    Z3_ast mask = smt_bv(e->kid[0], env);
    o->demanded = o->demanded ? Z3_mk_bvand(o->c, o->demanded, mask) : mask;
    return Z3_mk_true(o->c);
  }
  case FACT_USERS_READ:
    if (o->target) o->flags_mask = number(o, o->target->flag_bits, (uint64_t)e->num);
    return Z3_mk_true(o->c);
  case FACT_LITTLE_ENDIAN: return little_endian(o);
  case FACT_ZERO_UPPER: return Z3_mk_true(o->c); /* read by SUBREG_TO_REG, see machine.c */
  default: break;
  }
  Z3_ast claim = fact_claim(o, e, env), any = NULL;
  if (!claim) {
    give_up(o, "a heuristic in 'when'");
    return Z3_mk_false(o->c);
  }
  if (e->nkid) collect_poison(o, e->kid[0], &any);
  return any ? smt_or2(o->c, any, claim) : claim;
}

/* ---- Nodes ------------------------------------------------------------------------------------------------
 */

struct fresh_at {
  struct side *s;
  const void *at;
};

Z3_ast side_fresh(struct side *s, const void *at, int number, unsigned width) {
  struct obligation *o = s->o;
  enum input_role role = s->right ? IN_FRESH_RIGHT : IN_FRESH_LEFT;
  for (uint32_t i = 0; i < o->inputs.n; i++) {
    const struct input *in = &o->inputs.at[i];
    if (in->role == role && in->at == at && in->number == number) return in->term;
  }
  return new_input(
      o,
      (struct input){
          .role = role, .name = s->right ? "fresh" : "left-fresh", .var = -1, .at = at, .number = number},
      width);
}

static Z3_ast op_fresh(void *self, int number, unsigned width) {
  struct fresh_at *f = self;
  return side_fresh(f->s, f->at, number, width);
}

static bool inside(const struct pat *p, const struct pat *tree) {
  if (!tree) return false;
  if (p == tree) return true;
  for (uint32_t i = 0; i < tree->nkid; i++)
    if (inside(p, tree->kid[i])) return true;
  return inside(p, tree->chain);
}

/* Whether the result tree `in` keeps a node of the pattern that contains `p`. */
static bool kept(const struct obligation *o, const struct pat *p, const struct pat *in) {
  if (!in) return false;
  if ((in->kind == P_NODE || in->kind == P_CHAIN) && in->var >= 0) {
    const struct pat *n = named_pat(o->in->rule, in->var);
    if (n && inside(p, n)) return true;
  }
  for (uint32_t i = 0; i < in->nkid; i++)
    if (kept(o, p, in->kid[i])) return true;
  return kept(o, p, in->chain);
}

static bool kept_on_right(const struct obligation *o, const struct pat *p) {
  const struct rule *r = o->in->rule;
  for (uint32_t i = 0; i < r->nlet; i++)
    if (kept(o, p, r->let_node[i])) return true;
  return kept(o, p, r->rhs);
}

static Z3_ast flag_input(struct obligation *o, const char *name, int var, const void *at, int bit) {
  for (uint32_t i = 0; i < o->inputs.n; i++) {
    const struct input *in = &o->inputs.at[i];
    if (in->role == IN_FLAG && in->var == var && in->at == at && in->number == bit) return in->term;
  }
  const char *text = arena_printf(&o->arena, "%s.%s", name, flag_name[bit]);
  return new_input(o, (struct input){.role = IN_FLAG, .name = text, .var = var, .at = at, .number = bit}, 0);
}

/* A pattern node's flags. One that the pattern neither demands nor captures is off, because a flag only adds
 * poison to the left side, unless the result keeps the node: then it is as open as the node. */
static void left_flags(struct side *s, const struct pat *p, Z3_ast *flags) {
  struct obligation *o = s->o;
  bool open = kept_on_right(o, p);
  for (int b = 0; b < FLAG_COUNT; b++) {
    if (!(p->op->flags >> b & 1)) continue;
    if (p->flags >> b & 1)
      flags[b] = Z3_mk_true(o->c);
    else if (p->flagvar >= 0)
      flags[b] = flag_input(o, o->in->rule->vars[p->flagvar].name, p->flagvar, NULL, b);
    else if (open)
      flags[b] = flag_input(o, p->op->name, -1, p, b);
  }
}

/* A result node has the flags that it names, and of the captured ones those that all captures have. */
static void right_flags(struct side *s, const struct pat *p, Z3_ast *flags) {
  struct obligation *o = s->o;
  const struct rule *r = o->in->rule;
  for (int b = 0; b < FLAG_COUNT; b++) {
    if (!(p->op->flags >> b & 1)) continue;
    if (p->flags >> b & 1) {
      flags[b] = Z3_mk_true(o->c);
    } else if (p->flagvars && p->flagmask >> b & 1) {
      for (uint32_t v = 0; v < r->nvar && v < 32; v++)
        if (p->flagvars >> v & 1)
          flags[b] = smt_and2(o->c, flags[b], flag_input(o, r->vars[v].name, (int)v, NULL, b));
    }
  }
}

static void apply_op(struct side *s, const struct pat *p, const struct value *in, struct done_pat *d) {
  struct obligation *o = s->o;
  const struct op *op = p->op;
  vt types[16];
  op_types(o, p, types);
  Z3_ast vals[16] = {0}, poison[16] = {0}, flags[FLAG_COUNT] = {0};
  for (uint32_t i = 0; i < op->nin; i++) {
    vals[i] = in[i].val;
    poison[i] = in[i].poison;
  }
  if (s->right)
    right_flags(s, p, flags);
  else
    left_flags(s, p, flags);
  struct fresh_at f = {s, p};
  struct smt_env env = {.ctx = o->c,
                        .types = types,
                        .vals = vals,
                        .poison = poison,
                        .flags = flags,
                        .fresh = op_fresh,
                        .self = &f};
  struct smt_applied a = smt_op(op, &env);
  s->ub = smt_or2(o->c, s->ub, a.ub);
  for (uint32_t i = 0; i < op->nres; i++) d->res[i] = (struct value){a.val[i], a.poison, NULL};
  d->res[op->nres] = (struct value){.mem = s->mem};
  d->nres = op->nres + 1;
  if (a.taken) {
    s->taken = a.taken;
    d->res[0].poison = a.poison;
  }
}

/* An operation without a meaning of its own (a global's address, a frame index) is some value, not poison. */
static void apply_structural(struct side *s, const struct pat *p, struct done_pat *d) {
  if (s->right) {
    give_up(s->o, "'%s' in a result has no meaning of its own", p->op->name);
    return;
  }
  for (uint32_t i = 0; i < p->op->nres; i++) {
    struct input in = {.role = IN_VALUE, .name = p->op->name, .var = -1, .at = p, .number = (int)i};
    d->res[i].val = new_input(s->o, in, vt_bits(pat_type(s->o, p)));
  }
  d->nres = p->op->nres;
}

static unsigned memory_bits(const struct obligation *o, const struct pat *p) {
  vt types[16];
  op_types(o, p, types);
  if (p->op->second >= 0) return vt_bits(types[p->op->second]);
  return vt_bits(tyref_vt(p->op->mem == MEM_READ ? p->op->res[0].ty : p->op->in[0].ty, types));
}

static void apply_load(struct side *s, const struct pat *p, const struct value *in, const struct write *mem,
                       struct done_pat *d) {
  struct obligation *o = s->o;
  unsigned bits = memory_bits(o, p), width = vt_bits(pat_type(o, p));
  const struct value *addr = &in[p->op->nin - 1];
  if (addr->poison) s->ub = smt_or2(o->c, s->ub, addr->poison);
  Z3_ast poison = NULL, v = memory_read(s, mem, addr->val, bits / 8, &poison);
  if (bits < width && !strcmp(p->op->name, "sextload"))
    v = Z3_mk_sign_ext(o->c, width - bits, v);
  else if (bits < width && !strcmp(p->op->name, "zextload"))
    v = Z3_mk_zero_ext(o->c, width - bits, v);
  else if (bits < width)
    v = Z3_mk_concat(o->c, side_fresh(s, p, 0, width - bits), v);
  d->res[0] = (struct value){v, poison, NULL};
  d->res[1].mem = mem;
  d->nres = 2;
}

static void apply_store(struct side *s, const struct pat *p, const struct value *in, const struct write *mem,
                        struct done_pat *d) {
  struct obligation *o = s->o;
  unsigned bits = memory_bits(o, p);
  const struct value *addr = &in[p->op->nin - 1];
  if (addr->poison) s->ub = smt_or2(o->c, s->ub, addr->poison);
  Z3_ast v = in[0].val;
  if (bits < smt_width(o->c, v)) v = Z3_mk_extract(o->c, bits - 1, 0, v);
  s->mem = memory_write(s, mem, addr->val, v, in[0].poison);
  d->res[p->op->nres].mem = s->mem;
  d->nres = p->op->nres + 1;
}

static void eval_op_node(struct side *s, const struct pat *p, struct done_pat *d) {
  struct obligation *o = s->o;
  const struct op *op = p->op;
  struct value in[16] = {0};
  if (op->nin > 16 || op->nres > 6 || op->ntyvar > 16) {
    give_up(o, "'%s' has too many operands", op->name);
    return;
  }
  const struct write *mem = NULL;
  if (p->chain) mem = side_value(s, p->chain).mem;
  for (uint32_t i = 0; i < p->nkid && i < op->nin; i++) in[i] = side_value(s, p->kid[i]);
  if (o->unsupported) return;
  if (!p->chain) mem = s->mem;
  if (op->mem != MEM_NONE && memory_bits(o, p) % 8)
    give_up(o, "'%s' of part of a byte", op->name);
  else if (op->mem == MEM_READ)
    apply_load(s, p, in, mem, d);
  else if (op->mem == MEM_WRITE)
    apply_store(s, p, in, mem, d);
  else if (op->structural || (op->nres && !op->res[0].val))
    apply_structural(s, p, d);
  else
    apply_op(s, p, in, d);
}

const struct done_pat *side_node(struct side *s, const struct pat *p) {
  for (uint32_t i = 0; i < s->done.n; i++)
    if (s->done.at[i].p == p) return &s->done.at[i];
  struct done_pat d = {.p = p};
  if (s->o->unsupported) goto out;
  if (p->kind == P_INST || p->kind == P_PSEUDO)
    d = machine_node(s, p);
  else if (p->kind == P_OP)
    eval_op_node(s, p, &d);
  else {
    d.res[0] = side_value(s, p);
    d.nres = 1;
  }
out:
  *vec_push(&s->done) = d;
  return &s->done.at[s->done.n - 1];
}

/* ---- Leaves ------------------------------------------------------------------------------------- */

static struct value extended(struct side *s, const struct pat *p) {
  struct obligation *o = s->o;
  struct value v = {o->vals[p->var], o->poison[p->var], NULL};
  unsigned from = smt_width(o->c, v.val), to = vt_bits(pat_type(o, p));
  if (to <= from) return v;
  switch ((enum ext_kind)p->num) {
  case EXT_KEEP: break;
  case EXT_ZERO: v.val = Z3_mk_zero_ext(o->c, to - from, v.val); break;
  case EXT_SIGN: v.val = Z3_mk_sign_ext(o->c, to - from, v.val); break;
  case EXT_ANY:
    v.val = Z3_mk_concat(o->c, side_fresh(s, &o->in->rule->vars[p->var], 0, to - from), v.val);
    break;
  }
  return v;
}

static bool extends(const struct write *longer, const struct write *shorter) {
  for (; longer != shorter; longer = longer->older)
    if (!longer) return false;
  return true;
}

/* A TokenFactor of chains of which one contains the others' writes. */
static struct value joined(struct side *s, const struct pat *p) {
  struct value v = {.mem = p->nkid ? side_value(s, p->kid[0]).mem : NULL};
  for (uint32_t i = 1; i < p->nkid; i++) {
    const struct write *m = side_value(s, p->kid[i]).mem;
    if (extends(m, v.mem))
      v.mem = m;
    else if (!extends(v.mem, m))
      give_up(s->o, "a TokenFactor of independent writes");
  }
  return v;
}

static struct value any_value(struct side *s, const struct pat *p) {
  struct obligation *o = s->o;
  for (uint32_t i = 0; i < o->inputs.n; i++)
    if (o->inputs.at[i].at == p && o->inputs.at[i].role == IN_VALUE)
      return (struct value){o->inputs.at[i].term, o->inputs.at[i + 1].term, NULL};
  struct value v = {0};
  vt t = pat_type(o, p);
  if (vt_kind(t) != TK_INT && vt_kind(t) != TK_FLAGS) return v;
  v.val = new_input(o, (struct input){.role = IN_VALUE, .name = "_", .var = -1, .at = p}, vt_bits(t));
  v.poison = new_input(o, (struct input){.role = IN_POISON, .name = "_.poison", .var = -1, .at = p}, 0);
  return v;
}

static struct value named_value(struct side *s, const struct pat *p) {
  struct obligation *o = s->o;
  const struct pat *n = named_pat(o->in->rule, p->var);
  if (!n) return (struct value){o->vals[p->var], o->poison[p->var], NULL};
  struct side *owner = &o->right;
  if (inside(n, o->in->rule->lhs)) owner = &o->left;
  const struct done_pat *d = side_node(owner, n);
  if (o->unsupported) return (struct value){0};
  unsigned k = p->kind == P_CHAIN ? d->nres - 1 : (unsigned)p->res;
  return d->res[k < d->nres ? k : 0];
}

struct value side_value(struct side *s, const struct pat *p) {
  struct obligation *o = s->o;
  if (o->unsupported) return (struct value){0};
  switch (p->kind) {
  case P_VAR:
  case P_CONST:
  case P_MEM: return (struct value){o->vals[p->var], o->poison[p->var], NULL};
  case P_EXPR: return (struct value){.val = expr_bv(o, p->value)};
  case P_ANY: return any_value(s, p);
  case P_NODE:
  case P_CHAIN: return named_value(s, p);
  case P_EXT: return extended(s, p);
  case P_TF: return joined(s, p);
  case P_PHYSIN: /* without a value, the zero register */
    if (p->nkid) return side_value(s, p->kid[0]);
    return (struct value){.val = smt_const_bv(o->c, bv_u64(vt_bits(p->reg->ty), 0))};
  case P_OP:
  case P_INST:
  case P_PSEUDO: {
    const struct done_pat *d = side_node(s, p);
    if (o->unsupported) return (struct value){0};
    unsigned k = p->res >= 0 ? (unsigned)p->res : 0;
    return d->res[k < d->nres ? k : 0];
  }
  case P_RESULTS:
  case P_HALVES: break;
  }
  give_up(o, "a list of results inside a tree");
  return (struct value){0};
}
