/* ir.c: small helpers on the compact IR. */
#include "ir.h"
#include "util/diag.h"

const char *const ir_op_name[IR_OP_COUNT] = {
    [IR_ADD] = "add",
    [IR_SUB] = "sub",
    [IR_MUL] = "mul",
    [IR_UDIV] = "udiv",
    [IR_SDIV] = "sdiv",
    [IR_UREM] = "urem",
    [IR_SREM] = "srem",
    [IR_SHL] = "shl",
    [IR_LSHR] = "lshr",
    [IR_ASHR] = "ashr",
    [IR_AND] = "and",
    [IR_OR] = "or",
    [IR_XOR] = "xor",
    [IR_TRUNC] = "trunc",
    [IR_ZEXT] = "zext",
    [IR_SEXT] = "sext",
    [IR_PTRCAST] = "cast",
    [IR_ICMP] = "icmp",
    [IR_SELECT] = "select",
    [IR_FREEZE] = "freeze",
    [IR_PHI] = "phi",
    [IR_GEP] = "gep",
    [IR_ALLOCA] = "alloca",
    [IR_LOAD] = "load",
    [IR_STORE] = "store",
    [IR_CALL] = "call",
    [IR_EXTRACT] = "extractvalue",
    [IR_INSERT] = "insertvalue",
    [IR_BR] = "br",
    [IR_CONDBR] = "condbr",
    [IR_SWITCH] = "switch",
    [IR_RET] = "ret",
    [IR_UNREACHABLE] = "unreachable",
    [IR_FENCE] = "fence",
};

const char *const ir_pred_name[10] = {"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"};

void ir_function_free(struct ir_function *f) {
  vec_free(&f->values);
  vec_free(&f->insts);
  vec_free(&f->blocks);
  vec_free(&f->slots);
}

vt ir_part(const struct ir_function *f, uint32_t value, unsigned part) {
  const struct ir_type *t = f->values.at[value].type;
  if (part >= t->nparts) bug("value %u has no part %u", value, part);
  return t->parts[part];
}
