/* machine.c: the value of machine instructions and generic pseudos in the result of a pattern. Machine values
 * are never poison: a register that holds a poison value holds arbitrary bits, other ones at each use. */
#include <stdlib.h>
#include <string.h>

#include "obligation.h"

/* The bits that a register operand sees. */
static Z3_ast register_bits(struct side *s, const struct pat *kid, unsigned width) {
  struct obligation *o = s->o;
  struct value v = side_value(s, kid);
  if (o->unsupported || !v.val) {
    give_up(o, "a register operand without a value");
    return NULL;
  }
  Z3_ast bits = v.val;
  unsigned have = smt_width(o->c, bits);
  if (v.poison && Z3_get_bool_value(o->c, v.poison) != Z3_L_FALSE)
    bits = Z3_mk_ite(o->c, v.poison, side_fresh(s, kid, 1, have), bits);
  if (have < width) bits = Z3_mk_concat(o->c, side_fresh(s, kid, 2, width - have), bits);
  if (have > width) bits = Z3_mk_extract(o->c, width - 1, 0, bits);
  return bits;
}

static void require(struct obligation *o, Z3_ast claim) {
  if (Z3_get_bool_value(o->c, claim) == Z3_L_TRUE) return;
  *vec_push(&o->clauses) = (struct clause){CLAUSE_IMMEDIATE, Z3_mk_true(o->c), claim};
}

static Z3_ast immediate_fits(struct obligation *o, const struct immclass *imm, Z3_ast v) {
  vt type = vt_int(smt_width(o->c, v));
  struct smt_env env = {.ctx = o->c, .types = &type, .vals = &v};
  return smt_bool(imm->check, &env);
}

/* An immediate operand: of the width that the instruction's meaning gives it, without loss. A matched
 * immediate was checked by the matcher; a computed one has to fit. */
static Z3_ast immediate(struct side *s, const struct inst_operand *op, const struct pat *kid,
                        unsigned width) {
  struct obligation *o = s->o;
  Z3_ast v = side_value(s, kid).val;
  if (o->unsupported || !v) {
    give_up(o, "an immediate without a value");
    return NULL;
  }
  unsigned have = smt_width(o->c, v);
  if (have > width) {
    Z3_ast low = Z3_mk_extract(o->c, width - 1, 0, v);
    Z3_ast back[2] = {Z3_mk_eq(o->c, Z3_mk_sign_ext(o->c, have - width, low), v),
                      Z3_mk_eq(o->c, Z3_mk_zero_ext(o->c, have - width, low), v)};
    require(o, Z3_mk_or(o->c, 2, back));
    v = low;
  } else if (have < width) {
    v = Z3_mk_sign_ext(o->c, width - have, v);
  }
  bool matched = kid->kind == P_CONST || (kid->kind == P_VAR && o->in->rule->vars[kid->var].imm);
  if (op->imm && op->imm->check && !(matched && o->in->rule->vars[kid->var].imm == op->imm))
    require(o, immediate_fits(o, op->imm, v));
  return v;
}

static void bind_physical(struct side *s, const struct inst *in, const struct pat *kid, Z3_ast *vals) {
  struct obligation *o = s->o;
  for (uint32_t i = 0; i < in->nuse; i++) {
    if (in->use[i] != kid->reg) continue;
    vals[in->nin + i] = register_bits(s, kid->kid[0], vt_bits(in->use[i]->ty));
    return;
  }
  give_up(o, "'%s' does not use register '%s'", in->name, kid->reg->name);
}

static void bind_operands(struct side *s, const struct pat *p, Z3_ast *vals) {
  struct obligation *o = s->o;
  const struct inst *in = p->inst;
  uint32_t at = 0;
  for (uint32_t i = 0; i < p->nkid && !o->unsupported; i++) {
    const struct pat *kid = p->kid[i];
    if (kid->kind == P_PHYSIN && kid->nkid) {
      bind_physical(s, in, kid, vals);
      continue;
    }
    if (at >= in->nin) {
      give_up(o, "too many operands for '%s'", in->name);
      return;
    }
    const struct inst_operand *op = &in->in[at];
    switch (op->kind) {
    case OPND_REG: vals[at] = register_bits(s, kid, op->cls->bits); break;
    case OPND_IMM: vals[at] = immediate(s, op, kid, vt_bits(in->vars[at].ty.fixed)); break;
    case OPND_MEM: vals[at] = side_value(s, kid).val; break;
    case OPND_BLOCK: break;
    }
    at++;
  }
  for (uint32_t i = 0; i < in->nuse; i++)
    if (!vals[in->nin + i])
      vals[in->nin + i] = in->use[i]->zero ? smt_const_bv(o->c, bv_u64(vt_bits(in->use[i]->ty), 0))
                                           : side_fresh(s, p, 100 + (int)i, vt_bits(in->use[i]->ty));
}

