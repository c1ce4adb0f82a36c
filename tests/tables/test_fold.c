/* test_fold.c: when the matcher may swallow a load. Each case is a small graph for x86-64; what is expected
 * is the instruction that its root becomes, and that the selected graph is acyclic. */
#include <stdio.h>
#include <string.h>

#include "match.h"
#include "util/diag.h"

struct bench {
  struct arena arena;
  struct dag d;
  struct matcher m;
  unsigned regs;
};

static const vt i32 = VT_I(32), i64 = VT_I(64);
static unsigned failed, cases;

static void begin(struct bench *b) {
  memset(b, 0, sizeof *b);
  dag_init(&b->d, &b->arena);
  b->m =
      (struct matcher){.dag = &b->d, .tables = match_tables_for("x86-64"), .bool_type = VT_I(8), .level = 2};
}

static struct sdval reg(struct bench *b, vt t) {
  return dag_get(&b->d, ISD_COPYFROMREG, dag_types(&b->d, (vt[]){t, VT_CHAIN}, 2), 2, &b->d.entry, 1, 0,
                 0x80000000u | ++b->regs);
}

static struct sdval load(struct bench *b, struct sdval chain, struct sdval p, bool is_volatile) {
  struct memref m = {.mem = i32, .align = 4, .is_volatile = is_volatile};
  return dag_mem(&b->d, ISD_LOAD, dag_types(&b->d, (vt[]){i32, VT_CHAIN}, 2), 2, (struct sdval[]){chain, p},
                 2, &m);
}

static struct sdval store(struct bench *b, struct sdval chain, struct sdval x, struct sdval p) {
  struct memref m = {.mem = i32, .align = 4};
  return dag_mem(&b->d, ISD_STORE, dag_types(&b->d, (vt[]){VT_CHAIN}, 1), 1, (struct sdval[]){chain, x, p}, 3,
                 &m);
}

static struct sdval add(struct bench *b, struct sdval x, struct sdval y) {
  return dag_get1(&b->d, ISD_ADD, i32, (struct sdval[]){x, y}, 2, 0);
}

static struct sdval out_chain(struct sdval load) { return (struct sdval){load.node, 1}; }

static struct sdval both(struct bench *b, struct sdval x, struct sdval y) {
  return dag_get1(&b->d, ISD_TOKENFACTOR, VT_CHAIN, (struct sdval[]){x, y}, 2, 0);
}

static struct sdval copy_out(struct bench *b, struct sdval chain, struct sdval x) {
  return dag_get(&b->d, ISD_COPYTOREG, dag_types(&b->d, (vt[]){VT_CHAIN}, 1), 1, (struct sdval[]){chain, x},
                 2, 0, 0x80000000u | ++b->regs);
}

/* Selects the node; what it became is operand `i` of the node `user`, or the root when that is 0. */
static void expect(struct bench *b, const char *what, struct sdval root, struct sdval at, uint32_t user,
                   unsigned i, const char *want) {
  uint32_t *order, n;
  cases++;
  b->d.root = root;
  n = dag_topo(&b->d, &order);
  match_number_states(&b->d, order, n);
  bool ok = match_select(&b->m, at.node);
  struct sdval became = user ? dag_operand(&b->d, user, i) : b->d.root;
  const char *got = ok ? match_op_name(b->m.tables, dag_opcode(&b->d, became)) : "nothing";
  if (strcmp(got, want) != 0) {
    fprintf(stderr, "FAIL: %s: %s, not %s\n", what, got, want);
    failed++;
  }
  dag_sweep(&b->d);
  dag_topo(&b->d, &order); /* aborts when there is a cycle */
  dag_free(&b->d);
  arena_free(&b->arena);
}

