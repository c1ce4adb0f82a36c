/* match_naive.h: the matcher's slow twin, for tests. It walks the rules of the model one by one over the
 * graph and knows nothing of byte code, tries, slots or operand orders made in advance. */
#ifndef VERIDAG_MATCH_NAIVE_H
#define VERIDAG_MATCH_NAIVE_H

#include "match.h"
#include "model.h"

/* What matched: the rule's number in the tables, and the value of each of its variables. */
struct found {
  int rule; /* -1: none */
  struct sdval var[64];
};

/* The model's rules by their numbers in the tables (to be freed). */
const struct rule **naive_rules(const struct match_tables *t, const struct model *model);
/* The first rule of a set that matches at the node, by the model. `halves` and `wide` as for match_expand_int
 * and match_promote. */
struct found match_naive(struct matcher *m, const struct rule *const *rules, enum match_set set,
                         uint32_t node, const struct halves *halves, vt wide);
/* The same by the tables; nothing is built, nor asked whether it may be. */
struct found match_find(struct matcher *m, enum match_set set, uint32_t node, const struct halves *halves,
                        vt wide);

#endif
