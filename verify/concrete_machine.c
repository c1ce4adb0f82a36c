/* concrete_machine.c: machine instructions and pseudos on concrete inputs; the counterpart of machine.c. */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

static struct bv register_bits(struct cside *s, const struct pat *kid, unsigned width) {
  struct cvalue v = concrete_value(s, kid);
  if (v.poison) v.v = concrete_fresh(s, kid, 1, v.v.width);
  if (v.v.width < width) return bv_concat(concrete_fresh(s, kid, 2, width - v.v.width), v.v);
  return bv_trunc(v.v, width);
}

static bool fits(const struct immclass *imm, struct bv v) {
  vt type = vt_int(v.width);
  struct eval_env env = {.types = &type, .vals = &v};
  return eval_bool(imm->check, &env);
}

static struct bv immediate(struct cside *s, const struct inst_operand *op, const struct pat *kid,
                           unsigned width) {
  struct bv v = concrete_value(s, kid).v;
  if (v.width > width) {
    struct bv low = bv_trunc(v, width);
    s->r->bad_immediate |= !bv_eq(bv_sext(low, v.width), v) && !bv_eq(bv_zext(low, v.width), v);
    v = low;
  } else if (v.width < width) {
    v = bv_sext(v, width);
  }
  if (op->imm && op->imm->check) s->r->bad_immediate |= !fits(op->imm, v);
  return v;
}

static void bind_operands(struct cside *s, const struct pat *p, struct bv *vals) {
  const struct inst *in = p->inst;
  bool used[16] = {0};
  uint32_t at = 0;
  for (uint32_t i = 0; i < p->nkid; i++) {
    const struct pat *kid = p->kid[i];
    if (kid->kind == P_PHYSIN && kid->nkid) {
      for (uint32_t k = 0; k < in->nuse && k < 16; k++)
        if (in->use[k] == kid->reg) {
          vals[in->nin + k] = register_bits(s, kid->kid[0], vt_bits(kid->reg->ty));
          used[k] = true;
        }
      continue;
    }
    const struct inst_operand *op = &in->in[at];
    switch (op->kind) {
    case OPND_REG: vals[at] = register_bits(s, kid, op->cls->bits); break;
    case OPND_IMM: vals[at] = immediate(s, op, kid, vt_bits(in->vars[at].ty.fixed)); break;
    case OPND_MEM: vals[at] = concrete_value(s, kid).v; break;
    case OPND_BLOCK: break;
    }
    at++;
  }
  for (uint32_t k = 0; k < in->nuse && k < 16; k++)
    if (!used[k])
      vals[in->nin + k] = in->use[k]->zero ? bv_u64(vt_bits(in->use[k]->ty), 0)
                                           : concrete_fresh(s, p, 100 + (int)k, vt_bits(in->use[k]->ty));
}

static bool env_read(void *self, struct bv addr, unsigned bytes, struct bv *out) {
  struct cside *s = self;
  *out = concrete_read(s, s->mem, addr, bytes, NULL);
  return true;
}

static bool as_bool(const struct expr *e, const struct eval_env *env) {
  return e->sort == SORT_BOOL ? eval_bool(e, env) : !bv_is_zero(eval_bv(e, env));
}

static void execute(struct cside *s, const struct inst *in, const struct eval_env *env, struct cnode *d) {
  const struct cwrite *after = s->mem;
  for (uint32_t i = 0; i < in->nset; i++) {
    const struct inst_set *set = &in->set[i];
    switch (set->kind) {
    case SET_OUT: d->res[set->index] = (struct cvalue){.v = eval_bv(set->value, env), .has = true}; break;
    case SET_PHYS:
      d->res[in->nout + (uint32_t)set->index] = (struct cvalue){.v = eval_bv(set->value, env), .has = true};
      break;
    case SET_WRITE:
      after = concrete_write(s, after, eval_bv(set->addr, env),
                             bv_trunc(eval_bv(set->value, env), 8 * set->bytes), false);
      break;
    case SET_BRANCH:
      s->branches = true;
      s->taken = as_bool(set->value, env);
      break;
    case SET_TRAP: s->ub |= as_bool(set->value, env); break;
    }
  }
  s->mem = after;
}

