/* build_frozen.c: what a freeze reads must have one value. Poison is an undefined register, which llc carries
 * through copies and PHIs to each of their uses; from there back, every way ends at instructions that define
 * their results. */
#include "build_dag.h"

#include <string.h>

struct search {
  struct builder *b;
  struct minst **def; /* by virtual register */
  VEC(uint32_t) work;
};

static void find_definitions(struct search *s) {
  struct mfunc *f = s->b->mf;
  s->def = ARENA_ARRAY(s->b->arena, struct minst *, f->vregs.n + 1);
  for (uint32_t i = 0; i < f->blocks.n; i++)
    for (uint32_t k = 0; k < f->blocks.at[i].insts.n; k++) {
      struct minst *mi = &f->blocks.at[i].insts.at[k];
      for (unsigned o = 0; o < mi->ndefs; o++)
        if (mi->ops[o].kind == MOP_VREG) s->def[mi->ops[o].index] = mi;
    }
}

static void follow(struct search *s, const struct mop *o) {
  if (o->kind == MOP_VREG) *vec_push(&s->work) = o->index;
}

/* The instruction's result is as undefined as these operands. */
static void visit(struct search *s, struct minst *mi) {
  if (!strcmp(mi->name, "IMPLICIT_DEF")) {
    struct mop ops[2] = {mi->ops[0]};
    mi->name = s->b->target->zero(s->b->mf->vregs.at[ops[0].index], &ops[1]);
    memcpy(minst_ops(s->b->mf, mi, 2), ops, sizeof ops);
  } else if (!strcmp(mi->name, "COPY")) {
    follow(s, &mi->ops[1]);
  } else if (!strcmp(mi->name, "SUBREG_TO_REG") || !strcmp(mi->name, "INSERT_SUBREG")) {
    follow(s, &mi->ops[2]);
  } else if (!strcmp(mi->name, "PHI")) {
    for (unsigned i = 1; i < mi->nops; i += 2) follow(s, &mi->ops[i]);
  }
}

void build_frozen(struct builder *b) {
  struct search s = {.b = b};
  if (!b->frozen.n) return;
  find_definitions(&s);
  for (uint32_t i = 0; i < b->frozen.n; i++) *vec_push(&s.work) = b->frozen.at[i];
  while (s.work.n) {
    uint32_t vreg = s.work.at[--s.work.n];
    struct minst *mi = s.def[vreg];
    s.def[vreg] = NULL; /* visited */
    if (mi) visit(&s, mi);
  }
  vec_free(&s.work);
}
