/* read_values.c: types as scalar parts, constants, and addresses of the IR reader. */
#include "read_llvm.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 64 };

/* ---- Types --------------------------------------------------------------------------------------- */

struct part_list {
  uint32_t n;
  vt parts[MAX_PARTS];
  uint32_t offsets[MAX_PARTS];
  bool is_ptr[MAX_PARTS];
};

static const char *kind_name(LLVMTypeKind k) {
  switch (k) {
  case LLVMHalfTypeKind: return "floating-point type half";
  case LLVMBFloatTypeKind: return "floating-point type bfloat";
  case LLVMFloatTypeKind: return "floating-point type float";
  case LLVMDoubleTypeKind: return "floating-point type double";
  case LLVMX86_FP80TypeKind: return "floating-point type x86_fp80";
  case LLVMFP128TypeKind: return "floating-point type fp128";
  case LLVMPPC_FP128TypeKind: return "floating-point type ppc_fp128";
  case LLVMVectorTypeKind: return "vector type";
  case LLVMScalableVectorTypeKind: return "scalable vector type";
  case LLVMTokenTypeKind: return "token type";
  case LLVMMetadataTypeKind: return "metadata operand";
  case LLVMX86_AMXTypeKind: return "AMX type";
  default: return "type of this kind";
  }
}

static bool add_part(struct reader *r, struct part_list *l, vt t, uint64_t offset, bool is_ptr) {
  if (l->n == MAX_PARTS) return ir_unsupported(r, "aggregate value of more than %d parts", MAX_PARTS);
  l->parts[l->n] = t;
  l->offsets[l->n] = (uint32_t)offset;
  l->is_ptr[l->n++] = is_ptr;
  return true;
}

static bool flatten(struct reader *r, struct part_list *l, LLVMTypeRef t, uint64_t offset) {
  LLVMTypeKind kind = LLVMGetTypeKind(t);
  switch (kind) {
  case LLVMVoidTypeKind:
  case LLVMLabelTypeKind: return true;
  case LLVMIntegerTypeKind: {
    unsigned bits = LLVMGetIntTypeWidth(t);
    if (bits > VT_MAX_BITS) return ir_unsupported(r, "integer of %u bits", bits);
    return add_part(r, l, vt_int(bits), offset, false);
  }
  case LLVMPointerTypeKind:
    if (LLVMGetPointerAddressSpace(t))
      return ir_unsupported(r, "address space %u", LLVMGetPointerAddressSpace(t));
    return add_part(r, l, vt_int(8 * LLVMPointerSize(r->m->data)), offset, true);
  case LLVMStructTypeKind:
    if (LLVMIsOpaqueStruct(t)) return ir_unsupported(r, "value of an opaque type");
    for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
      if (!flatten(r, l, LLVMStructGetTypeAtIndex(t, i), offset + LLVMOffsetOfElement(r->m->data, t, i)))
        return false;
    return true;
  case LLVMArrayTypeKind: {
    LLVMTypeRef e = LLVMGetElementType(t);
    uint64_t step = LLVMABISizeOfType(r->m->data, e);
    for (uint64_t i = 0; i < LLVMGetArrayLength2(t); i++)
      if (!flatten(r, l, e, offset + i * step)) return false;
    return true;
  }
  default: return ir_unsupported(r, "%s", kind_name(kind));
  }
}

static uint64_t type_bytes(struct reader *r, LLVMTypeRef t) {
  LLVMTypeKind k = LLVMGetTypeKind(t);
  return k == LLVMVoidTypeKind || k == LLVMLabelTypeKind ? 0 : LLVMABISizeOfType(r->m->data, t);
}