static struct cnode instruction(struct cside *s, const struct pat *p) {
  const struct inst *in = p->inst;
  struct cnode d = {.p = p, .nres = in->nout + in->ndef + 1};
  struct bv *vals = ARENA_ARRAY(&s->r->arena, struct bv, in->nvar + 1);
  struct bv fresh[16];
  bind_operands(s, p, vals);
  for (int i = 0; i < 16; i++) fresh[i] = concrete_fresh(s, p, 1000 + i, 1);
  struct eval_env env = {.vals = vals, .fresh = fresh, .read = env_read, .self = s};
  execute(s, in, &env, &d);
  for (uint32_t i = 0; i < in->nout; i++)
    if (!d.res[i].has)
      d.res[i] = (struct cvalue){.v = concrete_fresh(s, p, 2000 + (int)i, in->out[i].cls->bits), .has = true};
  for (uint32_t i = 0; i < in->ndef; i++)
    if (!d.res[in->nout + i].has)
      d.res[in->nout + i] =
          (struct cvalue){.v = concrete_fresh(s, p, 3000 + (int)i, vt_bits(in->def[i]->ty)), .has = true};
  d.res[in->nout + in->ndef].mem = s->mem;
  return d;
}

static bool upper_is_zero(const struct cside *s, const struct pat *kid) {
  const struct rule *r = s->r->o->in->rule;
  for (uint32_t i = 0; i < r->nwhen; i++) {
    const struct expr *e = r->when[i];
    if (e->op == B_FACT && e->fact == FACT_ZERO_UPPER && e->nkid && e->kid[0]->op == X_VAR &&
        e->kid[0]->var == kid->var && (kid->kind == P_VAR || kid->kind == P_NODE))
      return true;
  }
  if (kid->kind == P_NODE) kid = named_pat(r, kid->var);
  return kid && kid->kind == P_INST && s->r->o->target && s->r->o->target->pointer_bits == 64 &&
         kid->inst->nout && kid->inst->out[0].cls->bits == 32 && kid->res <= 0;
}

static struct bv physical_result(struct cside *s, const struct pat *p, unsigned width) {
  const struct pat *kid = p->kid[0];
  if (kid->kind == P_NODE) kid = named_pat(s->r->o->in->rule, kid->var);
  const struct cnode *d = concrete_node(s, kid);
  for (uint32_t i = 0; i < kid->inst->ndef; i++)
    if (kid->inst->def[i] == p->reg) return d->res[kid->inst->nout + i].v;
  return bv_u64(width, 0);
}

static struct bv pseudo_value(struct cside *s, const struct pat *p) {
  unsigned width = vt_bits(tyref_vt(p->ty, s->r->o->in->types));
  const char *digits = p->subreg ? strpbrk(p->subreg, "0123456789") : NULL;
  unsigned bits = digits ? (unsigned)strtoul(digits, NULL, 10) : 0,
           lo = p->subreg && strstr(p->subreg, "hi") ? 8 : 0;
  struct bv v;
  switch (p->pseudo) {
  case PSEUDO_IMPLICIT_DEF: return concrete_fresh(s, p, 0, p->cls ? p->cls->bits : width);
  case PSEUDO_COPY: return register_bits(s, p->kid[0], p->cls ? p->cls->bits : width);
  case PSEUDO_PHYSOUT: return physical_result(s, p, width);
  case PSEUDO_INSERT_SUBREG: {
    struct bv base = register_bits(s, p->kid[0], width);
    v = register_bits(s, p->kid[1], bits);
    if (lo) v = bv_concat(v, bv_extract(base, lo - 1, 0));
    return lo + bits < width ? bv_concat(bv_extract(base, width - 1, lo + bits), v) : v;
  }
  case PSEUDO_EXTRACT_SUBREG:
    v = register_bits(s, p->kid[0], concrete_value(s, p->kid[0]).v.width);
    return bv_extract(v, lo + bits - 1, lo);
  case PSEUDO_SUBREG_TO_REG:
    v = register_bits(s, p->kid[0], bits);
    if (width <= bits) return v;
    return upper_is_zero(s, p->kid[0]) ? bv_zext(v, width)
                                       : bv_concat(concrete_fresh(s, p, 0, width - bits), v);
  }
  return bv_u64(width, 0);
}

struct cnode concrete_machine(struct cside *s, const struct pat *p) {
  if (p->kind == P_INST) return instruction(s, p);
  struct cnode d = {.p = p, .nres = 1};
  d.res[0] = (struct cvalue){.v = pseudo_value(s, p), .has = true};
  return d;
}
