/* build_switch.c: a switch as a binary tree of comparisons whose dense ranges jump through tables. Each
 * comparison but the first has a machine block of its own, built later from a list (struct case_block). */
#include "build_dag.h"
#include "util/diag.h"

#include <stdlib.h>

enum { TREE_LEAF = 3, MIN_DENSITY = 10 /* percent, as llc at -O1 and above */, MAX_TABLE = 1 << 16 };

static const struct ir_case *case_at(const struct builder *b, uint32_t i) {
  return &b->sw->sw->cases[b->case_order[i]];
}

/* qsort has no argument for the context: the cases are copied with their numbers. */
struct sort_case {
  const struct bv *value;
  uint32_t index;
};

static int by_value(const void *pa, const void *pb) {
  const struct sort_case *a = pa, *c = pb;
  return bv_slt(*a->value, *c->value) ? -1 : bv_slt(*c->value, *a->value) ? 1 : 0;
}

static void sort_cases(struct builder *b) {
  const struct ir_switch *s = b->sw->sw;
  struct sort_case *sorted = ARENA_ARRAY(b->arena, struct sort_case, s->ncases + 1);
  for (uint32_t i = 0; i < s->ncases; i++) sorted[i] = (struct sort_case){&s->cases[i].value, i};
  qsort(sorted, s->ncases, sizeof *sorted, by_value);
  uint32_t *order = ARENA_ARRAY(b->arena, uint32_t, s->ncases + 1);
  for (uint32_t i = 0; i < s->ncases; i++) order[i] = sorted[i].index;
  b->case_order = order;
}

/* ---- Pieces -------------------------------------------------------------------------------------- */

static struct sdval switch_value(struct builder *b) {
  struct sdval parts[16];
  vt legal;
  unsigned n = legal_parts(b->pass.tables, b->sw_type, &legal);
  for (unsigned i = 0; i < n; i++)
    parts[i] = build_copy_from(b, REG_VIRTUAL | (b->sw_vreg + i), legal, b->dag.entry);
  return build_join(b, parts, n, b->sw_type);
}

static void branch_if(struct builder *b, uint16_t op, struct sdval x, struct bv k, uint32_t block) {
  struct sdval c = BUILD(b, op, vt_int(1), 0, x, dag_const(&b->dag, k));
  struct sdval ops[] = {build_control_root(b), c, build_block_node(b, block)};
  b->chain = build_chained(b, ISD_BRCOND, (const vt[]){VT_CHAIN}, 1, ops, 3, 0);
}

static void jump_to(struct builder *b, uint32_t block) {
  struct sdval ops[] = {build_control_root(b), build_block_node(b, block)};
  b->dag.root = b->chain = build_chained(b, ISD_BR, (const vt[]){VT_CHAIN}, 1, ops, 2, 0);
}

static uint32_t share(uint32_t part, uint32_t whole) {
  return whole ? (uint32_t)((uint64_t)0x80000000u * part / whole) : 0x80000000u;
}

/* How many table entries the range of cases needs, or 0 when it is too sparse or too small. */
static uint32_t table_size(const struct builder *b, uint32_t lo, uint32_t hi) {
  if (hi - lo < b->target->min_jump_table || b->isel->options->opt_level == 0) return 0;
  struct bv span = bv_sub(case_at(b, hi - 1)->value, case_at(b, lo)->value);
  if (!bv_fits_u64(span) || bv_to_u64(span) >= MAX_TABLE) return 0;
  uint32_t size = (uint32_t)bv_to_u64(span) + 1;
  return (uint64_t)(hi - lo) * 100 >= (uint64_t)size * MIN_DENSITY ? size : 0;
}

static uint32_t make_table(struct builder *b, uint32_t lo, uint32_t hi, uint32_t size) {
  struct mjump *t = vec_push(&b->mf->jumps);
  *t = (struct mjump){0};
  for (uint32_t i = 0; i < size; i++) *vec_push(&t->blocks) = b->sw->sw->fallback;
  struct bv first = case_at(b, lo)->value;
  for (uint32_t i = lo; i < hi; i++)
    t->blocks.at[bv_to_u64(bv_sub(case_at(b, i)->value, first))] = case_at(b, i)->block;
  return b->mf->jumps.n - 1;
}

