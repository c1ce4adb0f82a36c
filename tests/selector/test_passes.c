/* test_passes.c: random DAGs over all operations and odd types, through the combiner and the legalizers of
 * every target. After each pass the DAG is checked, and what it computes must refine what the first one
 * computed. */
#include "abstract.h"
#include "combine.h"
#include "workspace.h"
#include "dag_check.h"
#include "dag_eval.h"
#include "dag_print.h"
#include "legalize_ops.h"
#include "legalize_types.h"
#include "match_tables.h"
#include "select.h"
#include "../random.h"
#include "../run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 24, WORLDS = 6, MAX_VALUES = 64, OUTPUTS = 3 };

static uint64_t seed;
static uint32_t random_below(uint32_t n) { return random_next(&seed, n); }

/* A DAG under construction. */
struct maker {
  struct dag *d;
  struct pass *p;
  struct sdval value[MAX_VALUES];
  unsigned nvalue, nreg, nout;
};

static struct bv random_bits(unsigned width) {
  struct bv v = bv_u64(width, random_below(8));
  if (random_below(3) == 0) v = bv_neg(v);
  if (random_below(3) == 0)
    for (unsigned i = 0; i < width; i += 16)
      v = bv_or(bv_shl(v, bv_u64(width, width > 16 ? 16 : 0)), bv_u64(width, random_below(1 << 16)));
  if (random_below(4) == 0) v = bv_shl(bv_u64(width, 1), bv_u64(width, random_below(width)));
  return v;
}

/* ---- Making a DAG --------------------------------------------------------------------------------- */

static struct sdval one(struct maker *m, uint16_t op, vt t, struct sdval a) {
  return dag_get1(m->d, op, t, &a, 1, 0);
}

static struct sdval resize(struct maker *m, struct sdval v, vt t, uint16_t ext) {
  unsigned from = vt_bits(dag_type(m->d, v)), to = vt_bits(t);
  return from == to ? v : one(m, from < to ? ext : ISD_TRUNC, t, v);
}

static struct sdval join(struct maker *m, unsigned n, vt part) {
  if (n == 1) {
    vt types[] = {part, VT_CHAIN};
    return dag_get(m->d, ISD_COPYFROMREG, types, 2, &m->d->entry, 1, 0, m->nreg++ % 64);
  }
  struct sdval lo = join(m, n / 2, part), hi = join(m, n / 2, part);
  return dag_get1(m->d, ISD_BUILD_PAIR, VT_I(n * vt_bits(part)), (struct sdval[]){lo, hi}, 2, 0);
}

/* A value from outside, in legal parts as the builder makes it. */
static struct sdval leaf(struct maker *m, vt t) {
  vt part;
  unsigned n = legal_parts(m->p->tables, t, &part);
  return resize(m, join(m, n, part), t, ISD_ANYEXT);
}

static struct sdval pick(struct maker *m, vt t) {
  if (random_below(4) == 0) return dag_const(m->d, random_bits(vt_bits(t)));
  if (random_below(24) == 0) return dag_get1(m->d, ISD_POISON, t, NULL, 0, 0);
  for (unsigned tries = 0; tries < 8 && m->nvalue; tries++) {
    struct sdval v = m->value[random_below(m->nvalue)];
    if (dag_type(m->d, v) == t) return v;
  }
  return leaf(m, t);
}

static void put(struct maker *m, struct sdval v) {
  if (m->nvalue < MAX_VALUES) m->value[m->nvalue++] = v;
}

/* Writes a value to registers, part by part, with known bits above it. */
static void output(struct maker *m, struct sdval v, unsigned n, vt part) {
  if (n > 1) {
    vt half = VT_I(n / 2 * vt_bits(part));
    for (unsigned k = 0; k < 2; k++)
      output(m,
             dag_get1(m->d, ISD_EXTRACT_ELEMENT, half,
                      (struct sdval[]){v, dag_const_u64(m->d, vt_bits(half), k)}, 2, 0),
             n / 2, part);
    return;
  }
  vt types[] = {VT_CHAIN, VT_GLUE};
  if (m->nout == 64) return;
  m->d->root = dag_get(m->d, ISD_COPYTOREG, types, 2, (struct sdval[]){m->d->root, v}, 2, 0, m->nout++);
}

/* Rotating an odd width divides the amount by it. */
static bool divides(const struct op *op, vt type) {
  bool rotates = !strncmp(op->name, "rot", 3) || !strncmp(op->name, "fsh", 3);
  return op->ub != NULL || (rotates && vt_bits(type) & (vt_bits(type) - 1));
}

static bool is_usable(const struct op *op) {
  static const char *const left_out[] = {"anyext",     "build_pair", "extract_element", "extract_lo",
                                         "extract_hi", "udivrem",    "sdivrem"};
  if (!op || op->structural || op->mem != MEM_NONE || op->chained || op->target || !op->nin) return false;
  for (unsigned i = 0; i < sizeof left_out / sizeof *left_out; i++)
    if (!strcmp(op->name, left_out[i])) return false;
  return true;
}

