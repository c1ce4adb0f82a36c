/* isd_vs_llvm: the operations' definitions against what clang and llc compile for the same operation written
 * in LLVM IR, at 8 to 128 bits, on corner values of every operand combined and on random ones.
 *
 *   isd_vs_llvm CLANG BUILTIN.isel…      CLANG: a clang that reads .ll; then ops.isel and fns.isel
 *
 * Inputs for which the definition says poison or undefined behaviour are counted, not compared.
 */
#include "model.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How a type in a row depends on the width W of the row. */
enum shape { NO, BIT, W1, W2 }; /* absent, i1, iW, i2W */

struct row {
  const char *op;
  enum shape in[3], res[2];
  const char *ir;    /* computes %r (and %s) from %a %b %c; $T is iW, $D is i2W, $W is W */
  unsigned multiple; /* widths must be multiples of this */
};

#define BIN(name, ir)                                                                                        \
  { name, {W1, W1, NO}, {W1, NO}, ir, 1 }
#define UN(name, ir, m)                                                                                      \
  { name, {W1, NO, NO}, {W1, NO}, ir, m }
#define TRI(name, ir)                                                                                        \
  { name, {W1, W1, W1}, {W1, NO}, ir, 1 }
#define CMP(cc)                                                                                              \
  { "setcc." cc, {W1, W1, NO}, {BIT, NO}, "%r = icmp " cc " $T %a, %b\n", 1 }
#define HIGH(ext, sh)                                                                                        \
  "%x = " ext " $T %a to $D\n%y = " ext " $T %b to $D\n%m = mul $D %x, %y\n%n = " sh " $D %m, $W\n"
#define OVERFLOW(name, fn)                                                                                   \
  {                                                                                                          \
    name, {W1, W1, NO}, {W1, BIT},                                                                           \
        "%p = call {$T, i1} @llvm." fn ".with.overflow.$T($T %a, $T %b)\n"                                   \
        "%r = extractvalue {$T, i1} %p, 0\n%s = extractvalue {$T, i1} %p, 1\n",                              \
        1                                                                                                    \
  }
#define CARRY(name, ir)                                                                                      \
  {                                                                                                          \
    name, {W1, W1, BIT}, {W1, BIT},                                                                          \
        "%x = zext $T %a to $D\n%y = zext $T %b to $D\n%z = zext i1 %c to $D\n"                              \
        "%p = " ir " $D %x, %y\n%q = " ir                                                                    \
        " $D %p, %z\n%r = trunc $D %q to $T\n%u = lshr $D %q, $W\n%s = trunc $D %u to i1\n",                 \
        1                                                                                                    \
  }
#define CALL1(fn, rest) "%r = call $T @llvm." fn ".$T($T %a" rest ")\n"
#define CALL2(fn) "%r = call $T @llvm." fn ".$T($T %a, $T %b)\n"
#define CALL3(fn, a, b, c) "%r = call $T @llvm." fn ".$T($T %" a ", $T %" b ", $T %" c ")\n"

