/* build_intrinsic.c: the intrinsics of LLVM IR that the selector handles, each by a fixed sequence of nodes.
 */
#include "build_dag.h"
#include "flags.h"
#include "util/diag.h"

#include <string.h>

static struct sdval arg(struct builder *b, const struct ir_inst *i, unsigned n) {
  return build_value(b, i->call->args[n], 0);
}

static bool const_arg(struct builder *b, const struct ir_inst *i, unsigned n, uint64_t *out) {
  const struct ir_value *v = ir_val(b->f, i->call->args[n]);
  if (v->kind != IRV_CONST) return false;
  *out = bv_to_u64(*v->bits);
  return true;
}

/* ---- Shapes -------------------------------------------------------------------------------------- */

static bool unary(struct builder *b, const struct ir_inst *i, uint16_t op) {
  build_set(b, i->value, 0, BUILD(b, op, i->type->parts[0], 0, arg(b, i, 0)));
  return true;
}

static bool binary(struct builder *b, const struct ir_inst *i, uint16_t op) {
  build_set(b, i->value, 0, BUILD(b, op, i->type->parts[0], 0, arg(b, i, 0), arg(b, i, 1)));
  return true;
}

static bool ternary(struct builder *b, const struct ir_inst *i, uint16_t op) {
  build_set(b, i->value, 0, BUILD(b, op, i->type->parts[0], 0, arg(b, i, 0), arg(b, i, 1), arg(b, i, 2)));
  return true;
}

/* {value, overflow} */
static bool overflow(struct builder *b, const struct ir_inst *i, uint16_t op) {
  struct sdval ops[] = {arg(b, i, 0), arg(b, i, 1)};
  struct sdval v = dag_get(&b->dag, op, i->type->parts, 2, ops, 2, 0, 0);
  build_set(b, i->value, 0, v);
  build_set(b, i->value, 1, (struct sdval){v.node, 1});
  return true;
}

/* Count zeros; `zero_poison` is the form whose result is poison for 0. */
static bool count(struct builder *b, const struct ir_inst *i, uint16_t op, uint16_t zero_poison) {
  uint64_t poison = 0;
  const_arg(b, i, 1, &poison);
  return unary(b, i, poison ? zero_poison : op);
}

static bool same(struct builder *b, const struct ir_inst *i, uint16_t op) {
  (void)op;
  build_set(b, i->value, 0, arg(b, i, 0));
  return true;
}

static bool nothing(struct builder *b, const struct ir_inst *i, uint16_t op) {
  (void)b;
  (void)i;
  (void)op;
  return true;
}

/* Says "not known" where the middle end found nothing better. */
static bool zero(struct builder *b, const struct ir_inst *i, uint16_t op) {
  (void)op;
  build_set(b, i->value, 0, dag_const_u64(&b->dag, vt_bits(i->type->parts[0]), 0));
  return true;
}

/* objectsize: the second argument asks for the minimum. */
static bool object_size(struct builder *b, const struct ir_inst *i, uint16_t op) {
  (void)op;
  uint64_t min = 0;
  const_arg(b, i, 1, &min);
  unsigned bits = vt_bits(i->type->parts[0]);
  build_set(b, i->value, 0, min ? dag_const_u64(&b->dag, bits, 0) : dag_const(&b->dag, bv_ones(bits)));
  return true;
}

static bool lifetime(struct builder *b, const struct ir_inst *i, uint16_t op) {
  const struct ir_value *v = ir_val(b->f, i->call->args[i->call->nargs - 1]);
  if (v->kind != IRV_INST || b->f->insts.at[v->index].op != IR_ALLOCA) return true;
  struct sdval root = build_root(b);
  b->chain = build_chained(b, op, (const vt[]){VT_CHAIN}, 1, &root, 1, b->f->insts.at[v->index].alloca.slot);
  return true;
}

static bool memory_call(struct builder *b, const struct ir_inst *i, uint16_t op) {
  (void)op;
  const char *name = i->call->intrinsic;
  if (!strcmp(name, "memcpy.inline")) name = "memcpy";
  if (!strcmp(name, "memset.inline")) name = "memset";
  uint64_t n;
  if (const_arg(b, i, 2, &n) && !n) return true;
  struct sdval args[3] = {arg(b, i, 0), arg(b, i, 1), build_zext(b, arg(b, i, 2), b->pointer)};
  if (!strcmp(name, "memset")) args[1] = build_anyext(b, args[1], vt_int(32));
  struct sdval chain = build_root(b);
  build_libcall(b, name, VT_NONE, args, 3, &chain);
  b->chain = chain;
  return true;
}

/* Traps are the target's instruction, and what follows is not reached. */
static bool trap(struct builder *b, const struct ir_inst *i, uint16_t op) {
  (void)i;
  struct sdval root = build_root(b);
  b->chain = build_chained(b, op, (const vt[]){VT_CHAIN}, 1, &root, 1, 0);
  return true;
}

/* {sum, carry-in/out} families keep their order of results; is.constant folded by the middle end or never. */
static bool abs_value(struct builder *b, const struct ir_inst *i, uint16_t op) { return unary(b, i, op); }

static bool ptr_mask(struct builder *b, const struct ir_inst *i, uint16_t op) {
  struct sdval mask = build_zext(b, arg(b, i, 1), b->pointer);
  build_set(b, i->value, 0, BUILD(b, op, b->pointer, 0, arg(b, i, 0), mask));
  return true;
}

