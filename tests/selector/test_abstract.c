/* test_abstract.c: what abstract.c says of an operation's results holds for every value that the operands may
 * have, and a bit that it says is not read does not matter. Over all operations of the tables at small
 * widths. */
#include "abstract.h"
#include "../random.h"
#include "../run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_IN = 3, MAX_RES = 3, MAX_TYVAR = 4, SAMPLES = 1000 };

static uint64_t seed;
static uint32_t random_below(uint32_t n) { return random_next(&seed, n); }

static bool is_fixed_int(struct tyref t) { return t.var >= 0 || vt_is_int(t.fixed); }

/* A pure operation on integers of any type. */
static bool is_testable(const struct op *op) {
  if (!op || op->structural || op->mem != MEM_NONE || op->chained || op->target) return false;
  if (!op->nin || op->nin > MAX_IN || op->nres > MAX_RES || op->ntyvar > MAX_TYVAR) return false;
  for (unsigned i = 0; i < op->nin; i++)
    if (!is_fixed_int(op->in[i].ty)) return false;
  for (unsigned i = 0; i < op->nres; i++)
    if (!is_fixed_int(op->res[i].ty) || !op->res[i].val) return false;
  return true;
}

/* Types of at most 5 bits (16 where the operation wants whole bytes) that the operation allows. */
static bool random_types(const struct op *op, vt *types) {
  for (unsigned tries = 0; tries < 200; tries++) {
    for (unsigned i = 0; i < op->ntyvar; i++)
      types[i] = VT_I(tries < 150 ? 1 + random_below(5) : 8u << random_below(2));
    if (!op->where || eval_bool(op->where, &(struct eval_env){.types = types})) return true;
  }
  return false;
}

static struct bv random_bits(unsigned width) {
  uint64_t v = 0;
  switch (random_below(4)) {
  case 0: v = random_below(4); break;
  case 1: v = (uint64_t)0 - random_below(4); break;
  default: v = (uint64_t)random_below(1u << 16) << random_below(8); break;
  }
  return bv_u64(width, v);
}

static bool holds(const struct fact_bits *f, struct bv v) {
  unsigned sign = bv_sign(v) ? bv_clz(bv_not(v)) : bv_clz(v);
  return bv_is_zero(bv_and(f->zero, v)) && bv_is_zero(bv_and(f->one, bv_not(v))) && sign >= f->sign;
}

/* Partial knowledge of which `v` is one of the possible values. */
static struct fact_bits random_fact(struct bv v) {
  struct bv mask = random_bits(v.width);
  if (random_below(4) == 0) mask = bv_ones(v.width);
  struct fact_bits f = {bv_and(bv_not(v), mask), bv_and(v, mask), 1};
  if (random_below(3) == 0) f.sign = 1 + random_below(bv_sign(v) ? bv_clz(bv_not(v)) : bv_clz(v));
  fact_settle(&f);
  return f;
}

/* Another value of which the fact holds. */
static struct bv random_instance(const struct fact_bits *f) {
  for (unsigned tries = 0; tries < 64; tries++) {
    struct bv v = random_bits(f->zero.width);
    if (random_below(2)) v = bv_sext(bv_trunc(v, v.width - (f->sign - 1)), v.width);
    v = bv_or(bv_and(v, bv_not(f->zero)), f->one);
    if (holds(f, v)) return v;
  }
  return f->one;
}

struct sample {
  vt types[MAX_TYVAR];
  struct bv val[MAX_IN], res[MAX_RES];
  struct fact_bits fact[MAX_IN];
  uint16_t flags;
  struct abs_env env;
};

static void random_sample(const struct op *op, struct sample *s) {
  for (unsigned i = 0; i < op->nin; i++) {
    s->val[i] = random_bits(vt_bits(tyref_vt(op->in[i].ty, s->types)));
    s->fact[i] = random_fact(s->val[i]);
  }
  s->flags = op->flags & random_below(1u << FLAG_COUNT);
  s->env = (struct abs_env){
      .types = s->types, .val = s->fact, .flags = s->flags, .divisor_nonzero = op->ub != NULL};
  s->env.not_poison = ~0u;
}

/* Evaluates; false when the result is undefined or poison. */
static bool run(const struct op *op, const struct sample *s, const struct bv *val, struct bv *res) {
  bool poison[MAX_IN] = {0}, res_poison[MAX_RES] = {0};
  if (!eval_op(op, s->types, s->flags, val, poison, res, res_poison)) return false;
  for (unsigned i = 0; i < op->nres; i++)
    if (res_poison[i]) return false;
  return true;
}

static void check_forwards(const struct op *op) {
  struct sample s;
  unsigned checked = 0;
  for (unsigned n = 0; n < SAMPLES; n++) {
    if (!random_types(op, s.types)) return;
    random_sample(op, &s);
    struct fact_bits f[MAX_RES];
    for (unsigned r = 0; r < op->nres; r++) f[r] = abs_bv(op->res[r].val, &s.env);
    for (unsigned k = 0; k < 8; k++) {
      struct bv val[MAX_IN];
      for (unsigned i = 0; i < op->nin; i++) val[i] = k ? random_instance(&s.fact[i]) : s.val[i];
      if (!run(op, &s, val, s.res)) continue;
      for (unsigned r = 0; r < op->nres; r++) {
        char a[160], b[160], c[160];
        ck_assert_msg(holds(&f[r], s.res[r]), "%s at %u bits: result %s, but zero %s one %s sign %u",
                      op->name, s.res[r].width, bv_hex(s.res[r], a), bv_hex(f[r].zero, b),
                      bv_hex(f[r].one, c), f[r].sign);
      }
      checked++;
    }
  }
  ck_assert_msg(checked > 0 || op->nres == 0, "%s was never checked", op->name);
}