static const struct row rows[] = {
    BIN("add", "%r = add $T %a, %b\n"),
    BIN("sub", "%r = sub $T %a, %b\n"),
    BIN("mul", "%r = mul $T %a, %b\n"),
    BIN("udiv", "%r = udiv $T %a, %b\n"),
    BIN("sdiv", "%r = sdiv $T %a, %b\n"),
    BIN("urem", "%r = urem $T %a, %b\n"),
    BIN("srem", "%r = srem $T %a, %b\n"),
    BIN("and", "%r = and $T %a, %b\n"),
    BIN("or", "%r = or $T %a, %b\n"),
    BIN("xor", "%r = xor $T %a, %b\n"),
    BIN("shl", "%r = shl $T %a, %b\n"),
    BIN("srl", "%r = lshr $T %a, %b\n"),
    BIN("sra", "%r = ashr $T %a, %b\n"),
    BIN("mulhu", HIGH("zext", "lshr") "%r = trunc $D %n to $T\n"),
    BIN("mulhs", HIGH("sext", "lshr") "%r = trunc $D %n to $T\n"),
    {"umul_lohi",
     {W1, W1, NO},
     {W1, W1},
     HIGH("zext", "lshr") "%r = trunc $D %m to $T\n%s = trunc $D %n to $T\n",
     1},
    {"smul_lohi",
     {W1, W1, NO},
     {W1, W1},
     HIGH("sext", "lshr") "%r = trunc $D %m to $T\n%s = trunc $D %n to $T\n",
     1},
    BIN("rotl", CALL3("fshl", "a", "a", "b")),
    BIN("rotr", CALL3("fshr", "a", "a", "b")),
    TRI("fshl", CALL3("fshl", "a", "b", "c")),
    TRI("fshr", CALL3("fshr", "a", "b", "c")),
    CMP("eq"),
    CMP("ne"),
    CMP("ult"),
    CMP("ule"),
    CMP("ugt"),
    CMP("uge"),
    CMP("slt"),
    CMP("sle"),
    CMP("sgt"),
    CMP("sge"),
    {"select", {BIT, W1, W1}, {W1, NO}, "%r = select i1 %a, $T %b, $T %c\n", 1},
    {"zext", {W1, NO, NO}, {W2, NO}, "%r = zext $T %a to $D\n", 1},
    {"sext", {W1, NO, NO}, {W2, NO}, "%r = sext $T %a to $D\n", 1},
    {"trunc", {W2, NO, NO}, {W1, NO}, "%r = trunc $D %a to $T\n", 1},
    {"build_pair",
     {W1, W1, NO},
     {W2, NO},
     "%x = zext $T %a to $D\n%y = zext $T %b to $D\n%z = shl $D %y, $W\n%r = or $D %x, %z\n",
     1},
    {"extract_lo", {W2, NO, NO}, {W1, NO}, "%r = trunc $D %a to $T\n", 1},
    {"extract_hi", {W2, NO, NO}, {W1, NO}, "%x = lshr $D %a, $W\n%r = trunc $D %x to $T\n", 1},
    {"sext_inreg", {W2, NO, NO}, {W2, NO}, "%x = trunc $D %a to $T\n%r = sext $T %x to $D\n", 1},
    {"assertzext", {W2, NO, NO}, {W2, NO}, "%x = trunc $D %a to $T\n%r = zext $T %x to $D\n", 1},
    {"assertsext", {W2, NO, NO}, {W2, NO}, "%x = trunc $D %a to $T\n%r = sext $T %x to $D\n", 1},
    {"udivrem", {W1, W1, NO}, {W1, W1}, "%r = udiv $T %a, %b\n%s = urem $T %a, %b\n", 1},
    {"sdivrem", {W1, W1, NO}, {W1, W1}, "%r = sdiv $T %a, %b\n%s = srem $T %a, %b\n", 1},
    UN("bswap", CALL1("bswap", ""), 16),
    UN("bitreverse", CALL1("bitreverse", ""), 1),
    UN("ctpop", CALL1("ctpop", ""), 1),
    UN("parity", "%p = call $T @llvm.ctpop.$T($T %a)\n%r = and $T %p, 1\n", 1),
    UN("ctlz", CALL1("ctlz", ", i1 false"), 1),
    UN("cttz", CALL1("cttz", ", i1 false"), 1),
    UN("ctlz_zp", CALL1("ctlz", ", i1 true"), 1),
    UN("cttz_zp", CALL1("cttz", ", i1 true"), 1),
    UN("abs", CALL1("abs", ", i1 false"), 1),
    UN("freeze", "%r = freeze $T %a\n", 1),
    BIN("smin", CALL2("smin")),
    BIN("smax", CALL2("smax")),
    BIN("umin", CALL2("umin")),
    BIN("umax", CALL2("umax")),
    BIN("uaddsat", CALL2("uadd.sat")),
    BIN("saddsat", CALL2("sadd.sat")),
    BIN("usubsat", CALL2("usub.sat")),
    BIN("ssubsat", CALL2("ssub.sat")),
    OVERFLOW("uaddo", "uadd"),
    OVERFLOW("saddo", "sadd"),
    OVERFLOW("usubo", "usub"),
    OVERFLOW("ssubo", "ssub"),
    OVERFLOW("umulo", "umul"),
    OVERFLOW("smulo", "smul"),
    CARRY("uaddo_carry", "add"),
    CARRY("usubo_carry", "sub"),
};
enum { NROWS = sizeof rows / sizeof *rows };
static const unsigned widths[] = {8, 16, 32, 64, 128};
enum { NWIDTHS = sizeof widths / sizeof *widths };

