/* rows.c: see rows.h. */
#include "rows.h"

#include <string.h>

#include "gen/sources.h"
#include "model.h"

/* LLVM's triple for a target's folder. */
static const char *triple_of(const char *name) {
  static const char *const known[][2] = {{"x86-64", "x86_64-linux-gnu"}, {"aarch64", "aarch64-linux-gnu"}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i][0], name) == 0) return known[i][1];
  return NULL; /* a machine that LLVM does not know */
}

unsigned load_rows(struct rows *out, unsigned max) {
  struct diag d = {0};
  struct model *m = model_load_sources(builtin_sources, builtin_source_count, NULL, 0, &d);
  unsigned n = 0;
  for (unsigned i = 0; m && i < m->targets.n && n < max; i++)
    if (triple_of(m->targets.at[i]->name))
      out[n++] = (struct rows){.name = m->targets.at[i]->name,
                               .triple = triple_of(m->targets.at[i]->name),
                               .ninst = m->targets.at[i]->insts.n,
                               .target = m->targets.at[i],
                               .model = m};
  if (!n && m) model_free(m);
  return n;
}

void free_rows(struct rows *rows, unsigned n) {
  if (n) model_free(rows[0].model);
}

static void parts(const struct nonterm *nt, struct row_operand *r) {
  for (unsigned i = 0; i < nt->nmir && i < ROW_MAX_PARTS; i++) {
    r->part_is_reg[i] = strcmp(nt->mir[i], "segment") == 0;
    for (unsigned k = 0; k < nt->nfield; k++)
      if (strcmp(nt->fields[k].name, nt->mir[i]) == 0) {
        r->part_is_reg[i] = nt->fields[k].reg;
        r->part_class[i] = nt->fields[k].cls ? nt->fields[k].cls->mir : NULL;
      }
  }
}

static struct row_operand operand(const struct inst_operand *o) {
  static const int kind[] = {
      [OPND_REG] = ROW_REG, [OPND_IMM] = ROW_IMM, [OPND_MEM] = ROW_MEM, [OPND_BLOCK] = ROW_BLOCK};
  struct row_operand r = {
      .kind = kind[o->kind], .nmir = 1, .mir = o->cls ? o->cls->mir : "?", .tied = o->tied};
  if (o->kind == OPND_MEM) {
    r.nmir = o->nonterm->nmir;
    parts(o->nonterm, &r);
  }
  return r;
}

void get_row(const struct rows *t, unsigned i, struct row *out) {
  const struct inst *in = ((const struct target *)t->target)->insts.at[i];
  *out = (struct row){
      .name = in->name, .nout = in->nout, .load = in->load, .store = in->store, .term = in->term};
  for (unsigned k = 0; k < in->nout; k++) {
    out->operand[out->noperand] = operand(&in->out[k]);
    out->operand[out->noperand++].tied = -1;
  }
  for (unsigned k = 0; k < in->nin && out->noperand < ROW_MAX_OPERANDS; k++)
    out->operand[out->noperand++] = operand(&in->in[k]);
  for (unsigned k = 0; k < in->nuse; k++) out->use[out->nuse++] = in->use[k]->name;
  for (unsigned k = 0; k < in->ndef; k++) out->def[out->ndef++] = in->def[k]->name;
}
