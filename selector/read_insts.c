/* read_insts.c: blocks and instructions of the IR reader. */
#include "model.h"
#include "read_llvm.h"
#include "util/diag.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#define FLAG(f) ((uint16_t)(1u << (f)))

static const struct {
  uint8_t op;
  const char *refused;
} opcode_map[] = {
    [LLVMRet] = {IR_RET, NULL},
    [LLVMBr] = {IR_BR, NULL},
    [LLVMSwitch] = {IR_SWITCH, NULL},
    [LLVMUnreachable] = {IR_UNREACHABLE, NULL},
    [LLVMAdd] = {IR_ADD, NULL},
    [LLVMSub] = {IR_SUB, NULL},
    [LLVMMul] = {IR_MUL, NULL},
    [LLVMUDiv] = {IR_UDIV, NULL},
    [LLVMSDiv] = {IR_SDIV, NULL},
    [LLVMURem] = {IR_UREM, NULL},
    [LLVMSRem] = {IR_SREM, NULL},
    [LLVMShl] = {IR_SHL, NULL},
    [LLVMLShr] = {IR_LSHR, NULL},
    [LLVMAShr] = {IR_ASHR, NULL},
    [LLVMAnd] = {IR_AND, NULL},
    [LLVMOr] = {IR_OR, NULL},
    [LLVMXor] = {IR_XOR, NULL},
    [LLVMAlloca] = {IR_ALLOCA, NULL},
    [LLVMLoad] = {IR_LOAD, NULL},
    [LLVMStore] = {IR_STORE, NULL},
    [LLVMGetElementPtr] = {IR_GEP, NULL},
    [LLVMTrunc] = {IR_TRUNC, NULL},
    [LLVMZExt] = {IR_ZEXT, NULL},
    [LLVMSExt] = {IR_SEXT, NULL},
    [LLVMPtrToInt] = {IR_PTRCAST, NULL},
    [LLVMIntToPtr] = {IR_PTRCAST, NULL},
    [LLVMBitCast] = {IR_PTRCAST, NULL},
    [LLVMPtrToAddr] = {IR_PTRCAST, NULL},
    [LLVMICmp] = {IR_ICMP, NULL},
    [LLVMPHI] = {IR_PHI, NULL},
    [LLVMCall] = {IR_CALL, NULL},
    [LLVMSelect] = {IR_SELECT, NULL},
    [LLVMExtractValue] = {IR_EXTRACT, NULL},
    [LLVMInsertValue] = {IR_INSERT, NULL},
    [LLVMFreeze] = {IR_FREEZE, NULL},
    [LLVMIndirectBr] = {0, "indirectbr"},
    [LLVMInvoke] = {0, "invoke"},
    [LLVMCallBr] = {0, "callbr"},
    [LLVMFNeg] = {0, "floating-point operation fneg"},
    [LLVMFAdd] = {0, "floating-point operation fadd"},
    [LLVMFSub] = {0, "floating-point operation fsub"},
    [LLVMFMul] = {0, "floating-point operation fmul"},
    [LLVMFDiv] = {0, "floating-point operation fdiv"},
    [LLVMFRem] = {0, "floating-point operation frem"},
    [LLVMFCmp] = {0, "floating-point operation fcmp"},
    [LLVMFPToUI] = {0, "floating-point operation fptoui"},
    [LLVMFPToSI] = {0, "floating-point operation fptosi"},
    [LLVMUIToFP] = {0, "floating-point operation uitofp"},
    [LLVMSIToFP] = {0, "floating-point operation sitofp"},
    [LLVMFPTrunc] = {0, "floating-point operation fptrunc"},
    [LLVMFPExt] = {0, "floating-point operation fpext"},
    [LLVMAddrSpaceCast] = {0, "addrspacecast"},
    [LLVMVAArg] = {0, "va_arg"},
    [LLVMExtractElement] = {0, "vector operation extractelement"},
    [LLVMInsertElement] = {0, "vector operation insertelement"},
    [LLVMShuffleVector] = {0, "vector operation shufflevector"},
    [LLVMFence] = {0, "fence"},
    [LLVMAtomicCmpXchg] = {0, "cmpxchg"},
    [LLVMAtomicRMW] = {0, "atomicrmw"},
    [LLVMResume] = {0, "resume"},
    [LLVMLandingPad] = {0, "landingpad"},
    [LLVMCleanupRet] = {0, "cleanupret"},
    [LLVMCatchRet] = {0, "catchret"},
    [LLVMCatchPad] = {0, "catchpad"},
    [LLVMCleanupPad] = {0, "cleanuppad"},
    [LLVMCatchSwitch] = {0, "catchswitch"},
};

