/* mir.c: building machine functions. */
#include "mir.h"

void mfunc_free(struct mfunc *f) {
  for (uint32_t i = 0; i < f->blocks.n; i++) {
    vec_free(&f->blocks.at[i].insts);
    vec_free(&f->blocks.at[i].succs);
    vec_free(&f->blocks.at[i].liveins);
  }
  for (uint32_t i = 0; i < f->jumps.n; i++) vec_free(&f->jumps.at[i].blocks);
  vec_free(&f->vregs);
  vec_free(&f->liveins);
  vec_free(&f->blocks);
  vec_free(&f->stack);
  vec_free(&f->fixed);
  vec_free(&f->jumps);
}

uint32_t mfunc_vreg(struct mfunc *f, const char *cls) {
  *vec_push(&f->vregs) = cls;
  return f->vregs.n - 1;
}

struct minst *mblock_add(struct mblock *b, const char *name) {
  struct minst *i = vec_push(&b->insts);
  *i = (struct minst){.name = name};
  return i;
}

struct mop *minst_ops(struct mfunc *f, struct minst *i, unsigned n) {
  i->ops = ARENA_ARRAY(f->arena, struct mop, n + 1);
  i->nops = (uint16_t)n;
  return i->ops;
}

struct mop mop_def(uint32_t vreg) {
  return (struct mop){.kind = MOP_VREG, .def = true, .index = vreg};
}
struct mop mop_use(uint32_t vreg) {
  return (struct mop){.kind = MOP_VREG, .index = vreg};
}
struct mop mop_phys(const char *reg) {
  return (struct mop){.kind = MOP_PHYS, .text = reg};
}
struct mop mop_imm(int64_t imm) {
  return (struct mop){.kind = MOP_IMM, .imm = imm};
}
struct mop mop_block(uint32_t block) {
  return (struct mop){.kind = MOP_BLOCK, .index = block};
}
