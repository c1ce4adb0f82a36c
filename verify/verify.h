/* verify.h: the prover's shared structures. One instance is a rule at one choice of types; it is proven in a
 * child process with a Z3 context of its own, and reported as one row. */
#ifndef VERIDAG_VERIFY_H
#define VERIDAG_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "instances.h"

enum verdict { PROVED, REFUTED, UNKNOWN, VACUOUS };
extern const char *const verdict_name[];

/* Rungs of the ladder, weakest first; an instance's rung is the highest that one of its clauses needed. */
enum rung {
  RUNG_NONE,
  RUNG_SIMPLIFY,
  RUNG_RING,
  RUNG_GF2,
  RUNG_INDEX,
  RUNG_LIA,
  RUNG_LEMMAS,
  RUNG_BITBLAST,
  RUNG_SPLIT,
  RUNG_UF,
  RUNG_COUNT
};
extern const char *const rung_name[];

enum clause_kind {
  CLAUSE_UB,
  CLAUSE_POISON,
  CLAUSE_VALUE,
  CLAUSE_FLAGS,
  CLAUSE_MEMORY,
  CLAUSE_BRANCH,
  CLAUSE_IMMEDIATE,
  CLAUSE_GUARD,
  CLAUSE_LEFT,
  CLAUSE_COUNT
};
extern const char *const clause_name[];

struct row {
  const struct instance *in;
  enum verdict verdict;
  enum rung rung;
  enum clause_kind clause; /* which failed, when not proved */
  unsigned cases;          /* of the split rung */
  double ms;               /* CPU time of the child */
  uint64_t rlimit;         /* solver steps */
  char *text;              /* counterexample or reason, in lines; malloc'ed, may be NULL */
  bool bad_values; /* --values does not fit this instance: the user's mistake, not a gap in the proof */
  bool done;
};

struct options {
  double scale; /* of budgets */
  unsigned jobs;
  unsigned shard, shards; /* only every shards-th instance, from number shard on; shards 0: all */
  bool json, stats, list, progress;
  const char *only, *types, *values, *target, *out;
  /* Cross-check every proof of the ring and integer rungs at small widths by bit-blasting (tests). */
  bool cross_check;
};

/* prove_rules.c: proves one instance in the calling process. `values`, when not NULL, fixes variables
 * ("x=3,C=6"). */
void prove_instance(const struct instance *in, const struct options *o, struct row *row);

/* workers.c: fills rows[i].* for all instances, in `jobs` children at a time. Stops early when *stop is set.
 */
void prove_all(struct row *rows, uint32_t n, const struct options *o, const volatile int *stop);

/* report.c */
void report_text(FILE *f, const struct row *rows, uint32_t n, double seconds, const struct options *o);
void report_json(FILE *f, const struct row *rows, uint32_t n, double seconds);
void report_list(FILE *f, const struct model *m, const struct options *o);

#endif
