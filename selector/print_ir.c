/* print_ir.c: the compact IR as text, for -print-isel-input. */
#include "ir.h"
#include "model.h"

static void print_type(const struct ir_type *t, FILE *out) {
  char buf[16];
  if (t->nparts == 1) {
    fputs(vt_name(t->parts[0], buf), out);
    return;
  }
  fputc('{', out);
  for (uint32_t i = 0; i < t->nparts; i++) fprintf(out, "%s%s", i ? "," : "", vt_name(t->parts[i], buf));
  fputc('}', out);
}

static void print_value(const struct ir_function *f, uint32_t id, FILE *out) {
  const struct ir_value *v = ir_val(f, id);
  char buf[160];
  switch (v->kind) {
  case IRV_CONST: fputs(bv_dec(*v->bits, buf), out); break;
  case IRV_UNDEF: fputs("undef", out); break;
  case IRV_POISON: fputs("poison", out); break;
  case IRV_GLOBAL: fprintf(out, "@%s", v->global->name); break;
  case IRV_EXPR:
  case IRV_AGGREGATE:
    fprintf(out, "%s(", v->kind == IRV_EXPR ? ir_op_name[v->op] : "");
    for (uint32_t i = 0; i < v->nops; i++) {
      if (i) fputs(", ", out);
      print_value(f, v->ops[i], out);
    }
    if (v->gep) fprintf(out, ", %+lld", (long long)v->gep->offset);
    fputc(')', out);
    break;
  default: fprintf(out, "v%u", id);
  }
}

static void print_flags(uint16_t flags, FILE *out) {
  for (unsigned i = 0; i < FLAG_COUNT; i++)
    if (flags >> i & 1) fprintf(out, " %s", flag_name[i]);
}

static void print_switch(const struct ir_switch *s, FILE *out) {
  char buf[160];
  fprintf(out, ", default b%u", s->fallback);
  for (uint32_t i = 0; i < s->ncases; i++)
    fprintf(out, ", %s: b%u", bv_dec(s->cases[i].value, buf), s->cases[i].block);
}

static void print_extra(const struct ir_function *f, const struct ir_inst *i, FILE *out) {
  switch (i->op) {
  case IR_LOAD:
  case IR_STORE:
    fprintf(out, ", align %u%s%s", i->mem.align, i->mem.is_volatile ? ", volatile" : "",
            i->mem.atomic ? ", atomic" : "");
    break;
  case IR_GEP:
    for (uint32_t k = 0; k < i->gep->nindex; k++)
      fprintf(out, " * %llu", (unsigned long long)i->gep->scale[k]);
    fprintf(out, ", %+lld", (long long)i->gep->offset);
    break;
  case IR_ALLOCA:
    fprintf(out, " %llu bytes, align %u", (unsigned long long)i->alloca.bytes, i->alloca.align);
    break;
  case IR_CALL:
    if (i->call->intrinsic)
      fprintf(out, ", intrinsic %s", i->call->intrinsic);
    else {
      fputs(", callee ", out);
      print_value(f, i->call->callee, out);
    }
    break;
  case IR_SWITCH: print_switch(i->sw, out); break;
  case IR_BR: fprintf(out, " b%u", i->blocks[0]); break;
  case IR_CONDBR: fprintf(out, ", b%u, b%u", i->blocks[0], i->blocks[1]); break;
  case IR_EXTRACT:
  case IR_INSERT: fprintf(out, ", parts %u+%u", i->part.first, i->part.count); break;
  default: break;
  }
}

static void print_inst(const struct ir_function *f, const struct ir_inst *i, FILE *out) {
  fputs("  ", out);
  if (i->value) {
    fprintf(out, "v%u:", i->value);
    print_type(f->values.at[i->value].type, out);
    fputs(" = ", out);
  }
  fputs(ir_op_name[i->op], out);
  if (i->op == IR_ICMP) fprintf(out, " %s", ir_pred_name[i->pred]);
  print_flags(i->flags, out);
  for (uint32_t k = 0; k < i->nops; k++) {
    fputs(k ? ", " : " ", out);
    print_value(f, i->ops[k], out);
    if (i->op == IR_PHI) fprintf(out, " from b%u", i->blocks[k]);
  }
  print_extra(f, i, out);
  fputc('\n', out);
}

void print_ir(const struct ir_function *f, FILE *out) {
  fprintf(out, "function %s(", f->name);
  for (uint32_t i = 0; i < f->nargs; i++) {
    fprintf(out, "%sv%u:", i ? ", " : "", f->args[i]);
    print_type(f->values.at[f->args[i]].type, out);
  }
  fputs(") -> ", out);
  print_type(f->ret, out);
  fputc('\n', out);
  for (uint32_t b = 0; b < f->blocks.n; b++) {
    fprintf(out, "b%u:\n", b);
    for (uint32_t i = 0; i < f->blocks.at[b].n; i++)
      print_inst(f, &f->insts.at[f->blocks.at[b].first + i], out);
  }
}