const struct ir_type *read_type(struct reader *r, LLVMTypeRef t) {
  uint32_t id = ptr_map_get(&r->types, t);
  if (id) return r->type_list[id - 1];
  struct part_list l = {0};
  if (!flatten(r, &l, t, 0)) return NULL;
  struct ir_type *out = ARENA_NEW(r->arena, struct ir_type);
  vt *parts = ARENA_ARRAY(r->arena, vt, l.n + 1);
  uint32_t *offsets = ARENA_ARRAY(r->arena, uint32_t, l.n + 1);
  bool *is_ptr = ARENA_ARRAY(r->arena, bool, l.n + 1);
  memcpy(parts, l.parts, l.n * sizeof *parts);
  memcpy(offsets, l.offsets, l.n * sizeof *offsets);
  memcpy(is_ptr, l.is_ptr, l.n * sizeof *is_ptr);
  *out = (struct ir_type){.nparts = l.n,
                          .parts = parts,
                          .offsets = offsets,
                          .is_ptr = is_ptr,
                          .bytes = type_bytes(r, t),
                          .is_array = LLVMGetTypeKind(t) == LLVMArrayTypeKind};
  vec_grow((void **)&r->type_list, r->ntypes, &r->types_cap, sizeof *r->type_list);
  r->type_list[r->ntypes++] = out;
  ptr_map_put(&r->types, t, r->ntypes);
  return out;
}

/* ---- Values -------------------------------------------------------------------------------------- */

uint32_t new_value(struct reader *r, enum ir_kind kind, const struct ir_type *type) {
  *vec_push(&r->f->values) = (struct ir_value){.kind = (uint8_t)kind, .type = type};
  return r->f->values.n - 1;
}

/* Wide constants come as text only: "i128 -5". */
static struct bv int_value(LLVMValueRef v, unsigned bits) {
  if (bits <= 64) return bv_u64(bits, LLVMConstIntGetZExtValue(v));
  char *text = LLVMPrintValueToString(v);
  const char *digits = strchr(text, ' ');
  struct bv out;
  if (!digits || !bv_parse(&out, bits, digits + 1)) bug("cannot read the constant %s", text);
  LLVMDisposeMessage(text);
  return out;
}

static uint32_t const_value(struct reader *r, struct bv bits, const struct ir_type *type) {
  uint32_t id = new_value(r, IRV_CONST, type);
  struct bv *copy = ARENA_NEW(r->arena, struct bv);
  *copy = bits;
  r->f->values.at[id].bits = copy;
  return id;
}

static uint32_t with_operands(struct reader *r, enum ir_kind kind, const struct ir_type *type,
                              const uint32_t *ops, uint32_t n) {
  uint32_t *copy = ARENA_ARRAY(r->arena, uint32_t, n + 1);
  memcpy(copy, ops, n * sizeof *ops);
  uint32_t id = new_value(r, kind, type);
  r->f->values.at[id].ops = copy;
  r->f->values.at[id].nops = n;
  return id;
}

/* The scalar parts of a constant aggregate, in order. */
static bool aggregate_parts(struct reader *r, LLVMValueRef v, uint32_t *parts, uint32_t *n) {
  LLVMTypeRef t = LLVMTypeOf(v);
  LLVMTypeKind k = LLVMGetTypeKind(t);
  if (k != LLVMStructTypeKind && k != LLVMArrayTypeKind) {
    uint32_t id = read_value(r, v);
    if (!id) return false;
    parts[(*n)++] = id;
    return true;
  }
  uint64_t count = k == LLVMStructTypeKind ? LLVMCountStructElementTypes(t) : LLVMGetArrayLength2(t);
  for (uint64_t i = 0; i < count; i++) {
    LLVMValueRef e = LLVMGetAggregateElement(v, (unsigned)i);
    if (!e) return ir_unsupported(r, "constant aggregate of this kind");
    if (!aggregate_parts(r, e, parts, n)) return false;
  }
  return true;
}

static int expr_op(LLVMOpcode op) {
  switch (op) {
  case LLVMAdd: return IR_ADD;
  case LLVMSub: return IR_SUB;
  case LLVMMul: return IR_MUL;
  case LLVMXor: return IR_XOR;
  case LLVMAnd: return IR_AND;
  case LLVMOr: return IR_OR;
  case LLVMShl: return IR_SHL;
  case LLVMTrunc: return IR_TRUNC;
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMBitCast:
  case LLVMPtrToAddr: return IR_PTRCAST;
  default: return -1;
  }
}

