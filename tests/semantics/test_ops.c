/* test_ops.c: the evaluator and the Z3 terms of every operation, from one definition, give the same. Each
 * operation is tried at small types with every value of every operand (16 bits of input in all, 15 for three
 * operands), every set of flags, and at smaller types with every poison mask. Z3's side is its constant
 * folding of the operation's term. */
#include "smt.h"
#include "../run_suite.h"

#include <stdlib.h>
#include <string.h>

static struct model *model;

enum { CHUNK = 16384, MAX_IN = 4, MAX_TYPES = 4, MAX_FLAG_SETS = 16 };

/* One operation at one choice of types. */
struct subject {
  const struct op *op;
  vt types[MAX_TYPES];
  unsigned width[MAX_IN], bits; /* of operands; of all operands */
  uint16_t flag_set[MAX_FLAG_SETS];
  unsigned nflag_set;
  Z3_context c;
  Z3_ast var[MAX_IN], poison[MAX_IN];
  Z3_ast answer;  /* results, then poison per flag set and undefined behaviour, as one bit-vector */
  Z3_ast partial; /* the answer with all operands but the last put in, for the operands `prefix` and poison
                     `mask` */
  uint64_t prefix;
  unsigned mask;
};

static Z3_ast zero_fresh(void *self, int number, unsigned width) {
  (void)number;
  return smt_const_bv(((struct subject *)self)->c, bv_u64(width, 0));
}

static Z3_ast bool_bit(Z3_context c, Z3_ast b) {
  return Z3_mk_ite(c, b, smt_const_bv(c, bv_u64(1, 1)), smt_const_bv(c, bv_u64(1, 0)));
}

static void list_flag_sets(struct subject *s) {
  for (unsigned f = 0; f < 1u << FLAG_COUNT; f++)
    if ((f & ~(unsigned)s->op->flags) == 0) s->flag_set[s->nflag_set++] = (uint16_t)f;
}

/* The term that answers everything at once: the evaluator's answer is put together the same way. */
static void make_answer(struct subject *s, bool with_poison) {
  Z3_context c = s->c;
  char name[16];
  for (uint32_t i = 0; i < s->op->nin; i++) {
    snprintf(name, sizeof name, "x%u", i);
    s->var[i] = smt_var_bv(c, name, s->width[i]);
    snprintf(name, sizeof name, "p%u", i);
    s->poison[i] = with_poison ? smt_var_bool(c, name) : Z3_mk_false(c);
  }
  for (unsigned k = 0; k < s->nflag_set; k++) {
    Z3_ast flags[FLAG_COUNT];
    for (int f = 0; f < FLAG_COUNT; f++) flags[f] = s->flag_set[k] >> f & 1 ? Z3_mk_true(c) : Z3_mk_false(c);
    struct smt_env env = {.ctx = c,
                          .types = s->types,
                          .vals = s->var,
                          .poison = s->poison,
                          .flags = flags,
                          .fresh = zero_fresh,
                          .self = s};
    struct smt_applied a = smt_op(s->op, &env);
    for (uint32_t i = 0; k == 0 && i < s->op->nres; i++)
      s->answer = s->answer ? Z3_mk_concat(c, s->answer, a.val[i]) : a.val[i];
    /* Under undefined behaviour the evaluator says nothing of poison. */
    Z3_ast p = bool_bit(c, smt_and2(c, a.poison, smt_not(c, a.ub)));
    s->answer = Z3_mk_concat(c, s->answer, Z3_mk_concat(c, p, bool_bit(c, a.ub)));
  }
}

static struct bv evaluated(const struct subject *s, const struct bv *val, const bool *poison) {
  struct bv res[MAX_IN], out = {0};
  bool bad[MAX_IN];
  for (unsigned k = 0; k < s->nflag_set; k++) {
    bool defined = eval_op(s->op, s->types, s->flag_set[k], val, poison, res, bad);
    if (k == 0)
      for (uint32_t i = 0; i < s->op->nres; i++) {
        struct eval_env env = {.types = s->types, .vals = val, .poison = poison};
        struct bv v = defined ? res[i] : eval_bv(s->op->res[i].val, &env);
        out = i ? bv_concat(out, v) : v;
      }
    out = bv_concat(out, bv_concat(bv_u64(1, defined && bad[0]), bv_u64(1, !defined)));
  }
  return out;
}

/* Puts operands first..end-1 into a term and folds it. */
static Z3_ast put_in(const struct subject *s, Z3_ast term, const struct bv *val, const bool *poison,
                     uint32_t first, uint32_t end) {
  Z3_ast from[2 * MAX_IN], to[2 * MAX_IN];
  unsigned n = 0;
  for (uint32_t i = first; i < end; i++) {
    from[n] = s->var[i];
    to[n++] = smt_const_bv(s->c, val[i]);
    if (Z3_get_bool_value(s->c, s->poison[i]) != Z3_L_UNDEF) continue;
    from[n] = s->poison[i];
    to[n++] = poison[i] ? Z3_mk_true(s->c) : Z3_mk_false(s->c);
  }
  return Z3_simplify(s->c, Z3_substitute(s->c, term, n, from, to));
}