/* Calls of these vanish: they say nothing about the code. */
static bool is_debug_call(LLVMValueRef v) {
  if (!LLVMIsACallInst(v)) return false;
  size_t len;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(v), &len);
  return !strncmp(name, "llvm.dbg.", 9) || !strcmp(name, "llvm.experimental.noalias.scope.decl");
}

static const uint32_t *copy_ids(struct reader *r, const uint32_t *ids, uint32_t n) {
  uint32_t *out = ARENA_ARRAY(r->arena, uint32_t, n + 1);
  memcpy(out, ids, n * sizeof *ids);
  return out;
}

static bool read_operands(struct reader *r, LLVMValueRef v, uint32_t first, uint32_t n, struct ir_inst *out) {
  uint32_t *ops = ARENA_ARRAY(r->arena, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++)
    if (!(ops[i] = read_value(r, LLVMGetOperand(v, first + i)))) return false;
  out->ops = ops;
  out->nops = n;
  return true;
}

static uint16_t inst_flags(LLVMValueRef v, LLVMOpcode op) {
  uint16_t f = 0;
  switch (op) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMTrunc:
    if (LLVMGetNSW(v)) f |= FLAG(FLAG_NSW);
    if (LLVMGetNUW(v)) f |= FLAG(FLAG_NUW);
    return f;
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMLShr:
  case LLVMAShr: return LLVMGetExact(v) ? FLAG(FLAG_EXACT) : 0;
  case LLVMOr: return LLVMGetIsDisjoint(v) ? FLAG(FLAG_DISJOINT) : 0;
  case LLVMZExt: return LLVMGetNNeg(v) ? FLAG(FLAG_NNEG) : 0;
  case LLVMICmp: return LLVMGetICmpSameSign(v) ? FLAG(FLAG_SAMESIGN) : 0;
  default: return 0;
  }
}

static bool read_mem(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  LLVMAtomicOrdering o = LLVMGetOrdering(v);
  bool load = LLVMIsALoadInst(v) != NULL;
  if (o > LLVMAtomicOrderingMonotonic) return ir_unsupported(r, "atomic %s", load ? "load" : "store");
  out->mem = (struct ir_mem){.align = LLVMGetAlignment(v),
                             .is_volatile = LLVMGetVolatile(v),
                             .atomic = o != LLVMAtomicOrderingNotAtomic,
                             .ordering = (uint8_t)o};
  if (out->mem.atomic && out->type->bytes > 8)
    return ir_unsupported(r, "wide atomic %s", load ? "load" : "store");
  return true;
}

static bool read_alloca(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  LLVMValueRef count = LLVMGetOperand(v, 0);
  if (!LLVMIsAConstantInt(count) || out->block) return ir_unsupported(r, "dynamic alloca");
  LLVMTypeRef t = LLVMGetAllocatedType(v);
  if (LLVMGetTypeKind(t) == LLVMScalableVectorTypeKind) return ir_unsupported(r, "scalable vector type");
  size_t len;
  uint64_t bytes = LLVMABISizeOfType(r->m->data, t) * LLVMConstIntGetZExtValue(count);
  out->alloca.bytes = bytes;
  out->alloca.align = LLVMGetAlignment(v);
  out->alloca.slot = r->f->slots.n;
  *vec_push(&r->f->slots) = (struct ir_slot){.bytes = bytes,
                                             .align = out->alloca.align,
                                             .value = out->value,
                                             .name = arena_strdup(r->arena, LLVMGetValueName2(v, &len))};
  return true;
}