static uint32_t const_expr(struct reader *r, LLVMValueRef v, const struct ir_type *type) {
  LLVMOpcode op = LLVMGetConstOpcode(v);
  if (op == LLVMGetElementPtr) {
    const uint32_t *ops;
    uint32_t nops;
    const struct ir_gep *gep = read_gep(r, v, &ops, &nops);
    if (!gep) return 0;
    uint32_t id = with_operands(r, IRV_EXPR, type, ops, nops);
    r->f->values.at[id].op = IR_GEP;
    r->f->values.at[id].gep = gep;
    return id;
  }
  int mapped = expr_op(op);
  if (mapped < 0) return ir_unsupported(r, "constant expression of this kind"), 0;
  uint32_t ops[2] = {0}, n = (uint32_t)LLVMGetNumOperands(v);
  for (uint32_t i = 0; i < n && i < 2; i++)
    if (!(ops[i] = read_value(r, LLVMGetOperand(v, i)))) return 0;
  uint32_t id = with_operands(r, IRV_EXPR, type, ops, n);
  r->f->values.at[id].op = (uint8_t)mapped;
  return id;
}

static uint32_t make_constant(struct reader *r, LLVMValueRef v, const struct ir_type *type) {
  if (LLVMIsAConstantInt(v)) return const_value(r, int_value(v, vt_bits(type->parts[0])), type);
  if (LLVMIsAConstantPointerNull(v)) return const_value(r, bv_u64(vt_bits(type->parts[0]), 0), type);
  if (LLVMIsPoison(v)) return new_value(r, IRV_POISON, type);
  if (LLVMIsUndef(v)) return new_value(r, IRV_UNDEF, type);
  if (LLVMIsAGlobalValue(v)) {
    const struct ir_global *g = read_global(r->m, v);
    if (g->is_tls) return ir_unsupported(r, "thread-local storage"), 0;
    if (LLVMIsAGlobalIFunc(v)) return ir_unsupported(r, "ifunc"), 0;
    uint32_t id = new_value(r, IRV_GLOBAL, type);
    r->f->values.at[id].global = g;
    return id;
  }
  if (LLVMIsABlockAddress(v)) return ir_unsupported(r, "blockaddress"), 0;
  if (LLVMIsAInlineAsm(v)) return ir_unsupported(r, "inline assembly"), 0;
  LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(v));
  if (k == LLVMStructTypeKind || k == LLVMArrayTypeKind) {
    uint32_t parts[MAX_PARTS], n = 0;
    if (!aggregate_parts(r, v, parts, &n)) return 0;
    return with_operands(r, IRV_AGGREGATE, type, parts, n);
  }
  if (LLVMIsAConstantExpr(v)) return const_expr(r, v, type);
  return ir_unsupported(r, "constant of this kind"), 0;
}

uint32_t read_value(struct reader *r, LLVMValueRef v) {
  uint32_t id = ptr_map_get(&r->values, v);
  if (id) return id;
  const struct ir_type *type = read_type(r, LLVMTypeOf(v));
  if (!type) return 0;
  if (!LLVMIsConstant(v) && !LLVMIsAInlineAsm(v)) return ir_unsupported(r, "operand of this kind"), 0;
  id = make_constant(r, v, type);
  if (id) ptr_map_put(&r->values, v, id);
  return id;
}

/* ---- Addresses and paths ------------------------------------------------------------------------- */

struct gep_build {
  struct ir_gep gep;
  VEC(uint64_t) scales;
  VEC(uint32_t) ops;
};

