/* abi.c: x86-64 System V: where integer arguments and results go, how symbols are reached, and the
 * instructions of calls, returns and jumps through tables. */
#include "create.h"
#include "gen/targets.h"
#include "util/diag.h"

#include <string.h>

/* Numbered from 1, in this order. */
/* clang-format off */
enum reg {
  RAX = 1, RDX, RCX, RDI, RSI, R8, R9, EAX, EDX, ECX, EDI, ESI, R8D, R9D, AX, DX, CX, AL, DL, CL, RSP
};
/* clang-format on */
static const char *const regs[] = {"rax", "rdx", "rcx", "rdi", "rsi", "r8", "r9", "eax", "edx", "ecx", "edi",
                                   "esi", "r8d", "r9d", "ax",  "dx",  "cx", "al", "dl",  "cl",  "rsp"};

static const struct call_conv conv = {
    .regs = regs,
    .nregs = sizeof regs / sizeof *regs,
    .arg32 = (const uint8_t[]){EDI, ESI, EDX, ECX, R8D, R9D},
    .arg64 = (const uint8_t[]){RDI, RSI, RDX, RCX, R8, R9},
    .nargs = 6,
    .ret8 = (const uint8_t[]){AL, DL, CL},
    .ret16 = (const uint8_t[]){AX, DX, CX},
    .ret32 = (const uint8_t[]){EAX, EDX, ECX},
    .ret64 = (const uint8_t[]){RAX, RDX, RCX},
    .nrets = 3,
    .sret_returned = true,
    .vector_count = AL,
    .sp = RSP,
};

static const char *value_class(vt type) {
  switch (vt_bits(type)) {
  case 8: return "gr8";
  case 16: return "gr16";
  case 32: return "gr32";
  case 64: return "gr64";
  default: return NULL;
  }
}

static const struct {
  const char *inner, *outer;
} subclasses[] = {{"gr8_norex", "gr8"}, {"gr32_norex", "gr32"}, {"gr64_nosp", "gr64"}};

static const char *common_class(const char *a, const char *b) {
  if (!strcmp(a, b)) return a;
  for (unsigned i = 0; i < sizeof subclasses / sizeof *subclasses; i++) {
    if (!strcmp(a, subclasses[i].inner) && !strcmp(b, subclasses[i].outer)) return a;
    if (!strcmp(b, subclasses[i].inner) && !strcmp(a, subclasses[i].outer)) return b;
  }
  return NULL;
}

static const char *address_class(unsigned part, vt type) {
  (void)type;
  return part == 2 ? "gr64_nosp" : "gr64";
}

/* AH meets no instruction with a REX prefix. */
static const char *phys_class(const char *reg, vt type) {
  return strcmp(reg, "ah") ? value_class(type) : "gr8_norex";
}

static uint8_t symbol_flags(bool dso_local, bool is_call, bool pic) {
  (void)pic;
  if (dso_local) return SYM_NONE;
  return is_call ? SYM_PLT : SYM_GOTPCREL;
}

static const char *symbol_flags_text(uint8_t flags) {
  return flags == SYM_PLT ? "x86-plt" : flags == SYM_GOTPCREL ? "x86-gotpcrel" : NULL;
}

/* What may live in another object is read from the global offset table. */
static struct sdval lower_global(struct builder *b, struct sdval symbol, bool dso_local) {
  if (dso_local) return symbol;
  struct memref m = {.mem = b->pointer, .align = 8, .ir_value = MEMREF_GOT};
  return build_load(b, b->pointer, b->dag.entry, symbol, &m);
}

/* A symbol alone is reached from the instruction pointer. */
static void fix_operands(struct emitter *e, const struct inst_desc *d, struct mop *ops, unsigned n) {
  (void)e;
  unsigned at = d->nout;
  for (unsigned i = 0; i < d->nin && at < n; i++) {
    const struct mo_desc *o = &d->opnd[d->nout + i];
    if (o->kind == MO_MEM) {
      bool bare = ops[at].kind == MOP_PHYS && ops[at + 2].kind == MOP_PHYS;
      bool symbol = ops[at + 3].kind == MOP_GLOBAL || ops[at + 3].kind == MOP_EXTERNAL;
      if (bare && symbol) ops[at].text = "rip";
    }
    at += o->nmir;
  }
}

/* ---- Special nodes ------------------------------------------------------------------------------- */

static void emit_call(struct emitter *e, uint32_t node) {
  const struct call_info *info = dag_node(e->d, node)->ptr;
  struct mop ops[64];
  bool direct = emit_callee(e, node, "gr64", ops);
  unsigned n = 1;
  ops[n++] = (struct mop){.kind = MOP_REGMASK, .text = "csr_64"};
  ops[n++] = emit_implicit("rsp", false, false);
  ops[n++] = emit_implicit("ssp", false, false);
  n = emit_convention(e, ops, n, info->uses, info->nuses, false);
  ops[n++] = emit_implicit("rsp", true, false);
  ops[n++] = emit_implicit("ssp", true, false);
  n = emit_convention(e, ops, n, info->defs, info->ndefs, true);
  emit_inst(e, direct ? "CALL64pcrel32" : "CALL64r", ops, n, 0);
}

