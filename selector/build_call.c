/* build_call.c: arguments, calls and returns by a target's integer calling convention (struct call_conv):
 * words in registers while there are any, then in slots of the stack. */
#include "build_dag.h"
#include "legalize_types.h"
#include "util/diag.h"

#include <string.h>

enum { MAX_WORDS = 256 };

/* Where one word of an argument or result goes. */
struct place {
  uint8_t reg;     /* 0: on the stack */
  uint32_t offset; /* there */
  vt type;         /* of the word: i32 or i64 (or the small types of results) */
};

struct assign {
  const struct call_conv *cc;
  unsigned used;  /* argument registers */
  uint32_t stack; /* bytes */
};

static unsigned word_bits(const struct call_conv *cc) { return cc->word ? cc->word : 64; }

static uint32_t round_up(uint32_t x, uint32_t to) { return (x + to - 1) / to * to; }

static struct place on_stack(struct assign *a, vt type) {
  struct place p = {.offset = a->stack, .type = type};
  a->stack += word_bits(a->cc) / 8;
  return p;
}

static struct place next_place(struct assign *a, vt type) {
  if (a->used == a->cc->nargs) return on_stack(a, type);
  const uint8_t *regs = vt_bits(type) <= 32 ? a->cc->arg32 : a->cc->arg64;
  return (struct place){.reg = regs[a->used++], .type = type};
}

/* The words of one scalar of a parameter. A value of several words is all in registers or all on the stack.
 */
static unsigned assign_scalar(struct assign *a, vt type, struct place *out) {
  unsigned bits = vt_bits(type), word = word_bits(a->cc);
  if (bits <= word) {
    out[0] = next_place(a, vt_int(bits <= 32 ? 32 : word));
    return 1;
  }
  unsigned n = 2;
  while (n * word < bits) n *= 2;
  bool pair = n == 2;
  if (pair && a->cc->wide_even && (a->used & 1)) a->used++;
  if (pair && a->used + n > a->cc->nargs) {
    if (a->cc->wide_even) a->used = a->cc->nargs;
    a->stack = round_up(a->stack, 16);
    for (unsigned i = 0; i < n; i++) out[i] = on_stack(a, vt_int(word));
    return n;
  }
  for (unsigned i = 0; i < n; i++) out[i] = next_place(a, vt_int(word));
  return n;
}

static unsigned assign_arg(struct assign *a, const struct ir_type *t, uint8_t flags, struct place *out) {
  unsigned n = 0;
  if (flags & ARG_SRET && a->cc->sret) {
    out[0] = (struct place){.reg = a->cc->sret, .type = vt_int(word_bits(a->cc))};
    return 1;
  }
  /* the elements of an array by value stay together */
  if (a->cc->wide_even && t->is_array && a->used + t->nparts > a->cc->nargs) a->used = a->cc->nargs;
  for (unsigned i = 0; i < t->nparts; i++) n += assign_scalar(a, t->parts[i], out + n);
  return n;
}

static unsigned words_of(const struct call_conv *cc, vt type) {
  unsigned n = 1;
  while (n * word_bits(cc) < vt_bits(type)) n *= 2;
  return n;
}

static unsigned type_words(const struct call_conv *cc, const struct ir_type *t) {
  unsigned n = 0;
  for (unsigned p = 0; p < t->nparts; p++) n += words_of(cc, t->parts[p]);
  return n;
}

/* A value as words, or itself extended to the word's type. */
static unsigned to_words(struct builder *b, struct sdval v, uint8_t flags, vt word, struct sdval *out) {
  vt type = dag_type(&b->dag, v);
  unsigned n = words_of(b->target->conv, type);
  vt wide = n == 1 ? word : vt_int(n * word_bits(b->target->conv));
  v = flags & ARG_ZEXT   ? build_zext(b, v, wide)
      : flags & ARG_SEXT ? build_sext(b, v, wide)
                         : build_anyext(b, v, wide);
  if (n == 1) {
    out[0] = v;
    return 1;
  }
  return build_split(b, v, out);
}

