/* types.h: value types. A type is one 32-bit word: kind, lanes and bits of an element. */
#ifndef VERIDAG_TYPES_H
#define VERIDAG_TYPES_H

#include <stdbool.h>
#include <stdint.h>

enum type_kind {
  TK_NONE = 0, /* no type: "not known yet" */
  TK_INT,      /* iN */
  TK_FLOAT,    /* half, float, double, … by bits */
  TK_CHAIN,    /* LLVM's Other: orders side effects */
  TK_GLUE,     /* keeps two nodes adjacent in the schedule */
  TK_FLAGS,    /* the target's condition flags as a value; bits = how many flags */
  TK_BLOCK,    /* a basic block as an operand */
};

/* kind in bits 28..31, lanes - 1 in bits 16..27, element bits in bits 0..15 */
typedef uint32_t vt;

enum { VT_MAX_BITS = 512 };

static inline vt vt_make(enum type_kind k, unsigned bits, unsigned lanes) {
  return (uint32_t)k << 28 | (lanes - 1) << 16 | bits;
}
static inline vt vt_int(unsigned bits) { return vt_make(TK_INT, bits, 1); }
static inline enum type_kind vt_kind(vt t) { return (enum type_kind)(t >> 28); }
static inline unsigned vt_bits(vt t) { return t & 0xffff; }
static inline unsigned vt_lanes(vt t) { return (t >> 16 & 0xfff) + 1; }
static inline bool vt_is_int(vt t) { return vt_kind(t) == TK_INT; }
static inline bool vt_is_scalar_int(vt t) { return vt_is_int(t) && vt_lanes(t) == 1; }
static inline unsigned vt_store_bytes(vt t) { return (vt_bits(t) * vt_lanes(t) + 7) / 8; }

#define VT_NONE ((vt)0)
#define VT_CHAIN ((vt)((uint32_t)TK_CHAIN << 28))
#define VT_GLUE ((vt)((uint32_t)TK_GLUE << 28))
#define VT_BLOCK ((vt)((uint32_t)TK_BLOCK << 28))
#define VT_I(n) ((vt)((uint32_t)TK_INT << 28 | (n)))
#define VT_FLAGSN(n) ((vt)((uint32_t)TK_FLAGS << 28 | (n)))

/* Writes the field's name of a type ("i32", "v4i32", "ch", "glue", "flags") into buf (16 bytes suffice). */
const char *vt_name(vt t, char buf[16]);

#endif
