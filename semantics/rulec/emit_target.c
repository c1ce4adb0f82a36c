/* emit_target.c: gen/insts_<target>.c, what targets/target.h shows of a target: instructions, register
 * classes, physical registers, features; gen/targets.c, the list of all tables; gen/sources.c, the .isel
 * files themselves. */
#include <string.h>

#include "rulec.h"

static unsigned kind_of(const struct inst_operand *o) {
  switch (o->kind) {
  case OPND_REG: return 0;
  case OPND_IMM: return 1;
  case OPND_MEM: return 2;
  case OPND_BLOCK: return 3;
  }
  return 0;
}

static void operand(FILE *f, const struct inst_operand *o) {
  static const char *const kinds[] = {"MO_REG", "MO_IMM", "MO_MEM", "MO_BLOCK"};
  unsigned cls = o->kind == OPND_REG && o->cls       ? o->cls->id
                 : o->kind == OPND_MEM && o->nonterm ? o->nonterm->id
                                                     : 0;
  unsigned nmir = o->kind == OPND_MEM && o->nonterm ? o->nonterm->nmir : 1;
  fprintf(f, "{%s, %u, %d, %u}, ", kinds[kind_of(o)], nmir, o->tied, cls);
}

static void regs(FILE *f, const struct physreg **r, unsigned n) {
  fputs("(const uint16_t[]){", f);
  for (unsigned i = 0; i < n; i++) fprintf(f, "%u, ", r[i]->id);
  fputs("0}", f);
}

static void insts(FILE *f, const struct target *t) {
  fprintf(f, "static const struct inst_desc insts[] = {\n");
  for (unsigned i = 0; i < t->insts.n; i++) {
    const struct inst *in = t->insts.at[i];
    if (in->id != i) bug("instruction %s is number %u, not %u", in->name, in->id, i);
    fprintf(f, "  {\"%s\", %u, %u, %u, %u, %d, %d, %d, %d, (const struct mo_desc[]){", in->name, in->nout,
            in->nin, in->nuse, in->ndef, in->load, in->store, in->term, in->pseudo);
    for (unsigned k = 0; k < in->nout; k++) operand(f, &in->out[k]);
    for (unsigned k = 0; k < in->nin; k++) operand(f, &in->in[k]);
    fputs("{0}}, ", f);
    regs(f, in->use, in->nuse);
    fputs(", ", f);
    regs(f, in->def, in->ndef);
    fputs("},\n", f);
  }
  fprintf(f, "};\n\n");
}

bool emit_target(struct gen *g, const char *dir) {
  char path[512];
  const struct target *t = g->t;
  const char *name = c_name(g->a, t->name);
  FILE *f = emit_open(dir, arena_printf(g->a, "insts_%s.c", name), path);
  if (!f) return false;
  fprintf(f, "#include \"gen/targets.h\"\n\n");
  insts(f, t);
  fprintf(f, "static const struct class_desc classes[] = {\n");
  for (unsigned i = 0; i < t->regclasses.n; i++)
    fprintf(f, "  {\"%s\", %u},\n", t->regclasses.at[i]->mir, t->regclasses.at[i]->bits);
  fprintf(f, "};\nstatic const struct reg_desc regs[] = {\n");
  for (unsigned i = 0; i < t->physregs.n; i++)
    fprintf(f, "  {\"%s\", %u},\n", t->physregs.at[i]->name, t->physregs.at[i]->ty);
  fprintf(f, "};\nstatic const char *const features[] = {");
  for (unsigned i = 0; i < t->features.n; i++) fprintf(f, "\"%s\", ", t->features.at[i]);
  fprintf(f,
          "0};\n\nconst struct target_rows rows_%s = {\n  .name = \"%s\", .pointer_bits = %u, .big_endian = "
          "%d, .tables = &tables_%s,\n"
          "  .insts = insts, .classes = classes, .regs = regs, .ninst = %u, .nclass = %u, .nreg = %u,\n"
          "  .features = features, .nfeature = %u,\n};\n",
          name, t->name, t->pointer_bits, t->big_endian, name, t->insts.n, t->regclasses.n, t->physregs.n,
          t->features.n);
  bool bad = ferror(f);
  return !fclose(f) && !bad;
}

