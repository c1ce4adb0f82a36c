/* emit_match.c: gen/tables_<target>.c, the matcher's tables written as C. */
#include <string.h>

#include "rulec.h"

static void bytes(FILE *f, const char *name, const uint8_t *p, unsigned n) {
  fprintf(f, "static const uint8_t %s[] = {\n", name);
  for (unsigned i = 0; i < n; i++) fprintf(f, "%u,%s", p[i], i % 32 == 31 ? "\n" : "");
  fprintf(f, "0};\n\n");
}

static void byte_list(FILE *f, const uint8_t *p, unsigned n) {
  fputs("(const uint8_t[]){", f);
  for (unsigned i = 0; i < n; i++) fprintf(f, "%u,", p[i]);
  fputs("0}", f);
}

static void ty_text(FILE *f, struct tyref t) { fprintf(f, "{%u, %d}", t.fixed, t.var); }

static void ty_list(FILE *f, const struct tyref *t, unsigned n) {
  fputs("(const struct tyref[]){", f);
  for (unsigned i = 0; i < n; i++) {
    ty_text(f, t[i]);
    putc(',', f);
  }
  fputs("{0, -1}}", f);
}

static void vt_list(FILE *f, const vt *t, unsigned n) {
  fputs("(const vt[]){", f);
  for (unsigned i = 0; i < n; i++) fprintf(f, "%u,", t[i]);
  fputs("0}", f);
}

/* Many rules share their proven types. */
static void tuples(FILE *f, const struct gen *g) {
  for (unsigned i = 0; i < g->rules.n; i++) {
    const struct match_rule *r = &g->rules.at[i];
    unsigned words = r->ntuple * r->ntyvar, k = 0;
    for (; k < i; k++)
      if (g->rules.at[k].ntuple * g->rules.at[k].ntyvar == words && g->rules.at[k].ntyvar == r->ntyvar &&
          words && memcmp(g->rules.at[k].tuples, r->tuples, words * sizeof(vt)) == 0)
        break;
    if (!words) continue;
    if (k < i) {
      fprintf(f, "#define tuples%u tuples%u\n", i, k);
      continue;
    }
    fprintf(f, "static const vt tuples%u[] = {", i);
    for (unsigned w = 0; w < words; w++) fprintf(f, "%u,", r->tuples[w]);
    fprintf(f, "};\n");
  }
}

static void rules(FILE *f, const struct gen *g) {
  tuples(f, g);
  fprintf(f, "static const struct match_rule rules[] = {\n");
  for (unsigned i = 0; i < g->rules.n; i++) {
    const struct match_rule *r = &g->rules.at[i];
    fputs("  {", f);
    emit_string(f, r->name);
    fputs(", ", f);
    emit_string(f, r->law);
    fputs(", ", f);
    emit_string(f, r->place);
    fputs(",\n   ", f);
    emit_string(f, r->source);
    fprintf(f, ",\n   %u, %d, %u, %u, %u, %u, ", r->set, r->complexity, r->nvar, r->ntyvar, r->nlet,
            r->ntuple);
    if (r->ntuple && r->ntyvar)
      fprintf(f, "tuples%u", i);
    else
      fputs("NULL", f);
    fprintf(f, ", %u, ", r->nfeature);
    byte_list(f, r->features, r->nfeature);
    fputs(", ", f);
    byte_list(f, r->var_half, r->nvar);
    fputs(", ", f);
    byte_list(f, r->var_kind, r->nvar);
    fputs(", ", f);
    ty_list(f, r->var_ty, r->nvar);
    fputs("},\n", f);
  }
  fprintf(f, "  {0}};\n\n");
}

static void variants(FILE *f, const struct gen *g) {
  fprintf(f, "static const struct match_variant variants[] = {\n");
  for (unsigned i = 0; i < g->variants.n; i++) {
    const struct match_variant *v = &g->variants.at[i];
    const struct match_rule *r = &g->rules.at[v->rule];
    fprintf(f, "  {%u, %u, ", v->rule, v->nchained);
    byte_list(f, v->var_slot, r->nvar);
    fputs(", (const struct match_tysrc[]){", f);
    for (unsigned k = 0; k < r->ntyvar; k++)
      fprintf(f, "{%u,%u,%u},", v->ty[k].kind, v->ty[k].slot, v->ty[k].res);
    fputs("{0}}, ", f);
    byte_list(f, v->chained, v->nchained);
    fprintf(f, ", %u, ", v->ninner);
    byte_list(f, v->inner, v->ninner);
    fputs("},\n", f);
  }
  fprintf(f, "  {0}};\n\n");
}

