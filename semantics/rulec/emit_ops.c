/* emit_ops.c: gen/ops.h, the operations' numbers, and gen/ops.c, what the DAG needs to know of each; small
 * helpers for writing C. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "rulec.h"

FILE *emit_open(const char *dir, const char *name, char path[512]) {
  snprintf(path, 512, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  if (!f)
    fprintf(stderr, "rulec: %s: %s\n", path, strerror(errno));
  else
    fprintf(f, "/* Made by rulec from the .isel files. */\n");
  return f;
}

void emit_string(FILE *f, const char *s) {
  if (!s) {
    fputs("NULL", f);
    return;
  }
  putc('"', f);
  for (; *s; s++) {
    unsigned char ch = (unsigned char)*s;
    if (ch == '"' || ch == '\\')
      fprintf(f, "\\%c", ch);
    else if (ch == '\n')
      fputs("\\n", f);
    else if (ch < 32 || ch == '?') /* '?': no trigraphs */
      fprintf(f, "\\%03o", ch);
    else
      putc(ch, f);
  }
  putc('"', f);
}

char *c_name(struct arena *a, const char *name) {
  char *n = arena_strdup(a, name);
  for (char *p = n; *p; p++)
    if (!isalnum((unsigned char)*p)) *p = '_';
  return n;
}

static void enum_name(FILE *f, struct arena *a, const struct op *op) {
  char *n = c_name(a, op->name);
  for (char *p = n; *p; p++) *p = (char)toupper((unsigned char)*p);
  fprintf(f, "%s%s", op->target ? "" : "ISD_", n);
}

static const char *const pseudos[] = {"IMPLICIT_DEF", "COPY", "SUBREG_TO_REG", "INSERT_SUBREG",
                                      "EXTRACT_SUBREG"};
enum { NPSEUDO = sizeof pseudos / sizeof *pseudos };
static const int pseudo_operands[NPSEUDO] = {1, 2, 2, 3, 2};

static void emit_header(FILE *f, const struct model *m, struct arena *a) {
  unsigned n = m->ops.n;
  fprintf(f, "#ifndef VERIDAG_GEN_OPS_H\n#define VERIDAG_GEN_OPS_H\n\n#include <stdbool.h>\n#include "
             "<stdint.h>\n\nenum {\n"
             "  ISD_NONE,\n");
  for (unsigned i = 0; i < n; i++) {
    fputs("  ", f);
    enum_name(f, a, m->ops.at[i]);
    fprintf(f, " = %u,\n", op_number(m->ops.at[i]));
  }
  for (unsigned i = 0; i < NPSEUDO; i++) fprintf(f, "  OP_%s = %u,\n", pseudos[i], n + 1 + i);
  unsigned base = (n + 1 + NPSEUDO + 255) / 256 * 256;
  fprintf(f, "  OP_COUNT = %u,\n  OP_MACHINE = %u /* + the instruction's number */\n};\n\n", n + 1 + NPSEUDO,
          base);
  fprintf(f, "/* What the DAG needs to know of an operation. Counts are without the chain. */\n"
             "struct op_desc {\n  const char *name;\n  uint8_t nin, nres;\n  bool comm, structural, target, "
             "chained;\n"
             "  uint8_t mem;         /* enum mem_effect */\n  uint16_t flags;      /* that it may carry */\n"
             "  int8_t action_opnd;  /* the operand whose type its action goes by; -1 - i: result i */\n};\n"
             "extern const struct op_desc op_descs[OP_COUNT];\n\n#endif\n");
}

/* Where the operation's type variable 0, by which actions go, is seen. */
static int action_operand(const struct op *o) {
  for (unsigned i = 0; i < o->nres; i++)
    if (o->res[i].ty.var == 0) return -1 - (int)i;
  for (unsigned i = 0; i < o->nin; i++)
    if (o->in[i].ty.var == 0) return (int)i;
  return -1;
}

static void emit_descs(FILE *f, const struct model *m) {
  fprintf(f, "#include <stddef.h>\n\n#include \"gen/ops.h\"\n\nconst struct op_desc op_descs[OP_COUNT] = {\n "
             " {.name = \"none\"},\n");
  for (unsigned i = 0; i < m->ops.n; i++) {
    const struct op *o = m->ops.at[i];
    fprintf(f, "  {\"%s\", %u, %u, %d, %d, %d, %d, %d, %u, %d},\n", o->name, o->nin, o->nres, o->comm,
            o->structural, o->target, o->chained, (int)o->mem, o->flags, action_operand(o));
  }
  for (unsigned i = 0; i < NPSEUDO; i++)
    fprintf(f, "  {\"%s\", %d, 1, 0, 1, 1, 0, 0, 0, -1},\n", pseudos[i], pseudo_operands[i]);
  fprintf(f, "};\n");
}

bool emit_ops(const struct model *m, const char *dir) {
  char path[512];
  struct arena a = {0};
  FILE *h = emit_open(dir, "ops.h", path), *c = h ? emit_open(dir, "ops.c", path) : NULL;
  if (!c) return false;
  emit_header(h, m, &a);
  emit_descs(c, m);
  arena_free(&a);
  bool bad = ferror(h) || ferror(c);
  return !(fclose(h) | fclose(c)) && !bad;
}
