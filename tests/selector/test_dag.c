/* test_dag.c: the promises of dag.h. */
#include "dag.h"
#include "model.h"
#include "../run_suite.h"

#include <stdlib.h>

static struct arena arena;
static struct dag d;
static unsigned heard, heard_deleted;

static void on_change(void *self, uint32_t node, bool deleted) {
  (void)self, (void)node;
  heard++;
  heard_deleted += deleted;
}

static void setup(void) {
  dag_init(&d, &arena);
  heard = heard_deleted = 0;
}

static void teardown(void) {
  dag_free(&d);
  arena_free(&arena);
}

/* A value of the outside world: register `reg`. */
static struct sdval reg(unsigned bits, unsigned number) {
  vt types[] = {VT_I(bits), VT_CHAIN};
  return dag_get(&d, ISD_COPYFROMREG, types, 2, &d.entry, 1, 0, number);
}

static struct sdval bin(uint16_t op, struct sdval a, struct sdval b, uint16_t flags) {
  return dag_get1(&d, op, dag_type(&d, a), (struct sdval[]){a, b}, 2, flags);
}

static void keep(struct sdval v) {
  vt types[] = {VT_CHAIN};
  d.root = dag_get(&d, ISD_COPYTOREG, types, 1, (struct sdval[]){d.root, v}, 2, 0, 1000 + v.node);
}

START_TEST(equal_nodes_are_one) {
  struct sdval a = reg(32, 1), b = reg(32, 2);
  ck_assert(sd_eq(bin(ISD_SUB, a, b, 0), bin(ISD_SUB, a, b, 0)));
  ck_assert(!sd_eq(bin(ISD_SUB, a, b, 0), bin(ISD_SUB, b, a, 0)));
  ck_assert(sd_eq(bin(ISD_ADD, a, b, 0), bin(ISD_ADD, b, a, 0)));
  ck_assert(!sd_eq(reg(32, 1), reg(64, 1)));
  ck_assert(sd_eq(dag_const_u64(&d, 8, 0x1ff), dag_const_u64(&d, 8, 0xff)));
  ck_assert(!sd_eq(dag_const_u64(&d, 8, 1), dag_const_u64(&d, 16, 1)));
}
END_TEST

START_TEST(wide_constants) {
  struct bv w = bv_u64(128, 5), out;
  w.limb[1] = 7;
  struct sdval c = dag_const(&d, w);
  ck_assert(sd_eq(c, dag_const(&d, w)));
  w.limb[1] = 8;
  ck_assert(!sd_eq(c, dag_const(&d, w)));
  ck_assert(dag_is_const(&d, c, &out));
  ck_assert_uint_eq(out.width, 128);
  ck_assert_uint_eq(out.limb[1], 7);
  ck_assert(!dag_is_const(&d, d.entry, NULL));
}
END_TEST

START_TEST(constants_go_right) {
  struct sdval v = bin(ISD_ADD, dag_const_u64(&d, 32, 3), reg(32, 1), 0);
  ck_assert(dag_is_const(&d, dag_operand(&d, v.node, 1), NULL));
  v = bin(ISD_SUB, dag_const_u64(&d, 32, 3), reg(32, 1), 0);
  ck_assert(dag_is_const(&d, dag_operand(&d, v.node, 0), NULL));
}
END_TEST

START_TEST(flags_intersect) {
  struct sdval a = reg(32, 1), b = reg(32, 2);
  uint16_t nsw = 1 << FLAG_NSW, nuw = 1 << FLAG_NUW;
  struct sdval x = bin(ISD_ADD, a, b, nsw | nuw);
  d.listen = on_change;
  ck_assert(sd_eq(x, bin(ISD_ADD, a, b, nsw | nuw)));
  ck_assert_uint_eq(heard, 0);
  ck_assert(sd_eq(x, bin(ISD_ADD, b, a, nuw)));
  ck_assert_uint_eq(heard, 1);
  ck_assert_uint_eq(dag_node(&d, x.node)->flags, nuw);
}
END_TEST