struct inst_at {
  struct side *s;
  const struct pat *p;
};

static Z3_ast inst_fresh(void *self, int number, unsigned width) {
  struct inst_at *at = self;
  return side_fresh(at->s, at->p, 1000 + number, width);
}

static Z3_ast inst_read(void *self, Z3_ast addr, unsigned bytes) {
  struct inst_at *at = self;
  return memory_read(at->s, at->s->mem, addr, bytes, NULL);
}

static Z3_ast as_bool(struct obligation *o, const struct expr *e, const struct smt_env *env) {
  if (e->sort == SORT_BOOL) return smt_bool(e, env);
  Z3_ast v = smt_bv(e, env);
  return smt_not(o->c, Z3_mk_eq(o->c, v, smt_const_bv(o->c, bv_u64(smt_width(o->c, v), 0))));
}

/* All effects are computed from the state before the instruction, then take place. */
static void execute(struct side *s, const struct pat *p, const struct smt_env *env, struct done_pat *d) {
  struct obligation *o = s->o;
  const struct inst *in = p->inst;
  const struct write *after = s->mem;
  for (uint32_t i = 0; i < in->nset; i++) {
    const struct inst_set *set = &in->set[i];
    switch (set->kind) {
    case SET_OUT: d->res[set->index].val = smt_bv(set->value, env); break;
    case SET_PHYS: d->res[in->nout + (uint32_t)set->index].val = smt_bv(set->value, env); break;
    case SET_WRITE: {
      Z3_ast v = smt_bv(set->value, env);
      unsigned bits = 8 * set->bytes;
      if (smt_width(o->c, v) > bits) v = Z3_mk_extract(o->c, bits - 1, 0, v);
      after = memory_write(s, after, smt_bv(set->addr, env), v, NULL);
      break;
    }
    case SET_BRANCH: s->taken = as_bool(o, set->value, env); break;
    case SET_TRAP: s->ub = smt_or2(o->c, s->ub, as_bool(o, set->value, env)); break;
    }
  }
  s->mem = after;
}

static struct done_pat instruction(struct side *s, const struct pat *p) {
  struct obligation *o = s->o;
  const struct inst *in = p->inst;
  struct done_pat d = {.p = p, .nres = in->nout + in->ndef + 1};
  if (in->nout + in->ndef > 7) {
    give_up(o, "'%s' has too many results", in->name);
    return d;
  }
  Z3_ast *vals = ARENA_ARRAY(&o->arena, Z3_ast, in->nvar + 1);
  bind_operands(s, p, vals);
  if (o->unsupported) return d;
  struct inst_at at = {s, p};
  struct smt_env env = {.ctx = o->c, .vals = vals, .fresh = inst_fresh, .read = inst_read, .self = &at};
  execute(s, p, &env, &d);
  for (uint32_t i = 0; i < in->nout; i++)
    if (!d.res[i].val) d.res[i].val = side_fresh(s, p, 2000 + (int)i, in->out[i].cls->bits);
  for (uint32_t i = 0; i < in->ndef; i++)
    if (!d.res[in->nout + i].val)
      d.res[in->nout + i].val = side_fresh(s, p, 3000 + (int)i, vt_bits(in->def[i]->ty));
  d.res[in->nout + in->ndef].mem = s->mem;
  return d;
}

/* The bits of a sub-register index: its width is in its name ("sub_8bit", "sub_32"); only the high byte of
 * the x86 registers does not start at bit 0. */
static bool subreg_range(struct obligation *o, const char *name, unsigned *lo, unsigned *bits) {
  const char *digits = name ? strpbrk(name, "0123456789") : NULL;
  if (!digits) return give_up(o, "the sub-register index '%s' has no width", name ? name : "");
  *bits = (unsigned)strtoul(digits, NULL, 10);
  *lo = strstr(name, "hi") ? 8 : 0;
  return true;
}

