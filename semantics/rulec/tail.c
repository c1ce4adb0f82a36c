/* tail.c: what follows a matched pattern: its guards, then the postfix program that builds the result. Tails
 * name variables, not slots, so that all operand orders of a rule share one. */
#include <stdlib.h>
#include <string.h>

#include "rulec.h"

struct tc {
  struct gen *g;
  const struct rule *r;
  unsigned nchained, nmem_inst; /* chained nodes matched; machine nodes that access memory */
  bool ok;
};

static void fail(struct tc *c, struct loc at, const char *what) {
  if (c->ok) diag_error(c->g->m->diag, at, NULL, "rule '%s': %s", c->r->name, what);
  c->ok = false;
}

void bind_op_types(const struct pat *p, struct tyref *binding) {
  for (unsigned i = 0; i < p->op->ntyvar; i++) binding[i] = p->optys[i];
}

static struct tyref resolve(struct tyref formal, const struct tyref *binding) {
  return formal.var >= 0 ? binding[formal.var] : formal;
}

/* ---- Memory: which matched access a new one starts from ---- */

static const struct pat *pointer(const struct pat *p) { return p->nkid ? p->kid[p->nkid - 1] : NULL; }

static void find_base(const struct rule *r, const struct pat *rhs, struct match_node *n) {
  struct extra e[16];
  unsigned k = pattern_extras(r, e, 16);
  const struct pat *ptr = pointer(rhs);
  n->base = NO_SLOT;
  n->offset = NULL;
  if (ptr && ptr->kind == P_OP && strcmp(ptr->op->name, "add") == 0 && ptr->kid[1]->kind == P_EXPR) {
    n->offset = ptr->kid[1]->value;
    ptr = ptr->kid[0];
  }
  for (unsigned i = 0; i < k && ptr; i++) {
    const struct pat *q = e[i].node && e[i].pat->op->mem ? pointer(e[i].pat) : NULL;
    if (q && q->kind == P_VAR && ptr->kind == P_VAR && q->var == ptr->var) {
      n->base = (uint8_t)(r->nvar + i);
      return;
    }
  }
  n->offset = NULL;
}

/* ---- Nodes ---- */

static unsigned value(struct tc *c, const struct pat *p);

static void emit1(struct tc *c, unsigned op, unsigned b) {
  put8(c->g, op);
  put8(c->g, b);
}
static void emit2(struct tc *c, unsigned op, unsigned w) {
  put8(c->g, op);
  put16(c->g, w);
}

static void constant(struct tc *c, const struct pat *p, bool of_target) {
  emit2(c, E_CONST, gen_expr(c->g, p->value));
  put16(c->g, gen_ty(c->g, p->ty));
  put8(c->g, of_target);
}

static void flag_vars(struct tc *c, const struct pat *p, struct match_node *n) {
  uint8_t *vars = ARENA_ARRAY(c->g->a, uint8_t, 32);
  for (unsigned v = 0; v < c->r->nvar && v < 32; v++)
    if (p->flagvars >> v & 1) vars[n->nflagvar++] = (uint8_t)v;
  n->flagvars = vars;
}

static void node(struct tc *c, const struct pat *p) {
  const struct op *op = p->op;
  struct tyref binding[MATCH_MAX_TYVARS], *types = ARENA_ARRAY(c->g->a, struct tyref, op->nres + 1);
  struct match_node n = {.op = op_number(op),
                         .nkid = (uint8_t)p->nkid,
                         .nres = (uint8_t)op->nres,
                         .res = (uint8_t)p->res,
                         .flags = p->flags,
                         .flagmask = p->flagmask,
                         .mem = op->mem != MEM_NONE,
                         .write = op->mem == MEM_WRITE,
                         .chained = op->chained,
                         .base = NO_SLOT,
                         .chain_on_stack = p->chain != NULL};
  bind_op_types(p, binding);
  for (unsigned i = 0; i < op->nres; i++) types[i] = resolve(op->res[i].ty, binding);
  n.types = types;
  n.ty2 = op->second >= 0 ? p->ty2 : (struct tyref){.fixed = VT_NONE, .var = -1};
  n.key = op->ntyvar ? binding[0] : op->nres ? op->res[0].ty : (struct tyref){.fixed = VT_NONE, .var = -1};
  flag_vars(c, p, &n);
  if (n.mem) find_base(c->r, p, &n);
  if (n.offset) gen_expr(c->g, n.offset);
  if (p->chain) value(c, p->chain);
  for (unsigned i = 0; i < p->nkid; i++)
    if (p->kid[i]->kind == P_EXPR)
      constant(c, p->kid[i], op->target);
    else
      value(c, p->kid[i]);
  *vec_push(&c->g->nodes) = n;
  emit2(c, E_NODE, c->g->nodes.n - 1);
}