START_TEST(volatile_accesses_stay_apart) {
  struct sdval ops[] = {d.entry, reg(64, 1)};
  vt types[] = {VT_I(32), VT_CHAIN};
  struct memref m = {.mem = VT_I(32), .align = 1};
  struct sdval a = dag_mem(&d, ISD_LOAD, types, 2, ops, 2, &m);
  m.align = 4;
  ck_assert(sd_eq(a, dag_mem(&d, ISD_LOAD, types, 2, ops, 2, &m)));
  ck_assert_uint_eq(dag_node(&d, a.node)->mem->align, 4);
  m.mem = VT_I(16);
  ck_assert(!sd_eq(a, dag_mem(&d, ISD_LOAD, types, 2, ops, 2, &m)));
  m.is_volatile = true;
  struct sdval v = dag_mem(&d, ISD_LOAD, types, 2, ops, 2, &m);
  ck_assert(!sd_eq(v, dag_mem(&d, ISD_LOAD, types, 2, ops, 2, &m)));
}
END_TEST

START_TEST(replacement_merges_users) {
  struct sdval a = reg(32, 1), b = reg(32, 2), c = reg(32, 3);
  uint16_t nsw = 1 << FLAG_NSW;
  struct sdval x = bin(ISD_SUB, a, c, nsw), y = bin(ISD_SUB, b, c, 0);
  struct sdval x2 = bin(ISD_SHL, x, c, 0), y2 = bin(ISD_SHL, y, c, 0);
  struct sdval sum = bin(ISD_ADD, x2, y2, 0);
  keep(sum);
  d.listen = on_change;
  dag_replace_value(&d, b, a);
  /* y became x, then y2 became x2: both names of the sum's operands are one node. */
  struct sdval l = dag_operand(&d, sum.node, 0), r = dag_operand(&d, sum.node, 1);
  ck_assert(sd_eq(l, r));
  ck_assert_uint_eq(dag_node(&d, dag_operand(&d, l.node, 0).node)->flags, 0);
  ck_assert_uint_eq(dag_node(&d, b.node)->nuses, 0);
  ck_assert_uint_eq(heard_deleted, 2);
  dag_delete_dead(&d, b.node);
  ck_assert_uint_eq(heard_deleted, 3);
  uint32_t *order;
  ck_assert_uint_eq(dag_topo(&d, &order), d.live);
}
END_TEST

START_TEST(replacement_of_the_target) {
  /* The new value is itself a user that merges while the replacement runs. */
  struct sdval a = reg(32, 1), b = reg(32, 2), c = reg(32, 3);
  struct sdval p = bin(ISD_SUB, a, c, 0), q = bin(ISD_SUB, b, c, 0);
  struct sdval u = bin(ISD_SHL, p, c, 0), v = bin(ISD_SHL, q, c, 0);
  keep(u), keep(v);
  dag_replace_value(&d, a, b);
  ck_assert_uint_eq(dag_node(&d, a.node)->nuses, 0);
  struct sdval last = dag_operand(&d, d.root.node, 1);
  struct sdval first = dag_operand(&d, dag_operand(&d, d.root.node, 0).node, 1);
  ck_assert(sd_eq(last, first));
}
END_TEST

START_TEST(results_are_replaced_apart) {
  vt types[] = {VT_I(32), VT_I(1)};
  struct sdval a = reg(32, 1), b = reg(32, 2);
  struct sdval o = dag_get(&d, ISD_UADDO, types, 2, (struct sdval[]){a, b}, 2, 0, 0);
  struct sdval carry = {o.node, 1};
  keep(o), keep(carry), keep(bin(ISD_SUB, o, a, 0));
  ck_assert_uint_eq(dag_num_uses(&d, o), 2);
  ck_assert_uint_eq(dag_num_uses(&d, carry), 1);
  ck_assert(dag_has_one_use(&d, carry) && !dag_has_one_use(&d, o));
  struct sdval sum = bin(ISD_ADD, a, b, 0);
  dag_replace_node(&d, o.node, (struct sdval[]){sum, SDNONE}, 2);
  ck_assert_uint_eq(dag_num_uses(&d, o), 0);
  ck_assert_uint_eq(dag_num_uses(&d, carry), 1);
  ck_assert_uint_eq(dag_num_uses(&d, sum), 2);
}
END_TEST

START_TEST(dead_nodes_take_their_operands) {
  struct sdval a = reg(32, 1), b = reg(32, 2);
  uint32_t before = d.live;
  struct sdval x = bin(ISD_SHL, bin(ISD_ADD, a, b, 0), bin(ISD_SUB, a, b, 0), 0);
  struct sdval y = bin(ISD_SUB, x, a, 0);
  keep(y);
  dag_delete_dead(&d, y.node); /* used: stays */
  ck_assert_uint_eq(d.live, before + 5);
  d.root = d.entry;
  dag_sweep(&d);
  ck_assert_uint_eq(d.live, 1);
  struct sdval again = reg(32, 1);
  ck_assert(!sd_eq(again, a)); /* the dead one left the table */
}
END_TEST

