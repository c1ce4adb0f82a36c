/* dag_print.c: text and DOT forms of a DAG. */
#include "dag_print.h"
#include "abstract.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *op_name(const struct match_tables *t, uint16_t op) {
  if (t) return match_op_name(t, op);
  return op < OP_COUNT ? op_descs[op].name : "machine";
}

static bool is_symbol(uint16_t op) {
  return op == ISD_GLOBALADDR || op == ISD_EXTERNALSYM || op == ISD_TARGETGLOBALADDR ||
         op == ISD_TARGETEXTERNALSYM;
}

/* Leaves are written where they are used. */
static bool is_inline(const struct sdnode *n) {
  return n->nops == 0 && n->nres == 1 && n->op != ISD_ENTRYTOKEN;
}

static void print_symbol(FILE *out, const struct sdsym *s) {
  fprintf(out, "<%c%s", s->external ? '&' : '@', s->name);
  if (s->offset)
    fprintf(out, " %c %" PRId64, s->offset < 0 ? '-' : '+', s->offset < 0 ? -s->offset : s->offset);
  if (s->target_flags) fprintf(out, " [TF=%u]", s->target_flags);
  fputc('>', out);
}

static void print_memref(FILE *out, const struct memref *m) {
  static const char *const ordering[] = {"",        "",        "unordered", "monotonic", "",
                                         "acquire", "release", "acq_rel",   "seq_cst"};
  char buf[16];
  fprintf(out, "<(");
  if (m->is_volatile) fprintf(out, "volatile ");
  if (m->atomic)
    fprintf(out, "atomic %s%s", m->ordering < 9 ? ordering[m->ordering] : "", m->ordering ? " " : "");
  fprintf(out, "%s", vt_name(m->mem, buf));
  if (m->ir_value == MEMREF_STACK || m->ir_value == MEMREF_GOT)
    fprintf(out, ", %s", m->ir_value == MEMREF_STACK ? "stack" : "got");
  else if (m->ir_value)
    fprintf(out, ", ir %u", m->ir_value);
  if (m->ir_offset) fprintf(out, " %+" PRId64, m->ir_offset);
  fprintf(out, ", align %u)>", m->align);
}

/* Virtual registers have bit 31 set; 0 is none. */
static void print_register(FILE *out, const struct dag *d, const struct sdnode *n) {
  uint64_t reg = n->imm;
  const char *name = "noreg";
  if (reg >> 31 & 1) {
    fprintf(out, "<%%%" PRIu64 ">", reg & 0x7fffffff);
    return;
  }
  if (reg) name = d->reg_name ? d->reg_name(d->names, n->op, reg) : NULL;
  if (name)
    fprintf(out, "<$%s>", name);
  else
    fprintf(out, "<$%" PRIu64 ">", reg);
}

/* What a node holds beside its operands. */
static void print_payload(FILE *out, const struct dag *d, uint32_t id) {
  const struct sdnode *n = dag_node(d, id);
  char buf[160];
  struct bv value;
  const struct op *def = n->op < OP_COUNT ? op_defs[n->op] : NULL;
  if (dag_is_const(d, (struct sdval){id, 0}, &value)) {
    bool negative = bv_sign(value) && value.width > 1;
    fprintf(out, "<%s%s>", negative ? "-" : "", bv_dec(negative ? bv_neg(value) : value, buf));
  } else if (is_symbol(n->op)) {
    print_symbol(out, n->sym);
  } else if (def && def->mem != MEM_NONE) {
    if (n->mem) print_memref(out, n->mem);
  } else if (def && def->second >= 0) {
    fprintf(out, "<%s>", vt_name((vt)n->imm, buf));
  } else if (n->op == ISD_COPYFROMREG || n->op == ISD_COPYTOREG || n->op == ISD_REGISTER) {
    print_register(out, d, n);
  } else if (n->op == ISD_CALL || n->op == ISD_RET || n->op == ISD_INTRINSIC) {
    return; /* the builder's own */
  } else if (is_inline(n) || (n->imm && n->op < OP_MACHINE)) {
    fprintf(out, "<%" PRId64 ">", (int64_t)n->imm);
  }
  for (unsigned i = 0; i < n->nmemrefs; i++) print_memref(out, n->memrefs[i]);
}