static bool gep_index(struct reader *r, struct gep_build *b, LLVMValueRef index, uint64_t scale) {
  if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind)
    return ir_unsupported(r, "vector of pointers");
  if (LLVMIsAConstantInt(index)) {
    struct bv v = int_value(index, LLVMGetIntTypeWidth(LLVMTypeOf(index)));
    v = v.width < 64 ? bv_sext(v, 64) : bv_trunc(v, 64);
    b->gep.offset = (int64_t)((uint64_t)b->gep.offset + bv_to_u64(v) * scale);
    return true;
  }
  uint32_t id = read_value(r, index);
  if (!id) return false;
  if (!scale) return true;
  *vec_push(&b->ops) = id;
  *vec_push(&b->scales) = scale;
  return true;
}

static bool gep_walk(struct reader *r, struct gep_build *b, LLVMValueRef v) {
  LLVMTypeRef t = LLVMGetGEPSourceElementType(v);
  uint32_t n = (uint32_t)LLVMGetNumOperands(v);
  for (uint32_t i = 1; i < n; i++) {
    LLVMValueRef index = LLVMGetOperand(v, i);
    if (i > 1) {
      LLVMTypeKind k = LLVMGetTypeKind(t);
      if (k == LLVMStructTypeKind) {
        unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
        b->gep.offset += (int64_t)LLVMOffsetOfElement(r->m->data, t, field);
        t = LLVMStructGetTypeAtIndex(t, field);
        continue;
      }
      if (k != LLVMArrayTypeKind && k != LLVMVectorTypeKind) return ir_unsupported(r, "scalable vector type");
      t = LLVMGetElementType(t);
    }
    if (LLVMGetTypeKind(t) == LLVMScalableVectorTypeKind) return ir_unsupported(r, "scalable vector type");
    if (!gep_index(r, b, index, LLVMABISizeOfType(r->m->data, t))) return false;
  }
  return true;
}

const struct ir_gep *read_gep(struct reader *r, LLVMValueRef v, const uint32_t **ops, uint32_t *nops) {
  struct gep_build b = {0};
  uint32_t base = read_value(r, LLVMGetOperand(v, 0));
  struct ir_gep *out = NULL;
  if (base) {
    *vec_push(&b.ops) = base;
    if (gep_walk(r, &b, v)) {
      LLVMGEPNoWrapFlags flags = LLVMGEPGetNoWrapFlags(v);
      out = ARENA_NEW(r->arena, struct ir_gep);
      *out = b.gep;
      out->inbounds = flags & LLVMGEPFlagInBounds;
      out->nuw = flags & LLVMGEPFlagNUW;
      out->nindex = b.scales.n;
      uint64_t *scale = ARENA_ARRAY(r->arena, uint64_t, b.scales.n + 1);
      if (b.scales.n) memcpy(scale, b.scales.at, b.scales.n * sizeof *scale);
      out->scale = scale;
      uint32_t *copy = ARENA_ARRAY(r->arena, uint32_t, b.ops.n);
      memcpy(copy, b.ops.at, b.ops.n * sizeof *copy);
      *ops = copy;
      *nops = b.ops.n;
    }
  }
  vec_free(&b.scales);
  vec_free(&b.ops);
  return out;
}

bool read_path(struct reader *r, LLVMValueRef v, LLVMTypeRef t, uint32_t *first, uint32_t *count) {
  const unsigned *path = LLVMGetIndices(v);
  *first = 0;
  for (unsigned i = 0; i < LLVMGetNumIndices(v); i++) {
    if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
      for (unsigned k = 0; k < path[i]; k++) {
        const struct ir_type *skipped = read_type(r, LLVMStructGetTypeAtIndex(t, k));
        if (!skipped) return false;
        *first += skipped->nparts;
      }
      t = LLVMStructGetTypeAtIndex(t, path[i]);
    } else {
      t = LLVMGetElementType(t);
      const struct ir_type *e = read_type(r, t);
      if (!e) return false;
      *first += path[i] * e->nparts;
    }
  }
  const struct ir_type *last = read_type(r, t);
  if (!last) return false;
  *count = last->nparts;
  return true;
}