static const char *intrinsic_name(struct reader *r, LLVMValueRef callee) {
  unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
  if (!id) return NULL;
  size_t len;
  const char *name = LLVMIntrinsicGetName(id, &len);
  return intern(&r->m->names, name + 5, len - 5); /* past "llvm." */
}

static bool call_refused(struct reader *r, LLVMValueRef v, const char *intrinsic) {
  if (LLVMGetTailCallKind(v) == LLVMTailCallKindMustTail) return !ir_unsupported(r, "musttail call");
  if (LLVMIsAInlineAsm(LLVMGetCalledValue(v))) return !ir_unsupported(r, "inline assembly");
  unsigned cc = LLVMGetInstructionCallConv(v);
  if (cc != LLVMCCallConv && cc != LLVMFastCallConv && cc != LLVMColdCallConv)
    return !ir_unsupported(r, "calling convention %u", cc);
  if (LLVMGetNumOperandBundles(v) && (!intrinsic || strcmp(intrinsic, "assume")))
    return !ir_unsupported(r, "operand bundle");
  if (LLVMGetCallSiteEnumAttribute(v, LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName("returns_twice", 13)) ||
      (LLVMIsAFunction(LLVMGetCalledValue(v)) &&
       LLVMGetEnumAttributeAtIndex(LLVMGetCalledValue(v), LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName("returns_twice", 13))))
    return !ir_unsupported(r, "call of a function that returns twice");
  return false;
}

static bool read_call(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  LLVMValueRef callee = LLVMGetCalledValue(v);
  struct ir_call *c = ARENA_NEW(r->arena, struct ir_call);
  c->intrinsic = intrinsic_name(r, callee);
  if (call_refused(r, v, c->intrinsic)) return false;
  c->nargs = LLVMGetNumArgOperands(v);
  LLVMTypeRef type = LLVMGetCalledFunctionType(v);
  c->variadic = LLVMIsFunctionVarArg(type);
  c->nfixed = LLVMCountParamTypes(type);
  /* An intrinsic outside what the builder knows is named first, before the kinds of its operands. */
  for (uint32_t i = 0; c->intrinsic && i < c->nargs; i++)
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, i))) == LLVMMetadataTypeKind)
      return ir_unsupported(r, "intrinsic llvm.%s", c->intrinsic);
  if (!read_operands(r, v, 0, c->nargs, out)) return false;
  c->args = out->ops;
  uint8_t *flags = ARENA_ARRAY(r->arena, uint8_t, c->nargs + 1);
  for (uint32_t i = 0; i < c->nargs; i++) flags[i] = read_arg_flags(r, v, i + 1, true);
  c->arg_flags = flags;
  c->ret_flags = read_arg_flags(r, v, LLVMAttributeReturnIndex, true);
  if (!c->intrinsic && !(c->callee = read_value(r, callee))) return false;
  out->call = c;
  return r->what == NULL;
}

static uint32_t block_id(struct reader *r, LLVMBasicBlockRef b) { return ptr_map_get(&r->blocks, b) - 1; }

