/* selector.h: one compilation, from options to the MIR file. */
#ifndef VERIDAG_SELECTOR_H
#define VERIDAG_SELECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "draw_dag.h"
#include "ir.h"
#include "mir.h"
#include "targets/target.h"
#include "util/arena.h"
#include "util/diag.h"

enum phase {
  PHASE_BUILD,
  PHASE_COMBINE1,
  PHASE_TYPES,
  PHASE_COMBINE_LT,
  PHASE_VECTORS,
  PHASE_OPS,
  PHASE_COMBINE2,
  PHASE_SELECT,
  PHASE_SCHEDULE,
  PHASE_CREATE,
  PHASE_CLEANUP,
  PHASE_COUNT
};
extern const char *const phase_title[PHASE_COUNT]; /* the names of -time-passes */

enum reloc { RELOC_STATIC, RELOC_PIC };
enum fallback { FALLBACK_OFF, FALLBACK_SKIP };
enum scheduler { SCHED_SOURCE };
enum file_type { FILE_MIR, FILE_ASM, FILE_OBJ };

struct options {
  const char *input, *output;
  const char *triple, *cpu, *attrs; /* NULL: the module's */
  unsigned opt_level;               /* 0 to 3 */
  enum reloc reloc;
  enum fallback fallback;
  enum file_type file_type;
  enum scheduler scheduler;
  const char *stop_after; /* a phase's short name, or NULL */
  bool no_combine, time_passes, stats, verify_mi, verify_dag, print_ir, print_matcher_table;
  const char *debug_only;     /* comma-separated, or NULL */
  const char *view_dags;      /* a phase's short name, "" for all, or NULL */
  enum picture picture;       /* what view_dags writes */
  const char *only_function;  /* -filter-print-funcs: dumps of this function only, or NULL */
  const char *disabled_rules; /* comma-separated, or NULL */
  unsigned max_steps;
  const char *llc; /* for -filetype=asm|obj and -verify-machineinstrs */
};

/* Fills *o from the command line. Returns -1 to go on, else the exit code; messages are printed. */
int parse_options(struct options *o, int argc, char **argv);

struct isel {
  const struct options *options;
  const struct target *target;
  FILE *log;                          /* dumps and messages */
  bool *features, *tastes, *disabled; /* by the matcher's numbers; features are the current function's */
  struct ranks *ranks;                /* of the current features */
  uint32_t *fired;
  uint64_t nanoseconds[PHASE_COUNT];
  unsigned undrawn;     /* pictures that could not be written */
  uint64_t dag_nodes;   /* selected, over the file */
  uint64_t high_water;  /* bytes of the arenas */
  struct arena scratch; /* of one block */
};

/* Selects one function. On unsupported constructs returns false with *what set. */
bool select_function(struct isel *s, const struct ir_function *f, struct mfunc *out, const char **what);

/* Runs the whole compilation; returns the exit code. */
int pipeline(const struct options *o);

/* The short name of a phase for -stop-after, -view-isel-dags and -debug-only, or -1. */
int phase_by_name(const char *name);
bool debug_wanted(const struct isel *s, const char *what);

#endif
