/* print_mir.c: machine functions as MIR text that llc reads. Only what llc needs or uses is written; the
 * traps of the format (block liveins, tracksRegLiveness, adjustsStack, names of stack objects) are all here.
 */
#include "mir.h"

#include <inttypes.h>
#include <string.h>

static bool plain_char(char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr("-._$", c);
}

void print_mir_name(const char *name, FILE *out) {
  bool plain = *name && !(*name >= '0' && *name <= '9');
  for (const char *p = name; *p && plain; p++) plain = plain_char(*p);
  if (plain) {
    fputs(name, out);
    return;
  }
  fputc('"', out);
  for (const char *p = name; *p; p++) {
    unsigned char c = (unsigned char)*p;
    if (c < 32 || c > 126 || c == '"' || c == '\\')
      fprintf(out, "\\%02X", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

void print_mir_module(const char *text, FILE *out) {
  fputs("--- |\n", out);
  while (*text) {
    const char *end = strchr(text, '\n');
    size_t len = end ? (size_t)(end - text) : strlen(text);
    fputs("  ", out);
    fwrite(text, 1, len, out);
    fputc('\n', out);
    text += len + (end != NULL);
  }
  fputs("...\n", out);
}

static void print_offset(int64_t offset, FILE *out) {
  if (offset > 0) fprintf(out, " + %" PRId64, offset);
  if (offset < 0) fprintf(out, " - %" PRIu64, (uint64_t)0 - (uint64_t)offset);
}

/* The object's name follows where it needs no quotes, which llc does not read there. */
static void print_stack_ref(const struct mfunc *f, uint32_t index, FILE *out) {
  fprintf(out, "%%stack.%" PRIu32, index);
  const char *name = f->stack.at[index].name;
  bool plain = name && *name;
  for (const char *p = name; plain && *p; p++) plain = plain_char(*p);
  if (plain) fprintf(out, ".%s", name);
}

/* `implicit` operands carry their marks; explicit definitions stand left of '=' without any. */
static void print_op(const struct mfunc *f, const struct mop *o, bool with_class, FILE *out) {
  if (o->implicit) fputs(o->def ? "implicit-def " : "implicit ", out);
  if (o->early_clobber) fputs("early-clobber ", out);
  if (o->dead) fputs("dead ", out);
  if (o->killed) fputs("killed ", out);
  if (o->undef) fputs("undef ", out);
  if (o->target_flags) fprintf(out, "target-flags(%s) ", o->target_flags);
  switch (o->kind) {
  case MOP_VREG:
    fprintf(out, "%%%" PRIu32, o->index);
    if (o->text) fprintf(out, ".%s", o->text);
    if (with_class) fprintf(out, ":%s", f->vregs.at[o->index]);
    break;
  case MOP_PHYS: fprintf(out, "$%s", o->text); break;
  case MOP_IMM: fprintf(out, "%" PRId64, o->imm); break;
  case MOP_BLOCK: fprintf(out, "%%bb.%" PRIu32, o->index); break;
  case MOP_STACK: print_stack_ref(f, o->index, out); break;
  case MOP_FIXED: fprintf(out, "%%fixed-stack.%" PRIu32, o->index); break;
  case MOP_GLOBAL:
  case MOP_EXTERNAL:
    fputc(o->kind == MOP_GLOBAL ? '@' : '&', out);
    print_mir_name(o->text, out);
    print_offset(o->imm, out);
    break;
  case MOP_JUMPTABLE: fprintf(out, "%%jump-table.%" PRIu32, o->index); break;
  case MOP_REGMASK: fputs(o->text, out); break;
  case MOP_SUBREG: fprintf(out, "%%subreg.%s", o->text); break;
  }
}

static void print_mmo(const struct mmo *m, FILE *out) {
  fputc('(', out);
  if (m->is_volatile) fputs("volatile ", out);
  fputs(m->load ? "load " : "store ", out);
  if (m->store && m->load) fputs("store ", out);
  if (m->ordering) fprintf(out, "%s ", m->ordering);
  fprintf(out, "(s%" PRIu32 ")", m->bytes * 8);
  if (m->base) {
    fprintf(out, " %s %s", m->load ? "from" : "into", m->base);
    print_offset(m->offset, out);
  }
  if (m->align != m->bytes) fprintf(out, ", align %" PRIu32, m->align);
  fputc(')', out);
}

static void print_inst(const struct mfunc *f, const struct minst *i, FILE *out) {
  fputs("    ", out);
  for (unsigned k = 0; k < i->ndefs; k++) {
    if (k) fputs(", ", out);
    print_op(f, &i->ops[k], i->ops[k].kind == MOP_VREG, out);
  }
  if (i->ndefs) fputs(" = ", out);
  fputs(i->name, out);
  for (unsigned k = i->ndefs; k < i->nops; k++) {
    fputs(k == i->ndefs ? " " : ", ", out);
    print_op(f, &i->ops[k], false, out);
  }
  for (unsigned k = 0; k < i->nmmos; k++) {
    fputs(k ? ", " : " :: ", out);
    print_mmo(&i->mmos[k], out);
  }
  fputc('\n', out);
}

/* Without a list llc guesses: a block that ends in no return would fall through to the next one. */
static bool lists_successors(const struct mblock *b) {
  return b->succs.n || !b->insts.n || strncmp(b->insts.at[b->insts.n - 1].name, "RET", 3);
}

static void print_block(const struct mfunc *f, uint32_t n, FILE *out) {
  const struct mblock *b = &f->blocks.at[n];
  fprintf(out, "  bb.%" PRIu32, n);
  if (b->ir_name) fprintf(out, " (%%ir-block.%s)", b->ir_name);
  fputs(":\n", out);
  bool lists = lists_successors(b);
  if (lists) fputs("    successors: ", out);
  for (uint32_t k = 0; k < b->succs.n; k++) {
    if (k) fputs(", ", out);
    fprintf(out, "%%bb.%" PRIu32, b->succs.at[k].block);
    if (b->succs.at[k].prob) fprintf(out, "(0x%08" PRIx32 ")", b->succs.at[k].prob);
  }
  if (lists) fputc('\n', out);
  for (uint32_t k = 0; k < b->liveins.n; k++)
    fprintf(out, "%s$%s", k ? ", " : "    liveins: ", b->liveins.at[k]);
  if (b->liveins.n) fputc('\n', out);
  if (lists || b->liveins.n) fputs("  \n", out);
  for (uint32_t k = 0; k < b->insts.n; k++) print_inst(f, &b->insts.at[k], out);
}

static void print_registers(const struct mfunc *f, FILE *out) {
  fprintf(out, "registers:%s\n", f->vregs.n ? "" : "       []");
  for (uint32_t i = 0; i < f->vregs.n; i++)
    fprintf(out, "  - { id: %" PRIu32 ", class: %s, preferred-register: '' }\n", i, f->vregs.at[i]);
  fprintf(out, "liveins:%s\n", f->liveins.n ? "" : "         []");
  for (uint32_t i = 0; i < f->liveins.n; i++)
    fprintf(out, "  - { reg: '$%s', virtual-reg: '%%%" PRIu32 "' }\n", f->liveins.at[i].reg,
            f->liveins.at[i].vreg);
}

static void print_frame(const struct mfunc *f, FILE *out) {
  fprintf(out, "frameInfo:\n  maxAlignment:    %" PRIu32 "\n  adjustsStack:    %s\n  hasCalls:        %s\n",
          f->max_align, f->adjusts_stack ? "true" : "false", f->has_calls ? "true" : "false");
  fprintf(out, "fixedStack:%s\n", f->fixed.n ? "" : "      []");
  for (uint32_t i = 0; i < f->fixed.n; i++) {
    const struct mfixed *s = &f->fixed.at[i];
    fprintf(out,
            "  - { id: %" PRIu32 ", type: default, offset: %" PRId64 ", size: %" PRIu64
            ", alignment: %" PRIu32 ", stack-id: default, isImmutable: %s, isAliased: false }\n",
            i, s->offset, s->size, s->align, s->immutable ? "true" : "false");
  }
  fprintf(out, "stack:%s\n", f->stack.n ? "" : "           []");
  for (uint32_t i = 0; i < f->stack.n; i++) {
    const struct mstack *s = &f->stack.at[i];
    fprintf(out, "  - { id: %" PRIu32 ", name: ", i);
    if (s->name && *s->name) {
      /* YAML: single quotes hold any name, doubled inside */
      fputc('\'', out);
      for (const char *p = s->name; *p; p++) {
        if (*p == '\'') fputc('\'', out);
        fputc(*p, out);
      }
      fputc('\'', out);
    } else
      fputs("''", out);
    fprintf(out,
            ", type: default, offset: 0, size: %" PRIu64 ", alignment: %" PRIu32 ", stack-id: default }\n",
            s->size, s->align);
  }
}

static void print_jumps(const struct mfunc *f, FILE *out) {
  if (!f->jumps.n) return;
  fprintf(out, "jumpTable:\n  kind:            %s\n  entries:\n", f->jump_kind);
  for (uint32_t i = 0; i < f->jumps.n; i++) {
    fprintf(out, "    - id:              %" PRIu32 "\n      blocks:          [ ", i);
    const struct mjump *j = &f->jumps.at[i];
    for (uint32_t k = 0; k < j->blocks.n; k++)
      fprintf(out, "%s'%%bb.%" PRIu32 "'", k ? ", " : "", j->blocks.at[k]);
    fputs(" ]\n", out);
  }
}

void print_mir(const struct mfunc *f, FILE *out) {
  fputs("---\nname:            ", out);
  bool plain = true;
  for (const char *p = f->name; *p && plain; p++) plain = plain_char(*p) && *p != '-';
  if (plain && !(*f->name >= '0' && *f->name <= '9'))
    fputs(f->name, out);
  else {
    fputc('\'', out);
    for (const char *p = f->name; *p; p++) {
      if (*p == '\'') fputc('\'', out);
      fputc(*p, out);
    }
    fputc('\'', out);
  }
  fprintf(out, "\nalignment:       %" PRIu32 "\ntracksRegLiveness: true\n", f->align);
  print_registers(f, out);
  print_frame(f, out);
  print_jumps(f, out);
  fputs("body:             |\n", out);
  bool first = true;
  for (uint32_t i = 0; i < f->blocks.n; i++) {
    if (!f->blocks.at[i].used) continue;
    if (!first) fputs("  \n", out);
    first = false;
    print_block(f, i, out);
  }
  fputs("...\n", out);
}

void print_mir_file(const struct mir_file *f, FILE *out) {
  print_mir_module(f->module, out);
  for (uint32_t i = 0; i < f->functions.n; i++) print_mir(&f->functions.at[i], out);
}