/* ---- Machine nodes ---- */

static unsigned operand(struct tc *c, const struct inst_operand *o, const struct pat *p) {
  if (o->kind == OPND_IMM && p->kind == P_EXPR) {
    emit2(c, E_TARGETCONST, gen_expr(c->g, p->value));
    return 1;
  }
  if (o->kind == OPND_IMM && p->var >= 0) {
    emit1(c, E_IMM, (unsigned)p->var);
    return 1;
  }
  if (o->kind == OPND_MEM) {
    if (p->var < 0) fail(c, p->loc, "a memory operand is an address of the pattern");
    emit1(c, E_ADDR, (unsigned)p->var & 255);
    return o->nonterm ? o->nonterm->nmir : 1;
  }
  return value(c, p);
}

static vt class_type(const struct regclass *cls) { return vt_int(cls ? cls->bits : 64); }

static void machine(struct tc *c, const struct pat *p) {
  const struct inst *in = p->inst;
  struct gen *g = c->g;
  unsigned nop = 0;
  vt *types = ARENA_ARRAY(g->a, vt, in->nout + in->ndef + 1);
  for (unsigned i = 0; i < p->nkid; i++) {
    if (i < in->nin)
      nop += operand(c, &in->in[i], p->kid[i]);
    else
      nop += value(c, p->kid[i]);
  }
  if (p->nkid != in->nin + in->nuse)
    fail(c, p->loc, "every operand and every implicit use of the instruction must be given");
  for (unsigned i = 0; i < in->nout; i++) types[i] = class_type(in->out[i].cls);
  for (unsigned i = 0; i < in->ndef; i++) types[in->nout + i] = in->def[i]->ty;
  bool chained = in->load || in->store || (in->term && c->nchained);
  c->nmem_inst += chained;
  *vec_push(&g->minsts) = (struct match_minst){.inst = (uint16_t)in->id,
                                               .nkid = (uint8_t)nop,
                                               .nres = (uint8_t)(in->nout + in->ndef),
                                               .chained = chained,
                                               .types = types};
  emit2(c, E_INST, g->minsts.n - 1);
}

static unsigned subreg(struct gen *g, const char *name) {
  for (unsigned i = 0; i < g->subregs.n; i++)
    if (strcmp(g->subregs.at[i], name) == 0) return i;
  *vec_push(&g->subregs) = name;
  return g->subregs.n - 1;
}

static void resof(struct tc *c, unsigned res, struct tyref ty) {
  emit1(c, E_RES, res);
  put16(c->g, gen_ty(c->g, ty));
}

static void physout(struct tc *c, const struct pat *p) {
  const struct pat *k = p->kid[0];
  const struct inst *in = k->kind == P_INST ? k->inst : NULL;
  if (k->kind == P_NODE)
    for (unsigned i = 0; i < c->r->nlet; i++)
      if (c->r->let_var[i] == k->var && c->r->let_node[i]->kind == P_INST) in = c->r->let_node[i]->inst;
  if (!in) {
    fail(c, p->loc, "(physout …) wants an instruction");
    return;
  }
  value(c, k);
  for (unsigned i = 0; i < in->ndef; i++)
    if (in->def[i] == p->reg) {
      resof(c, in->nout + i, (struct tyref){.fixed = p->reg->ty, .var = -1});
      return;
    }
  fail(c, p->loc, "the instruction does not define this register");
}

static void pseudo(struct tc *c, const struct pat *p) {
  static const uint8_t kind[] = {[PSEUDO_IMPLICIT_DEF] = MP_IMPLICIT_DEF,
                                 [PSEUDO_INSERT_SUBREG] = MP_INSERT_SUBREG,
                                 [PSEUDO_EXTRACT_SUBREG] = MP_EXTRACT_SUBREG,
                                 [PSEUDO_SUBREG_TO_REG] = MP_SUBREG_TO_REG,
                                 [PSEUDO_COPY] = MP_COPY};
  if (p->pseudo == PSEUDO_PHYSOUT) {
    physout(c, p);
    return;
  }
  for (unsigned i = 0; i < p->nkid; i++) value(c, p->kid[i]);
  struct match_pseudo m = {.kind = kind[p->pseudo], .type = p->ty.fixed};
  if (p->cls) {
    m.cls = (uint16_t)p->cls->id;
    if (m.type == VT_NONE) m.type = class_type(p->cls);
  }
  if (p->subreg) m.subreg = (uint16_t)subreg(c->g, p->subreg);
  if (p->pseudo == PSEUDO_EXTRACT_SUBREG &&
      m.type == VT_NONE) /* an index is named after its size: sub_8bit */
    m.type = vt_int((unsigned)strtoul(p->subreg + strcspn(p->subreg, "0123456789"), NULL, 10));
  if (m.type == VT_NONE) fail(c, p->loc, "the type of this value is not known");
  *vec_push(&c->g->pseudos) = m;
  emit2(c, E_PSEUDO, c->g->pseudos.n - 1);
}