/* The value of `type` from its words; what the convention extends is asserted. */
static struct sdval from_words(struct builder *b, const struct sdval *words, vt type, uint8_t flags) {
  unsigned n = words_of(b->target->conv, type);
  struct sdval v = words[0];
  vt have = dag_type(&b->dag, v);
  if (n == 1 && vt_bits(type) < vt_bits(have) && flags & (ARG_ZEXT | ARG_SEXT))
    v = dag_get(&b->dag, flags & ARG_ZEXT ? ISD_ASSERTZEXT : ISD_ASSERTSEXT, &have, 1, &v, 1, 0, type);
  if (n == 1) return build_anyext(b, v, type);
  return build_join(b, words, n, type);
}

/* ---- Incoming arguments -------------------------------------------------------------------------- */

static void live_in(struct builder *b, uint8_t reg, uint32_t vreg) {
  const char *name = b->target->conv->regs[reg - 1];
  *vec_push(&b->mf->blocks.at[0].liveins) = name;
  *vec_push(&b->mf->liveins) = (struct mlivein){.reg = name, .vreg = vreg};
}

/* The last argument's copy comes first, as llc has it. */
static void copy_live_ins(struct builder *b) {
  for (uint32_t k = b->mf->liveins.n; k-- > 0;) {
    struct minst *i = mblock_add(&b->mf->blocks.at[0], "COPY");
    struct mop *ops = minst_ops(b->mf, i, 2);
    i->ndefs = 1;
    ops[0] = mop_def(b->mf->liveins.at[k].vreg);
    ops[1] = mop_phys(b->mf->liveins.at[k].reg);
  }
}

static struct sdval stack_word(struct builder *b, const struct place *p) {
  *vec_push(&b->mf->fixed) = (struct mfixed){
      .offset = p->offset, .size = vt_bits(p->type) / 8, .align = p->offset % 16 ? 8 : 16, .immutable = true};
  struct sdval address = build_frame_index(b, FRAME_FIXED | (b->mf->fixed.n - 1));
  struct memref m = {.mem = p->type, .align = p->offset % 16 ? 8 : 16};
  struct sdval v = build_load(b, p->type, b->dag.entry, address, &m);
  *vec_push(&b->loads) = (struct sdval){v.node, 1};
  return v;
}

/* Arguments are copied from their registers before anything else. Parts that live across blocks or not, all
 * go through virtual registers of their words. */
/* An argument's words serve as its registers across blocks when they have just the types of its legal parts.
 */
static bool words_are_parts(struct builder *b, const struct ir_type *t, const struct place *places,
                            unsigned n) {
  unsigned at = 0;
  for (unsigned p = 0; p < t->nparts; p++) {
    vt legal;
    unsigned parts = legal_parts(b->pass.tables, t->parts[p], &legal);
    for (unsigned k = 0; k < parts; k++, at++)
      if (at >= n || !places[at].reg || places[at].type != legal) return false;
  }
  return at == n;
}

bool build_arguments(struct builder *b) {
  const struct ir_function *f = b->f;
  struct assign a = {.cc = b->target->conv};
  for (uint32_t i = 0; i < f->nargs; i++) {
    const struct ir_value *v = ir_val(f, f->args[i]);
    struct place places[MAX_WORDS];
    if (type_words(b->target->conv, v->type) > MAX_WORDS)
      return build_unsupported(b, "argument of more than %d words", MAX_WORDS);
    unsigned n = assign_arg(&a, v->type, f->arg_flags[i], places), w = 0;
    struct sdval words[MAX_WORDS];
    uint32_t first = b->mf->vregs.n;
    for (unsigned k = 0; k < n; k++) {
      if (!places[k].reg) {
        words[k] = stack_word(b, &places[k]);
        continue;
      }
      uint32_t reg = build_vreg(b, places[k].type);
      live_in(b, places[k].reg, reg);
      words[k] = build_copy_from(b, REG_VIRTUAL | reg, places[k].type, b->dag.entry);
      if (f->arg_flags[i] & ARG_SRET && b->target->conv->sret_returned) b->sret_vreg = reg + 1;
    }
    for (unsigned p = 0; p < v->type->nparts; p++) {
      build_set(b, f->args[i], p, from_words(b, words + w, v->type->parts[p], f->arg_flags[i]));
      w += words_of(b->target->conv, v->type->parts[p]);
    }
    if (!v->used_outside) continue;
    if (words_are_parts(b, v->type, places, n))
      b->value_vreg[f->args[i]] = first + 1;
    else
      build_export(b, f->args[i]);
  }
  copy_live_ins(b);
  return true;
}

