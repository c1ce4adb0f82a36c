/* match_addr.c: addresses. The rules of a nonterminal are tried at a value in order; one that holds an inner
 * address takes every candidate of that in turn, so that `(x + y) + z` still fits into base and index. The
 * number of candidates and the depth are small constants. */
#include "match_run.h"

#include <string.h>

static bool field_allows(const struct match_field *f, int64_t v) {
  if (f->imm) {
    struct bv val = bv_s64(64, v);
    vt ty = vt_int(64);
    struct eval_env env = {.types = &ty, .vals = &val};
    if (!eval_bool(f->imm, &env)) return false;
  }
  if (!f->nchoice) return true;
  for (unsigned i = 0; i < f->nchoice; i++)
    if (f->choice[i] == v) return true;
  return false;
}

static bool apply_set(struct run *r, const struct match_addr_set *s, struct addr_state *a) {
  const struct match_field *f = &r->nonterm->field[s->field];
  if (f->reg || f->sym) {
    if (a->set[s->field] || s->var < 0) return false;
    a->set[s->field] = true;
    a->val[s->field] = r->var[s->var];
    return true;
  }
  const struct expr *e = s->value;
  struct bv v = r->val[s->var < 0 ? 0 : s->var];
  if (e) {
    if (!expr_applicable(e, &r->env)) return false;
    v = e->sort == SORT_NUM ? bv_s64(64, eval_num(e, &r->env)) : eval_bv(e, &r->env);
  }
  int64_t n = v.width > 64 ? bv_to_s64(bv_trunc(v, 64)) : bv_to_s64(v), sum;
  if (a->set[s->field] && !s->add) return false;
  if (__builtin_add_overflow(a->num[s->field], n, &sum) || !field_allows(f, sum)) return false;
  a->set[s->field] = true;
  a->num[s->field] = sum;
  return true;
}

static unsigned candidates(struct run *outer, const struct match_nonterm *nt, struct sdval v, unsigned depth,
                           bool whole, struct addr_state *out);

static bool complete(const struct run *r, const struct match_nonterm *nt, const struct addr_state *a) {
  struct bv vals[ADDR_MAX_FIELDS];
  vt ty = r->t->pointer;
  for (unsigned i = 0; i < nt->nfield; i++) {
    if (nt->field[i].reg && !nt->field[i].optional && !a->set[i]) return false;
    /* For `legal`, a register or symbol that is there counts as 1. */
    vals[i] = bv_s64(vt_bits(ty), nt->field[i].reg || nt->field[i].sym ? a->set[i] : a->num[i]);
  }
  struct eval_env env = {.types = &ty, .vals = vals, .fact = answer_fact, .self = (void *)r};
  return !nt->legal || eval_bool(nt->legal, &env);
}

/* The value itself in a register, and nothing else. */
static bool is_plain(const struct run *r, const struct match_nonterm *nt, const struct addr_state *a,
                     struct sdval v) {
  if (dag_opcode(r->d, v) == ISD_FRAMEINDEX) return false; /* an operand of its own, not a register */
  for (unsigned i = 0; i < nt->nfield; i++)
    if (a->set[i] && nt->field[i].reg && sd_eq(a->val[i], v)) return true;
  return false;
}

/* The addresses that a part may be read as. */
static unsigned part_addresses(struct run *r, struct sdval v, const struct addr_state **out) {
  if (r->depth >= ADDR_DEPTH) return 0;
  for (unsigned i = 0; i < r->npart; i++)
    if (sd_eq(r->part[i].v, v)) {
      *out = r->part[i].at;
      return r->part[i].n;
    }
  unsigned k = r->npart < 2 ? r->npart++ : 1;
  r->part[k].v = v;
  r->part[k].n = candidates(r, r->nonterm, v, r->depth + 1, false, r->part[k].at);
  *out = r->part[k].at;
  return r->part[k].n;
}

