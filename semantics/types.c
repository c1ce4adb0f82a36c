/* types.c: names of value types. */
#include "flags.h"
#include "types.h"

#include <stdio.h>
#include <string.h>

/* "i32", "v4f64": at most four digits of lanes and five of bits, which fits the caller's 16 bytes. */
static const char *element_name(vt t, char letter, char buf[16]) {
  char text[40] = "";
  if (vt_lanes(t) > 1)
    snprintf(text, sizeof text, "v%u%c%u", vt_lanes(t), letter, vt_bits(t));
  else
    snprintf(text, sizeof text, "%c%u", letter, vt_bits(t));
  memcpy(buf, text, 15);
  buf[15] = 0;
  return buf;
}

const char *vt_name(vt t, char buf[16]) {
  switch (vt_kind(t)) {
  case TK_NONE: return strcpy(buf, "none");
  case TK_INT: return element_name(t, 'i', buf);
  case TK_FLOAT: return element_name(t, 'f', buf);
  case TK_CHAIN: return strcpy(buf, "ch");
  case TK_GLUE: return strcpy(buf, "glue");
  case TK_FLAGS: return strcpy(buf, "flags");
  case TK_BLOCK: return strcpy(buf, "block");
  }
  return strcpy(buf, "?");
}

const char *const flag_name[FLAG_COUNT] = {
    [FLAG_NSW] = "nsw",           [FLAG_NUW] = "nuw",   [FLAG_EXACT] = "exact",
    [FLAG_DISJOINT] = "disjoint", [FLAG_NNEG] = "nneg", [FLAG_SAMESIGN] = "samesign"};