static bool read_switch(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  uint32_t n = LLVMGetNumSuccessors(v) - 1;
  struct ir_switch *s = ARENA_NEW(r->arena, struct ir_switch);
  struct ir_case *cases = ARENA_ARRAY(r->arena, struct ir_case, n + 1);
  if (!read_operands(r, v, 0, 1, out)) return false;
  unsigned bits = vt_bits(ir_part(r->f, out->ops[0], 0));
  for (uint32_t i = 0; i < n; i++) {
    LLVMValueRef value = LLVMGetSwitchCaseValue(v, i + 1);
    uint32_t id = read_value(r, value);
    if (!id) return false;
    cases[i] = (struct ir_case){.value = bv_trunc(*r->f->values.at[id].bits, bits),
                                .block = block_id(r, LLVMGetSuccessor(v, i + 1))};
  }
  *s = (struct ir_switch){.fallback = block_id(r, LLVMGetSwitchDefaultDest(v)), .ncases = n, .cases = cases};
  out->sw = s;
  return true;
}

static bool read_branch(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  uint32_t n = LLVMGetNumSuccessors(v), targets[2];
  for (uint32_t i = 0; i < n; i++) targets[i] = block_id(r, LLVMGetSuccessor(v, i));
  out->op = n == 2 ? IR_CONDBR : IR_BR;
  out->blocks = copy_ids(r, targets, n);
  if (n == 1) return true;
  uint32_t cond = read_value(r, LLVMGetCondition(v));
  out->nops = 1;
  out->ops = copy_ids(r, &cond, 1);
  return cond != 0;
}

static bool read_phi(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  uint32_t n = LLVMCountIncoming(v);
  uint32_t *blocks = ARENA_ARRAY(r->arena, uint32_t, n + 1);
  uint32_t *ops = ARENA_ARRAY(r->arena, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    blocks[i] = block_id(r, LLVMGetIncomingBlock(v, i));
    if (!(ops[i] = read_value(r, LLVMGetIncomingValue(v, i)))) return false;
  }
  out->ops = ops;
  out->nops = n;
  out->blocks = blocks;
  return true;
}

static bool read_store(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  if (!read_operands(r, v, 0, 2, out)) return false;
  out->type = r->f->values.at[out->ops[0]].type;
  return read_mem(r, v, out);
}

static bool read_part(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  bool insert = out->op == IR_INSERT;
  if (!read_operands(r, v, 0, insert ? 2 : 1, out)) return false;
  return read_path(r, v, LLVMTypeOf(LLVMGetOperand(v, 0)), &out->part.first, &out->part.count);
}

static bool read_inst(struct reader *r, LLVMValueRef v, struct ir_inst *out) {
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  if (op >= sizeof opcode_map / sizeof *opcode_map) return ir_unsupported(r, "instruction %d", (int)op);
  if (opcode_map[op].refused) return ir_unsupported(r, "%s", opcode_map[op].refused);
  out->op = opcode_map[op].op;
  out->flags = inst_flags(v, op);
  out->type = read_type(r, LLVMTypeOf(v));
  LLVMMetadataRef where = LLVMInstructionGetDebugLoc(v);
  if (where) out->loc = LLVMDILocationGetLine(where);
  if (!out->type) return false;
  switch (out->op) {
  case IR_ALLOCA: return read_alloca(r, v, out);
  case IR_LOAD: return read_operands(r, v, 0, 1, out) && read_mem(r, v, out);
  case IR_STORE: return read_store(r, v, out);
  case IR_GEP: return (out->gep = read_gep(r, v, &out->ops, &out->nops)) != NULL;
  case IR_CALL: return read_call(r, v, out);
  case IR_SWITCH: return read_switch(r, v, out);
  case IR_BR: return read_branch(r, v, out);
  case IR_PHI: return read_phi(r, v, out);
  case IR_EXTRACT:
  case IR_INSERT: return read_part(r, v, out);
  case IR_RET:
    if (!read_operands(r, v, 0, (uint32_t)LLVMGetNumOperands(v), out)) return false;
    if (out->nops) out->type = r->f->values.at[out->ops[0]].type;
    return true;
  case IR_ICMP: {
    static const uint8_t preds[] = {IP_EQ,  IP_NE,  IP_UGT, IP_UGE, IP_ULT,
                                    IP_ULE, IP_SGT, IP_SGE, IP_SLT, IP_SLE};
    out->pred = preds[LLVMGetICmpPredicate(v) - LLVMIntEQ];
    return read_operands(r, v, 0, 2, out);
  }
  default: return read_operands(r, v, 0, (uint32_t)LLVMGetNumOperands(v), out);
  }
}

