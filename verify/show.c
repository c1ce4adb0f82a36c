/* show.c: counterexamples as text. */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

static void show_number(FILE *f, struct bv v) {
  char hex[160], dec[160];
  fprintf(f, "%s = %s", bv_hex(v, hex), bv_dec(v, dec));
  if (v.width > 1 && v.width <= 64 && bv_sign(v)) fprintf(f, " = %lld", (long long)bv_to_s64(v));
}

static void show_flags(FILE *f, const struct instance *in, const struct pat *p) {
  for (int b = 0; b < FLAG_COUNT; b++)
    if (p->flags >> b & 1) fprintf(f, ".%s", flag_name[b]);
  if (p->flagvar >= 0 && p->flagvars == 0) fprintf(f, "[%s]", in->rule->vars[p->flagvar].name);
  bool first = true;
  for (uint32_t v = 0; v < in->rule->nvar && v < 32; v++)
    if (p->flagvars >> v & 1) {
      fprintf(f, "%s%s", first ? "[" : " & ", in->rule->vars[v].name);
      first = false;
    }
  if (!first) fprintf(f, "]");
}

static void show_source(FILE *f, struct loc at) {
  if (!at.src || !at.line) {
    fprintf(f, "(…)");
    return;
  }
  const char *s = at.src->text;
  for (uint32_t line = 1; line < at.line && *s; s++) line += *s == '\n';
  s += at.col - 1;
  uint32_t n = at.len ? at.len : 1;
  int depth = 0;
  if (*s == '(') { /* the whole list */
    for (n = 0; s[n]; n++) {
      depth += s[n] == '(' ? 1 : s[n] == ')' ? -1 : 0;
      if (!depth) break;
    }
    n++;
  }
  bool space = false;
  for (uint32_t i = 0; i < n && s[i]; i++) {
    bool blank = s[i] == ' ' || s[i] == '\n' || s[i] == '\t';
    if (!blank || !space) fputc(blank ? ' ' : s[i], f);
    space = blank;
  }
}

void show_pat(FILE *f, const struct instance *in, const struct pat *p) {
  const struct rule *r = in->rule;
  switch (p->kind) {
  case P_OP:
    fprintf(f, "(%s", p->op->name);
    show_flags(f, in, p);
    break;
  case P_INST: fprintf(f, "(%s", p->inst->name); break;
  case P_PSEUDO: {
    static const char *const names[] = {"IMPLICIT_DEF",  "INSERT_SUBREG", "EXTRACT_SUBREG",
                                        "SUBREG_TO_REG", "COPY",          "physout"};
    fprintf(f, "(%s", names[p->pseudo]);
    if (p->reg) fprintf(f, " %s", p->reg->name);
    break;
  }
  case P_PHYSIN: fprintf(f, "(%s", p->reg->name); break;
  case P_RESULTS: fprintf(f, "(results"); break;
  case P_HALVES: fprintf(f, "(halves"); break;
  case P_TF: fprintf(f, "(tokenfactor"); break;
  case P_EXPR: show_source(f, p->value->loc); return;
  case P_ANY: fprintf(f, "_"); return;
  case P_EXT:
    fprintf(f, "(%s %s)",
            p->num == EXT_ZERO   ? "zero"
            : p->num == EXT_SIGN ? "sign"
                                 : "any",
            r->vars[p->var].name);
    return;
  case P_CHAIN: fprintf(f, "(chain %s)", r->vars[p->var].name); return;
  default: fprintf(f, "%s", p->var >= 0 ? r->vars[p->var].name : "_"); return;
  }
  if (p->chain) {
    fputc(' ', f);
    show_pat(f, in, p->chain);
  }
  for (uint32_t i = 0; i < p->nkid; i++) {
    fputc(' ', f);
    show_pat(f, in, p->kid[i]);
  }
  if (p->kind == P_PSEUDO && p->subreg) fprintf(f, " %s", p->subreg);
  fputc(')', f);
}

