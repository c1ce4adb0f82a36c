/* abi.c: AArch64 AAPCS on Linux: where integer arguments and results go, how symbols are reached, and the
 * instructions of calls, returns and jumps through tables. */
#include "create.h"
#include "gen/targets.h"
#include "util/diag.h"

#include <string.h>

/* Numbered from 1: x0…x8, then w0…w7, then sp. */
enum { X0 = 1, X8 = 9, W0 = 10, SP = 18 };
static const char *const regs[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
                                   "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "sp"};
static const uint8_t xs[] = {X0, X0 + 1, X0 + 2, X0 + 3, X0 + 4, X0 + 5, X0 + 6, X0 + 7};
static const uint8_t ws[] = {W0, W0 + 1, W0 + 2, W0 + 3, W0 + 4, W0 + 5, W0 + 6, W0 + 7};

static const struct call_conv conv = {
    .regs = regs,
    .nregs = sizeof regs / sizeof *regs,
    .arg32 = ws,
    .arg64 = xs,
    .nargs = 8,
    .ret32 = ws,
    .ret64 = xs,
    .nrets = 8,
    .sret = X8,
    .sp = SP,
    .wide_even = true,
};

static const char *value_class(vt type) {
  switch (vt_bits(type)) {
  case 32: return "gpr32";
  case 64: return "gpr64";
  default: return NULL;
  }
}

/* all ⊃ plain (with the zero register) and sp (with the stack pointer) ⊃ common. */
static const char *const lattice[2][4] = {{"gpr32all", "gpr32", "gpr32sp", "gpr32common"},
                                          {"gpr64all", "gpr64", "gpr64sp", "gpr64common"}};

static int class_index(const char *c, unsigned *width) {
  for (unsigned w = 0; w < 2; w++)
    for (int i = 0; i < 4; i++)
      if (!strcmp(lattice[w][i], c)) {
        *width = w;
        return i;
      }
  return -1;
}

static const char *common_class(const char *a, const char *b) {
  unsigned wa = 0, wb = 0;
  int ia = class_index(a, &wa), ib = class_index(b, &wb);
  if (ia < 0 || ib < 0 || wa != wb) return strcmp(a, b) ? NULL : a;
  return lattice[wa][ia | ib]; /* plain is bit 0, sp is bit 1, common is both */
}

static const char *address_class(unsigned part, vt type) {
  if (!part) return "gpr64sp";
  return vt_bits(type) == 32 ? "gpr32" : "gpr64";
}

static const char *phys_class(const char *reg, vt type) {
  return strcmp(reg, "sp") ? value_class(type) : "gpr64sp";
}

static uint8_t symbol_flags(bool dso_local, bool is_call, bool pic) {
  (void)pic;
  return is_call ? SYM_NONE : dso_local ? SYM_PAGE : SYM_GOT;
}

static const char *symbol_flags_text(uint8_t flags) {
  switch (flags) {
  case SYM_PAGE: return "aarch64-page";
  case SYM_PAGEOFF: return "aarch64-pageoff, aarch64-nc";
  case SYM_GOT: return "aarch64-got";
  default: return NULL;
  }
}

static struct sdval symbol_operand(struct builder *b, const struct sdsym *s, uint8_t flags) {
  struct sdsym *copy = ARENA_NEW(b->arena, struct sdsym);
  *copy = *s;
  copy->target_flags = flags;
  return dag_get(&b->dag, ISD_TARGETGLOBALADDR, &b->pointer, 1, NULL, 0, 0, (uint64_t)(uintptr_t)copy);
}

/* MOVaddr of page and offset; what may live in another object is read from the global offset table. */
static struct sdval lower_global(struct builder *b, struct sdval symbol, bool dso_local) {
  const struct sdsym *s = dag_node(&b->dag, symbol.node)->sym;
  if (!dso_local) {
    struct sdval op = symbol_operand(b, s, SYM_GOT);
    return dag_get1(&b->dag, OP_MACHINE + aarch64_LOADgot, b->pointer, &op, 1, 0);
  }
  struct sdval ops[] = {symbol_operand(b, s, SYM_PAGE), symbol_operand(b, s, SYM_PAGEOFF)};
  return dag_get1(&b->dag, OP_MACHINE + aarch64_MOVaddr, b->pointer, ops, 2, 0);
}

/* llc resolves a stack object only where there is an offset: base and index of a sum are registers. */
static void fix_operands(struct emitter *e, const struct inst_desc *d, struct mop *ops, unsigned n) {
  unsigned at = d->nout;
  for (unsigned i = 0; i < d->nin && at < n; i++) {
    const struct mo_desc *o = &d->opnd[d->nout + i];
    for (unsigned k = at; o->kind == MO_MEM && o->nmir == 4 && k < at + 2; k++) {
      if (ops[k].kind != MOP_STACK && ops[k].kind != MOP_FIXED) continue;
      uint32_t base = mfunc_vreg(e->mf, k == at ? "gpr64sp" : "gpr64common");
      struct mop add[] = {mop_def(base), ops[k], mop_imm(0), mop_imm(0)};
      emit_inst(e, "ADDXri", add, 4, 1);
      ops[k] = mop_use(base);
    }
    at += o->nmir;
  }
}

/* ---- Special nodes ------------------------------------------------------------------------------- */

static void emit_call(struct emitter *e, uint32_t node) {
  const struct call_info *info = dag_node(e->d, node)->ptr;
  struct mop ops[64];
  bool direct = emit_callee(e, node, "gpr64", ops);
  unsigned n = 1;
  ops[n++] = (struct mop){.kind = MOP_REGMASK, .text = "csr_aarch64_aapcs"};
  ops[n++] = emit_implicit("lr", true, true);
  ops[n++] = emit_implicit("sp", false, false);
  n = emit_convention(e, ops, n, info->uses, info->nuses, false);
  ops[n++] = emit_implicit("sp", true, false);
  n = emit_convention(e, ops, n, info->defs, info->ndefs, true);
  emit_inst(e, direct ? "BL" : "BLR", ops, n, 0);
}

static void emit_frame(struct emitter *e, uint32_t node, const char *name) {
  struct mop ops[] = {mop_imm((int64_t)dag_node(e->d, node)->imm), mop_imm(0),
                      emit_implicit("sp", true, true), emit_implicit("sp", false, false)};
  emit_inst(e, name, ops, 4, 0);
}

static void emit_jump_table(struct emitter *e, uint32_t node) {
  uint32_t table = (uint32_t)dag_node(e->d, node)->imm;
  struct mop page = {.kind = MOP_JUMPTABLE, .index = table, .target_flags = "aarch64-page"};
  struct mop off = {.kind = MOP_JUMPTABLE, .index = table, .target_flags = "aarch64-pageoff, aarch64-nc"};
  uint32_t index = emit_use(e, dag_operand(e->d, node, 1), "gpr64");
  uint32_t base = mfunc_vreg(e->mf, "gpr64common"), to = mfunc_vreg(e->mf, "gpr64"),
           tmp = mfunc_vreg(e->mf, "gpr64sp");
  struct mop address[] = {mop_def(base), page, off};
  emit_inst(e, "MOVaddrJT", address, 3, 1);
  struct mop dest[] = {
      mop_def(to), mop_def(tmp), mop_use(base), mop_use(index), {.kind = MOP_JUMPTABLE, .index = table}};
  dest[0].early_clobber = dest[1].early_clobber = true;
  emit_inst(e, "JumpTableDest32", dest, 5, 2);
  struct mop jump[] = {mop_use(to)};
  emit_inst(e, "BR", jump, 1, 0);
}

static void emit_special(struct emitter *e, uint32_t node) {
  struct mop one = mop_imm(1), breakpoint = mop_imm(0xf000);
  switch (dag_node(e->d, node)->op) {
  case ISD_CALL: emit_call(e, node); break;
  case ISD_CALLSEQ_START: emit_frame(e, node, "ADJCALLSTACKDOWN"); break;
  case ISD_CALLSEQ_END: emit_frame(e, node, "ADJCALLSTACKUP"); break;
  case ISD_RET: emit_plain_return(e, node, "RET_ReallyLR"); break;
  case ISD_BRJT: emit_jump_table(e, node); break;
  case ISD_TRAP: emit_inst(e, "BRK", &one, 1, 0); break;
  case ISD_DEBUGTRAP: emit_inst(e, "BRK", &breakpoint, 1, 0); break;
  default: bug("aarch64: node t%u (operation %u) was not selected", node, dag_node(e->d, node)->op);
  }
}

static const char *zero(const char *cls, struct mop *source) {
  *source = mop_phys(strncmp(cls, "gpr32", 5) ? "xzr" : "wzr");
  return "COPY";
}

static const char *jump_table_kind(bool pic) {
  (void)pic;
  return "block-address";
}

const struct target target_aarch64 = {
    .name = "aarch64",
    .arch = "aarch64",
    .triple = "aarch64-unknown-linux-gnu",
    .layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
    .pointer_bits = 64,
    .bool_bits = 32,
    .function_align = 4,
    .jump = "B",
    .flags_reg = "nzcv",
    .rows = &rows_aarch64,
    .conv = &conv,
    .value_class = value_class,
    .common_class = common_class,
    .symbol_flags = symbol_flags,
    .symbol_flags_text = symbol_flags_text,
    .lower_global = lower_global,
    .emit_special = emit_special,
    .fix_operands = fix_operands,
    .address_class = address_class,
    .phys_class = phys_class,
    .zero = zero,
    .jump_table_kind = jump_table_kind,
    .min_jump_table = 13,
};
