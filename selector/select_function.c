/* select_function.c: all phases over one function, block by block. */
#include "build_dag.h"
#include "combine.h"
#include "create.h"
#include "dag_check.h"
#include "dag_print.h"
#include "draw_dag.h"
#include "gen/targets.h"
#include "legalize_ops.h"
#include "legalize_types.h"
#include "schedule.h"
#include "select.h"
#include "util/diag.h"
#include "workspace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const phase_title[PHASE_COUNT] = {
    [PHASE_BUILD] = "DAG Building",
    [PHASE_COMBINE1] = "DAG Combining 1",
    [PHASE_TYPES] = "Type Legalization",
    [PHASE_COMBINE_LT] = "DAG Combining after legalize types",
    [PHASE_VECTORS] = "Vector Legalization",
    [PHASE_OPS] = "DAG Legalization",
    [PHASE_COMBINE2] = "DAG Combining 2",
    [PHASE_SELECT] = "Instruction Selection",
    [PHASE_SCHEDULE] = "Instruction Scheduling",
    [PHASE_CREATE] = "Instruction Creation",
    [PHASE_CLEANUP] = "Instruction Scheduling Cleanup",
};

/* Short names, the heading of a dump, and the -debug-only word besides isel that shows it. */
static const struct {
  const char *name, *heading, *debug;
} phases[PHASE_COUNT] = {
    [PHASE_BUILD] = {"build", "Initial selection DAG", NULL},
    [PHASE_COMBINE1] = {"combine1", "Optimized lowered selection DAG", "dagcombine"},
    [PHASE_TYPES] = {"legalize-types", "Type-legalized selection DAG", "legalize-types"},
    [PHASE_COMBINE_LT] = {"combine2", "Optimized type-legalized selection DAG", "dagcombine"},
    [PHASE_OPS] = {"legalize-ops", "Legalized selection DAG", "legalizedag"},
    [PHASE_COMBINE2] = {"combine3", "Optimized legalized selection DAG", "dagcombine"},
    [PHASE_SELECT] = {"isel", "Selected selection DAG", NULL},
};

int phase_by_name(const char *name) {
  for (int i = 0; i < PHASE_COUNT; i++)
    if (phases[i].name && !strcmp(phases[i].name, name)) return i;
  return -1;
}

bool debug_wanted(const struct isel *s, const char *what) {
  const char *list = s->options->debug_only;
  size_t n = strlen(what);
  for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : "")
    if (!strncmp(p, what, n) && (!p[n] || p[n] == ',')) return true;
  return false;
}

/* ---- One block ----------------------------------------------------------------------------------- */

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The processor's time of a block, shared among its phases in the proportion of a clock that is cheap to ask:
 * asking for processor time is a system call, and dear beside the phases of a small block. */
struct stopwatch {
  uint64_t cpu, last, ticks[PHASE_COUNT];
};

static void watch_start(struct stopwatch *w) {
  *w = (struct stopwatch){.cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID), .last = nanoseconds(CLOCK_MONOTONIC)};
}

static void watch_phase(struct stopwatch *w, enum phase phase) {
  uint64_t t = nanoseconds(CLOCK_MONOTONIC);
  w->ticks[phase] += t - w->last;
  w->last = t;
}

/* Books the time since the start, and starts again. */
static void watch_stop(struct isel *s, struct stopwatch *w) {
  uint64_t now = nanoseconds(CLOCK_THREAD_CPUTIME_ID), sum = 0;
  for (int i = 0; i < PHASE_COUNT; i++) sum += w->ticks[i];
  for (int i = 0; i < PHASE_COUNT && sum; i++)
    s->nanoseconds[i] += (uint64_t)((double)w->ticks[i] / (double)sum * (double)(now - w->cpu));
  *w = (struct stopwatch){.cpu = now, .last = w->last};
}

static bool dumps_wanted(const struct builder *b) {
  const char *only = b->isel->options->only_function;
  return !only || !strcmp(only, b->f->name);
}

static void draw(struct builder *b, enum phase phase, const char *title) {
  const struct options *o = b->isel->options;
  if (!o->view_dags || (*o->view_dags && phase_by_name(o->view_dags) != (int)phase)) return;
  if (!draw_dag(&b->dag, b->pass.tables, o->picture, b->f->name, b->block, phases[phase].name, title))
    b->isel->undrawn++;
}