/* ---- Names and uses ------------------------------------------------------------------------------ */

static bool plain_name(const char *s) {
  for (; *s; s++)
    if (!strchr("-._$", *s) && !(*s >= '0' && *s <= '9') && !((*s | 32) >= 'a' && (*s | 32) <= 'z'))
      return false;
  return true;
}

/* What MIR writes after %ir. or %ir-block.: the name, or the slot number that LLVM's printer counts. A name
 * that would need quotes is left out: MIR does not need it. */
static const char *mir_name(struct reader *r, const char *name, bool counts, unsigned *slot) {
  if (*name) return plain_name(name) ? arena_strdup(r->arena, name) : NULL;
  return counts ? arena_printf(r->arena, "%u", (*slot)++) : NULL;
}

static bool declare_values(struct reader *r, LLVMValueRef fn) {
  struct ir_function *f = r->f;
  unsigned slot = 0;
  size_t len;
  for (uint32_t i = 0; i < f->nargs; i++)
    f->values.at[f->args[i]].name = mir_name(r, LLVMGetValueName2(LLVMGetParam(fn, i), &len), true, &slot);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
    ptr_map_put(&r->blocks, b, f->blocks.n + 1);
    *vec_push(&f->blocks) = (struct ir_block){.name = mir_name(r, LLVMGetBasicBlockName(b), true, &slot)};
    for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
      bool is_void = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind;
      const char *name = mir_name(r, LLVMGetValueName2(v, &len), !is_void, &slot);
      if (is_void) continue;
      LLVMOpcode op = LLVMGetInstructionOpcode(v);
      if (op < sizeof opcode_map / sizeof *opcode_map && opcode_map[op].refused)
        return ir_unsupported(r, "%s", opcode_map[op].refused);
      const struct ir_type *t = read_type(r, LLVMTypeOf(v));
      if (!t) return false;
      uint32_t id = new_value(r, IRV_INST, t);
      f->values.at[id].name = name;
      ptr_map_put(&r->values, v, id);
    }
  }
  return true;
}

static void note_use(struct ir_function *f, uint32_t id, const struct ir_inst *user) {
  struct ir_value *v = &f->values.at[id];
  if (v->kind == IRV_EXPR || v->kind == IRV_AGGREGATE || v->kind > IRV_INST) return;
  v->nuses++;
  uint32_t block = v->kind == IRV_ARG ? 0 : f->insts.at[v->index].block;
  if (user->op == IR_PHI || user->block != block) v->used_outside = true;
}

static void count_uses(struct ir_function *f) {
  for (uint32_t i = 0; i < f->insts.n; i++) {
    const struct ir_inst *inst = &f->insts.at[i];
    for (uint32_t k = 0; k < inst->nops; k++) note_use(f, inst->ops[k], inst);
    if (inst->op == IR_CALL && inst->call->callee) note_use(f, inst->call->callee, inst);
  }
}

bool read_body(struct reader *r, LLVMValueRef fn) {
  struct ir_function *f = r->f;
  if (!declare_values(r, fn)) return false;
  uint32_t block = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b), block++) {
    f->blocks.at[block].first = f->insts.n;
    for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
      if (is_debug_call(v)) continue;
      struct ir_inst inst = {.block = block, .value = ptr_map_get(&r->values, v)};
      if (inst.value) f->values.at[inst.value].index = f->insts.n;
      if (!read_inst(r, v, &inst)) return false;
      *vec_push(&f->insts) = inst;
    }
    f->blocks.at[block].n = f->insts.n - f->blocks.at[block].first;
  }
  count_uses(f);
  return true;
}