/* ---- Results ------------------------------------------------------------------------------------- */

/* Registers of a result; false when it does not fit in registers. */
static bool assign_result(const struct call_conv *cc, const struct ir_type *t, struct place *out,
                          unsigned *n) {
  *n = 0;
  for (unsigned i = 0; i < t->nparts; i++) {
    unsigned bits = vt_bits(t->parts[i]), words = words_of(cc, t->parts[i]);
    for (unsigned w = 0; w < words; w++, (*n)++) {
      if (*n == cc->nrets) return false;
      const uint8_t *regs = bits <= 8 && cc->ret8     ? cc->ret8
                            : bits <= 16 && cc->ret16 ? cc->ret16
                            : bits <= 32              ? cc->ret32
                                                      : cc->ret64;
      unsigned width = regs == cc->ret32 ? 32 : regs == cc->ret64 ? word_bits(cc) : regs == cc->ret8 ? 8 : 16;
      out[*n] = (struct place){.reg = regs[*n], .type = vt_int(width)};
    }
  }
  return true;
}

/* Copies a word to a physical register, glued to the copy before it. */
static void copy_to_phys(struct builder *b, uint8_t reg, struct sdval v, struct sdval *glue) {
  struct sdval ops[] = {b->chain, v, *glue};
  struct sdval c =
      build_chained(b, ISD_COPYTOREG, (const vt[]){VT_CHAIN, VT_GLUE}, 2, ops, glue->node ? 3 : 2, reg);
  b->chain = (struct sdval){c.node, 0};
  *glue = (struct sdval){c.node, 1};
}

static struct sdval copy_from_phys(struct builder *b, uint8_t reg, vt type, struct sdval *glue) {
  struct sdval ops[] = {b->chain, *glue};
  struct sdval c = build_chained(b, ISD_COPYFROMREG, (const vt[]){type, VT_CHAIN, VT_GLUE}, 3, ops, 2, reg);
  b->chain = (struct sdval){c.node, 1};
  *glue = (struct sdval){c.node, 2};
  return c;
}

/* Without padding. */
static unsigned type_bits(const struct ir_type *t) {
  unsigned bits = 0;
  for (uint32_t p = 0; p < t->nparts; p++) bits += vt_bits(t->parts[p]);
  return bits;
}

bool build_return(struct builder *b, const struct ir_inst *i) {
  const struct call_conv *cc = b->target->conv;
  struct place places[MAX_WORDS];
  unsigned n = 0, at = 0;
  if (i->nops && !assign_result(cc, i->type, places, &n))
    return build_unsupported(b, "result of %u bits", type_bits(i->type));
  struct sdval words[MAX_WORDS];
  for (unsigned p = 0; i->nops && p < i->type->nparts; p++)
    at += to_words(b, build_value(b, i->ops[0], p), b->f->ret_flags, places[at].type, words + at);
  uint32_t *uses = ARENA_ARRAY(b->arena, uint32_t, n + 1);
  if (!i->nops && b->sret_vreg) {
    places[0] = (struct place){.reg = cc->ret64[0], .type = b->pointer};
    words[0] = build_copy_from(b, REG_VIRTUAL | (b->sret_vreg - 1), b->pointer, b->dag.entry);
    n = 1;
  }
  b->chain = build_control_root(b);
  struct sdval glue = SDNONE;
  for (unsigned k = 0; k < n; k++) {
    copy_to_phys(b, places[k].reg, words[k], &glue);
    uses[k] = places[k].reg;
  }
  struct ret_info *info = ARENA_NEW(b->arena, struct ret_info);
  *info = (struct ret_info){.nuses = n, .uses = uses};
  struct sdval ops[] = {b->chain, glue};
  b->dag.root =
      build_chained(b, ISD_RET, (const vt[]){VT_CHAIN}, 1, ops, glue.node ? 2 : 1, (uint64_t)(uintptr_t)info);
  return true;
}