static void print_types(FILE *out, const struct sdnode *n) {
  char buf[16];
  for (unsigned i = 0; i < n->nres; i++) fprintf(out, "%s%s", i ? "," : "", vt_name(n->types[i], buf));
}

/* The name of the sub-register that operand `i` stands for, or NULL. */
static const char *subreg_name(const struct dag *d, const struct match_tables *t, uint32_t id, unsigned i) {
  const struct sdnode *n = dag_node(d, id);
  bool pseudo = n->op == OP_SUBREG_TO_REG || n->op == OP_INSERT_SUBREG || n->op == OP_EXTRACT_SUBREG;
  if (!t || !pseudo || i + 1 != n->nops) return NULL;
  return match_subreg_name(t, (unsigned)dag_node(d, dag_operand(d, id, i).node)->imm);
}

static void print_operand(FILE *out, const struct dag *d, const struct match_tables *t, uint32_t id,
                          unsigned i) {
  struct sdval v = dag_operand(d, id, i);
  const struct sdnode *n = dag_node(d, v.node);
  const char *subreg = subreg_name(d, t, id, i);
  if (!v.node) {
    fprintf(out, "none");
  } else if (subreg) {
    fprintf(out, "%s", subreg);
  } else if (is_inline(n)) {
    fprintf(out, "%s:", op_name(t, n->op));
    print_types(out, n);
    print_payload(out, d, v.node);
  } else {
    fprintf(out, "t%u", v.node);
    if (v.res) fprintf(out, ":%u", v.res);
  }
}

static void print_flags(FILE *out, uint16_t flags) {
  for (unsigned f = 0; f < FLAG_COUNT; f++)
    if (flags >> f & 1) fprintf(out, " %s", flag_name[f]);
}

void dag_print_node(FILE *out, const struct dag *d, const struct match_tables *t, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  fprintf(out, "t%u: ", node);
  print_types(out, n);
  fprintf(out, " = %s", op_name(t, n->op));
  print_payload(out, d, node);
  print_flags(out, n->flags);
  for (unsigned i = 0; i < n->nops; i++) {
    fprintf(out, i ? ", " : " ");
    print_operand(out, d, t, node, i);
  }
  if (n->order) fprintf(out, "  [ORD=%u]", n->order);
  if (n->place && t) fprintf(out, "  [rule %s]", match_rule_name(t, n->place - 1u));
}

struct visit {
  uint32_t node, next; /* operand to look at next */
};

/* Live nodes, operands before users and otherwise by number; a cycle is cut anywhere, so that a broken DAG
 * prints as well. The caller frees. */
static uint32_t *print_order(const struct dag *d, uint32_t *count) {
  uint32_t *order = malloc(sizeof *order * (d->nodes.n + 1)), n = 0;
  bool *seen = calloc(d->nodes.n, sizeof *seen);
  VEC(struct visit) stack = {0};
  if (!order || !seen) bug("out of memory");
  for (uint32_t id = 1; id < d->nodes.n; id++) {
    if (dag_node(d, id)->dead || seen[id]) continue;
    seen[id] = true;
    *vec_push(&stack) = (struct visit){id, 0};
    while (stack.n) {
      struct visit *v = &stack.at[stack.n - 1];
      if (v->next == dag_node(d, v->node)->nops) {
        order[n++] = v->node;
        stack.n--;
        continue;
      }
      uint32_t operand = dag_operand(d, v->node, v->next++).node;
      if (!operand || seen[operand] || dag_node(d, operand)->dead) continue;
      seen[operand] = true;
      *vec_push(&stack) = (struct visit){operand, 0};
    }
  }
  vec_free(&stack);
  free(seen);
  *count = n;
  return order;
}

void dag_print(FILE *out, const struct dag *d, const struct match_tables *t, const char *title) {
  uint32_t n, *order = print_order(d, &n);
  fprintf(out, "%s\nSelectionDAG has %u nodes:\n", title, d->live);
  for (uint32_t i = 0; i < n; i++) {
    const struct sdnode *x = dag_node(d, order[i]);
    if (is_inline(x) && x->nuses) continue;
    fprintf(out, "  ");
    dag_print_node(out, d, t, order[i]);
    fprintf(out, "%s\n", order[i] == d->root.node && d->root.node != d->entry.node ? "  [root]" : "");
  }
  fputc('\n', out);
  free(order);
}