/* ---- Values ---- */

static void named(struct tc *c, const struct pat *p) {
  const struct rule *r = c->r;
  for (unsigned i = 0; i < r->nlet; i++)
    if (r->let_var[i] == p->var) {
      emit1(c, E_GET, i);
      if (p->res != r->let_node[i]->res) resof(c, (unsigned)p->res, p->ty);
      return;
    }
  emit1(c, E_VAR, (unsigned)p->var);
  if (r->vars[p->var].node && p->res != r->vars[p->var].node->res) resof(c, (unsigned)p->res, p->ty);
}

/* Pushes one value (or, for an address, its parts); returns how many. */
static unsigned value(struct tc *c, const struct pat *p) {
  switch (p->kind) {
  case P_OP: node(c, p); return 1;
  case P_VAR:
  case P_CONST:
  case P_NODE: named(c, p); return 1;
  case P_EXPR: constant(c, p, false); return 1;
  case P_INST: machine(c, p); return 1;
  case P_PSEUDO: pseudo(c, p); return 1;
  case P_PHYSIN:
    if (p->nkid) return value(c, p->kid[0]);
    emit2(c, E_PHYSREG, p->reg->id);
    put16(c->g, gen_type(c->g, p->reg->ty));
    return 1;
  case P_EXT:
    emit1(c, E_EXT, (unsigned)p->num);
    put8(c->g, (unsigned)p->var);
    return 1;
  case P_CHAIN: emit1(c, E_CHAIN, p->var < 0 ? NO_SLOT : (unsigned)p->var); return 1;
  case P_TF:
    for (unsigned i = 0; i < p->nkid; i++) value(c, p->kid[i]);
    emit1(c, E_TOKENS, p->nkid);
    return 1;
  default: fail(c, p->loc, "this cannot stand in a result"); return 1;
  }
}

static void one_result(struct tc *c, unsigned i, const struct pat *p) {
  if (p->kind == P_HALVES) {
    value(c, p->kid[0]);
    value(c, p->kid[1]);
    emit1(c, E_HALVES, i);
    return;
  }
  if (c->r->kind == RULE_PROMOTE && p->kind == P_OP && strcmp(p->op->name, "trunc") == 0 && p->nkid == 1)
    p = p->kid[0]; /* the engine keeps the wide value */
  value(c, p);
  emit1(c, E_RESULT, i);
}

/* The results of the root are the instruction's: flags from its definition of the flags, others in order. */
static void machine_results(struct tc *c, const struct pat *p, const struct op *root, int only) {
  unsigned out = 0;
  const struct inst *in = p->inst;
  value(c, p);
  emit1(c, E_SET, c->r->nlet);
  for (unsigned i = 0; root && i < root->nres; i++) {
    bool flags = vt_kind(root->res[i].ty.fixed) == TK_FLAGS && root->res[i].ty.var < 0;
    unsigned res = NO_SLOT;
    vt type = VT_NONE;
    for (unsigned k = 0; flags && k < in->ndef; k++)
      if (vt_kind(in->def[k]->ty) == TK_FLAGS) {
        res = in->nout + k;
        type = in->def[k]->ty;
      }
    if (!flags && out < in->nout) {
      res = out++;
      type = class_type(in->out[res].cls);
    }
    if (res == NO_SLOT || (only >= 0 && (int)i != only)) continue;
    emit1(c, E_GET, c->r->nlet);
    resof(c, res, (struct tyref){.fixed = type, .var = -1});
    emit1(c, E_RESULT, i);
  }
  if (!root && in->nout) { /* a constant or an address */
    emit1(c, E_GET, c->r->nlet);
    emit1(c, E_RESULT, 0);
  }
}

static unsigned result_mask(const struct rule *r) {
  const struct op *op = r->lhs->kind == P_OP ? r->lhs->op : NULL;
  if (!op || op->nres < 2 || (r->rhs->kind == P_RESULTS && r->rhs->nkid >= op->nres)) return 255;
  if (r->rhs->kind == P_INST) return 255;
  return 1u << r->lhs->res;
}