/* Changes bits that are not demanded and compares the bits that are asked for; the values of the other
 * operands are known when they are constants. */
static void check_backwards(const struct op *op) {
  struct sample s;
  unsigned changed = 0;
  for (unsigned n = 0; n < SAMPLES; n++) {
    if (!random_types(op, s.types)) return;
    random_sample(op, &s);
    unsigned which = random_below(op->nin), r = random_below(op->nres);
    for (unsigned i = 0; i < op->nin; i++)
      s.fact[i] = i != which && random_below(2) ? fact_const(s.val[i]) : fact_none(s.val[i].width);
    struct bv want = random_bits(vt_bits(tyref_vt(op->res[r].ty, s.types))), read[MAX_IN], val[MAX_IN],
              res[MAX_RES];
    for (unsigned i = 0; i < op->nin; i++) read[i] = bv_u64(s.val[i].width, 0);
    abs_demand(op->res[r].val, want, &s.env, read);
    if (op->poison) abs_demand_bool(op->poison, &s.env, read);
    if (op->ub) abs_demand_bool(op->ub, &s.env, read);
    memcpy(val, s.val, sizeof val);
    struct bv other = random_bits(val[which].width);
    val[which] = bv_or(bv_and(val[which], read[which]), bv_and(other, bv_not(read[which])));
    changed += !bv_eq(val[which], s.val[which]);
    bool before = run(op, &s, s.val, s.res), after = run(op, &s, val, res);
    ck_assert_msg(before == after, "%s: poison depends on bits that are not demanded", op->name);
    if (before)
      ck_assert_msg(bv_eq(bv_and(s.res[r], want), bv_and(res[r], want)),
                    "%s: a bit that is not demanded matters", op->name);
  }
  if (!strcmp(op->name, "and") || !strcmp(op->name, "trunc") || !strcmp(op->name, "shl") ||
      !strcmp(op->name, "add"))
    ck_assert_uint_gt(changed, SAMPLES / 50); /* these do leave bits unread */
}

START_TEST(facts_hold) {
  seed = (uint64_t)_i;
  check_forwards(op_defs[_i]);
}
END_TEST

START_TEST(unread_bits_do_not_matter) {
  seed = (uint64_t)_i + 1000;
  check_backwards(op_defs[_i]);
}
END_TEST

static const struct op *named(const char *name) {
  for (unsigned i = 0; i < OP_COUNT; i++)
    if (op_defs[i] && !strcmp(op_defs[i]->name, name)) return op_defs[i];
  ck_abort_msg("no operation %s", name);
}

static struct fact_bits result(const char *name, const vt *types, struct fact_bits a, struct fact_bits b) {
  struct fact_bits in[] = {a, b};
  struct abs_env env = {.types = types, .val = in};
  return abs_bv(named(name)->res[0].val, &env);
}

/* Facts that rules live on are found, not only sound. */
START_TEST(facts_are_found) {
  vt t[] = {VT_I(32), VT_I(8)};
  struct fact_bits any = fact_none(32), byte = {bv_u64(32, 0xffffff00), bv_u64(32, 0), 24};
  ck_assert_uint_eq(bv_to_u64(result("and", t, any, fact_const(bv_u64(32, 12))).zero), 0xfffffff3);
  ck_assert_uint_eq(bv_to_u64(result("add", t, byte, byte).zero), 0xfffffe00);
  ck_assert_uint_eq(bv_to_u64(result("mul", t, byte, byte).zero), 0xffff0000);
  ck_assert_uint_eq(bv_to_u64(result("shl", t, byte, fact_const(bv_u64(32, 4))).zero), 0xfffff00f);
  ck_assert_uint_eq(bv_to_u64(result("urem", t, any, fact_const(bv_u64(32, 8))).zero), 0xfffffff8);
  ck_assert_uint_eq(bv_to_u64(result("setcc.ult", (vt[]){VT_I(32), VT_I(32)}, any, any).zero), 0xfffffffe);
  ck_assert_uint_eq(result("sra", t, any, fact_const(bv_u64(32, 5))).sign, 6);
  ck_assert_uint_eq(bv_to_u64(result("ctpop", t, any, any).zero), 0xffffffc0);
}
END_TEST

int main(void) {
  TCase *t = tcase_create("abstract");
  tcase_set_timeout(t, 60);
  for (int i = 0; i < OP_COUNT; i++) {
    if (!is_testable(op_defs[i])) continue;
    tcase_add_loop_test(t, facts_hold, i, i + 1);
    tcase_add_loop_test(t, unread_bits_do_not_matter, i, i + 1);
  }
  tcase_add_test(t, facts_are_found);
  return run_suite("abstract", t);
}
