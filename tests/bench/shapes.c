/* shapes: writes one-block functions of a given size whose shape has made selectors superlinear.
 *
 *   shapes NAME N       NAME: chain fold tokens selects wide strided       N: about how many nodes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chain of dependent additions and multiplications. */
static void chain(long n) {
  puts("define i64 @f(i64 %x0, i64 %y) {");
  for (long i = 0; i < n; i++) printf("  %%x%ld = %s i64 %%x%ld, %%y\n", i + 1, i % 3 ? "add" : "xor", i);
  printf("  ret i64 %%x%ld\n}\n", n);
}

/* Loads at the top, then a store, then a long chain that starts after the store and adds one of the loads at
 * each step: folding a load into its addition would make a cycle through the store, and each refusal must not
 * walk the chain. */
static void fold(long n) {
  puts("define i64 @f(ptr %p, ptr %q, i64 %y) {");
  for (long i = 0; i < n / 5; i++)
    printf("  %%a%ld = getelementptr i64, ptr %%p, i64 %ld\n  %%u%ld = load i64, ptr %%a%ld\n", i, i, i, i);
  puts("  store i64 %y, ptr %q\n  %x0 = load i64, ptr %p");
  for (long i = 0; i < n / 5; i++)
    printf("  %%m%ld = mul i64 %%x%ld, %%y\n  %%x%ld = add i64 %%m%ld, %%u%ld\n", i, i, i + 1, i, i);
  printf("  ret i64 %%x%ld\n}\n", n / 5);
}

/* Independent loads that all hang on one store and are joined before the next. */
static void tokens(long n) {
  puts("define i64 @f(ptr %p, ptr %q) {\n  store i64 1, ptr %q\n  %s0 = add i64 0, 0");
  for (long i = 0; i < n / 4; i++) {
    printf("  %%a%ld = getelementptr i64, ptr %%p, i64 %ld\n  %%v%ld = load i64, ptr %%a%ld\n", i, i, i, i);
    printf("  %%s%ld = xor i64 %%s%ld, %%v%ld\n", i + 1, i, i);
  }
  printf("  store i64 %%s%ld, ptr %%q\n  ret i64 %%s%ld\n}\n", n / 4, n / 4);
}

/* Selects between two loads. */
static void selects(long n) {
  puts("define i64 @f(ptr %p, i64 %x) {\n  %s0 = add i64 %x, 1");
  for (long i = 0; i < n / 7; i++) {
    printf("  %%a%ld = getelementptr i64, ptr %%p, i64 %ld\n  %%v%ld = load i64, ptr %%a%ld\n", i, 2 * i, i,
           i);
    printf("  %%b%ld = getelementptr i64, ptr %%p, i64 %ld\n  %%w%ld = load i64, ptr %%b%ld\n", i, 2 * i + 1,
           i, i);
    printf("  %%c%ld = icmp ult i64 %%v%ld, %%w%ld\n", i, i, i);
    printf("  %%t%ld = select i1 %%c%ld, i64 %%v%ld, i64 %%x\n", i, i, i);
    printf("  %%s%ld = add i64 %%s%ld, %%t%ld\n", i + 1, i, i);
  }
  printf("  ret i64 %%s%ld\n}\n", n / 7);
}

/* 128-bit arithmetic: every node becomes several. */
static void wide(long n) {
  puts("define i128 @f(i128 %x0, i128 %y) {");
  for (long i = 0; i < n / 4; i++)
    printf("  %%x%ld = %s i128 %%x%ld, %%y\n", i + 1, i % 2 ? "add" : "xor", i);
  printf("  ret i128 %%x%ld\n}\n", n / 4);
}

/* Stores side by side. */
static void strided(long n) {
  puts("define void @f(ptr %p, i32 %x) {");
  for (long i = 0; i < n / 3; i++) {
    printf("  %%a%ld = getelementptr i32, ptr %%p, i64 %ld\n", i, 3 * i);
    printf("  %%v%ld = add i32 %%x, %ld\n  store i32 %%v%ld, ptr %%a%ld\n", i, i, i, i);
  }
  puts("  ret void\n}");
}

static const struct {
  const char *name;
  void (*write)(long n);
} shapes[] = {{"chain", chain},     {"fold", fold}, {"tokens", tokens},
              {"selects", selects}, {"wide", wide}, {"strided", strided}};

int main(int argc, char **argv) {
  long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  for (size_t i = 0; n > 0 && i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(argv[1], shapes[i].name)) return shapes[i].write(n), 0;
  return fprintf(stderr, "usage: shapes chain|fold|tokens|selects|wide|strided N\n"), 2;
}