/* ---- Calls --------------------------------------------------------------------------------------- */

/* A call being built: its words and where they go. */
struct call_build {
  struct assign assign;
  unsigned n;
  struct place places[MAX_WORDS];
  struct sdval words[MAX_WORDS];
};

static bool add_argument(struct builder *b, struct call_build *c, const struct ir_type *t,
                         const struct sdval *parts, uint8_t flags) {
  unsigned words = type_words(b->target->conv, t);
  if (c->n + words > MAX_WORDS)
    return build_unsupported(b, "call with more than %d words of arguments", MAX_WORDS);
  struct place *places = c->places + c->n;
  assign_arg(&c->assign, t, flags, places);
  for (unsigned p = 0, w = 0; p < t->nparts; p++)
    w += to_words(b, parts[p], flags, places[w].type, c->words + c->n + w);
  c->n += words;
  return true;
}

static void store_stack_words(struct builder *b, struct call_build *c) {
  if (!c->assign.stack) return;
  struct sdval sp = build_copy_from(b, b->target->conv->sp, b->pointer, b->chain);
  struct sdval stores[MAX_WORDS];
  unsigned n = 0;
  struct sdval chain = {sp.node, 1};
  for (unsigned k = 0; k < c->n; k++) {
    const struct place *p = &c->places[k];
    if (p->reg) continue;
    struct memref m = {
        .mem = p->type, .align = p->offset % 16 ? 8 : 16, .ir_value = MEMREF_STACK, .ir_offset = p->offset};
    struct sdval address = sp;
    if (p->offset)
      address = BUILD(b, ISD_ADD, b->pointer, 0, sp, dag_const_u64(&b->dag, vt_bits(b->pointer), p->offset));
    stores[n++] = build_store(b, chain, c->words[k], address, &m);
  }
  b->chain = n == 1 ? stores[0] : build_op(b, ISD_TOKENFACTOR, VT_CHAIN, n, stores, 0);
}

/* Emits the sequence from the frame set-up to the call; the result registers are copied by the caller, glued
 * to *glue. */
static void finish_call(struct builder *b, struct call_build *c, struct sdval callee, bool variadic,
                        const struct place *results, unsigned nresults, struct sdval *glue) {
  const struct call_conv *cc = b->target->conv;
  uint32_t bytes = round_up(c->assign.stack, 16);
  b->mf->adjusts_stack = b->mf->has_calls = true;
  b->chain = build_chained(b, ISD_CALLSEQ_START, (const vt[]){VT_CHAIN}, 1, &b->chain, 1, bytes);
  store_stack_words(b, c);
  struct call_info *info = ARENA_NEW(b->arena, struct call_info);
  uint32_t *uses = ARENA_ARRAY(b->arena, uint32_t, c->n + 1),
           *defs = ARENA_ARRAY(b->arena, uint32_t, nresults + 1);
  *glue = SDNONE;
  for (unsigned k = 0; k < c->n; k++) {
    if (!c->places[k].reg) continue;
    copy_to_phys(b, c->places[k].reg, c->words[k], glue);
    uses[info->nuses++] = c->places[k].reg;
  }
  if (variadic && cc->vector_count) {
    copy_to_phys(b, cc->vector_count, dag_const_u64(&b->dag, 8, 0), glue);
    uses[info->nuses++] = cc->vector_count;
  }
  for (unsigned k = 0; k < nresults; k++) defs[info->ndefs++] = results[k].reg;
  info->uses = uses;
  info->defs = defs;
  struct sdval ops[] = {b->chain, callee, *glue};
  struct sdval call = build_chained(b, ISD_CALL, (const vt[]){VT_CHAIN, VT_GLUE}, 2, ops, glue->node ? 3 : 2,
                                    (uint64_t)(uintptr_t)info);
  struct sdval end_ops[] = {call, {call.node, 1}};
  struct sdval end = build_chained(b, ISD_CALLSEQ_END, (const vt[]){VT_CHAIN, VT_GLUE}, 2, end_ops, 2, bytes);
  b->chain = end;
  *glue = (struct sdval){end.node, 1};
}