static unsigned bits_of(enum shape s, unsigned w) { return s == BIT ? 1 : s == W2 ? 2 * w : w; }

static void write_type(FILE *f, enum shape s, unsigned w) { fprintf(f, "i%u", bits_of(s, w)); }

/* The function for a row at a width: void ROW_W(ptr a, ptr b, ptr c, ptr r, ptr s). */
static void write_function(FILE *f, unsigned row, unsigned w) {
  const struct row *r = &rows[row];
  fprintf(f, "define void @f%u_%u(ptr %%pa, ptr %%pb, ptr %%pc, ptr %%pr, ptr %%ps) {\n", row, w);
  for (unsigned i = 0; i < 3 && r->in[i] != NO; i++) {
    char v = (char)('a' + i);
    if (r->in[i] == BIT) {
      fprintf(f, "%%l%c = load i8, ptr %%p%c\n%%%c = trunc i8 %%l%c to i1\n", v, v, v, v);
    } else {
      fprintf(f, "%%%c = load ", v);
      write_type(f, r->in[i], w);
      fprintf(f, ", ptr %%p%c\n", v);
    }
  }
  for (const char *p = r->ir; *p; p++) {
    if (*p != '$')
      fputc(*p, f);
    else if (*++p == 'W')
      fprintf(f, "%u", w);
    else
      write_type(f, *p == 'T' ? W1 : W2, w);
  }
  for (unsigned i = 0; i < 2 && r->res[i] != NO; i++) {
    char v = i ? 's' : 'r';
    if (r->res[i] == BIT)
      fprintf(f, "%%o%c = zext i1 %%%c to i8\nstore i8 %%o%c, ptr %%p%c\n", v, v, v, v);
    else
      fprintf(f, "store i%u %%%c, ptr %%p%c\n", bits_of(r->res[i], w), v, v);
  }
  fputs("ret void\n}\n", f);
}

static void *compile(const char *clang, const char *dir) {
  char ll[300], so[300], cmd[1200];
  snprintf(ll, sizeof ll, "%s/rows.ll", dir);
  snprintf(so, sizeof so, "%s/rows.so", dir);
  FILE *f = fopen(ll, "w");
  if (!f) return NULL;
  for (unsigned i = 0; i < NROWS; i++)
    for (unsigned j = 0; j < NWIDTHS; j++)
      if (widths[j] % rows[i].multiple == 0) write_function(f, i, widths[j]);
  if (fclose(f)) return NULL;
  snprintf(cmd, sizeof cmd, "%s -w -O1 -fPIC -shared %s -o %s", clang, ll, so);
  void *lib = system(cmd) ? NULL : dlopen(so, RTLD_NOW);
  if (lib) unlink(ll), unlink(so);
  return lib;
}

