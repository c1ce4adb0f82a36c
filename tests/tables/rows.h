/* rows.h: our instruction rows in plain C arrays, for the comparison with LLVM's descriptors. */
#ifndef VERIDAG_TESTS_ROWS_H
#define VERIDAG_TESTS_ROWS_H

#include <stdbool.h>

enum { ROW_REG, ROW_IMM, ROW_MEM, ROW_BLOCK, ROW_MAX_OPERANDS = 16, ROW_MAX_PARTS = 8 };

struct row_operand {
  int kind;
  unsigned nmir;   /* LLVM operands that it stands for */
  const char *mir; /* register class, in MIR's spelling */
  int tied;        /* output, or -1 */
  bool part_is_reg[ROW_MAX_PARTS];
  const char *part_class[ROW_MAX_PARTS]; /* or NULL */
};

struct row {
  const char *name;
  unsigned nout, noperand, nuse, ndef;
  struct row_operand operand[ROW_MAX_OPERANDS]; /* results, then operands */
  const char *use[ROW_MAX_OPERANDS], *def[ROW_MAX_OPERANDS];
  bool load, store, term;
};

struct rows {
  const char *name, *triple;
  unsigned ninst;
  const void *target;
  void *model; /* what holds the rows */
};

/* The targets of the build that LLVM knows too, at most `max`; returns how many. */
unsigned load_rows(struct rows *out, unsigned max);
void free_rows(struct rows *rows, unsigned n);
void get_row(const struct rows *t, unsigned i, struct row *out);

#endif