/* `input` holds the operands' bits, the last operand lowest: it varies fastest. */
static void compare_one(struct subject *s, uint64_t input, unsigned mask) {
  struct bv val[MAX_IN], want, got;
  bool poison[MAX_IN];
  uint32_t nin = s->op->nin, last = nin ? nin - 1 : 0;
  uint64_t rest = input, prefix = nin ? input >> s->width[last] : 0;
  for (uint32_t i = nin; i-- > 0;) {
    val[i] = bv_u64(s->width[i], rest);
    rest >>= s->width[i];
    poison[i] = mask >> i & 1;
  }
  if (!s->partial || s->prefix != prefix || s->mask != mask) {
    s->partial = put_in(s, s->answer, val, poison, 0, last);
    s->prefix = prefix;
    s->mask = mask;
  }
  want = evaluated(s, val, poison);
  Z3_ast folded = put_in(s, s->partial, val, poison, last, nin);
  char a[160], b[160], text[200] = "";
  ck_assert_msg(smt_value(s->c, folded, &got), "%s: not folded: %s", s->op->name,
                Z3_ast_to_string(s->c, folded));
  if (bv_eq(want, got)) return;
  for (uint32_t i = 0; i < nin; i++) {
    strcat(text, " ");
    strcat(text, bv_hex(val[i], a));
  }
  ck_abort_msg("%s:%s poison %u: evaluator %s, Z3 %s", s->op->name, text, mask, bv_hex(want, a),
               bv_hex(got, b));
}

/* ---- Choosing types -------------------------------------------------------------------------------- */

static bool exists_at(const struct subject *s) {
  struct eval_env env = {.types = s->types};
  if (s->op->where && !eval_bool(s->op->where, &env)) return false;
  for (uint32_t i = 0; i < s->op->nres; i++)
    if (!expr_applicable(s->op->res[i].val, &env)) return false;
  return !(s->op->poison && !expr_applicable(s->op->poison, &env)) &&
         !(s->op->ub && !expr_applicable(s->op->ub, &env));
}

static bool measure(struct subject *s, unsigned limit) {
  s->bits = 0;
  for (uint32_t i = 0; i < s->op->nin; i++) {
    s->width[i] = vt_bits(tyref_vt(s->op->in[i].ty, s->types));
    s->bits += s->width[i];
  }
  return s->bits <= limit;
}

/* The richest choice of types within `limit` bits of input; T as wide as possible, then the others. */
static bool choose_types(struct subject *s, unsigned limit) {
  static const unsigned widths[] = {16, 12, 8, 5, 4, 3, 2, 1};
  unsigned best = 0;
  struct subject found = *s;
  unsigned pick[MAX_TYPES] = {0};
  for (;;) {
    for (uint32_t i = 0; i < s->op->ntyvar; i++) s->types[i] = vt_int(widths[pick[i]]);
    if (measure(s, limit) && exists_at(s) && s->bits + 1 > best) {
      best = s->bits + 1;
      found = *s;
    }
    uint32_t i = 0;
    while (i < s->op->ntyvar && ++pick[i] == 8) pick[i++] = 0;
    if (i == s->op->ntyvar) break;
  }
  *s = found;
  return best > 0;
}

static bool has_meaning(const struct op *op) {
  bool values = !op->structural && op->mem == MEM_NONE && op->nres > 0 && op->nin <= MAX_IN && !op->target;
  for (uint32_t i = 0; values && i < op->nres; i++) values = op->res[i].val != NULL;
  for (uint32_t i = 0; values && i < op->nin; i++) values = op->in[i].ty.var >= 0;
  return values;
}

static void start(struct subject *s) {
  Z3_config cfg = Z3_mk_config();
  s->c = Z3_mk_context(cfg);
  Z3_del_config(cfg);
}

START_TEST(values_agree) {
  struct subject s = {.op = model->ops.at[_i]};
  if (!has_meaning(s.op)) return;
  ck_assert_msg(choose_types(&s, s.op->nin == 3 ? 15 : 16), "no small types for %s", s.op->name);
  list_flag_sets(&s);
  uint64_t step = getenv("VERIDAG_TEST_FULL") ? 1 : 241;
  for (uint64_t base = 0; base < UINT64_C(1) << s.bits; base += CHUNK) {
    /* A context keeps every term it made: a new one now and then bounds the memory. */
    start(&s);
    s.answer = s.partial = NULL;
    make_answer(&s, false);
    uint64_t end = base + CHUNK < UINT64_C(1) << s.bits ? base + CHUNK : UINT64_C(1) << s.bits;
    for (uint64_t x = base + (step - base % step) % step; x < end; x += step) compare_one(&s, x, 0);
    Z3_del_context(s.c);
  }
}
END_TEST

START_TEST(poison_agrees) {
  struct subject s = {.op = model->ops.at[_i]};
  if (!has_meaning(s.op)) return;
  ck_assert_msg(choose_types(&s, s.op->nin == 1 ? 16 : 6), "no small types for %s", s.op->name);
  list_flag_sets(&s);
  start(&s);
  make_answer(&s, true);
  uint64_t step = (UINT64_C(1) << s.bits) / 32 + 1;
  for (unsigned mask = 0; mask < 1u << s.op->nin; mask++)
    for (uint64_t x = 0; x < UINT64_C(1) << s.bits; x += step) compare_one(&s, x, mask);
  Z3_del_context(s.c);
}
END_TEST

START_TEST(every_operation_is_covered) {
  unsigned n = 0;
  for (uint32_t i = 0; i < model->ops.n; i++) n += has_meaning(model->ops.at[i]);
  ck_assert_uint_ge(n, 70);
}
END_TEST

int main(int argc, char **argv) {
  struct diag d = {0};
  model = model_load((const char *const *)argv + 1, (unsigned)argc - 1, &d);
  if (!model) return 2;
  TCase *t = tcase_create("evaluator against Z3");
  tcase_set_timeout(t, 600);
  tcase_add_loop_test(t, values_agree, 0, (int)model->ops.n);
  tcase_add_loop_test(t, poison_agrees, 0, (int)model->ops.n);
  tcase_add_test(t, every_operation_is_covered);
  int status = run_suite("operations", t);
  model_free(model);
  return status;
}