/* Range check here; the jump through the table is in a block of its own. */
static void build_table(struct builder *b, const struct case_block *c, struct sdval x, uint32_t size) {
  struct bv first = case_at(b, c->lo)->value;
  unsigned bits = vt_bits(b->sw_type);
  struct sdval index = bv_is_zero(first) ? x : BUILD(b, ISD_SUB, b->sw_type, 0, x, dag_const(&b->dag, first));
  struct sdval wide = build_zext(b, index, b->pointer);
  uint32_t reg = build_vreg(b, b->pointer);
  struct sdval ops[] = {b->dag.entry, wide};
  *vec_push(&b->exports) =
      build_chained(b, ISD_COPYTOREG, (const vt[]){VT_CHAIN}, 1, ops, 2, REG_VIRTUAL | reg);
  uint32_t next = build_new_block(b), table = make_table(b, c->lo, c->hi, size);
  bool covered = bits < 64 && size == (uint64_t)1 << bits;
  if (!covered) {
    branch_if(b, ISD_SETCC_UGT, index, bv_u64(bits, size - 1), b->sw->sw->fallback);
    build_edge(b, b->sw->sw->fallback, 0x08000000);
  }
  build_machine_edge(b, next, covered ? 0x80000000u : 0x78000000);
  jump_to(b, next);
  *vec_push(&b->cases) = (struct case_block){
      .block = next, .lo = c->lo, .hi = c->hi, .jump_table = true, .table = table, .index_vreg = reg};
}

/* A few cases one after the other, then the default. */
static void build_leaf(struct builder *b, const struct case_block *c, struct sdval x) {
  if (c->lo == c->hi) {
    build_edge(b, b->sw->sw->fallback, 0x80000000u);
    jump_to(b, b->sw->sw->fallback);
    return;
  }
  uint32_t left = c->hi - c->lo;
  branch_if(b, ISD_SETCC_EQ, x, case_at(b, c->lo)->value, case_at(b, c->lo)->block);
  build_edge(b, case_at(b, c->lo)->block, share(1, left + 1));
  if (left == 1) {
    build_edge(b, b->sw->sw->fallback, share(left, left + 1));
    jump_to(b, b->sw->sw->fallback);
    return;
  }
  uint32_t next = build_new_block(b);
  build_machine_edge(b, next, share(left, left + 1));
  jump_to(b, next);
  *vec_push(&b->cases) = (struct case_block){.block = next, .lo = c->lo + 1, .hi = c->hi};
}

/* Halves the cases at a pivot: x < pivot goes left. */
static void build_split_node(struct builder *b, const struct case_block *c, struct sdval x) {
  uint32_t mid = c->lo + (c->hi - c->lo) / 2;
  uint32_t left = build_new_block(b), right = build_new_block(b);
  branch_if(b, ISD_SETCC_SLT, x, case_at(b, mid)->value, left);
  build_machine_edge(b, left, 0x40000000);
  build_machine_edge(b, right, 0x40000000);
  jump_to(b, right);
  *vec_push(&b->cases) = (struct case_block){.block = left, .lo = c->lo, .hi = mid};
  *vec_push(&b->cases) = (struct case_block){.block = right, .lo = mid, .hi = c->hi};
}

static bool build_node(struct builder *b, const struct case_block *c, struct sdval x) {
  uint32_t size = table_size(b, c->lo, c->hi);
  if (size)
    build_table(b, c, x, size);
  else if (c->hi - c->lo <= TREE_LEAF)
    build_leaf(b, c, x);
  else
    build_split_node(b, c, x);
  return true;
}

/* ---- Entry points -------------------------------------------------------------------------------- */

bool build_switch(struct builder *b, const struct ir_inst *i) {
  struct sdval x = build_value(b, i->ops[0], 0);
  b->sw = i;
  b->sw_type = dag_type(&b->dag, x);
  sort_cases(b);
  uint32_t n = i->sw->ncases;
  if (n > 1) {
    struct sdval parts[64];
    vt legal;
    unsigned np = build_split(b, x, parts);
    legal_parts(b->pass.tables, b->sw_type, &legal);
    b->sw_vreg = b->mf->vregs.n;
    for (unsigned k = 0; k < np; k++) build_vreg(b, legal);
    for (unsigned k = 0; k < np; k++) {
      struct sdval ops[] = {b->dag.entry, parts[k]};
      *vec_push(&b->exports) =
          build_chained(b, ISD_COPYTOREG, (const vt[]){VT_CHAIN}, 1, ops, 2, REG_VIRTUAL | (b->sw_vreg + k));
    }
  }
  struct case_block whole = {.block = b->block, .lo = 0, .hi = n};
  return build_node(b, &whole, x);
}

bool build_case_block(struct builder *b, const struct case_block *c) {
  build_begin(b, c->block);
  b->dag.order = 1;
  if (!c->jump_table) return build_node(b, c, switch_value(b));
  struct sdval index = build_copy_from(b, REG_VIRTUAL | c->index_vreg, b->pointer, b->dag.entry);
  struct sdval ops[] = {build_control_root(b), index};
  b->dag.root = build_chained(b, ISD_BRJT, (const vt[]){VT_CHAIN}, 1, ops, 2, c->table);
  uint32_t n = b->mf->jumps.at[c->table].blocks.n;
  for (uint32_t k = 0; k < n; k++) build_edge(b, b->mf->jumps.at[c->table].blocks.at[k], share(1, n));
  return true;
}
