/* replay.h: evaluates both sides of an instance on concrete inputs with the evaluator of the semantics (not
 * with Z3), and shows every intermediate value. A rule is called refuted only after its counterexample was
 * replayed. */
#ifndef VERIDAG_REPLAY_H
#define VERIDAG_REPLAY_H

#include "obligation.h"

struct cwrite {
  const struct cwrite *older;
  struct bv addr;
  uint8_t byte;
  bool poison;
};

struct cvalue {
  struct bv v;
  bool has, poison;
  const struct cwrite *mem;
};

struct cnode {
  const struct pat *p;
  struct cvalue res[8];
  unsigned nres;
};

struct cside {
  struct replay *r;
  bool right, ub, branches, taken, taken_poison;
  const struct cwrite *mem;
  VEC(struct cnode) done;
};

struct replay {
  const struct obligation *o;
  struct bv *input; /* by input of the obligation; Bools as one bit */
  struct bv *vals;  /* by variable */
  bool *poison;
  struct cside left, right;
  struct cvalue left_root, right_root;
  struct bv demanded;
  bool masked, bad_immediate;
  struct arena arena;
};

/* Which clause fails under the inputs `input`: CLAUSE_COUNT when none does, CLAUSE_GUARD when the guard does
 * not hold. All intermediate values stay in *r. */
enum clause_kind replay_run(struct replay *r, const struct obligation *o, const struct bv *input);
void replay_free(struct replay *r);
/* The counterexample as text: the clause, the inputs, both trees with values. malloc'ed. */
char *replay_text(const struct replay *r, enum clause_kind clause);

/* show.c */
void show_pat(FILE *f, const struct instance *in, const struct pat *p);

/* creplay.c: one node of either tree. */
struct cvalue concrete_value(struct cside *s, const struct pat *p);
const struct cnode *concrete_node(struct cside *s, const struct pat *p);
struct cnode concrete_machine(struct cside *s, const struct pat *p);
struct bv concrete_fresh(const struct cside *s, const void *at, int number, unsigned width);
struct bv concrete_read(struct cside *s, const struct cwrite *mem, struct bv addr, unsigned bytes,
                        bool *poison);
const struct cwrite *concrete_write(struct cside *s, const struct cwrite *mem, struct bv addr, struct bv v,
                                    bool poison);

#endif
