/* build.c: makes one target's tables in memory: which rules, in which order, at which types. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "instances.h"
#include "rulec.h"

unsigned gen_type(struct gen *g, vt t) {
  for (unsigned i = 0; i < g->types.n; i++)
    if (g->types.at[i] == t) return i;
  *vec_push(&g->types) = t;
  return g->types.n - 1;
}

unsigned gen_ty(struct gen *g, struct tyref t) {
  for (unsigned i = 0; i < g->tys.n; i++)
    if (g->tys.at[i].fixed == t.fixed && g->tys.at[i].var == t.var) return i;
  *vec_push(&g->tys) = t;
  return g->tys.n - 1;
}

unsigned gen_expr(struct gen *g, const struct expr *e) {
  *vec_push(&g->exprs) = e;
  return g->exprs.n - 1;
}

unsigned gen_imm(struct gen *g, const struct immclass *c) {
  for (unsigned i = 0; i < g->imms.n; i++)
    if (g->imms.at[i] == c->check) return i;
  *vec_push(&g->imms) = c->check;
  return g->imms.n - 1;
}

static int set_of(const struct rule *r) {
  switch (r->kind) {
  case RULE_COMBINE: return MATCH_COMBINE;
  case RULE_EXPAND: return MATCH_EXPAND;
  case RULE_LOWER: return MATCH_LOWER;
  case RULE_EXPAND_INT: return MATCH_EXPAND_INT;
  case RULE_PROMOTE: return r->promote_op && !r->lhs ? -1 : MATCH_PROMOTE;
  case RULE_SELECT: return MATCH_SELECT;
  case RULE_ADDR: return MATCH_SETS;
  case RULE_LIBCALL: return -1; /* the legalizers go by the action */
  }
  return -1;
}

/* ---- What a rule says ---- */

/* The text of the form at a place, white space squeezed. */
static const char *form_text(struct arena *a, struct loc at) {
  if (!at.src || !at.line) return NULL;
  const char *p = at.src->text, *line = p;
  for (unsigned l = 1; l < at.line && (p = strchr(line, '\n')); l++) line = p + 1;
  const char *open = line + (at.col ? at.col - 1 : 0);
  while (open > at.src->text && *open != '(') open--;
  char *out = arena_alloc(a, 1024), *o = out;
  int depth = 0;
  for (const char *s = open; *s && o < out + 1000; s++) {
    if (*s == ';')
      while (s[1] && s[1] != '\n') s++;
    else if (*s == ' ' || *s == '\n' || *s == '\t') {
      if (o > out && o[-1] != ' ') *o++ = ' ';
    } else
      *o++ = *s;
    depth += (*s == '(') - (*s == ')');
    if (depth == 0) break;
  }
  return out;
}

static int name_index(const char *const *names, unsigned n, const char *name) {
  for (unsigned i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) return (int)i;
  return -1;
}

static void need_feature(struct gen *g, struct match_rule *m, uint8_t *list, const char *name,
                         struct loc at) {
  int k = name_index(g->t->features.at, g->t->features.n, name);
  if (k < 0) {
    diag_error(g->m->diag, at, NULL, "target %s has no feature '%s'", g->t->name, name);
    return;
  }
  for (unsigned i = 0; i < m->nfeature; i++)
    if (list[i] == k) return;
  if (m->nfeature < 16) list[m->nfeature++] = (uint8_t)k;
}

static void inst_features(struct gen *g, struct match_rule *m, uint8_t *list, const struct pat *p) {
  struct loc at = p->loc;
  if (p->kind == P_INST)
    for (unsigned i = 0; i < p->inst->nrequires; i++) need_feature(g, m, list, p->inst->requires[i], at);
  for (unsigned i = 0; i < p->nkid; i++) inst_features(g, m, list, p->kid[i]);
}