/* Numbers of classes, registers and instructions by name, for the calling convention. */
static void numbers(FILE *f, struct arena *a, const struct target *t) {
  const char *p = c_name(a, t->name);
  fprintf(f, "\nenum {\n");
  for (unsigned i = 0; i < t->regclasses.n; i++)
    fprintf(f, "  %s_class_%s = %u,\n", p, c_name(a, t->regclasses.at[i]->name), i);
  for (unsigned i = 0; i < t->physregs.n; i++)
    fprintf(f, "  %s_reg_%s = %u,\n", p, c_name(a, t->physregs.at[i]->name), i);
  for (unsigned i = 0; i < t->insts.n; i++)
    fprintf(f, "  %s_%s = %u,\n", p, c_name(a, t->insts.at[i]->name), i);
  fprintf(f, "};\nextern const struct target_rows rows_%s;\nextern const struct match_tables tables_%s;\n", p,
          p);
}

bool emit_list(const struct model *m, const char *dir) {
  char path[512];
  struct arena a = {0};
  FILE *h = emit_open(dir, "targets.h", path), *c = h ? emit_open(dir, "targets.c", path) : NULL;
  if (!c) return false;
  fprintf(h,
          "#ifndef VERIDAG_GEN_TARGETS_H\n#define VERIDAG_GEN_TARGETS_H\n\n#include \"targets/target.h\"\n\n"
          "/* The part of a target that its .isel files say. */\nstruct target_rows {\n  const char *name;\n"
          "  unsigned pointer_bits;\n  bool big_endian;\n  const struct match_tables *tables;\n"
          "  const struct inst_desc *insts;\n  const struct class_desc *classes;\n  const struct reg_desc "
          "*regs;\n"
          "  uint16_t ninst, nclass, nreg;\n  const char *const *features;\n  unsigned nfeature;\n};\n");
  fprintf(c, "#include \"../selector/match_tables.h\"\n#include \"match.h\"\n\n");
  for (unsigned i = 0; i < m->targets.n; i++) {
    numbers(h, &a, m->targets.at[i]);
    fprintf(c, "extern const struct match_tables tables_%s;\n", c_name(&a, m->targets.at[i]->name));
  }
  fprintf(h, "\n#endif\n");
  fprintf(c, "\nconst struct match_tables *const all_match_tables[] = {");
  for (unsigned i = 0; i < m->targets.n; i++) fprintf(c, "&tables_%s, ", c_name(&a, m->targets.at[i]->name));
  fprintf(c, "NULL};\n");
  arena_free(&a);
  bool bad = ferror(h) || ferror(c);
  return !(fclose(h) | fclose(c)) && !bad;
}

static bool one_source(FILE *f, unsigned i, const char *path) {
  FILE *in = fopen(path, "r");
  char line[4096];
  if (!in) {
    perror(path);
    return false;
  }
  fprintf(f, "static const char text%u[] =\n", i);
  while (fgets(line, sizeof line, in)) {
    emit_string(f, line);
    putc('\n', f);
  }
  fprintf(f, "\"\";\n");
  return !fclose(in);
}

bool emit_sources(const char *dir, const char *const *paths, unsigned n) {
  char path[512];
  FILE *f = emit_open(dir, "sources.c", path), *h = f ? emit_open(dir, "sources.h", path) : NULL;
  bool ok = h != NULL;
  if (!ok) return false;
  fprintf(
      h,
      "#ifndef VERIDAG_GEN_SOURCES_H\n#define VERIDAG_GEN_SOURCES_H\n\n#include \"util/diag.h\"\n\n"
      "/* The .isel files that this build was made from. */\nextern const struct source builtin_sources[];\n"
      "extern const unsigned builtin_source_count;\n\n#endif\n");
  fprintf(f, "#include \"gen/sources.h\"\n\n");
  for (unsigned i = 0; i < n && ok; i++) ok = one_source(f, i, paths[i]);
  fprintf(f, "\nconst struct source builtin_sources[] = {\n");
  for (unsigned i = 0; i < n; i++)
    fprintf(f, "  {.path = \"%s\", .text = text%u, .len = sizeof text%u - 1},\n", paths[i], i, i);
  fprintf(f, "};\nconst unsigned builtin_source_count = %u;\n", n);
  bool bad = ferror(f) || ferror(h);
  return !(fclose(f) | fclose(h)) && ok && !bad;
}