static struct sdval callee_node(struct builder *b, uint32_t value) {
  const struct ir_value *v = ir_val(b->f, value);
  if (v->kind == IRV_GLOBAL) return build_symbol(b, v->global->name, false, v->global->dso_local, true);
  return build_value(b, value, 0);
}

bool build_call(struct builder *b, const struct ir_inst *i) {
  const struct ir_call *c = i->call;
  struct call_build call = {.assign = {.cc = b->target->conv}};
  struct place results[MAX_WORDS];
  unsigned nresults = 0;
  if (!assign_result(b->target->conv, i->type, results, &nresults))
    return build_unsupported(b, "call with a result of %u bits", type_bits(i->type));
  for (uint32_t k = 0; k < c->nargs; k++) {
    const struct ir_type *t = ir_val(b->f, c->args[k])->type;
    struct sdval parts[64];
    for (unsigned p = 0; p < t->nparts; p++) parts[p] = build_value(b, c->args[k], p);
    if (!add_argument(b, &call, t, parts, c->arg_flags[k])) return false;
  }
  struct sdval callee = callee_node(b, c->callee), glue, words[MAX_WORDS];
  b->chain = build_root(b);
  finish_call(b, &call, callee, c->variadic, results, nresults, &glue);
  for (unsigned k = 0; k < nresults; k++)
    words[k] = copy_from_phys(b, results[k].reg, results[k].type, &glue);
  for (unsigned p = 0, w = 0; p < i->type->nparts; p++) {
    build_set(b, i->value, p, from_words(b, words + w, i->type->parts[p], c->ret_flags));
    w += words_of(b->target->conv, i->type->parts[p]);
  }
  return true;
}

struct sdval build_libcall(struct builder *b, const char *name, vt ret, const struct sdval *args, unsigned n,
                           struct sdval *chain) {
  struct call_build call = {.assign = {.cc = b->target->conv}};
  struct sdval saved = b->chain, glue, words[MAX_WORDS], out = SDNONE;
  struct place results[MAX_WORDS];
  unsigned nresults = 0;
  bool none = ret == VT_NONE;
  struct ir_type rt = {.nparts = none ? 0 : 1, .parts = &ret};
  if (!assign_result(b->target->conv, &rt, results, &nresults)) bug("result of %s is too wide", name);
  b->chain = *chain;
  for (unsigned k = 0; k < n; k++) {
    vt type = dag_type(&b->dag, args[k]);
    struct ir_type t = {.nparts = 1, .parts = &type};
    add_argument(b, &call, &t, &args[k], 0);
  }
  struct sdval callee = build_symbol(b, name, true, false, true);
  finish_call(b, &call, callee, false, results, nresults, &glue);
  for (unsigned k = 0; k < nresults; k++)
    words[k] = copy_from_phys(b, results[k].reg, results[k].type, &glue);
  if (!none) out = from_words(b, words, ret, 0);
  *chain = b->chain;
  b->chain = saved;
  return out;
}