static const unsigned widths[] = {1, 7, 8, 16, 24, 32, 33, 64, 65, 96, 128, 256};

static vt random_type(void) {
  unsigned n = random_below(3) ? 6 : sizeof widths / sizeof *widths;
  return VT_I(widths[random_below(n)]);
}

static unsigned widest_division(const struct maker *m) { return m->p->pointer == VT_I(32) ? 64 : 128; }

static bool random_types(const struct maker *m, const struct op *op, vt *types) {
  for (unsigned tries = 0; tries < 50; tries++) {
    for (unsigned i = 0; i < op->ntyvar; i++) types[i] = random_type();
    for (unsigned i = 0; i < op->ntyvar; i++)
      for (unsigned r = 0; r < op->nres; r++) /* booleans before legalization */
        if (op->res[r].ty.var == (int)i && op->res[r].val->op == X_B2BV) types[i] = VT_I(1);
    if (!strcmp(op->name, "select")) types[op->in[0].ty.var] = VT_I(1);
    if (op->nin == 3 && op->chained == false && op->nres == 2) types[op->in[2].ty.var] = VT_I(1);
    if (op->where && !eval_bool(op->where, &(struct eval_env){.types = types})) continue;
    if (divides(op, types[0]) && vt_bits(types[0]) > widest_division(m)) continue;
    return true;
  }
  return false;
}

static void random_operation(struct maker *m) {
  const struct op *op;
  uint16_t number;
  vt types[16] = {0};
  do number = (uint16_t)random_below(OP_COUNT), op = op_defs[number];
  while (!is_usable(op));
  if (!random_types(m, op, types)) return;
  struct sdval ops[4];
  vt results[4];
  for (unsigned i = 0; i < op->nin; i++) ops[i] = pick(m, tyref_vt(op->in[i].ty, types));
  for (unsigned i = 0; i < op->nres; i++) results[i] = tyref_vt(op->res[i].ty, types);
  uint16_t flags = random_below(3) ? 0 : op->flags & random_below(1u << FLAG_COUNT);
  struct sdval v =
      dag_get(m->d, number, results, op->nres, ops, op->nin, flags, op->second >= 0 ? types[op->second] : 0);
  for (unsigned i = 0; i < op->nres; i++) put(m, (struct sdval){v.node, i});
}

static struct sdval random_address(struct maker *m) {
  struct sdval base = dag_const_u64(m->d, vt_bits(m->p->pointer), random_below(4) * 16);
  struct sdval index = one(m, ISD_ZEXT, m->p->pointer, dag_const_u64(m->d, 1, random_below(2)));
  return dag_get1(m->d, ISD_ADD, m->p->pointer, (struct sdval[]){base, index}, 2, 0);
}

static void random_access(struct maker *m) {
  struct memref mem = {.mem = random_type(), .align = 1, .is_volatile = random_below(8) == 0};
  vt value = random_type(), chain = VT_CHAIN;
  bool extends = vt_bits(value) > vt_bits(mem.mem);
  if (!extends) value = mem.mem;
  if (random_below(2)) {
    struct sdval ops[] = {m->d->root, pick(m, value), random_address(m)};
    m->d->root = dag_mem(m->d, extends ? ISD_TRUNCSTORE : ISD_STORE, &chain, 1, ops, 3, &mem);
    return;
  }
  struct sdval ops[] = {m->d->root, random_address(m)};
  vt types[] = {value, VT_CHAIN};
  uint16_t op = !extends ? ISD_LOAD : random_below(2) ? ISD_ZEXTLOAD : ISD_SEXTLOAD;
  struct sdval v = dag_mem(m->d, op, types, 2, ops, 2, &mem);
  m->d->root = (struct sdval){v.node, 1};
  put(m, v);
}

static void make_dag(struct maker *m) {
  for (unsigned i = 0, n = 2 + random_below(MAX_NODES - 1); i < n; i++) {
    if (random_below(5))
      random_operation(m);
    else
      random_access(m);
  }
  for (unsigned i = 0; i < OUTPUTS && m->nvalue; i++) {
    struct sdval v = m->value[m->nvalue - 1 - random_below(m->nvalue < 4 ? m->nvalue : 4)];
    vt part;
    unsigned n = legal_parts(m->p->tables, dag_type(m->d, v), &part);
    output(m, resize(m, v, VT_I(n * vt_bits(part)), ISD_ZEXT), n, part);
  }
}

/* ---- Comparing ------------------------------------------------------------------------------------ */

static void random_world(struct world *w, const struct pass *p) {
  memset(w, 0, sizeof *w);
  w->big_endian = p->big_endian;
  for (unsigned i = 0; i < 64; i++) {
    w->reg[i] = random_bits(128);
    w->reg_poison[i] = random_below(16) == 0;
  }
  for (unsigned i = 0; i < EVAL_MEMORY; i++)
    w->memory[i] = (struct eval_byte){(uint8_t)random_below(256), random_below(64) == 0};
}