static void dump(struct builder *b, enum phase phase) {
  const struct options *o = b->isel->options;
  if (!phases[phase].heading || (!o->debug_only && !o->stop_after && !o->view_dags) || !dumps_wanted(b))
    return;
  char title[512];
  const char *block = b->f->blocks.at[b->ir_block].name;
  snprintf(title, sizeof title, "%s: %%bb.%u '%.200s:%.100s'", phases[phase].heading, b->block, b->f->name,
           block ? block : "");
  bool stop = o->stop_after && phase_by_name(o->stop_after) == (int)phase;
  if (stop || debug_wanted(b->isel, "isel") ||
      (phases[phase].debug && debug_wanted(b->isel, phases[phase].debug)))
    dag_print(stop ? stdout : stderr, &b->dag, b->pass.tables, title);
  draw(b, phase, title);
}

static bool dag_checks(const struct builder *b) {
#ifdef VERIDAG_CHECK_DAG
  (void)b;
  return true;
#else
  return b->isel->options->verify_dag;
#endif
}

/* Ends a phase: its time, its dump, the checker. */
static bool phase_done(struct builder *b, enum phase phase, enum legality legal, struct stopwatch *w) {
  watch_phase(w, phase);
  dump(b, phase);
  if (dag_checks(b) && phase <= PHASE_COMBINE2 && !dag_check(&b->pass, legal, stderr))
    bug("the DAG of %s, bb.%u is broken after %s", b->f->name, b->block, phase_title[phase]);
  return b->what == NULL;
}

/* The pass's own steps go to stderr with -debug-only=NAME. */
static struct pass *traced(struct builder *b, const char *name) {
  b->pass.trace = debug_wanted(b->isel, name) && dumps_wanted(b) ? stderr : NULL;
  return &b->pass;
}

static bool lower_dag(struct builder *b, struct stopwatch *t) {
  bool combines = b->isel->options->opt_level > 0 && !b->isel->options->no_combine;
  if (combines) combine(traced(b, "dagcombine"), LEGAL_NOTHING);
  if (!phase_done(b, PHASE_COMBINE1, LEGAL_NOTHING, t)) return false;
  uint32_t nodes = b->dag.nodes.n;
  if (!legalize_types(traced(b, "legalize-types")) || !phase_done(b, PHASE_TYPES, LEGAL_TYPES, t))
    return false;
  /* types that all were legal leave nothing new to combine */
  if (combines && b->dag.nodes.n != nodes) combine(traced(b, "dagcombine"), LEGAL_TYPES);
  if (!phase_done(b, PHASE_COMBINE_LT, LEGAL_TYPES, t)) return false;
  if (!legalize_ops(traced(b, "legalizedag")) || !phase_done(b, PHASE_OPS, LEGAL_OPS, t)) return false;
  if (combines) combine(traced(b, "dagcombine"), LEGAL_OPS);
  return phase_done(b, PHASE_COMBINE2, LEGAL_OPS, t);
}

/* From the built DAG to MachineInstrs. */
static bool finish_block(struct builder *b, struct stopwatch *t) {
  if (!phase_done(b, PHASE_BUILD, LEGAL_NOTHING, t)) return false;
  dag_sweep(&b->dag);
  if (!lower_dag(b, t)) return false;
  if (!select_nodes(&b->pass)) return false;
  if (!phase_done(b, PHASE_SELECT, LEGAL_OPS, t)) return false;
  dag_sweep(&b->dag); /* what a pattern swallowed may have left operands that nobody reads */
  b->isel->dag_nodes += b->dag.live;
  struct schedule s = {0};
  bool ok = schedule(&b->dag, b->target, &b->isel->scratch, &s);
  if (!ok) {
    build_unsupported(b, "%s", s.fault);
    b->no_schedule = true;
  }
  if (ok && phase_done(b, PHASE_SCHEDULE, LEGAL_OPS, t)) {
    const char *fault = create_insts(b, &s);
    if (fault) bug("%s, bb.%u: %s", b->f->name, b->block, fault);
    phase_done(b, PHASE_CREATE, LEGAL_OPS, t);
  }
  vec_free(&s.seq);
  return b->what == NULL;
}

