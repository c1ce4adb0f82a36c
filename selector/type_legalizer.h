/* type_legalizer.h: what the files of type legalization share. Values are named by their original sdval; how
 * each is held in legal types is found here, and worked out on demand. A wide value may be expanded or
 * promoted to values that are illegal themselves and are worked out in turn. */
#ifndef VERIDAG_TYPE_LEGALIZER_H
#define VERIDAG_TYPE_LEGALIZER_H

#include "legal.h"
#include "util/vec.h"

enum type_action { TYPE_LEGAL, TYPE_PROMOTE, TYPE_EXPAND };

/* What became of a value. */
enum fate { FATE_NONE, FATE_SAME /* of the same type: `lo` stands for it */, FATE_PROMOTED, FATE_EXPANDED };
struct lowered {
  struct sdval key;
  uint8_t fate;
  struct sdval lo, hi;
};

/* Worked out: all results are as they were, or some are in the table. */
enum node_state { NODE_WAITING, NODE_SAME, NODE_IN_TABLE };

struct type_legalizer {
  struct legal legal; /* first: it is the callbacks' self */
  struct pass *p;
  struct dag *d;
  struct matcher m;
  struct lowered *table; /* hash table by key */
  uint32_t cap, used;
  uint8_t *done; /* by node: enum node_state */
  uint32_t ndone;
  uint8_t action[VT_MAX_BITS + 1]; /* by width: 1 + enum type_action, 0: not asked yet */
  bool failed;
};

enum type_action type_action(struct type_legalizer *l, vt t);
vt promoted_type(struct type_legalizer *l, vt t); /* of TYPE_PROMOTE */
vt half_type(vt t);

/* A value of legal type, as it is now. */
struct sdval legal_value(struct type_legalizer *l, struct sdval v);
/* A promoted value: its low bits are v's, the others are unspecified. */
struct sdval promoted_value(struct type_legalizer *l, struct sdval v);
struct sdval zero_extended(struct type_legalizer *l, struct sdval v); /* the same with the upper bits zero */
struct sdval sign_extended(struct type_legalizer *l, struct sdval v);
void expanded_value(struct type_legalizer *l, struct sdval v, struct sdval *lo, struct sdval *hi);

void set_same(struct type_legalizer *l, struct sdval v, struct sdval to);
void set_promoted(struct type_legalizer *l, struct sdval v, struct sdval to);
void set_expanded(struct type_legalizer *l, struct sdval v, struct sdval lo, struct sdval hi);
/* The node cannot be legalized. */
void cannot(struct type_legalizer *l, uint32_t node, const char *why);

/* Small constructors. */
struct sdval make1(struct type_legalizer *l, uint16_t op, vt t, struct sdval a);
struct sdval make2(struct type_legalizer *l, uint16_t op, vt t, struct sdval a, struct sdval b);

/* legalize_ext.c: truncations, extensions, pairs; legalize_access.c: loads and stores. Each returns false
 * when the node is not one of its own. */
bool legalize_resize(struct type_legalizer *l, uint32_t id);
bool legalize_access(struct type_legalizer *l, uint32_t id);

#endif