/* Of the whole address, the first candidate that is legal is all that is wanted. */
bool address_done(struct run *r, const struct match_addr *a) {
  static const struct addr_state nothing;
  const struct addr_state *inner = &nothing;
  unsigned n = a->child >= 0 ? part_addresses(r, r->var[a->child], &inner) : 1;
  for (unsigned i = 0; i < n && r->nfound < ADDR_CANDIDATES; i++) {
    struct addr_state s = inner[i];
    bool ok = true;
    for (unsigned k = 0; k < a->nset && ok; k++) ok = apply_set(r, &a->set[k], &s);
    if (ok && r->depth == 0)
      ok = complete(r, r->nonterm, &s) && !(r->whole && is_plain(r, r->nonterm, &s, r->slot[0]));
    if (ok) r->found[r->nfound++] = s;
    if (ok && r->depth == 0) return true;
  }
  return r->nfound == ADDR_CANDIDATES; /* else go on with the next rule */
}

/* All addresses that the value may be read as, the preferred first. */
static unsigned candidates(struct run *outer, const struct match_nonterm *nt, struct sdval v, unsigned depth,
                           bool whole, struct addr_state *out) {
  struct run r;
  uint32_t pc = find_entry(nt->entry, nt->nentry, dag_opcode(outer->d, v));
  if (!pc) pc = nt->fallback;
  if (!pc) return 0;
  r.m = outer->m;
  r.t = outer->t;
  r.d = outer->d;
  r.root = v.node;
  r.slot[0] = v;
  r.nslot = 1;
  r.half = NULL;
  r.wide = VT_NONE;
  r.selecting = true;
  r.nonterm = nt;
  r.found = out;
  r.nfound = 0;
  r.depth = depth;
  r.whole = whole;
  r.npart = 0;
  run_pattern(&r, pc);
  return r.nfound;
}

bool match_address(struct run *r, unsigned nonterm, struct sdval v, bool whole, struct addr_state *out) {
  return candidates(r, &r->t->nonterm[nonterm], v, 0, whole, out) != 0;
}

static struct sdval symbol_part(struct run *r, struct sdval v, int64_t disp) {
  v = target_form(r->d, v);
  if (!disp) return v;
  const struct sdnode *n = dag_node(r->d, v.node);
  struct sdsym *sym = ARENA_NEW(r->d->arena, struct sdsym);
  *sym = *n->sym;
  sym->offset += disp;
  return dag_get(r->d, n->op, n->types, 1, NULL, 0, 0, (uint64_t)(uintptr_t)sym);
}

/* One MIR operand of an address. A symbol shares its operand with the displacement. */
static struct sdval address_part(struct run *r, const struct match_nonterm *nt, const struct addr_state *a,
                                 unsigned f) {
  vt ptr = r->t->pointer;
  if (f == MIR_PART_SEGMENT || (nt->field[f].reg && !a->set[f]))
    return dag_get(r->d, ISD_REGISTER, &ptr, 1, NULL, 0, 0, 0);
  if (nt->field[f].reg && dag_opcode(r->d, a->val[f]) != ISD_FRAMEINDEX) return a->val[f];
  if (nt->field[f].reg || nt->field[f].sym) return target_form(r->d, a->val[f]);
  if (strcmp(nt->field[f].name, "disp") == 0)
    for (unsigned i = 0; i < nt->nfield; i++)
      if (nt->field[i].sym && a->set[i]) return symbol_part(r, a->val[i], a->num[f]);
  int64_t v = a->set[f] || !nt->field[f].nchoice ? a->num[f] : nt->field[f].choice[0];
  return dag_get(r->d, ISD_TARGETCONSTANT, &ptr, 1, NULL, 0, 0, (uint64_t)v);
}

void push_address(struct run *r, unsigned var) {
  unsigned k = 0;
  while (k < r->naddr && r->addr_var[k] != var) k++;
  const struct match_nonterm *nt = &r->t->nonterm[r->addr_nonterm[k]];
  for (unsigned i = 0; i < nt->nmir && r->sp < RUN_STACK; i++)
    r->stack[r->sp++] =
        (struct item){r->dry ? SDNONE : address_part(r, nt, &r->addr[k], nt->mir[i]), r->t->pointer};
}