/* The graph's growing arrays count as an arena of the block. */
static uint64_t dag_bytes(const struct dag *d) {
  return (uint64_t)d->nodes.cap * sizeof *d->nodes.at + (uint64_t)d->uses.cap * sizeof *d->uses.at +
         (uint64_t)d->nbuckets * sizeof *d->buckets;
}

static void block_done(struct builder *b, struct stopwatch *t) {
  uint64_t bytes = b->isel->scratch.high_water + b->arena->used + dag_bytes(&b->dag);
  if (bytes > b->isel->high_water) b->isel->high_water = bytes;
  arena_reset(&b->isel->scratch);
  phase_done(b, PHASE_CLEANUP, LEGAL_OPS, t);
  watch_stop(b->isel, t);
}

/* What building and emitting a block adds to the function, so that it can be taken back. */
struct mark {
  uint32_t blocks, jumps, cases, copies, edges, fixed, liveins, insts, succs, block_liveins;
};

static struct mark take_mark(const struct builder *b, uint32_t block) {
  const struct mfunc *f = b->mf;
  const struct mblock *m = &f->blocks.at[block];
  return (struct mark){f->blocks.n, f->jumps.n,   b->cases.n, b->phi_copies.n, b->edges.n,
                       f->fixed.n,  f->liveins.n, m->insts.n, m->succs.n,      m->liveins.n};
}

static void back_to(struct builder *b, uint32_t block, const struct mark *k) {
  struct mfunc *f = b->mf;
  while (f->blocks.n > k->blocks) {
    struct mblock *m = &f->blocks.at[f->blocks.n - 1];
    f->blocks.n--;
    vec_free(&m->insts);
    vec_free(&m->succs);
    vec_free(&m->liveins);
  }
  while (f->jumps.n > k->jumps) {
    f->jumps.n--;
    vec_free(&f->jumps.at[f->jumps.n].blocks);
  }
  b->cases.n = k->cases;
  b->phi_copies.n = k->copies;
  b->edges.n = k->edges;
  f->fixed.n = k->fixed;
  f->liveins.n = k->liveins;
  f->blocks.at[block].insts.n = k->insts;
  f->blocks.at[block].succs.n = k->succs;
  f->blocks.at[block].liveins.n = k->block_liveins;
}

/* A selection that no schedule can follow (a comparison with memory whose flags something must come between)
 * is done again without folding accesses. */
static bool first_dag(struct builder *b, uint32_t ir_block, struct stopwatch *t) {
  struct mark before = take_mark(b, ir_block);
  if (build_block(b, ir_block) && finish_block(b, t)) return true;
  if (!b->no_schedule) return false;
  block_done(b, t);
  back_to(b, ir_block, &before);
  b->what = NULL;
  b->no_schedule = false;
  b->pass.max_steps = 1;
  bool ok = build_block(b, ir_block) && finish_block(b, t);
  b->pass.max_steps = b->isel->options->max_steps;
  return ok;
}

static bool select_block(struct builder *b, uint32_t ir_block, struct stopwatch *t) {
  bool ok = first_dag(b, ir_block, t);
  block_done(b, t);
  while (ok && b->cases.n) {
    struct case_block c = b->cases.at[--b->cases.n];
    ok = build_case_block(b, &c) && finish_block(b, t);
    block_done(b, t);
  }
  return ok;
}

/* ---- The passes' callbacks ----------------------------------------------------------------------- */

static struct sdval libcall(void *self, const char *name, vt ret, const struct sdval *args, unsigned n,
                            struct sdval *chain) {
  return build_libcall(self, name, ret, args, n, chain);
}

static void unsupported_node(void *self, uint32_t node, const char *why) {
  struct builder *b = self;
  char type[16];
  build_unsupported(b, "%s: %s %s", why, match_op_name(b->pass.tables, dag_node(&b->dag, node)->op),
                    vt_name(match_action_type(&b->dag, node), type));
}

