/* types.c: names of value types. */
#include "flags.h"
#include "types.h"

#include <stdio.h>

const char *vt_name(vt t, char buf[16]) {
  unsigned bits = vt_bits(t), lanes = vt_lanes(t);
  char vec[8] = "";
  if (lanes > 1) snprintf(vec, sizeof vec, "v%u", lanes);
  switch (vt_kind(t)) {
  case TK_NONE: snprintf(buf, 16, "none"); break;
  case TK_INT: snprintf(buf, 16, "%si%u", vec, bits); break;
  case TK_FLOAT: snprintf(buf, 16, "%sf%u", vec, bits); break;
  case TK_CHAIN: snprintf(buf, 16, "ch"); break;
  case TK_GLUE: snprintf(buf, 16, "glue"); break;
  case TK_FLAGS: snprintf(buf, 16, "flags"); break;
  case TK_BLOCK: snprintf(buf, 16, "block"); break;
  }
  return buf;
}

const char *const flag_name[FLAG_COUNT] = {[FLAG_NSW] = "nsw",           [FLAG_NUW] = "nuw",
                                           [FLAG_EXACT] = "exact",       [FLAG_DISJOINT] = "disjoint",
                                           [FLAG_NNEG] = "nneg",         [FLAG_SAMESIGN] = "samesign"};