static void show_node(FILE *f, const struct replay *r, const struct cnode *n) {
  if (n->p->kind != P_OP && n->p->kind != P_INST && n->p->kind != P_PSEUDO) return;
  fprintf(f, "     ");
  show_pat(f, r->o->in, n->p);
  bool first = true;
  for (unsigned i = 0; i < n->nres; i++) {
    const struct cvalue *v = &n->res[i];
    if (!v->has) continue;
    fprintf(f, "%s", first ? " = " : ", ");
    first = false;
    if (v->poison)
      fprintf(f, "poison");
    else
      show_number(f, v->v);
  }
  fputc('\n', f);
}

static void show_memory(FILE *f, const char *name, const struct cwrite *w) {
  char hex[160];
  for (; w; w = w->older) {
    fprintf(f, "     %s memory[%s] := ", name, bv_hex(w->addr, hex));
    if (w->poison)
      fprintf(f, "poison\n");
    else
      fprintf(f, "0x%02x\n", w->byte);
  }
}

static void show_input(FILE *f, const struct replay *r, uint32_t i) {
  const struct input *in = &r->o->inputs.at[i];
  struct bv v = r->input[i];
  char hex[160];
  if (in->role == IN_POISON || in->role == IN_BYTE_POISON || in->role == IN_FLAG) {
    if (!bv_is_zero(v)) fprintf(f, "  %s", in->name);
    return;
  }
  if (in->role == IN_BYTE_OK) {
    if (bv_is_zero(v)) fprintf(f, "  (that byte may not be accessed)");
    return;
  }
  fprintf(f, "  %s = %s", in->name, bv_hex(v, hex));
}

static void show_why(FILE *f, const struct replay *r, enum clause_kind clause) {
  static const char *const why[CLAUSE_COUNT] = {
      [CLAUSE_UB] = "the result has undefined behaviour where the pattern has none",
      [CLAUSE_POISON] = "the result is poison where the pattern is not",
      [CLAUSE_VALUE] = "the values differ",
      [CLAUSE_FLAGS] = "the flags differ",
      [CLAUSE_MEMORY] = "memory differs afterwards",
      [CLAUSE_BRANCH] = "one side jumps and the other does not",
      [CLAUSE_IMMEDIATE] = "an immediate does not fit its field",
  };
  fprintf(f, "   %s", why[clause] ? why[clause] : "");
  if (clause == CLAUSE_VALUE && r->left_root.has && r->right_root.has) {
    fprintf(f, ": pattern ");
    show_number(f, r->left_root.v);
    fprintf(f, ", result ");
    show_number(f, r->right_root.v);
  }
  fputc('\n', f);
}

static void show_again(FILE *f, const struct replay *r) {
  char types[128];
  fprintf(f, "   see it again: verify-rules --only %s --types %s --values ", r->o->in->rule->name,
          instance_types(r->o->in, types));
  bool first = true;
  char dec[160];
  for (uint32_t i = 0; i < r->o->inputs.n; i++) {
    const struct input *in = &r->o->inputs.at[i];
    if (in->role != IN_VALUE || in->var < 0) continue;
    fprintf(f, "%s%s=%s", first ? "" : ",", in->name, bv_dec(r->input[i], dec));
    first = false;
  }
  fputc('\n', f);
}

char *replay_text(const struct replay *r, enum clause_kind clause) {
  char *text = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&text, &len);
  if (!f) return NULL;
  fprintf(f, "  ");
  for (uint32_t i = 0; i < r->o->inputs.n; i++) show_input(f, r, i);
  fprintf(f, "\n   pattern\n");
  for (uint32_t i = 0; i < r->left.done.n; i++) show_node(f, r, &r->left.done.at[i]);
  show_memory(f, "left", r->left.mem);
  fprintf(f, "   result\n");
  for (uint32_t i = 0; i < r->right.done.n; i++) show_node(f, r, &r->right.done.at[i]);
  show_memory(f, "right", r->right.mem);
  show_why(f, r, clause);
  show_again(f, r);
  fclose(f);
  return text;
}
