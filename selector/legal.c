/* legal.c: legality of types, operations and accesses, from the target's rows. */
#include "legal.h"
#include "abstract.h"
#include "util/diag.h"

vt legal_at_least(const struct match_tables *t, unsigned bits) {
  unsigned n = 1;
  while (n < bits) n *= 2;
  for (; n <= VT_MAX_BITS; n *= 2)
    if (target_type_legal(t, VT_I(n))) return VT_I(n);
  return VT_NONE;
}

vt legal_widest(const struct match_tables *t) {
  for (unsigned n = VT_MAX_BITS; n; n /= 2)
    if (target_type_legal(t, VT_I(n))) return VT_I(n);
  return VT_NONE;
}

bool legal_memory_type(const struct match_tables *t, vt type) {
  unsigned bits = vt_bits(type);
  return vt_is_scalar_int(type) && bits >= 8 && !(bits & (bits - 1)) && bits <= vt_bits(legal_widest(t));
}

struct sdval legal_sign_in_register(struct dag *d, struct sdval x, vt narrow) {
  vt t = dag_type(d, x);
  unsigned bits = vt_bits(narrow), by = vt_bits(t) - bits;
  if (bits >= 8 && !(bits & (bits - 1)) && vt_bits(t) <= 64)
    return dag_get(d, ISD_SEXT_INREG, &t, 1, &x, 1, 0, narrow);
  struct sdval n = dag_const_u64(d, vt_bits(t), by);
  struct sdval top = dag_get1(d, ISD_SHL, t, (struct sdval[]){x, n}, 2, 0);
  return dag_get1(d, ISD_SRA, t, (struct sdval[]){top, n}, 2, 0);
}

bool legal_may_build(void *self, uint16_t op, vt key, vt second) {
  const struct legal *l = self;
  if (l->level == LEGAL_NOTHING || op >= OP_COUNT) return true;
  const struct op *def = op_defs[op];
  if (!def) return true;
  if (vt_is_int(key) && !target_type_legal(l->pass->tables, key)) return false;
  if (def->target || def->structural || l->level < LEGAL_OPS) return true;
  if (def->mem != MEM_NONE && second && !legal_memory_type(l->pass->tables, second)) return false;
  const char *libcall;
  struct matcher m = {.dag = l->pass->dag, .tables = l->pass->tables, .features = l->pass->features};
  enum target_action a = target_action(&m, op, key, &libcall);
  /* No row: only what every target passes through, to patterns that copy. */
  if (a == TA_NONE && (op == ISD_FREEZE || op == ISD_ASSERTZEXT || op == ISD_ASSERTSEXT)) return true;
  if (a == TA_LEGAL || (l->lowering && a == TA_CUSTOM)) return true;
  return l->max_rank && rank_of(l->ranks, op, key) <= l->max_rank;
}

static struct known *known(void *self) { return ((struct legal *)self)->known; }
static void ask_known(void *self, struct sdval v, struct bv *zero, struct bv *one) {
  known_bits(known(self), v, zero, one);
}
static unsigned ask_sign_bits(void *self, struct sdval v) { return known_sign_bits(known(self), v); }
static bool ask_not_poison(void *self, struct sdval v) { return known_not_poison(known(self), v); }
static struct bv ask_demanded(void *self, struct sdval v) { return known_demanded(known(self), v); }
static uint64_t ask_users_read(void *self, struct sdval v) { return known_users_read(known(self), v); }
static uint32_t ask_align(void *self, struct sdval v) { return known_align(known(self), v); }

struct matcher pass_matcher(const struct pass *p, enum legality level) {
  return (struct matcher){
      .dag = p->dag,
      .tables = p->tables,
      .features = p->features,
      .tastes = p->tastes,
      .disabled = p->disabled,
      .bool_type = level == LEGAL_NOTHING ? VT_I(1) : p->bool_type,
      .level = level,
      .max_steps = p->max_steps,
      .fired = p->fired,
  };
}

void legal_matcher(struct legal *l, struct matcher *m) {
  *m = pass_matcher(l->pass, l->level);
  m->self = l;
  m->may_build = legal_may_build;
  if (!l->known) return;
  m->known = ask_known;
  m->sign_bits = ask_sign_bits;
  m->not_poison = ask_not_poison;
  m->demanded = ask_demanded;
  m->users_read = ask_users_read;
  m->align = ask_align;
}
