/* mir_check.c: what llc's verifier does not promise to find in printed MIR: a physical register that is read
 * must have been defined in the block (or be live into it) with no clobber since, and every virtual register
 * has exactly one definition. */
#include "mir.h"

#include <string.h>

/* Registers that are always there, and the stack pointer's kin. */
static bool is_ambient(const char *reg) {
  static const char *const names[] = {"noreg", "rsp", "ssp", "rip", "sp", "xzr", "wzr", "zero", "lr"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(reg, names[i])) return true;
  return false;
}

enum { MAX_LIVE = 64 };

struct live_set {
  const char *reg[MAX_LIVE];
  unsigned n;
};

/* x86's al, ax, eax, rax and AArch64's w0, x0 are one register; the number of a register by its letters. */
bool mir_same_register(const char *a, const char *b) {
  if (!strcmp(a, b)) return true;
  size_t na = strlen(a), nb = strlen(b);
  if ((*a == 'x' || *a == 'w') && (*b == 'x' || *b == 'w') && a[1] >= '0' && a[1] <= '9')
    return !strcmp(a + 1, b + 1);
  if (*a == 'r' && a[1] >= '0' && a[1] <= '9')
    return *b == 'r' && !strncmp(a, b, strspn(a + 1, "0123456789") + 1) &&
           strspn(a + 1, "0123456789") == strspn(b + 1, "0123456789");
  const char *la = na == 3 ? a + 1 : a, *lb = nb == 3 ? b + 1 : b;
  return la[0] == lb[0] && (la[1] == lb[1] || strchr("xlh", la[1])) && strchr("abcd", la[0]) &&
         strchr("xlhi", lb[1]) && (la[1] == 'i') == (lb[1] == 'i');
}

static void kill(struct live_set *s, const char *reg) {
  for (unsigned i = 0; i < s->n;)
    if (mir_same_register(s->reg[i], reg))
      s->reg[i] = s->reg[--s->n];
    else
      i++;
}

static bool holds(const struct live_set *s, const char *reg) {
  for (unsigned i = 0; i < s->n; i++)
    if (mir_same_register(s->reg[i], reg)) return true;
  return false;
}

/* Reads come before writes; a register mask clobbers everything that is not defined by the call itself. */
static const char *check_inst(const struct mfunc *f, struct arena *a, uint32_t block, const struct minst *mi,
                              struct live_set *live) {
  for (unsigned k = 0; k < mi->nops; k++) {
    const struct mop *o = &mi->ops[k];
    if (o->kind != MOP_PHYS || o->def || is_ambient(o->text)) continue;
    if (!holds(live, o->text))
      return arena_printf(a, "%s: bb.%u: %s reads $%s, which something clobbered or nothing defined", f->name,
                          block, mi->name, o->text);
  }
  for (unsigned k = 0; k < mi->nops; k++)
    if (mi->ops[k].kind == MOP_REGMASK) live->n = 0;
  for (unsigned k = 0; k < mi->nops; k++) {
    const struct mop *o = &mi->ops[k];
    if (o->kind != MOP_PHYS || !o->def || is_ambient(o->text)) continue;
    kill(live, o->text);
    if (!o->dead && live->n < MAX_LIVE) live->reg[live->n++] = o->text;
  }
  return NULL;
}

static const char *check_vregs(const struct mfunc *f, struct arena *a) {
  uint32_t *defs = ARENA_ARRAY(a, uint32_t, f->vregs.n + 1);
  for (uint32_t b = 0; b < f->blocks.n; b++)
    for (uint32_t i = 0; i < f->blocks.at[b].insts.n; i++) {
      const struct minst *mi = &f->blocks.at[b].insts.at[i];
      for (unsigned k = 0; k < mi->nops; k++)
        if (mi->ops[k].kind == MOP_VREG && mi->ops[k].def && defs[mi->ops[k].index]++)
          return arena_printf(a, "%s: bb.%u: %%%u has two definitions", f->name, b, mi->ops[k].index);
    }
  for (uint32_t b = 0; b < f->blocks.n; b++)
    for (uint32_t i = 0; i < f->blocks.at[b].insts.n; i++) {
      const struct minst *mi = &f->blocks.at[b].insts.at[i];
      for (unsigned k = 0; k < mi->nops; k++)
        if (mi->ops[k].kind == MOP_VREG && !mi->ops[k].def && !defs[mi->ops[k].index])
          return arena_printf(a, "%s: bb.%u: %s reads %%%u, which has no definition", f->name, b, mi->name,
                              mi->ops[k].index);
    }
  return NULL;
}

const char *mir_check(const struct mfunc *f, struct arena *a) {
  for (uint32_t b = 0; b < f->blocks.n; b++) {
    const struct mblock *blk = &f->blocks.at[b];
    struct live_set live = {.n = 0};
    for (uint32_t i = 0; i < blk->liveins.n && live.n < MAX_LIVE; i++)
      live.reg[live.n++] = blk->liveins.at[i];
    for (uint32_t i = 0; i < blk->insts.n; i++) {
      const char *wrong = check_inst(f, a, b, &blk->insts.at[i], &live);
      if (wrong) return wrong;
    }
  }
  return check_vregs(f, a);
}