/* ---- DOT ------------------------------------------------------------------------------------------ */

/* Record labels give these a meaning. */
static void put_escaped(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '<' || *text == '>' || *text == '{' || *text == '}' || *text == '|' || *text == '"' ||
        *text == '\\')
      fputc('\\', out);
    fputc(*text, out);
  }
}

/* What a label says of a node; the caller frees it. */
static char *dot_text(const struct dag *d, const struct match_tables *t, uint32_t id) {
  const struct sdnode *n = dag_node(d, id);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) bug("out of memory");
  if (!is_inline(n) || (n->op != ISD_CONSTANT && n->op != ISD_TARGETCONSTANT && n->op != ISD_REGISTER))
    fprintf(out, "%s", op_name(t, n->op));
  print_payload(out, d, id);
  print_flags(out, n->flags);
  fclose(out);
  return text;
}

/* An operand's slot: its number, or the leaf itself, so that no edge is drawn to what many nodes share. */
static void dot_slot(FILE *out, const struct dag *d, const struct match_tables *t, uint32_t id, unsigned i) {
  struct sdval v = dag_operand(d, id, i);
  fprintf(out, "%s<o%u>", i ? "|" : "", i);
  if (!v.node || !is_inline(dag_node(d, v.node))) {
    fprintf(out, "%u", i);
    return;
  }
  const char *subreg = subreg_name(d, t, id, i);
  if (subreg) {
    fputs(subreg, out);
    return;
  }
  char *text = dot_text(d, t, v.node);
  put_escaped(out, text);
  free(text);
}

static void dot_node(FILE *out, const struct dag *d, const struct match_tables *t, uint32_t id) {
  const struct sdnode *n = dag_node(d, id);
  char *text = dot_text(d, t, id), type[16];
  fprintf(out, "  n%u [shape=record, label=\"{", id);
  if (n->nops) fputc('{', out);
  for (unsigned i = 0; i < n->nops; i++) dot_slot(out, d, t, id, i);
  if (n->nops) fprintf(out, "}|");
  put_escaped(out, text);
  fprintf(out, "\\nt%u", id);
  if (n->place && t) {
    fprintf(out, "\\n");
    put_escaped(out, match_rule_name(t, n->place - 1u));
  }
  fprintf(out, "|{");
  for (unsigned i = 0; i < n->nres; i++)
    fprintf(out, "%s<r%u>%s", i ? "|" : "", i, vt_name(n->types[i], type));
  fprintf(out, "}}\"];\n");
  free(text);
}

static void dot_edges(FILE *out, const struct dag *d, uint32_t id) {
  const struct sdnode *n = dag_node(d, id);
  for (unsigned i = 0; i < n->nops; i++) {
    struct sdval v = dag_operand(d, id, i);
    if (!v.node || is_inline(dag_node(d, v.node))) continue;
    vt type = dag_type(d, v);
    const char *style = type == VT_CHAIN  ? " [color=blue, style=dashed]"
                        : type == VT_GLUE ? " [color=red, style=bold]"
                                          : "";
    fprintf(out, "  n%u:o%u -> n%u:r%u%s;\n", id, i, v.node, v.res, style);
  }
}

void dag_print_dot(FILE *out, const struct dag *d, const struct match_tables *t, const char *title) {
  uint32_t n, *order = print_order(d, &n);
  fprintf(out, "digraph \"");
  put_escaped(out, title);
  fprintf(out, "\" {\n  rankdir=\"BT\";\n  label=\"");
  put_escaped(out, title);
  fprintf(out, "\";\n");
  for (uint32_t i = 0; i < n; i++)
    if (!is_inline(dag_node(d, order[i])) || !dag_node(d, order[i])->nuses) dot_node(out, d, t, order[i]);
  for (uint32_t i = 0; i < n; i++) dot_edges(out, d, order[i]);
  fprintf(
      out,
      "  root [shape=plaintext, label=\"GraphRoot\"];\n  root -> n%u:r%u [color=blue, style=dashed];\n}\n",
      d->root.node, d->root.res);
  free(order);
}