static void rule_features(struct gen *g, const struct rule *r, struct match_rule *m) {
  uint8_t *list = ARENA_ARRAY(g->a, uint8_t, 16);
  struct loc at = r->loc;
  for (unsigned i = 0; i < r->nrequires; i++) need_feature(g, m, list, r->requires[i], at);
  if (r->rhs) inst_features(g, m, list, r->rhs);
  for (unsigned i = 0; i < r->nlet; i++) inst_features(g, m, list, r->let_node[i]);
  m->features = list;
}

static int by_tuple(const void *a, const void *b, void *width) {
  const vt *x = a, *y = b;
  for (unsigned i = 0; i < *(const uint32_t *)width; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* The types at which the prover proves the rule, and at no other does it fire. */
static void rule_tuples(struct gen *g, const struct rule *r, struct match_rule *m) {
  instance_list list = {0};
  unsigned n = 0;
  if (!r->ntyvar) return;
  enumerate_instances(r, &list);
  vt *tuples = ARENA_ARRAY(g->a, vt, (size_t)list.n * r->ntyvar + 1);
  for (unsigned i = 0; i < list.n; i++)
    if (!list.at[i].target || list.at[i].target == g->t)
      memcpy(&tuples[n++ * r->ntyvar], list.at[i].types, r->ntyvar * sizeof *tuples);
  vec_free(&list);
  uint32_t width = r->ntyvar;
  qsort_r(tuples, n, width * sizeof *tuples, by_tuple, &width);
  m->ntuple = n;
  m->tuples = tuples;
}

static void rule_vars(struct gen *g, const struct rule *r, struct match_rule *m) {
  struct extra e[16];
  unsigned nextra = pattern_extras(r, e, 16);
  uint8_t *kind = ARENA_ARRAY(g->a, uint8_t, r->nvar + nextra + 1);
  struct tyref *ty = ARENA_ARRAY(g->a, struct tyref, r->nvar + nextra + 1);
  for (unsigned i = 0; i < r->nvar; i++) {
    kind[i] = (uint8_t)r->vars[i].kind;
    ty[i] = r->vars[i].ty;
  }
  for (unsigned i = 0; i < nextra; i++) {
    kind[r->nvar + i] = e[i].node ? VAR_NODE : VAR_CONST;
    ty[r->nvar + i] = e[i].pat->ty;
  }
  uint8_t *half = ARENA_ARRAY(g->a, uint8_t, r->nvar + nextra + 1);
  memset(half, NO_SLOT, r->nvar + nextra);
  for (unsigned i = 0; r->kind == RULE_EXPAND_INT && i < r->nhalf; i++)
    if (r->half[i].lo >= 0) {
      half[r->half[i].lo] = (uint8_t)(2 * i);
      half[r->half[i].hi] = (uint8_t)(2 * i + 1);
    }
  m->var_half = half;
  m->nvar = (uint8_t)(r->nvar + nextra);
  m->var_kind = kind;
  m->var_ty = ty;
}

static uint32_t add_rule(struct gen *g, const struct rule *r, int set, int complexity) {
  struct match_rule m = {.name = r->name,
                         .law = r->law,
                         .set = (uint8_t)set,
                         .complexity = complexity,
                         .ntyvar = (uint8_t)r->ntyvar,
                         .nlet = (uint8_t)(r->nlet + 1),
                         .place =
                             arena_printf(g->a, "%s:%u", r->loc.src ? r->loc.src->path : "?", r->loc.line),
                         .source = form_text(g->a, r->loc)};
  rule_vars(g, r, &m);
  rule_features(g, r, &m);
  rule_tuples(g, r, &m);
  *vec_push(&g->rules) = m;
  return g->rules.n - 1;
}

/* ---- Sets ---- */

static int by_specificity(const void *a, const void *b) {
  const struct rule *x = *(const struct rule *const *)a, *y = *(const struct rule *const *)b;
  if (x->complexity != y->complexity) return x->complexity > y->complexity ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static const struct rule **rules_of(struct gen *g, int set, const struct nonterm *nt, unsigned *n) {
  const struct rule **list = ARENA_ARRAY(g->a, const struct rule *, g->m->rules.n + 1);
  *n = 0;
  for (unsigned i = 0; i < g->m->rules.n; i++) {
    struct rule *r = g->m->rules.at[i];
    if ((r->target && r->target != g->t) || set_of(r) != set || (nt && r->nonterm != nt)) continue;
    r->complexity = pattern_complexity(r, r->lhs) + r->added_complexity;
    list[(*n)++] = r;
  }
  qsort(list, *n, sizeof *list, by_specificity);
  return list;
}

static void compile_rule(struct gen *g, const struct rule *r, int set) {
  struct pat *orders[64];
  uint32_t index = add_rule(g, r, set, r->complexity);
  uint32_t tail = compile_tail(g, r, index);
  unsigned n = commute(g->a, r, orders, 64);
  for (unsigned i = 0; i < n && tail; i++) compile_pattern(g, r, orders[i], index, tail, index);
}

static int by_prog(const void *a, const void *b) {
  const struct prog *x = *(const struct prog *const *)a, *y = *(const struct prog *const *)b;
  if (x->root_op != y->root_op) return x->root_op < y->root_op ? -1 : 1;
  if (x->complexity != y->complexity) return x->complexity > y->complexity ? -1 : 1;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  return (x->variant > y->variant) - (x->variant < y->variant);
}

/* A pattern that is an address is tried at every operation that an address rule starts with. */
static void spread_addresses(struct gen *g) {
  for (unsigned i = 0, n = g->progs.n; i < n; i++) {
    const struct rule *r = g->progs.at[i].rule;
    if (g->progs.at[i].root_op || r->lhs->kind != P_MEM) continue;
    for (unsigned k = 0; k < g->m->rules.n; k++) {
      const struct rule *ar = g->m->rules.at[k];
      bool seen = false;
      if (ar->kind != RULE_ADDR || ar->nonterm != r->lhs->nonterm || ar->lhs->kind != P_OP) continue;
      for (unsigned j = 0; j < g->progs.n; j++)
        seen |= g->progs.at[j].rule == r && g->progs.at[j].root_op == op_number(ar->lhs->op);
      if (seen) continue;
      struct prog p = g->progs.at[i];
      p.steps.at = NULL; /* a copy of its own */
      p.steps.n = p.steps.cap = 0;
      for (unsigned j = 0; j < g->progs.at[i].steps.n; j++) *vec_push(&p.steps) = g->progs.at[i].steps.at[j];
      p.root_op = op_number(ar->lhs->op);
      *vec_push(&g->progs) = p;
    }
  }
}

/* Programs of one root operation become one piece of byte code; those for any value join each. */
static uint32_t emit_root(struct gen *g, struct prog **sorted, unsigned n, unsigned nany, unsigned from,
                          unsigned to) {
  struct prog **list = ARENA_ARRAY(g->a, struct prog *, n + 1);
  unsigned k = 0;
  for (unsigned i = from; i < to; i++) list[k++] = sorted[i];
  for (unsigned i = 0; i < nany; i++) list[k++] = sorted[i];
  return emit_trie(g, list, k);
}

static struct match_entry *emit_set(struct gen *g, unsigned *nentry, uint32_t *fallback, bool any) {
  unsigned n = g->progs.n, nany = 0, k = 0;
  struct prog **sorted = ARENA_ARRAY(g->a, struct prog *, n + 1);
  for (unsigned i = 0; i < n; i++) sorted[i] = &g->progs.at[i];
  qsort(sorted, n, sizeof *sorted, by_prog);
  while (nany < n && sorted[nany]->root_op == 0) nany++;
  struct match_entry *e = ARENA_ARRAY(g->a, struct match_entry, n + 1);
  for (unsigned i = nany; i < n;) {
    unsigned j = i;
    while (j < n && sorted[j]->root_op == sorted[i]->root_op) j++;
    e[k++] = (struct match_entry){.op = sorted[i]->root_op,
                                  .start = emit_root(g, sorted, n, any ? nany : 0, i, j)};
    i = j;
  }
  *nentry = k;
  if (fallback) *fallback = nany ? emit_root(g, sorted, n, nany, 0, 0) : 0;
  for (unsigned i = 0; i < n; i++) vec_free(&g->progs.at[i].steps);
  g->progs.n = 0;
  return e;
}

static void build_set(struct gen *g, int set) {
  unsigned n, nentry;
  const struct rule **rules = rules_of(g, set, NULL, &n);
  check_shadowed(g, rules, n);
  for (unsigned i = 0; i < n; i++) compile_rule(g, rules[i], set);
  if (set == MATCH_SELECT) spread_addresses(g);
  g->out.entry[set] = emit_set(g, &nentry, NULL, false);
  g->out.nentry[set] = (uint16_t)nentry;
}

/* ---- Addresses ---- */

static void nonterm_fields(struct gen *g, const struct nonterm *nt, struct match_nonterm *m) {
  struct match_field *f = ARENA_ARRAY(g->a, struct match_field, nt->nfield + 1);
  uint8_t *mir = ARENA_ARRAY(g->a, uint8_t, nt->nmir + 1);
  for (unsigned i = 0; i < nt->nfield; i++) {
    const struct field *s = &nt->fields[i];
    f[i] = (struct match_field){.name = s->name,
                                .reg = s->reg,
                                .optional = s->optional,
                                .sym = s->sym,
                                .imm = s->imm ? s->imm->check : NULL,
                                .bits = (uint8_t)(s->imm ? s->imm->bits : 0),
                                .nchoice = (uint8_t)s->nchoice,
                                .choice = s->choice};
    if (f[i].imm) gen_expr(g, f[i].imm);
  }
  for (unsigned i = 0; i < nt->nmir; i++) {
    mir[i] = MIR_PART_SEGMENT;
    for (unsigned k = 0; k < nt->nfield; k++)
      if (strcmp(nt->mir[i], nt->fields[k].name) == 0) mir[i] = (uint8_t)k;
  }
  m->field = f;
  m->mir = mir;
}

static void build_nonterm(struct gen *g, const struct nonterm *nt) {
  unsigned n, nentry;
  struct match_nonterm m = {
      .name = nt->name, .nfield = (uint8_t)nt->nfield, .nmir = (uint8_t)nt->nmir, .legal = nt->legal};
  const struct rule **rules = rules_of(g, MATCH_SETS, nt, &n);
  nonterm_fields(g, nt, &m);
  if (m.legal) gen_expr(g, m.legal);
  for (unsigned i = 0; i < n; i++) compile_rule(g, rules[i], MATCH_SETS);
  m.entry = emit_set(g, &nentry, &m.fallback, true);
  m.nentry = (uint16_t)nentry;
  *vec_push(&g->nonterms) = m;
}

/* ---- Actions and promotions ---- */

static int by_action(const void *a, const void *b) {
  const struct match_action *x = a, *y = b;
  if (x->op != y->op) return x->op < y->op ? -1 : 1;
  return (x->type > y->type) - (x->type < y->type);
}

static int by_promote(const void *a, const void *b) {
  const struct match_promote_row *x = a, *y = b;
  return (x->op > y->op) - (x->op < y->op);
}

static int by_number(const void *a, const void *b) {
  const uint32_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static struct match_promote_row promote_row(struct gen *g, const struct rule *r) {
  uint32_t nin = r->promote_op->nin;
  instance_list list = {0};
  enumerate_instances(r, &list);
  uint8_t *ext = ARENA_ARRAY(g->a, uint8_t, nin + 1);
  uint32_t *pair = ARENA_ARRAY(g->a, uint32_t, list.n + 1);
  for (uint32_t k = 0; k < nin; k++) ext[k] = (uint8_t)r->ext[k];
  for (uint32_t i = 0; i < list.n; i++) pair[i] = (uint32_t)list.at[i].types[0] << 16 | list.at[i].wide;
  qsort(pair, list.n, sizeof *pair, by_number);
  uint16_t n = 0;
  for (uint32_t i = 0; i < list.n; i++)
    if (!n || pair[n - 1] != pair[i]) pair[n++] = pair[i];
  vec_free(&list);
  return (struct match_promote_row){.op = op_number(r->promote_op), .npair = n, .ext = ext, .pair = pair};
}

static void build_actions(struct gen *g) {
  for (unsigned i = 0; i < g->t->actions.n; i++) {
    const struct action_row *r = &g->t->actions.at[i];
    int feature = r->requires ? name_index(g->t->features.at, g->t->features.n, r->requires) : -1;
    *vec_push(&g->actions) = (struct match_action){.op = op_number(r->op),
                                                   .action = (uint8_t)r->action,
                                                   .feature = (int8_t)feature,
                                                   .type = r->ty,
                                                   .libcall = r->libcall};
  }
  if (g->actions.n) qsort(g->actions.at, g->actions.n, sizeof *g->actions.at, by_action);
  for (unsigned i = 0; i < g->m->rules.n; i++) {
    const struct rule *r = g->m->rules.at[i];
    if (r->kind != RULE_PROMOTE || r->lhs || (r->target && r->target != g->t)) continue;
    *vec_push(&g->promotes) = promote_row(g, r);
  }
  if (g->promotes.n) qsort(g->promotes.at, g->promotes.n, sizeof *g->promotes.at, by_promote);
}

static void finish(struct gen *g) {
  struct match_tables *o = &g->out;
  const struct target *t = g->t;
  o->target = t->name;
  o->big_endian = t->big_endian;
  o->pointer = vt_int(t->pointer_bits);
  o->bool_type = vt_int(t->bool_bits ? t->bool_bits : 8);
  o->flag_bits = t->flag_bits;
  o->code = g->code.at;
  o->ncode = g->code.n;
  o->rule = g->rules.at;
  o->nrule = g->rules.n;
  o->variant = g->variants.at;
  o->nvariant = g->variants.n;
  o->legal_type = t->types.at;
  o->nlegal_type = (uint8_t)t->types.n;
  o->zero_upper = zero_upper_bits(g);
}

void build_tables(struct gen *g, const struct model *m, const struct target *t, struct arena *a) {
  *g = (struct gen){.m = m, .t = t, .a = a};
  g->constant = model_op(m, "constant");
  g->target_constant = model_op(m, "targetconstant");
  if (!g->constant || !g->target_constant) {
    diag_error(m->diag, t->loc, "write (op constant T (structural)) in ops.isel",
               "there is no operation 'constant' or 'targetconstant'");
    return;
  }
  put8(g, 0); /* offset 0 means "none" */
  for (unsigned i = 0; i < t->nonterms.n; i++) {
    if (t->nonterms.at[i]->id != i)
      bug("nonterminal %s is number %u, not %u", t->nonterms.at[i]->name, t->nonterms.at[i]->id, i);
    build_nonterm(g, t->nonterms.at[i]);
  }
  for (int s = 0; s < MATCH_SETS; s++) build_set(g, s);
  build_actions(g);
  finish(g);
}

void free_tables(struct gen *g) {
  vec_free(&g->rules);
  vec_free(&g->progs);
  vec_free(&g->variants);
  vec_free(&g->code);
  vec_free(&g->types);
  vec_free(&g->tys);
  vec_free(&g->exprs);
  vec_free(&g->nodes);
  vec_free(&g->minsts);
  vec_free(&g->pseudos);
  vec_free(&g->finds);
  vec_free(&g->addrs);
  vec_free(&g->nonterms);
  vec_free(&g->imms);
  vec_free(&g->subregs);
  vec_free(&g->actions);
  vec_free(&g->promotes);
}