struct random {
  uint64_t state;
};
static uint64_t next(struct random *r) { /* splitmix64 */
  uint64_t z = r->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

enum { CORNERS = 12 };

/* Corner value k of a width; from CORNERS on, a random value of a random length. */
static struct bv value_of(unsigned w, unsigned k, struct random *r) {
  struct bv one = bv_u64(w, 1), ones = bv_ones(w), min = bv_shl(one, bv_u64(w, w - 1));
  switch (k) {
  case 0: return bv_u64(w, 0);
  case 1: return one;
  case 2: return ones;
  case 3: return min;
  case 4: return bv_sub(min, one);
  case 5: return bv_add(min, one);
  case 6: return bv_u64(w, w);
  case 7: return bv_u64(w, w - 1);
  case 8: return bv_u64(w, w / 2);
  case 9: return bv_u64(w, w + 1);
  case 10: return bv_u64(w, 2);
  case 11: return bv_u64(w, 7);
  }
  struct bv v = bv_u64(w, 0);
  for (unsigned i = 0; i < (w + 63) / 64; i++) v.limb[i] = next(r);
  v = bv_trunc(bv_zext(v, VT_MAX_BITS), w);
  if (w % 64) v.limb[w / 64] &= (UINT64_C(1) << w % 64) - 1;
  return bv_lshr(v, bv_u64(w, next(r) % w));
}

typedef void row_fn(const void *, const void *, const void *, void *, void *);
struct counts {
  unsigned long compared, undefined, wrong;
};

static void report(const struct row *r, unsigned w, const struct bv *in, unsigned n, struct bv want,
                   struct bv got) {
  char buf[160];
  printf("%s at i%u: operands", r->op, w);
  for (unsigned i = 0; i < n; i++) printf(" %s", bv_hex(in[i], buf));
  printf(": definition %s", bv_hex(want, buf));
  printf(", compiled %s\n", bv_hex(got, buf));
}

static void compare(const struct row *r, const struct op *op, unsigned w, row_fn *fn, const struct bv *in,
                    struct counts *c) {
  vt types[8] = {0};
  unsigned n = 0, nres = r->res[1] == NO ? 1 : 2;
  while (n < 3 && r->in[n] != NO) n++;
  for (unsigned i = 0; i < n; i++)
    if (op->in[i].ty.var >= 0) types[op->in[i].ty.var] = VT_I(bits_of(r->in[i], w));
  for (unsigned i = 0; i < nres; i++)
    if (op->res[i].ty.var >= 0) types[op->res[i].ty.var] = VT_I(bits_of(r->res[i], w));
  if (op->second >= 0) types[op->second] = VT_I(w); /* the narrow type of assertions and sext_inreg */
  bool poison[3] = {0}, res_poison[2] = {0};
  struct bv want[2], got[2];
  if (!eval_op(op, types, 0, in, poison, want, res_poison) || res_poison[0]) {
    c->undefined++;
    return;
  }
  for (unsigned i = 0; i < 2; i++) got[i] = bv_u64(i < nres ? bits_of(r->res[i], w) : 1, 0);
  fn(in[0].limb, in[1].limb, in[2].limb, got[0].limb, got[1].limb);
  for (unsigned i = 0; i < nres; i++) {
    c->compared++;
    if (bv_eq(want[i], got[i])) continue;
    if (c->wrong++ < 20) report(r, w, in, n, want[i], got[i]);
  }
}

static void run_row(const struct row *r, const struct op *op, unsigned w, row_fn *fn, struct random *rnd,
                    struct counts *c) {
  unsigned width[3], n[3];
  for (unsigned i = 0; i < 3; i++) {
    width[i] = r->in[i] == NO ? 1 : bits_of(r->in[i], w);
    n[i] = r->in[i] == NO ? 1 : r->in[i] == BIT ? 2 : CORNERS;
  }
  for (unsigned x = 0; x < n[0]; x++)
    for (unsigned y = 0; y < n[1]; y++)
      for (unsigned z = 0; z < n[2]; z++) {
        struct bv in[3] = {value_of(width[0], x, rnd), value_of(width[1], y, rnd),
                           value_of(width[2], z, rnd)};
        compare(r, op, w, fn, in, c);
      }
  for (unsigned k = 0; k < 1000; k++) {
    struct bv in[3];
    for (unsigned i = 0; i < 3; i++) in[i] = value_of(width[i], CORNERS + k, rnd);
    compare(r, op, w, fn, in, c);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: isd_vs_llvm CLANG FILE.isel...\n"), 2;
  struct diag d = {0};
  struct model *m = model_load((const char *const *)argv + 2, (unsigned)argc - 2, &d);
  if (!m) return 2;
  char dir[] = "/tmp/isd_vs_llvm.XXXXXX";
  void *lib = mkdtemp(dir) ? compile(argv[1], dir) : NULL;
  rmdir(dir);
  if (!lib) return fprintf(stderr, "isd_vs_llvm: %s did not compile the rows\n", argv[1]), 2;
  struct counts c = {0};
  struct random rnd = {1};
  unsigned cases = 0;
  for (unsigned i = 0; i < NROWS; i++) {
    const struct op *op = model_op(m, rows[i].op);
    if (!op) return fprintf(stderr, "isd_vs_llvm: no operation %s\n", rows[i].op), 1;
    for (unsigned j = 0; j < NWIDTHS; j++) {
      char name[32];
      snprintf(name, sizeof name, "f%u_%u", i, widths[j]);
      row_fn *fn;
      *(void **)&fn = dlsym(lib, name);
      if (!fn) continue;
      run_row(&rows[i], op, widths[j], fn, &rnd, &c);
      cases++;
    }
  }
  printf("%u operations at widths, %lu results compared, %lu inputs undefined, %lu wrong\n", cases,
         c.compared, c.undefined, c.wrong);
  dlclose(lib);
  model_free(m);
  return c.wrong || !c.compared;
}