START_TEST(operands_can_be_set) {
  struct sdval a = reg(32, 1), b = reg(32, 2);
  struct sdval x = bin(ISD_SUB, a, b, 0), y = bin(ISD_SUB, b, b, 0);
  keep(x), keep(y);
  dag_set_operand(&d, x.node, 0, b);
  ck_assert(sd_eq(dag_operand(&d, d.root.node, 1), y));
  ck_assert(sd_eq(dag_operand(&d, dag_operand(&d, d.root.node, 0).node, 1), y));
}
END_TEST

START_TEST(morph_keeps_uses) {
  struct sdval a = reg(32, 1), b = reg(32, 2);
  struct sdval x = bin(ISD_ADD, a, b, 0), y = bin(ISD_SUB, x, b, 0);
  keep(y);
  vt type = VT_I(32);
  dag_morph(&d, x.node, OP_MACHINE + 1, &type, 1, (struct sdval[]){b, a, a}, 3, 7);
  ck_assert_uint_eq(dag_opcode(&d, x), OP_MACHINE + 1);
  ck_assert(sd_eq(dag_operand(&d, y.node, 0), x));
  ck_assert(sd_eq(dag_operand(&d, x.node, 2), a));
  ck_assert_uint_eq(dag_num_uses(&d, a), 2);
}
END_TEST

START_TEST(reachability) {
  struct sdval a = reg(32, 1), x = a;
  for (unsigned i = 0; i < 100; i++) x = bin(ISD_SHL, x, a, 0);
  ck_assert(dag_reaches(&d, x.node, a.node, 0));
  ck_assert(!dag_reaches(&d, a.node, x.node, 0));
  ck_assert(!dag_reaches(&d, x.node, 9999999, 0));
  ck_assert(dag_reaches(&d, x.node, 9999999, 10)); /* gave up */
}
END_TEST

START_TEST(wide_tokens_are_trees) {
  enum { N = 100000 };
  struct sdval *ops = calloc(N, sizeof *ops);
  ck_assert_ptr_nonnull(ops);
  for (unsigned i = 0; i < N; i++) ops[i] = (struct sdval){reg(32, i).node, 1};
  d.root = dag_get1(&d, ISD_TOKENFACTOR, VT_CHAIN, ops, N, 0);
  dag_sweep(&d);
  ck_assert_uint_gt(d.live, N); /* all are reachable */
  for (unsigned i = 0; i < N; i += 7) dag_replace_value(&d, ops[i], d.entry);
  free(ops);
}
END_TEST

static uint32_t chain_of(uint32_t n) {
  struct sdval a = reg(32, 1), b = reg(32, 2), x = a;
  for (uint32_t i = 0; i < n; i++) x = bin(i & 1 ? ISD_SUB : ISD_ADD, x, b, 0);
  keep(x);
  struct sdval c = reg(32, 3);
  dag_replace_value(&d, b, c); /* n users of one value */
  uint32_t *order, live = dag_topo(&d, &order);
  ck_assert_uint_eq(order[live - 1], d.root.node);
  d.root = d.entry;
  dag_sweep(&d);
  ck_assert_uint_eq(d.live, 1);
  return live;
}

START_TEST(a_million_nodes) { ck_assert_uint_gt(chain_of(1000000), 1000000); }
END_TEST

int main(void) {
  TCase *t = tcase_create("dag");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_set_timeout(t, 60);
  tcase_add_test(t, equal_nodes_are_one);
  tcase_add_test(t, wide_constants);
  tcase_add_test(t, constants_go_right);
  tcase_add_test(t, flags_intersect);
  tcase_add_test(t, volatile_accesses_stay_apart);
  tcase_add_test(t, replacement_merges_users);
  tcase_add_test(t, replacement_of_the_target);
  tcase_add_test(t, results_are_replaced_apart);
  tcase_add_test(t, dead_nodes_take_their_operands);
  tcase_add_test(t, operands_can_be_set);
  tcase_add_test(t, morph_keeps_uses);
  tcase_add_test(t, reachability);
  tcase_add_test(t, wide_tokens_are_trees);
  tcase_add_test(t, a_million_nodes);
  return run_suite("dag", t);
}
