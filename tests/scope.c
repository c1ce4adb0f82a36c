/* scope: says whether a module lies inside what the selector promises to handle: integers and pointers, no
 * floating point, vectors, variadic function bodies, aggregates by value, inline assembly, atomic
 * read-modify-write, exceptions, computed gotos or thread-local storage. It reads the IR through LLVM's C API
 * and shares no code with the selector, so that the two can disagree.
 *
 *   scope FILE.ll|FILE.bc      prints "in" and exits 0, or "out: reason" and exits 1; 2 when the file does
 * not parse
 */
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* NULL when values of this type are in scope, else the reason. */
static const char *type_outside(LLVMTypeRef t, bool by_value) {
  switch (LLVMGetTypeKind(t)) {
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(t) <= 128 ? NULL : "integer wider than 128 bits";
  case LLVMVoidTypeKind:
  case LLVMLabelTypeKind:
  case LLVMMetadataTypeKind:
  case LLVMFunctionTypeKind:
  case LLVMPointerTypeKind: return NULL;
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind: return by_value ? "aggregate by value" : NULL;
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind: return "vector";
  default: return "floating point";
  }
}

static bool has_attr(LLVMValueRef fn, unsigned index, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  return LLVMGetEnumAttributeAtIndex(fn, index, kind) != NULL;
}

static bool call_has_attr(LLVMValueRef call, unsigned index, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  return LLVMGetCallSiteEnumAttribute(call, index, kind) != NULL;
}

/* Intrinsics that are in scope beside those on plain integers: reasons are by prefix of the name. */
static const char *intrinsic_outside(const char *name) {
  static const char *const known[] = {
      "llvm.lifetime.",
      "llvm.memcpy.",
      "llvm.memmove.",
      "llvm.memset.",
      "llvm.cttz.",
      "llvm.ctlz.",
      "llvm.ctpop.",
      "llvm.bswap.",
      "llvm.bitreverse.",
      "llvm.fshl.",
      "llvm.fshr.",
      "llvm.umin.",
      "llvm.umax.",
      "llvm.smin.",
      "llvm.smax.",
      "llvm.abs.",
      "llvm.assume",
      "llvm.expect.",
      "llvm.uadd.",
      "llvm.sadd.",
      "llvm.usub.",
      "llvm.ssub.",
      "llvm.umul.with",
      "llvm.smul.with",
      "llvm.dbg.",
      "llvm.objectsize.",
      "llvm.is.constant",
      "llvm.invariant.",
      "llvm.launder.",
      "llvm.strip.",
      "llvm.experimental.noalias.scope",
      "llvm.donothing",
      "llvm.sideeffect",
      "llvm.ucmp.",
      "llvm.scmp.",
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(name, known[i], strlen(known[i]))) return NULL;
  return "intrinsic";
}

static const char *call_outside(LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (LLVMIsAInlineAsm(callee)) return "inline assembly";
  if (LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail) return "musttail call";
  size_t len;
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &len) : "";
  if (!strncmp(name, "llvm.", 5)) {
    bool overflow = strstr(name, ".with.overflow.") != NULL;
    const char *why = intrinsic_outside(name);
    return why || overflow ? why : type_outside(LLVMTypeOf(call), true);
  }
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    if (call_has_attr(call, i + 1, "byval")) return "aggregate by value";
    const char *why = type_outside(LLVMTypeOf(LLVMGetOperand(call, i)), true);
    if (why) return why;
  }
  if (call_has_attr(call, LLVMAttributeFunctionIndex, "returns_twice")) return "returns_twice";
  return type_outside(LLVMTypeOf(call), true);
}

static const char *inst_outside(LLVMValueRef inst) {
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMCall: return call_outside(inst);
  case LLVMInvoke:
  case LLVMLandingPad:
  case LLVMResume: return "exceptions";
  case LLVMIndirectBr:
  case LLVMCallBr: return "computed goto";
  case LLVMAtomicCmpXchg:
  case LLVMAtomicRMW:
  case LLVMFence: return "atomic operation";
  case LLVMVAArg: return "va_arg";
  case LLVMLoad:
  case LLVMStore:
    if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic) return "atomic operation";
    break;
  case LLVMAlloca:
    if (!LLVMIsConstant(LLVMGetOperand(inst, 0))) return "dynamic alloca";
    return NULL;
  default: break;
  }
  bool aggregate = LLVMGetInstructionOpcode(inst) == LLVMExtractValue;
  for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
    LLVMValueRef op = LLVMGetOperand(inst, (unsigned)i);
    if (LLVMIsABlockAddress(op)) return "computed goto";
    if (LLVMIsAGlobalVariable(op) && LLVMIsThreadLocal(op)) return "thread-local storage";
    const char *why = type_outside(LLVMTypeOf(op), !aggregate);
    if (why) return why;
  }
  return type_outside(LLVMTypeOf(inst), true);
}

static const char *function_outside(LLVMValueRef fn) {
  LLVMTypeRef type = LLVMGlobalGetValueType(fn);
  if (LLVMIsFunctionVarArg(type)) return "variadic function body";
  const char *why = type_outside(LLVMGetReturnType(type), true);
  for (unsigned i = 0; !why && i < LLVMCountParams(fn); i++) {
    why = type_outside(LLVMTypeOf(LLVMGetParam(fn, i)), true);
    if (has_attr(fn, i + 1, "byval")) why = "aggregate by value";
  }
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b && !why; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !why; i = LLVMGetNextInstruction(i))
      why = inst_outside(i);
  return why;
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: scope FILE\n"), 2;
  LLVMMemoryBufferRef buf;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &buf, &message))
    return fprintf(stderr, "%s: error: %s\n", argv[1], message), 2;
  LLVMContextRef ctx = LLVMContextCreate();
  LLVMModuleRef m;
  if (LLVMParseIRInContext(ctx, buf, &m, &message))
    return fprintf(stderr, "%s: error: %s\n", argv[1], message), 2;
  size_t len;
  if (LLVMGetModuleInlineAsm(m, &len) && len) return printf("out: inline assembly\n"), 1;
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
    const char *why = LLVMIsDeclaration(f) ? NULL : function_outside(f);
    if (why) return printf("out: %s (%s)\n", why, LLVMGetValueName2(f, &len)), 1;
  }
  printf("in\n");
  return 0;
}