static void nodes(FILE *f, const struct gen *g) {
  fprintf(f, "static const struct match_node nodes[] = {\n");
  for (unsigned i = 0; i < g->nodes.n; i++) {
    const struct match_node *n = &g->nodes.at[i];
    fprintf(f, "  {%u, %u, %u, %u, %u, %u, %u, ", n->op, n->nkid, n->nres, n->res, n->flags, n->flagmask,
            n->nflagvar);
    byte_list(f, n->flagvars, n->nflagvar);
    fputs(", ", f);
    ty_list(f, n->types, n->nres);
    fputs(", ", f);
    ty_text(f, n->ty2);
    fputs(", ", f);
    ty_text(f, n->key);
    fprintf(f, ", %d, %d, %d, %u, ", n->mem, n->write, n->chained, n->base);
    emit_expr_ref(f, g, n->offset);
    fprintf(f, ", %d},\n", n->chain_on_stack);
  }
  fprintf(f, "  {0}};\n\nstatic const struct match_minst minsts[] = {\n");
  for (unsigned i = 0; i < g->minsts.n; i++) {
    const struct match_minst *n = &g->minsts.at[i];
    fprintf(f, "  {%u, %u, %u, %d, ", n->inst, n->nkid, n->nres, n->chained);
    vt_list(f, n->types, n->nres);
    fputs("},\n", f);
  }
  fprintf(f, "  {0}};\n\nstatic const struct match_pseudo pseudos[] = {\n");
  for (unsigned i = 0; i < g->pseudos.n; i++)
    fprintf(f, "  {%u, %u, %u, %u},\n", g->pseudos.at[i].kind, g->pseudos.at[i].cls, g->pseudos.at[i].subreg,
            g->pseudos.at[i].type);
  fprintf(f, "  {0}};\n\n");
}

static void finds(FILE *f, const struct gen *g) {
  fprintf(f, "static const struct match_find finds[] = {\n");
  for (unsigned i = 0; i < g->finds.n; i++) {
    const struct match_find *n = &g->finds.at[i];
    fputs("  {", f);
    emit_string(f, n->oracle);
    fprintf(f, ", %u, %u, (const struct expr *const[]){", n->narg, n->nfound);
    for (unsigned k = 0; k < n->narg; k++) {
      emit_expr_ref(f, g, n->arg[k]);
      fputs(", ", f);
    }
    fputs("NULL}, ", f);
    byte_list(f, n->found, n->nfound);
    fputs("},\n", f);
  }
  fprintf(f, "  {0}};\n\n");
}

static void addresses(FILE *f, const struct gen *g) {
  fprintf(f, "static const struct match_addr addrs[] = {\n");
  for (unsigned i = 0; i < g->addrs.n; i++) {
    const struct match_addr *a = &g->addrs.at[i];
    fprintf(f, "  {%u, %d, %u, (const struct match_addr_set[]){", a->rule, a->child, a->nset);
    for (unsigned k = 0; k < a->nset; k++) {
      fprintf(f, "{%u, %d, %d, %d, ", a->set[k].field, a->set[k].add, a->set[k].var, a->set[k].target_node);
      emit_expr_ref(f, g, a->set[k].value);
      fputs("}, ", f);
    }
    fputs("{0}}},\n", f);
  }
  fprintf(f, "  {0}};\n\n");
}

static void entries(FILE *f, const struct match_entry *e, unsigned n) {
  fputs("(const struct match_entry[]){", f);
  for (unsigned i = 0; i < n; i++) fprintf(f, "{%u,%u},", e[i].op, e[i].start);
  fputs("{0}}", f);
}

static void field(FILE *f, const struct gen *g, const struct match_field *d) {
  fputs("{", f);
  emit_string(f, d->name);
  fprintf(f, ", %d, %d, %d, ", d->reg, d->optional, d->sym);
  emit_expr_ref(f, g, d->imm);
  fprintf(f, ", %u, %u, (const int64_t[]){", d->bits, d->nchoice);
  for (unsigned i = 0; i < d->nchoice; i++) fprintf(f, "%lld,", (long long)d->choice[i]);
  fputs("0}}, ", f);
}

static void nonterms(FILE *f, const struct gen *g) {
  fprintf(f, "static const struct match_nonterm nonterms[] = {\n");
  for (unsigned i = 0; i < g->nonterms.n; i++) {
    const struct match_nonterm *n = &g->nonterms.at[i];
    fputs("  {", f);
    emit_string(f, n->name);
    fprintf(f, ", %u, %u, (const struct match_field[]){", n->nfield, n->nmir);
    for (unsigned k = 0; k < n->nfield; k++) field(f, g, &n->field[k]);
    fputs("{0}}, ", f);
    byte_list(f, n->mir, n->nmir);
    fputs(", ", f);
    emit_expr_ref(f, g, n->legal);
    fprintf(f, ", %u, ", n->nentry);
    entries(f, n->entry, n->nentry);
    fprintf(f, ", %u},\n", n->fallback);
  }
  fprintf(f, "  {0}};\n\n");
}

static void actions(FILE *f, const struct gen *g) {
  fprintf(f, "static const struct match_action actions[] = {\n");
  for (unsigned i = 0; i < g->actions.n; i++) {
    const struct match_action *a = &g->actions.at[i];
    fprintf(f, "  {%u, %u, %d, %u, ", a->op, a->action, a->feature, a->type);
    emit_string(f, a->libcall);
    fputs("},\n", f);
  }
  fprintf(f, "  {0}};\n\nstatic const struct match_promote_row promotes[] = {\n");
  for (unsigned i = 0; i < g->promotes.n; i++) {
    const struct match_promote_row *p = &g->promotes.at[i];
    fprintf(f, "  {%u, %u, ", p->op, p->npair);
    byte_list(f, p->ext, g->m->ops.at[p->op - 1]->nin);
    fputs(", (const uint32_t[]){", f);
    for (unsigned k = 0; k < p->npair; k++) fprintf(f, "%u,", p->pair[k]);
    fputs("0}},\n", f);
  }
  fprintf(f, "  {0}};\n\n");
}