static void emit_frame(struct emitter *e, uint32_t node, const char *name, unsigned zeros) {
  struct mop ops[8] = {mop_imm((int64_t)dag_node(e->d, node)->imm)};
  unsigned n = 1;
  while (zeros--) ops[n++] = mop_imm(0);
  ops[n++] = emit_implicit("rsp", true, true);
  ops[n++] = emit_implicit("eflags", true, true);
  ops[n++] = emit_implicit("ssp", true, true);
  ops[n++] = emit_implicit("rsp", false, false);
  ops[n++] = emit_implicit("ssp", false, false);
  emit_inst(e, name, ops, n, 0);
}

static void emit_return(struct emitter *e, uint32_t node) {
  const struct ret_info *info = dag_node(e->d, node)->ptr;
  struct mop ops[8] = {mop_imm(0)};
  for (uint32_t i = 0; i < info->nuses; i++) ops[1 + i] = mop_phys(regs[info->uses[i] - 1]);
  emit_inst(e, "RET", ops, 1 + info->nuses, 0);
}

static struct mop no_reg(void) { return mop_phys("noreg"); }

static void emit_jump_table(struct emitter *e, uint32_t node) {
  struct mop table = {.kind = MOP_JUMPTABLE, .index = (uint32_t)dag_node(e->d, node)->imm};
  uint32_t index = emit_use(e, dag_operand(e->d, node, 1), "gr64_nosp");
  struct mmo *m = ARENA_NEW(e->b->arena, struct mmo);
  *m = (struct mmo){.load = true, .bytes = 8, .align = 8, .base = "jump-table"};
  if (e->b->isel->options->reloc == RELOC_STATIC) {
    struct mop ops[] = {no_reg(), mop_imm(8), mop_use(index), table, no_reg()};
    struct minst *i = emit_inst(e, "JMP64m", ops, 5, 0);
    i->mmos = m;
    i->nmmos = 1;
    return;
  }
  m->bytes = m->align = 4;
  uint32_t base = mfunc_vreg(e->mf, "gr64"), entry = mfunc_vreg(e->mf, "gr64"),
           to = mfunc_vreg(e->mf, "gr64");
  struct mop lea[] = {mop_def(base), mop_phys("rip"), mop_imm(1), no_reg(), table, no_reg()};
  emit_inst(e, "LEA64r", lea, 6, 1);
  struct mop load[] = {mop_def(entry), mop_use(base), mop_imm(4), mop_use(index), mop_imm(0), no_reg()};
  struct minst *i = emit_inst(e, "MOVSX64rm32", load, 6, 1);
  i->mmos = m;
  i->nmmos = 1;
  struct mop add[] = {mop_def(to), mop_use(base), mop_use(entry), emit_implicit("eflags", true, true)};
  emit_inst(e, "ADD64rr", add, 4, 1);
  struct mop jump[] = {mop_use(to)};
  emit_inst(e, "JMP64r", jump, 1, 0);
}

static void emit_special(struct emitter *e, uint32_t node) {
  switch (dag_node(e->d, node)->op) {
  case ISD_CALL: emit_call(e, node); break;
  case ISD_CALLSEQ_START: emit_frame(e, node, "ADJCALLSTACKDOWN64", 2); break;
  case ISD_CALLSEQ_END: emit_frame(e, node, "ADJCALLSTACKUP64", 1); break;
  case ISD_RET: emit_return(e, node); break;
  case ISD_BRJT: emit_jump_table(e, node); break;
  case ISD_TRAP: emit_inst(e, "TRAP", NULL, 0, 0); break;
  case ISD_DEBUGTRAP: emit_inst(e, "INT3", NULL, 0, 0); break;
  default: bug("x86-64: node t%u (operation %u) was not selected", node, dag_node(e->d, node)->op);
  }
}

static const char *zero(const char *cls, struct mop *source) {
  *source = mop_imm(0);
  return !strncmp(cls, "gr8", 3)    ? "MOV8ri"
         : !strncmp(cls, "gr16", 4) ? "MOV16ri"
         : !strncmp(cls, "gr32", 4) ? "MOV32ri"
                                    : "MOV64ri32";
}

static const char *jump_table_kind(bool pic) { return pic ? "label-difference32" : "block-address"; }

const struct target target_x86_64 = {
    .name = "x86-64",
    .arch = "x86_64",
    .triple = "x86_64-unknown-linux-gnu",
    .layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    .pointer_bits = 64,
    .bool_bits = 8,
    .function_align = 16,
    .jump = "JMP_1",
    .flags_reg = "eflags",
    .rows = &rows_x86_64,
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
    .min_jump_table = 4,
};