/* base + the signed 32-bit number at base + offset */
static bool load_relative(struct builder *b, const struct ir_inst *i, uint16_t op) {
  (void)op;
  struct sdval base = arg(b, i, 0), offset = build_sext(b, arg(b, i, 1), b->pointer);
  struct memref m = {.mem = vt_int(32), .align = 4};
  struct sdval v = build_load(b, m.mem, b->chain, BUILD(b, ISD_ADD, b->pointer, 0, base, offset), &m);
  *vec_push(&b->loads) = (struct sdval){v.node, 1};
  build_set(b, i->value, 0, BUILD(b, ISD_ADD, b->pointer, 0, base, build_sext(b, v, b->pointer)));
  return true;
}

/* ucmp, scmp: (a > b) - (a < b) */
static bool three_way(struct builder *b, const struct ir_inst *i, uint16_t less) {
  struct sdval x = arg(b, i, 0), y = arg(b, i, 1);
  vt type = i->type->parts[0];
  struct sdval lt = BUILD(b, less, vt_int(1), 0, x, y), gt = BUILD(b, less, vt_int(1), 0, y, x);
  build_set(b, i->value, 0, BUILD(b, ISD_SUB, type, 0, build_zext(b, gt, type), build_zext(b, lt, type)));
  return true;
}

/* ---- The table ----------------------------------------------------------------------------------- */

struct known_intrinsic {
  const char *name;
  bool (*build)(struct builder *b, const struct ir_inst *i, uint16_t op);
  uint16_t op;
};

static const struct known_intrinsic known[] = {
    {"abs", abs_value, ISD_ABS},
    {"annotation", same, 0},
    {"assume", nothing, 0},
    {"bitreverse", unary, ISD_BITREVERSE},
    {"bswap", unary, ISD_BSWAP},
    {"ctpop", unary, ISD_CTPOP},
    {"debugtrap", trap, ISD_DEBUGTRAP},
    {"donothing", nothing, 0},
    {"expect", same, 0},
    {"expect.with.probability", same, 0},
    {"experimental.noalias.scope.decl", nothing, 0},
    {"fake.use", nothing, 0},
    {"fshl", ternary, ISD_FSHL},
    {"fshr", ternary, ISD_FSHR},
    {"invariant.end", nothing, 0},
    {"is.constant", zero, 0},
    {"launder.invariant.group", same, 0},
    {"lifetime.end", lifetime, ISD_LIFETIME_END},
    {"lifetime.start", lifetime, ISD_LIFETIME_START},
    {"load.relative", load_relative, 0},
    {"memcpy", memory_call, 0},
    {"memcpy.inline", memory_call, 0},
    {"memmove", memory_call, 0},
    {"memset", memory_call, 0},
    {"memset.inline", memory_call, 0},
    {"objectsize", object_size, 0},
    {"pcmarker", nothing, 0},
    {"prefetch", nothing, 0},
    {"ptrmask", ptr_mask, ISD_AND},
    {"sadd.sat", binary, ISD_SADDSAT},
    {"sadd.with.overflow", overflow, ISD_SADDO},
    {"scmp", three_way, ISD_SETCC_SLT},
    {"sideeffect", nothing, 0},
    {"smax", binary, ISD_SMAX},
    {"smin", binary, ISD_SMIN},
    {"smul.with.overflow", overflow, ISD_SMULO},
    {"ssa.copy", same, 0},
    {"ssub.sat", binary, ISD_SSUBSAT},
    {"ssub.with.overflow", overflow, ISD_SSUBO},
    {"strip.invariant.group", same, 0},
    {"trap", trap, ISD_TRAP},
    {"uadd.sat", binary, ISD_UADDSAT},
    {"uadd.with.overflow", overflow, ISD_UADDO},
    {"ucmp", three_way, ISD_SETCC_ULT},
    {"umax", binary, ISD_UMAX},
    {"umin", binary, ISD_UMIN},
    {"umul.with.overflow", overflow, ISD_UMULO},
    {"usub.sat", binary, ISD_USUBSAT},
    {"usub.with.overflow", overflow, ISD_USUBO},
    {"var.annotation", nothing, 0},
};

/* Machine intrinsics of a target that is not this one: nothing will ever select them. */
static bool of_another_target(struct builder *b, const char *name) {
  static const char *const prefixes[][2] = {
      {"x86.", "x86-64"}, {"aarch64.", "aarch64"}, {"arm.", ""},  {"riscv.", ""}, {"ppc.", ""},
      {"amdgcn.", ""},    {"nvvm.", ""},           {"s390.", ""}, {"wasm.", ""}};
  for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (!strncmp(name, prefixes[i][0], strlen(prefixes[i][0])))
      return strcmp(prefixes[i][1], b->target->name) != 0;
  return false;
}

bool build_intrinsic(struct builder *b, const struct ir_inst *i) {
  const char *name = i->call->intrinsic;
  if (!strcmp(name, "ctlz")) return count(b, i, ISD_CTLZ, ISD_CTLZ_ZP);
  if (!strcmp(name, "cttz")) return count(b, i, ISD_CTTZ, ISD_CTTZ_ZP);
  for (unsigned k = 0; k < sizeof known / sizeof *known; k++)
    if (!strcmp(known[k].name, name)) return known[k].build(b, i, known[k].op);
  return of_another_target(b, name) ? build_unsupported(b, "Cannot select: intrinsic %%llvm.%s", name)
                                    : build_unsupported(b, "intrinsic llvm.%s", name);
}