static uint32_t object_align(void *self, struct sdval address) {
  struct builder *b = self;
  const struct sdnode *n = dag_node(&b->dag, address.node);
  if (n->op != ISD_FRAMEINDEX) return 1;
  if (n->imm >> 31 & 1) return b->mf->fixed.at[n->imm & 0x7fffffff].align;
  return b->mf->stack.at[n->imm].align;
}

/* ---- One function -------------------------------------------------------------------------------- */

/* Blocks that no path from the entry reaches are left out: their values may not even be well defined. */
static void mark_reachable(const struct ir_function *f, struct mfunc *mf, struct arena *a) {
  uint32_t *stack = ARENA_ARRAY(a, uint32_t, f->blocks.n + 1), n = 0;
  stack[n++] = 0;
  mf->blocks.at[0].used = true;
  while (n) {
    const struct ir_block *b = &f->blocks.at[stack[--n]];
    const struct ir_inst *t = &f->insts.at[b->first + b->n - 1];
    uint32_t count = t->op == IR_BR ? 1 : t->op == IR_CONDBR ? 2 : t->op == IR_SWITCH ? t->sw->ncases + 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t to = t->op == IR_SWITCH ? (i ? t->sw->cases[i - 1].block : t->sw->fallback) : t->blocks[i];
      if (mf->blocks.at[to].used) continue;
      mf->blocks.at[to].used = true;
      stack[n++] = to;
    }
  }
}

static void start_function(struct builder *b) {
  const struct ir_function *f = b->f;
  struct mfunc *mf = b->mf;
  mf->name = f->name;
  mf->align = b->target->function_align;
  mf->max_align = 1;
  mf->jump_kind = b->target->jump_table_kind(b->isel->options->reloc == RELOC_PIC);
  for (uint32_t i = 0; i < f->blocks.n; i++)
    *vec_push(&mf->blocks) = (struct mblock){.ir_name = f->blocks.at[i].name};
  for (uint32_t i = 0; i < f->slots.n; i++) {
    const struct ir_slot *s = &f->slots.at[i];
    *vec_push(&mf->stack) =
        (struct mstack){.name = s->name, .size = s->bytes ? s->bytes : 1, .align = s->align};
    if (s->align > mf->max_align) mf->max_align = s->align;
  }
  mark_reachable(f, mf, b->arena);
}

static void init_pass(struct builder *b) {
  struct isel *s = b->isel;
  b->pass = (struct pass){
      .dag = &b->dag,
      .tables = b->target->rows->tables,
      .features = s->features,
      .tastes = s->tastes,
      .disabled = s->disabled,
      .fired = s->fired,
      .pointer = b->pointer,
      .bool_type = vt_int(b->target->bool_bits),
      .big_endian = b->target->big_endian,
      .max_steps = s->options->max_steps,
      .libcall = libcall,
      .unsupported = unsupported_node,
      .object_align = object_align,
      .self = b,
      .ranks = &s->ranks,
  };
}

bool select_function(struct isel *s, const struct ir_function *f, struct mfunc *out, const char **what) {
  struct builder b = {.isel = s, .target = s->target, .f = f, .mf = out, .arena = out->arena};
  b.pointer = vt_int(s->target->pointer_bits);
  b.value_vreg = ARENA_ARRAY(b.arena, uint32_t, f->values.n);
  b.map = ARENA_ARRAY(b.arena, uint32_t, f->values.n);
  b.map_epoch = ARENA_ARRAY(b.arena, uint32_t, f->values.n);
  struct stopwatch watch;
  watch_start(&watch);
  init_pass(&b);
  start_function(&b);
  bool ok = true;
  for (uint32_t i = 0; i < f->blocks.n && ok; i++)
    if (out->blocks.at[i].used) ok = select_block(&b, i, &watch);
  if (ok) {
    build_phis(&b);
    build_frozen(&b);
  }
  if (b.arena->high_water + s->scratch.high_water > s->high_water)
    s->high_water = b.arena->high_water + s->scratch.high_water;
  *what = b.what;
  dag_free(&b.dag);
  workspace_free(&b.pass);
  vec_free(&b.parts);
  vec_free(&b.loads);
  vec_free(&b.exports);
  vec_free(&b.cases);
  vec_free(&b.edges);
  vec_free(&b.phi_copies);
  vec_free(&b.frozen);
  return ok && !b.what;
}