static void results(struct tc *c) {
  const struct rule *r = c->r;
  const struct op *root = r->lhs->kind == P_OP ? r->lhs->op : NULL;
  const struct pat *p = r->rhs;
  if (p->kind == P_RESULTS) {
    for (unsigned i = 0; i < p->nkid; i++)
      if (p->kid[i]->kind != P_ANY) one_result(c, i, p->kid[i]);
  } else if (p->kind == P_INST)
    machine_results(c, p, root, -1);
  else if (root && !root->nres) { /* a store by nodes that are built for their effect */
    value(c, p);
    emit1(c, E_SET, r->nlet);
  } else
    one_result(c, (unsigned)(root && root->nres ? r->lhs->res : 0), p);
}

/* ---- Guards ---- */

static void addresses(struct tc *c, const struct pat *p) {
  if (p->kind == P_MEM || (p->kind == P_OP && p->var >= 0 && c->r->vars[p->var].kind == VAR_MEM)) {
    const struct nonterm *nt = p->kind == P_MEM ? p->nonterm : c->r->vars[p->var].nonterm;
    emit1(c, T_ADDR, (unsigned)p->var);
    put8(c->g, nt->id);
  }
  for (unsigned i = 0; i < p->nkid; i++) addresses(c, p->kid[i]);
}

static void immediate(struct tc *c, int var, const struct immclass *imm) {
  emit1(c, T_IMM, (unsigned)var);
  put16(c->g, gen_imm(c->g, imm));
}

/* Immediates of the result must be in their classes. */
static void immediates(struct tc *c, const struct pat *p) {
  if (p->kind == P_INST)
    for (unsigned i = 0; i < p->nkid && i < p->inst->nin; i++) {
      const struct inst_operand *o = &p->inst->in[i];
      const struct pat *k = p->kid[i];
      if (o->kind != OPND_IMM || !o->imm || o->imm->check->op == B_TRUE) continue;
      if (k->kind == P_EXPR) {
        emit2(c, T_IMMX, gen_expr(c->g, k->value));
        put16(c->g, gen_imm(c->g, o->imm));
      } else if (k->var >= 0)
        immediate(c, k->var, o->imm);
    }
  for (unsigned i = 0; i < p->nkid; i++) immediates(c, p->kid[i]);
}

static unsigned count_chained(const struct pat *p) {
  unsigned n = p->kind == P_OP && p->op->chained;
  for (unsigned i = 0; i < p->nkid; i++) n += count_chained(p->kid[i]);
  return n;
}

static bool explicit_chains(const struct pat *p) {
  if (p->kind == P_OP && p->op->chained && !p->chain) return false;
  for (unsigned i = 0; i < p->nkid; i++)
    if (!explicit_chains(p->kid[i])) return false;
  return true;
}

static void oracle(struct tc *c) {
  const struct rule *r = c->r;
  uint8_t *found = ARENA_ARRAY(c->g->a, uint8_t, r->nfound + 1);
  for (unsigned i = 0; i < r->nfound; i++) found[i] = (uint8_t)r->found[i];
  for (unsigned i = 0; i < r->nfound_arg; i++) gen_expr(c->g, r->found_arg[i]);
  *vec_push(&c->g->finds) = (struct match_find){.oracle = r->oracle,
                                                .narg = (uint8_t)r->nfound_arg,
                                                .nfound = (uint8_t)r->nfound,
                                                .arg = r->found_arg,
                                                .found = found};
  emit2(c, T_FIND, c->g->finds.n - 1);
}

/* What an answer takes: counting uses is cheap, known bits are not, and users' demands least of all. */
static unsigned price(const struct expr *e) {
  unsigned most = 1;
  if (e->op == B_FACT) switch (e->fact) {
    case FACT_TASTE:
    case FACT_LEVEL:
    case FACT_LITTLE_ENDIAN: return 0;
    case FACT_ONE_USE:
    case FACT_UNUSED:
    case FACT_CONSTANT: return 2;
    case FACT_LEGAL:
    case FACT_ZERO_UPPER: return 3;
    case FACT_DEMANDED_IN: return 9;
    default: return 8;
    }
  for (unsigned i = 0; i < e->nkid; i++) {
    unsigned k = price(e->kid[i]);
    if (k > most) most = k;
  }
  return most;
}

static bool asks_found(const struct rule *r, const struct expr *e) {
  if (e->op == X_VAR && r->vars[e->var].kind == VAR_FOUND) return true;
  for (unsigned i = 0; i < e->nkid; i++)
    if (asks_found(r, e->kid[i])) return true;
  return false;
}