static void read_modify_write(void) {
  struct bench b;
  begin(&b);
  struct sdval p = reg(&b, i64), x = reg(&b, i32), l = load(&b, b.d.entry, p, false);
  struct sdval s = store(&b, out_chain(l), add(&b, l, x), p);
  expect(&b, "store (load + x)", s, s, 0, 0, "ADD32mr");

  begin(&b);
  p = reg(&b, i64), x = reg(&b, i32), l = load(&b, b.d.entry, p, false);
  struct sdval other = load(&b, b.d.entry, reg(&b, i64), false);
  s = store(&b, both(&b, out_chain(l), out_chain(other)), add(&b, l, x), p);
  expect(&b, "another load in the token", s, s, 0, 0, "ADD32mr");

  begin(&b);
  p = reg(&b, i64), x = reg(&b, i32), l = load(&b, b.d.entry, p, false);
  struct sdval between = store(&b, out_chain(l), reg(&b, i32), reg(&b, i64));
  s = store(&b, between, add(&b, l, x), p);
  expect(&b, "a store between", s, s, 0, 0, "MOV32mr");

  begin(&b);
  p = reg(&b, i64), x = reg(&b, i32), l = load(&b, b.d.entry, p, false);
  between = store(&b, out_chain(l), reg(&b, i32), reg(&b, i64));
  s = store(&b, both(&b, out_chain(l), between), add(&b, l, x), p);
  expect(&b, "a store between, in the token", s, s, 0, 0, "MOV32mr");

  begin(&b);
  p = reg(&b, i64), x = reg(&b, i32), l = load(&b, b.d.entry, p, true);
  s = store(&b, out_chain(l), add(&b, l, x), p);
  expect(&b, "a volatile load", s, s, 0, 0, "MOV32mr");

  begin(&b);
  p = reg(&b, i64), l = load(&b, b.d.entry, p, false);
  s = store(&b, out_chain(l), add(&b, l, reg(&b, i32)), reg(&b, i64));
  expect(&b, "to another address", s, s, 0, 0, "MOV32mr");

  begin(&b);
  p = reg(&b, i64), x = reg(&b, i32), l = load(&b, b.d.entry, p, false);
  struct sdval sum = add(&b, l, x);
  s = store(&b, out_chain(l), sum, p);
  struct sdval root = copy_out(&b, s, sum);
  expect(&b, "the sum has another user", root, s, root.node, 0, "MOV32mr");
}

static void operand_of_an_addition(void) {
  struct bench b;
  begin(&b);
  struct sdval l = load(&b, b.d.entry, reg(&b, i64), false), sum = add(&b, reg(&b, i32), l);
  struct sdval root = copy_out(&b, out_chain(l), sum);
  expect(&b, "x + load", root, sum, root.node, 1, "ADD32rm");

  begin(&b);
  l = load(&b, b.d.entry, reg(&b, i64), false), sum = add(&b, l, reg(&b, i32));
  root = copy_out(&b, out_chain(l), sum);
  expect(&b, "load + x", root, sum, root.node, 1, "ADD32rm");

  begin(&b);
  l = load(&b, b.d.entry, reg(&b, i64), false), sum = add(&b, reg(&b, i32), l);
  root = copy_out(&b, copy_out(&b, out_chain(l), l), sum);
  expect(&b, "the load has another user", root, sum, root.node, 1, "ADD32rr");

  /* x is read after a store that follows the load: the new node would wait for itself. */
  begin(&b);
  l = load(&b, b.d.entry, reg(&b, i64), false);
  struct sdval s = store(&b, out_chain(l), reg(&b, i32), reg(&b, i64));
  struct sdval later = load(&b, s, reg(&b, i64), true);
  sum = add(&b, later, l);
  root = copy_out(&b, out_chain(later), sum);
  expect(&b, "x depends on what follows the load", root, sum, root.node, 1, "ADD32rr");

  /* The same with a store that the load does not precede. */
  begin(&b);
  l = load(&b, b.d.entry, reg(&b, i64), false);
  s = store(&b, b.d.entry, reg(&b, i32), reg(&b, i64));
  later = load(&b, s, reg(&b, i64), true);
  sum = add(&b, later, l);
  root = copy_out(&b, both(&b, out_chain(later), out_chain(l)), sum);
  expect(&b, "x does not depend on the load", root, sum, root.node, 1, "ADD32rm");

  begin(&b);
  b.m.max_steps = 1;
  l = load(&b, b.d.entry, reg(&b, i64), false);
  s = store(&b, out_chain(l), reg(&b, i32), reg(&b, i64));
  sum = add(&b, add(&b, add(&b, load(&b, s, reg(&b, i64), true), reg(&b, i32)), reg(&b, i32)), l);
  root = copy_out(&b, s, sum);
  expect(&b, "the bound is reached", root, sum, root.node, 1, "ADD32rr");
}

int main(void) {
  read_modify_write();
  operand_of_an_addition();
  printf("folds: %u cases, %u wrong\n", cases, failed);
  return failed != 0;
}