/* Whether the register that holds a value is known to be zero above it: the rule asks for the fact, or a
 * machine instruction of a 64-bit target writes a 32-bit register. */
static bool upper_is_zero(struct side *s, const struct pat *kid) {
  const struct rule *r = s->o->in->rule;
  for (uint32_t i = 0; i < r->nwhen; i++) {
    const struct expr *e = r->when[i];
    if (e->op == B_FACT && e->fact == FACT_ZERO_UPPER && e->nkid && e->kid[0]->op == X_VAR &&
        e->kid[0]->var == kid->var && (kid->kind == P_VAR || kid->kind == P_NODE))
      return true;
  }
  if (kid->kind == P_NODE) kid = named_pat(r, kid->var);
  if (!kid || kid->kind != P_INST || !s->o->target || s->o->target->pointer_bits != 64) return false;
  const struct inst *in = kid->inst;
  return in->nout > 0 && in->out[0].cls->bits == 32 && kid->res <= 0;
}

static Z3_ast insert_subreg(struct side *s, const struct pat *p, unsigned width) {
  struct obligation *o = s->o;
  unsigned lo = 0, bits = 0;
  if (!subreg_range(o, p->subreg, &lo, &bits)) return NULL;
  Z3_ast base = register_bits(s, p->kid[0], width), v = register_bits(s, p->kid[1], bits);
  if (o->unsupported) return NULL;
  if (lo) v = Z3_mk_concat(o->c, v, Z3_mk_extract(o->c, lo - 1, 0, base));
  if (lo + bits < width) v = Z3_mk_concat(o->c, Z3_mk_extract(o->c, width - 1, lo + bits, base), v);
  return v;
}

static Z3_ast physical_result(struct side *s, const struct pat *p) {
  struct obligation *o = s->o;
  const struct pat *kid = p->kid[0];
  if (kid->kind == P_NODE) kid = named_pat(o->in->rule, kid->var);
  if (!kid || kid->kind != P_INST) {
    give_up(o, "physout of something that is not an instruction");
    return NULL;
  }
  const struct done_pat *d = side_node(s, kid);
  for (uint32_t i = 0; i < kid->inst->ndef && !o->unsupported; i++)
    if (kid->inst->def[i] == p->reg) return d->res[kid->inst->nout + i].val;
  give_up(o, "'%s' does not define '%s'", kid->inst->name, p->reg->name);
  return NULL;
}

static Z3_ast pseudo_value(struct side *s, const struct pat *p) {
  struct obligation *o = s->o;
  unsigned lo = 0, bits = 0, width = vt_bits(pat_type(o, p));
  Z3_ast v;
  switch (p->pseudo) {
  case PSEUDO_IMPLICIT_DEF: return side_fresh(s, p, 0, p->cls ? p->cls->bits : width);
  case PSEUDO_COPY: return register_bits(s, p->kid[0], p->cls ? p->cls->bits : width);
  case PSEUDO_PHYSOUT: return physical_result(s, p);
  case PSEUDO_INSERT_SUBREG: return insert_subreg(s, p, width);
  case PSEUDO_EXTRACT_SUBREG:
    if (!subreg_range(o, p->subreg, &lo, &bits)) return NULL;
    v = side_value(s, p->kid[0]).val;
    if (o->unsupported || !v) return NULL;
    v = register_bits(s, p->kid[0], smt_width(o->c, v));
    if (smt_width(o->c, v) < lo + bits) {
      give_up(o, "EXTRACT_SUBREG of a register that is not wider");
      return NULL;
    }
    return Z3_mk_extract(o->c, lo + bits - 1, lo, v);
  case PSEUDO_SUBREG_TO_REG:
    if (!subreg_range(o, p->subreg, &lo, &bits)) return NULL;
    v = register_bits(s, p->kid[0], bits);
    if (o->unsupported || !v || width <= bits) return v;
    if (upper_is_zero(s, p->kid[0])) return Z3_mk_zero_ext(o->c, width - bits, v);
    return Z3_mk_concat(o->c, side_fresh(s, p, 0, width - bits), v);
  }
  return NULL;
}

struct done_pat machine_node(struct side *s, const struct pat *p) {
  if (p->kind == P_INST) return instruction(s, p);
  struct done_pat d = {.p = p, .nres = 1};
  d.res[0].val = pseudo_value(s, p);
  if (!d.res[0].val) give_up(s->o, "a pseudo-instruction without a value");
  return d;
}