/* The conjuncts, cheap ones first: those that may be asked before the oracle has spoken, or the others. */
static void conjuncts(struct tc *c, bool before_oracle) {
  const struct rule *r = c->r;
  for (unsigned p = 0; p < 10; p++)
    for (unsigned i = 0; i < r->nwhen + r->nonlyif; i++) {
      const struct expr *e = i < r->nwhen ? r->when[i] : r->onlyif[i - r->nwhen];
      bool early = price(e) < 8 && !asks_found(r, e);
      if (price(e) == p && early == before_oracle)
        emit2(c, i < r->nwhen ? T_GUARD : T_ONLYIF, gen_expr(c->g, e));
    }
}

static void guards(struct tc *c) {
  const struct rule *r = c->r;
  struct extra e[16];
  unsigned n = pattern_extras(r, e, 16);
  for (unsigned i = 0; i < n; i++)
    if (!e[i].node) {
      emit1(c, T_LIT, r->nvar + i);
      put16(c->g, gen_expr(c->g, e[i].pat->value));
    }
  unsigned mask = result_mask(r);
  if (mask != 255) emit1(c, T_ROOTRES, mask);
  conjuncts(c, true);
  if (r->oracle) oracle(c);
  immediates(c, r->rhs);
  for (unsigned i = 0; i < r->nlet; i++) immediates(c, r->let_node[i]);
  conjuncts(c, false);
  if (r->kind == RULE_SELECT && c->nchained)
    put8(c->g, T_FOLD);
  else if (c->nchained > 1 && !explicit_chains(r->lhs))
    put8(c->g, T_STATE);
  addresses(c, r->lhs);
}

static int field_index(const struct nonterm *nt, int field) { return field < (int)nt->nfield ? field : -1; }

static uint32_t address_tail(struct tc *c, uint32_t rule_index) {
  const struct rule *r = c->r;
  struct gen *g = c->g;
  struct match_addr_set *set = ARENA_ARRAY(g->a, struct match_addr_set, r->nset + 1);
  for (unsigned i = 0; i < r->nset; i++) {
    if (field_index(r->nonterm, r->set[i].field) < 0) fail(c, r->loc, "no such field");
    set[i] =
        (struct match_addr_set){.field = (uint8_t)r->set[i].field,
                                .add = r->set[i].add,
                                .var = (int8_t)r->set[i].var,
                                .value = r->set[i].value,
                                .target_node = r->set[i].var >= 0 && r->vars[r->set[i].var].kind == VAR_NODE};
    if (set[i].value) gen_expr(g, set[i].value);
  }
  uint32_t start = g->code.n;
  for (unsigned i = 0; i < r->nwhen; i++) emit2(c, T_GUARD, gen_expr(g, r->when[i]));
  for (unsigned i = 0; i < r->nonlyif; i++) emit2(c, T_ONLYIF, gen_expr(g, r->onlyif[i]));
  *vec_push(&g->addrs) = (struct match_addr){
      .rule = (uint16_t)rule_index, .child = (int8_t)r->addr_child, .nset = (uint8_t)r->nset, .set = set};
  emit2(c, A_DONE, g->addrs.n - 1);
  return c->ok ? start : 0;
}

static bool touches_memory(const struct pat *p) {
  if (p->kind == P_OP && p->op->mem != MEM_NONE) return true;
  for (unsigned i = 0; i < p->nkid; i++)
    if (touches_memory(p->kid[i])) return true;
  return false;
}

uint32_t compile_tail(struct gen *g, const struct rule *r, uint32_t rule_index) {
  struct tc c = {.g = g, .r = r, .ok = true};
  if (r->kind == RULE_ADDR) return address_tail(&c, rule_index);
  c.nchained = count_chained(r->lhs);
  uint32_t start = g->code.n;
  guards(&c);
  for (unsigned i = 0; i < r->nlet; i++) {
    value(&c, r->let_node[i]);
    emit1(&c, E_SET, i);
  }
  results(&c);
  put8(g, E_DONE);
  if (r->kind == RULE_SELECT && c.nchained && !c.nmem_inst && r->rhs->kind == P_INST &&
      !touches_memory(r->lhs)) {
    g->minsts.at[g->minsts.n - 1].chained = true;
    c.nmem_inst++;
  }
  if (r->kind == RULE_SELECT && c.nchained && !c.nmem_inst)
    fail(&c, r->rhs->loc, "the pattern swallows an access to memory that no instruction of the result makes");
  return c.ok ? start : 0;
}