/* The source of the comparison: does it depend on a value that nothing fixes? */
static bool depends_on_fresh(const struct dag *d) {
  for (uint32_t i = 1; i < d->nodes.n; i++)
    if (!dag_node(d, i)->dead && dag_node(d, i)->op == ISD_FREEZE) return true;
  return false;
}

static void check_refines(const struct world *a, const struct world *b, const char *what, unsigned nout) {
  char x[160], y[160];
  if (a->undefined) return;
  ck_assert_msg(!b->undefined, "%s: undefined behaviour appeared", what);
  for (unsigned i = 0; i < nout; i++) {
    if (a->out_poison[i]) continue;
    ck_assert_msg(!b->out_poison[i], "%s: output %u became poison", what, i);
    ck_assert_msg(bv_eq(a->out[i], b->out[i]), "%s: output %u is %s, not %s", what, i, bv_hex(b->out[i], x),
                  bv_hex(a->out[i], y));
  }
  for (unsigned i = 0; i < EVAL_MEMORY; i++)
    ck_assert_msg(a->memory[i].poison || (!b->memory[i].poison && a->memory[i].value == b->memory[i].value),
                  "%s: byte %u in memory differs", what, i);
}

static bool has_routine(const struct dag *d) {
  for (uint32_t i = 1; i < d->nodes.n; i++)
    if (!dag_node(d, i)->dead && dag_node(d, i)->op == ISD_INTRINSIC) return true;
  return false;
}

struct test {
  struct arena arena;
  struct dag dag;
  struct pass pass;
  struct world before[WORLDS], start[WORLDS];
  unsigned nout;
  bool fresh;
};

static void unsupported(void *self, uint32_t node, const char *why) {
  struct pass *p = self;
  dag_print_node(stderr, p->dag, p->tables, node);
  ck_abort_msg("unsupported: %s", why);
}

static void run_pass(struct test *t, const char *what, bool (*pass)(struct pass *), enum legality legal) {
  if (pass)
    pass(&t->pass);
  else
    combine(&t->pass, legal);
  char name[64];
  snprintf(name, sizeof name, "%s at level %d", what, legal);
  ck_assert_msg(dag_check(&t->pass, legal, stderr), "%s: the DAG is broken", name);
  for (unsigned i = 0; i < WORLDS && !t->fresh; i++) {
    struct world after = t->start[i];
    dag_run(&t->dag, &after);
    check_refines(&t->before[i], &after, name, t->nout);
  }
}

static void check_target(unsigned number, bool verbose) {
  struct test *t = calloc(1, sizeof *t);
  ck_assert_ptr_nonnull(t);
  const struct match_tables *tables = all_match_tables[number];
  t->pass =
      (struct pass){.dag = &t->dag, .tables = tables, .libcall = eval_libcall, .unsupported = unsupported};
  t->pass.self = &t->pass;
  t->pass.big_endian = tables->big_endian;
  t->pass.pointer = target_type_legal(tables, VT_I(64)) ? VT_I(64) : VT_I(32);
  t->pass.bool_type = target_type_legal(tables, VT_I(8)) ? VT_I(8) : VT_I(32);
  dag_init(&t->dag, &t->arena);
  struct maker m = {.d = &t->dag, .p = &t->pass};
  make_dag(&m);
  t->nout = m.nout;
  dag_sweep(&t->dag);
  t->fresh = depends_on_fresh(&t->dag);
  if (verbose) dag_print(stderr, &t->dag, tables, "random DAG"), t->pass.trace = stderr;
  for (unsigned i = 0; i < WORLDS; i++) {
    random_world(&t->start[i], &t->pass);
    t->before[i] = t->start[i];
    dag_run(&t->dag, &t->before[i]);
  }
  bool optimize = random_below(4) != 0; /* as at -O0 when not */
  if (optimize) run_pass(t, "combine", NULL, LEGAL_NOTHING);
  run_pass(t, "legalize types", legalize_types, LEGAL_TYPES);
  if (optimize) run_pass(t, "combine", NULL, LEGAL_TYPES);
  run_pass(t, "legalize ops", legalize_ops, LEGAL_OPS);
  if (optimize) run_pass(t, "combine", NULL, LEGAL_OPS);
  /* What is legal can be selected; the stand-ins for calls excepted. */
  if (!has_routine(&t->dag)) ck_assert(select_nodes(&t->pass));
  workspace_free(&t->pass);
  dag_free(&t->dag);
  arena_free(&t->arena);
  free(t);
}

START_TEST(passes_refine) {
  for (unsigned n = 0; all_match_tables[n]; n++) {
    seed = (uint64_t)_i * 0x9e3779b97f4a7c15u;
    check_target(n, getenv("VERBOSE") != NULL);
  }
}
END_TEST

int main(int argc, char **argv) {
  TCase *t = tcase_create("passes");
  int first = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 2000;
  tcase_set_timeout(t, 20);
  tcase_add_loop_test(t, passes_refine, first, first + count);
  return run_suite("passes", t);
}
