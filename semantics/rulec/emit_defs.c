/* emit_defs.c: gen/op_defs.c, the operations' definitions with their expressions as static data: the passes
 * fold constants and derive known and demanded bits from them. */
#include <stdlib.h>

#include "rulec.h"

static void note(struct gen *g, const struct expr *e) {
  if (e) *vec_push(&g->exprs) = e;
}

/* `next` walks along the numbers in the order in which the expressions were noted. */
static void put_expr(FILE *f, const char *field, const struct expr *e, const unsigned **next) {
  if (e) fprintf(f, ", .%s = &x%u", field, *(*next)++);
}

static void put_tyref(FILE *f, struct tyref t) { fprintf(f, "{%u, %d}", t.fixed, t.var); }

static void emit_def(FILE *f, const struct op *o, const unsigned **next) {
  fprintf(f, "static const struct op d%u = {.name = ", op_number(o));
  emit_string(f, o->name);
  fprintf(f,
          ", .id = %u, .structural = %d, .comm = %d, .assoc = %d, .target = %d, .mem = %d, .chained = %d, "
          ".flags = %u",
          o->id, o->structural, o->comm, o->assoc, o->target, (int)o->mem, o->chained, o->flags);
  fprintf(f, ", .ntyvar = %u, .second = %d, .nin = %u, .nres = %u", o->ntyvar, o->second, o->nin, o->nres);
  fprintf(f, ", .poison_own = %d, .ub_if_poison = %u", o->poison_own, o->ub_if_poison);
  put_expr(f, "where", o->where, next);
  put_expr(f, "poison", o->poison, next);
  put_expr(f, "ub", o->ub, next);
  put_expr(f, "taken", o->taken, next);
  if (o->nin) fprintf(f, ", .in = (struct operand[]){");
  for (unsigned i = 0; i < o->nin; i++) {
    fprintf(f, "%s{\"%s\", ", i ? ", " : "", o->in[i].name);
    put_tyref(f, o->in[i].ty);
    fputc('}', f);
  }
  fprintf(f, o->nin ? "}" : "");
  if (o->nres) fprintf(f, ", .res = (struct result[]){");
  for (unsigned i = 0; i < o->nres; i++) {
    fprintf(f, "%s{.name = ", i ? ", " : "");
    emit_string(f, o->res[i].name);
    fprintf(f, ", .ty = ");
    put_tyref(f, o->res[i].ty);
    put_expr(f, "val", o->res[i].val, next);
    fputc('}', f);
  }
  fprintf(f, o->nres ? "}};\n" : "};\n");
}

bool emit_op_defs(const struct model *m, const char *dir) {
  char path[512];
  FILE *f = emit_open(dir, "op_defs.c", path);
  if (!f) return false;
  struct gen g = {.m = m};
  for (unsigned i = 0; i < m->ops.n; i++) {
    const struct op *o = m->ops.at[i];
    note(&g, o->where), note(&g, o->poison), note(&g, o->ub), note(&g, o->taken);
    for (unsigned r = 0; r < o->nres; r++) note(&g, o->res[r].val);
  }
  fprintf(f, "#include \"abstract.h\"\n\n");
  unsigned *number = emit_expr_numbers(f, &g);
  const unsigned *next = number;
  for (unsigned i = 0; i < m->ops.n; i++) emit_def(f, m->ops.at[i], &next);
  fprintf(f, "\nconst struct op *const op_defs[OP_COUNT] = {\n");
  for (unsigned i = 0; i < m->ops.n; i++)
    fprintf(f, "  [%u] = &d%u,\n", op_number(m->ops.at[i]), op_number(m->ops.at[i]));
  fprintf(f, "};\n");
  vec_free(&g.exprs);
  free(number);
  bool bad = ferror(f);
  return !fclose(f) && !bad;
}