static void names(FILE *f, const char *array, const char *const *at, unsigned n) {
  fprintf(f, "static const char *const %s[] = {", array);
  for (unsigned i = 0; i < n; i++) {
    emit_string(f, at[i]);
    fputs(i % 8 == 7 ? ",\n  " : ", ", f);
  }
  fprintf(f, "NULL};\n\n");
}

static void small_tables(FILE *f, const struct gen *g) {
  fputs("static const vt types[] = {", f);
  for (unsigned i = 0; i < g->types.n; i++) fprintf(f, "%u,", g->types.at[i]);
  fputs("0};\nstatic const struct tyref tys[] = {", f);
  for (unsigned i = 0; i < g->tys.n; i++) {
    ty_text(f, g->tys.at[i]);
    putc(',', f);
  }
  fputs("{0}};\nstatic const struct expr *const imms[] = {", f);
  for (unsigned i = 0; i < g->imms.n; i++) {
    emit_expr_ref(f, g, g->imms.at[i]);
    putc(',', f);
  }
  fputs("NULL};\n", f);
  names(f, "features", g->t->features.at, g->t->features.n);
  names(f, "tastes", g->t->tastes.at, g->t->tastes.n);
  names(f, "subregs", g->subregs.at, g->subregs.n);
  const char **inst = ARENA_ARRAY(g->a, const char *, g->t->insts.n + 1);
  for (unsigned i = 0; i < g->t->insts.n; i++) inst[i] = g->t->insts.at[i]->name;
  names(f, "insts", inst, g->t->insts.n);
  bytes(f, "zero_upper", g->out.zero_upper, g->m->ops.n / 8 + 1);
}

static void top(FILE *f, const struct gen *g) {
  const struct match_tables *o = &g->out;
  fprintf(f,
          "const struct match_tables tables_%s = {\n  .target = \"%s\", .big_endian = %d, .pointer = %u, "
          ".bool_type = %u, .flag_bits = %u,\n",
          c_name(g->a, o->target), o->target, o->big_endian, o->pointer, o->bool_type, o->flag_bits);
  fprintf(f,
          "  .code = code, .ncode = %u, .rule = rules, .nrule = %u, .variant = variants, .nvariant = %u,\n",
          o->ncode, o->nrule, o->nvariant);
  fprintf(f, "  .entry = {");
  for (unsigned i = 0; i < MATCH_SETS; i++) {
    entries(f, o->entry[i], o->nentry[i]);
    fputs(",\n    ", f);
  }
  fprintf(f, "},\n  .nentry = {");
  for (unsigned i = 0; i < MATCH_SETS; i++) fprintf(f, "%u,", o->nentry[i]);
  fprintf(f,
          "},\n  .type = types, .ty = tys, .expr = exprs, .node = nodes, .minst = minsts, .pseudo = pseudos, "
          ".find = finds,\n"
          "  .addr = addrs, .nonterm = nonterms, .nnonterm = %u, .imm = imms, .nnode = %u, .nminst = %u, "
          ".nexpr = %u, .nimm = %u,\n",
          g->nonterms.n, g->nodes.n, g->minsts.n, g->exprs.n, g->imms.n);
  fprintf(f, "  .action = actions, .naction = %u, .promote = promotes, .npromote = %u,\n  .legal_type = ",
          g->actions.n, g->promotes.n);
  vt_list(f, o->legal_type, o->nlegal_type);
  fprintf(f,
          ", .nlegal_type = %u,\n  .feature = features, .nfeature = %u, .taste = tastes, .ntaste = %u, "
          ".subreg = subregs, "
          ".nsubreg = %u,\n  .inst_name = insts, .ninst = %u, .zero_upper = zero_upper,\n};\n",
          o->nlegal_type, g->t->features.n, g->t->tastes.n, g->subregs.n, g->t->insts.n);
}

bool emit_match(struct gen *g, const char *dir) {
  char path[512];
  FILE *f = emit_open(dir, arena_printf(g->a, "tables_%s.c", c_name(g->a, g->t->name)), path);
  if (!f) return false;
  fprintf(f, "#include \"../selector/match_tables.h\"\n\n");
  for (unsigned i = 0; i < g->imms.n; i++) gen_expr(g, g->imms.at[i]);
  emit_exprs(f, g);
  bytes(f, "code", g->out.code, g->out.ncode);
  rules(f, g);
  variants(f, g);
  nodes(f, g);
  finds(f, g);
  addresses(f, g);
  nonterms(f, g);
  actions(f, g);
  small_tables(f, g);
  top(f, g);
  bool bad = ferror(f);
  return !fclose(f) && !bad;
}
