/* select.c: selection from the root to the leaves. Users come before their operands, so that a large pattern
 * may swallow what is below it; what was swallowed is dead when its turn comes. */
#include "select.h"

#include <stdlib.h>
#include <string.h>

#include "dag_print.h"
#include "legal.h"
#include "workspace.h"

enum { STEPS_PER_NODE = 16, STEPS_AT_LEAST = 1 << 16 };

bool match_is_selected(const struct dag *d, uint32_t node) {
  uint16_t op = dag_node(d, node)->op;
  if (op >= OP_COUNT) return true;
  switch (op) {
  case ISD_CONSTANT:
  case ISD_GLOBALADDR:
  case ISD_EXTERNALSYM:
  case ISD_FRAMEINDEX:
  case ISD_UNDEF:
  case ISD_INTRINSIC: return false;
  default: return op_descs[op].structural;
  }
}

static void cannot_select(struct pass *p, uint32_t node) {
  char *text = NULL;
  size_t len = 0;
  FILE *f = open_memstream(&text, &len);
  if (f) {
    fputs("Cannot select: ", f);
    dag_print_node(f, p->dag, p->tables, node);
    fclose(f);
  }
  while (len && text[len - 1] == '\n') text[--len] = 0;
  if (p->unsupported) p->unsupported(p->self, node, text ? text : "Cannot select");
  free(text);
}

static void trace(struct pass *p, const char *what, uint32_t node) {
  if (!p->trace) return;
  fprintf(p->trace, "%s: ", what);
  dag_print_node(p->trace, p->dag, p->tables, node);
}

static bool is_dead(const struct dag *d, uint32_t node) {
  const struct sdnode *n = dag_node(d, node);
  return n->dead || (!n->nuses && d->root.node != node);
}

static bool is_assertion(const struct dag *d, uint32_t node) {
  return dag_node(d, node)->op == ISD_ASSERTZEXT || dag_node(d, node)->op == ISD_ASSERTSEXT;
}

static struct matcher select_matcher(const struct pass *p, struct known *k) {
  struct matcher m = pass_matcher(p, LEGAL_OPS);
  m.self = k;
  m.known = known_bits;
  m.sign_bits = known_sign_bits;
  m.not_poison = known_not_poison;
  m.demanded = known_demanded;
  m.users_read = known_users_read;
  m.align = known_align;
  return m;
}

bool select_nodes(struct pass *p) {
  struct dag *d = p->dag;
  struct known *k = &workspace_start(p)->known;
  uint32_t *order, n = dag_topo(d, &order);
  bool ok = true;
  struct matcher m = select_matcher(p, k);
  uint64_t steps_left = (uint64_t)n * STEPS_PER_NODE + STEPS_AT_LEAST;
  m.steps_left = &steps_left;
  match_number_states(d, order, n);
  for (uint32_t i = n; i-- > 0 && ok;) {
    uint32_t node = order[i];
    if (is_dead(d, node)) {
      dag_delete_dead(d, node);
      continue;
    }
    if (match_is_selected(d, node)) continue;
    if (is_assertion(d, node)) { /* its users have made their use of it */
      dag_replace_value(d, (struct sdval){node, 0}, dag_operand(d, node, 0));
      dag_delete_dead(d, node);
      continue;
    }
    trace(p, "ISEL: Starting selection on root node", node);
    ok = match_select(&m, node);
    if (!ok) {
      cannot_select(p, node);
      break;
    }
    dag_delete_dead(d, node);
    known_forget(k);
  }
  return ok;
}
