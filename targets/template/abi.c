/* abi.c: Tessera's convention: four argument registers, two result registers, the rest of the arguments on
 * the stack. Both byte orders share it. There is no assembler for the machine: its MIR is for reading and for
 * tests. */
#include "create.h"
#include "gen/targets.h"
#include "util/diag.h"

#include <string.h>

/* Numbered from 1: a0…a3, then sp. */
enum { A0 = 1, SP = 5 };
static const char *const regs[] = {"a0", "a1", "a2", "a3", "sp"};
static const uint8_t args[] = {A0, A0 + 1, A0 + 2, A0 + 3};

static const struct call_conv conv = {
    .regs = regs,
    .nregs = sizeof regs / sizeof *regs,
    .arg32 = args,
    .arg64 = args,
    .nargs = 4,
    .ret32 = args,
    .ret64 = args,
    .nrets = 2,
    .sp = SP,
    .word = 32,
};

static const char *value_class(vt type) { return vt_bits(type) == 32 ? "gpr" : NULL; }

static const char *common_class(const char *a, const char *b) { return strcmp(a, b) ? NULL : a; }

static const char *address_class(unsigned part, vt type) {
  (void)part, (void)type;
  return "gpr";
}

static const char *phys_class(const char *reg, vt type) {
  (void)reg;
  return value_class(type);
}

static uint8_t symbol_flags(bool dso_local, bool is_call, bool pic) {
  (void)dso_local, (void)is_call, (void)pic;
  return SYM_NONE;
}

static const char *symbol_flags_text(uint8_t flags) {
  (void)flags;
  return NULL;
}

/* LI takes a symbol where it takes a number. */
static struct sdval lower_global(struct builder *b, struct sdval symbol, bool dso_local) {
  (void)dso_local;
  struct sdsym *copy = ARENA_NEW(b->arena, struct sdsym);
  *copy = *dag_node(&b->dag, symbol.node)->sym;
  struct sdval op =
      dag_get(&b->dag, ISD_TARGETGLOBALADDR, &b->pointer, 1, NULL, 0, 0, (uint64_t)(uintptr_t)copy);
  uint16_t li = strcmp(b->target->name, "tessera") ? OP_MACHINE + tessera_be_LI : OP_MACHINE + tessera_LI;
  return dag_get1(&b->dag, li, b->pointer, &op, 1, 0);
}

static void emit_call(struct emitter *e, uint32_t node) {
  const struct call_info *info = dag_node(e->d, node)->ptr;
  struct mop ops[32];
  bool direct = emit_callee(e, node, "gpr", ops);
  unsigned n = 1;
  ops[n++] = emit_implicit("ra", true, true);
  n = emit_convention(e, ops, n, info->uses, info->nuses, false);
  n = emit_convention(e, ops, n, info->defs, info->ndefs, true);
  emit_inst(e, direct ? "CALL" : "CALLR", ops, n, 0);
}

static void emit_frame(struct emitter *e, uint32_t node, const char *name) {
  struct mop ops[] = {mop_imm((int64_t)dag_node(e->d, node)->imm)};
  emit_inst(e, name, ops, 1, 0);
}

static void emit_special(struct emitter *e, uint32_t node) {
  switch (dag_node(e->d, node)->op) {
  case ISD_CALL: emit_call(e, node); break;
  case ISD_CALLSEQ_START: emit_frame(e, node, "ADJCALLSTACKDOWN"); break;
  case ISD_CALLSEQ_END: emit_frame(e, node, "ADJCALLSTACKUP"); break;
  case ISD_RET: emit_plain_return(e, node, "RET"); break;
  case ISD_TRAP: emit_inst(e, "TRAP", NULL, 0, 0); break;
  default: bug("tessera: node t%u (operation %u) was not selected", node, dag_node(e->d, node)->op);
  }
}

static const char *zero(const char *cls, struct mop *source) {
  (void)cls;
  *source = mop_phys("zero");
  return "COPY";
}

static const char *jump_table_kind(bool pic) {
  (void)pic;
  return "block-address";
}

#define TESSERA(c_name, dash_name, order, big)                                                               \
  const struct target target_##c_name = {                                                                    \
      .name = dash_name,                                                                                     \
      .arch = dash_name,                                                                                     \
      .triple = dash_name,                                                                                   \
      .layout = order "-p:32:32-i64:32-n32-S64",                                                             \
      .pointer_bits = 32,                                                                                    \
      .big_endian = big,                                                                                     \
      .bool_bits = 32,                                                                                       \
      .function_align = 4,                                                                                   \
      .jump = "J",                                                                                           \
      .flags_reg = "",                                                                                       \
      .rows = &rows_##c_name,                                                                                \
      .conv = &conv,                                                                                         \
      .value_class = value_class,                                                                            \
      .common_class = common_class,                                                                          \
      .symbol_flags = symbol_flags,                                                                          \
      .symbol_flags_text = symbol_flags_text,                                                                \
      .lower_global = lower_global,                                                                          \
      .emit_special = emit_special,                                                                          \
      .address_class = address_class,                                                                        \
      .phys_class = phys_class,                                                                              \
      .zero = zero,                                                                                          \
      .jump_table_kind = jump_table_kind,                                                                    \
      .min_jump_table = 255,                                                                                 \
  }

TESSERA(tessera, "tessera", "e", false);
TESSERA(tessera_be, "tessera-be", "E", true);
