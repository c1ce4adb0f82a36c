/* options.c: the command line. Flags keep llc's names; one or two dashes; -name=value or -name value. */
#include "selector.h"
#include "util/words.h"

#include <stdlib.h>
#include <string.h>

static int complain(const char *hint, const char *fmt, const char *what) {
  fputs("veridag: error: ", stderr);
  fprintf(stderr, fmt, what); /* the formats below are literals with one %s */
  fputc('\n', stderr);
  if (hint) fprintf(stderr, "hint: %s\n", hint);
  return 1;
}

static void help(void) {
  puts("usage: veridag [options] input.ll|input.bc -o output.mir\n"
       "  -mtriple=T            target triple; the module's otherwise (x86_64-… or aarch64-…)\n"
       "  -mattr=+a,-b          features: x86-64 popcnt lzcnt bmi bmi2 movbe, AArch64 cssc\n"
       "  -mcpu=C               passed on to llc\n"
       "  -O0 … -O3             -O0: no combines\n"
       "  -relocation-model=M   static (default) or pic\n"
       "  -filetype=T           mir (default), asm or obj (by llc)\n"
       "  -o FILE               output; - is standard output\n"
       "  -fallback=skip        leave functions out that hold something unsupported, and list them\n"
       "  -combiner-disabled    no combines\n"
       "  -pre-RA-sched=source  the scheduler\n"
       "  -stop-after=PHASE     print the DAGs after build combine1 legalize-types combine2 legalize-ops "
       "combine3 isel\n"
       "  -debug-only=LIST      print the DAGs: isel dagcombine legalize-types legalizedag\n"
       "  -view-isel-dags[=PHASE] draw the DAGs: dag.FUNCTION.bbN.PHASE.dot\n"
       "  -view-isel-dags-format=F  dot (default) or svg (by Graphviz)\n"
       "  -print-isel-input     print the compact IR\n"
       "  -print-matcher-table  print each pattern with its complexity, and the table's size\n"
       "  -time-passes          time per phase\n"
       "  -stats                how often each rule fired\n"
       "  -verify-machineinstrs let llc verify what was printed\n"
       "  -verify-dag           check every DAG after every phase\n"
       "  -disable-rules=LIST   leave out rules, by name\n"
       "  -filter-print-funcs=F print and draw the DAGs of this function only\n"
       "  -has-predecessor-max-steps=N  bound of the cycle check of a fold\n"
       "  -llc=PROGRAM          llc-22");
}

struct option_def {
  const char *name;
  enum { OPT_STRING, OPT_BOOL, OPT_OPTIONAL, OPT_NUMBER } kind;
  size_t at;
};
#define OPTION(n, k, field)                                                                                  \
  { n, k, offsetof(struct options, field) }
static const struct option_def defs[] = {
    OPTION("mtriple", OPT_STRING, triple),
    OPTION("mattr", OPT_STRING, attrs),
    OPTION("mcpu", OPT_STRING, cpu),
    OPTION("o", OPT_STRING, output),
    OPTION("stop-after", OPT_STRING, stop_after),
    OPTION("debug-only", OPT_STRING, debug_only),
    OPTION("filter-print-funcs", OPT_STRING, only_function),
    OPTION("disable-rules", OPT_STRING, disabled_rules),
    OPTION("llc", OPT_STRING, llc),
    OPTION("view-isel-dags", OPT_OPTIONAL, view_dags),
    OPTION("has-predecessor-max-steps", OPT_NUMBER, max_steps),
    OPTION("combiner-disabled", OPT_BOOL, no_combine),
    OPTION("time-passes", OPT_BOOL, time_passes),
    OPTION("stats", OPT_BOOL, stats),
    OPTION("verify-machineinstrs", OPT_BOOL, verify_mi),
    OPTION("verify-dag", OPT_BOOL, verify_dag),
    OPTION("print-isel-input", OPT_BOOL, print_ir),
    OPTION("print-matcher-table", OPT_BOOL, print_matcher_table),
};

/* Options that take one of a few values: the place of the value is that of the enumeration. */
static const struct choice_def {
  const char *name, *wrong, *hint, *values[4];
  size_t at;
} choices[] = {
    {"relocation-model",
     "unknown relocation model '%s'",
     "-relocation-model=static or -relocation-model=pic",
     {"static", "pic"},
     offsetof(struct options, reloc)},
    {"filetype",
     "unknown file type '%s'",
     "-filetype=mir, asm or obj",
     {"mir", "asm", "obj"},
     offsetof(struct options, file_type)},
    {"fallback",
     "unknown fallback '%s'",
     "-fallback=skip or -fallback=off",
     {"off", "skip"},
     offsetof(struct options, fallback)},
    {"view-isel-dags-format",
     "unknown picture format '%s'",
     "-view-isel-dags-format=dot or svg",
     {"dot", "svg"},
     offsetof(struct options, picture)},
    {"pre-RA-sched",
     "unknown scheduler '%s'",
     "only -pre-RA-sched=source is there",
     {"source"},
     offsetof(struct options, scheduler)},
};

static const struct choice_def *find_choice(const char *name) {
  for (unsigned i = 0; i < sizeof choices / sizeof *choices; i++)
    if (!strcmp(name, choices[i].name)) return &choices[i];
  return NULL;
}

static int choose(struct options *o, const struct choice_def *c, const char *value) {
  for (unsigned i = 0; i < 4 && c->values[i]; i++)
    if (!strcmp(value, c->values[i])) {
      memcpy((char *)o + c->at, &i, sizeof i); /* the enumerations are of int's size */
      return -1;
    }
  return complain(c->hint, c->wrong, value);
}

static int set_number(unsigned *number, const char *value) {
  char *end;
  *number = (unsigned)strtoul(value, &end, 10);
  return *end || !*value ? complain(NULL, "not a number: '%s'", value) : -1;
}

static int unknown_option(const char *arg, const char *name) {
  const char *best = NULL;
  unsigned least = 4;
  for (unsigned i = 0; i < sizeof defs / sizeof *defs; i++)
    if (word_distance(name, defs[i].name) < least) least = word_distance(name, best = defs[i].name);
  for (unsigned i = 0; i < sizeof choices / sizeof *choices; i++)
    if (word_distance(name, choices[i].name) < least) least = word_distance(name, best = choices[i].name);
  char hint[128] = "-help lists the options";
  if (best) snprintf(hint, sizeof hint, "did you mean -%s?", best);
  return complain(hint, "unknown option '%s'", arg);
}

static int set_option(struct options *o, const char *arg, int argc, char **argv, int *i) {
  char name[64];
  const char *body = arg + (arg[1] == '-' ? 2 : 1), *eq = strchr(body, '=');
  size_t len = eq ? (size_t)(eq - body) : strlen(body);
  if (len >= sizeof name) return unknown_option(arg, "");
  memcpy(name, body, len);
  name[len] = 0;
  const struct choice_def *c = find_choice(name);
  const struct option_def *d = NULL;
  for (unsigned k = 0; k < sizeof defs / sizeof *defs; k++)
    if (!strcmp(name, defs[k].name)) d = &defs[k];
  if (!d && !c) return unknown_option(arg, name);
  if (d && d->kind == OPT_BOOL) {
    bool on = !eq || !strcmp(eq + 1, "true") || !strcmp(eq + 1, "1");
    if (!on && strcmp(eq + 1, "false") && strcmp(eq + 1, "0"))
      return complain("it is on or off", "option '%s' takes no such value", arg);
    *(bool *)((char *)o + d->at) = on;
    return -1;
  }
  const char *value = eq ? eq + 1 : "";
  if (!eq && (!d || d->kind != OPT_OPTIONAL)) {
    if (*i + 1 >= argc) return complain(NULL, "option '%s' needs a value", arg);
    value = argv[++*i];
  }
  if (c) return choose(o, c, value);
  if (d->kind == OPT_NUMBER) return set_number((unsigned *)((char *)o + d->at), value);
  *(const char **)((char *)o + d->at) = value;
  return -1;
}

static bool debug_word(const char *word) {
  static const char *const words[] = {"isel", "dagcombine", "legalize-types", "legalizedag"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i], word)) return true;
  return false;
}

static int check_phases(const struct options *o) {
  char word[64];
  for (const char *list = o->debug_only; next_item(&list, word, sizeof word);)
    if (!debug_word(word))
      return complain("isel dagcombine legalize-types legalizedag", "-debug-only knows no '%s'", word);
  if (o->stop_after && strcmp(o->stop_after, "finalize-isel") && phase_by_name(o->stop_after) < 0)
    return complain("build combine1 legalize-types combine2 legalize-ops combine3 isel", "unknown phase '%s'",
                    o->stop_after);
  if (o->view_dags && *o->view_dags && phase_by_name(o->view_dags) < 0)
    return complain("build combine1 legalize-types combine2 legalize-ops combine3 isel", "unknown phase '%s'",
                    o->view_dags);
  if (o->view_dags && !can_draw(o->picture))
    return complain("install the package graphviz", "%s", "the program 'dot' is missing, which draws SVG");
  return -1;
}

int parse_options(struct options *o, int argc, char **argv) {
  *o = (struct options){.opt_level = 2, .max_steps = 8192, .llc = "llc-22"};
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    if (a[0] != '-' || !a[1]) {
      if (o->input) return complain("one file at a time", "a second input: '%s'", a);
      o->input = a;
    } else if (!strcmp(a, "-help") || !strcmp(a, "--help") || !strcmp(a, "-h")) {
      help();
      return 0;
    } else if (a[1] == 'O' && a[2] >= '0' && a[2] <= '3' && !a[3])
      o->opt_level = (unsigned)(a[2] - '0');
    else {
      int rc = set_option(o, a, argc, argv, &i);
      if (rc >= 0) return rc;
    }
  }
  if (!o->input && !o->print_matcher_table)
    return complain("veridag input.ll -o output.mir", "%s", "no input file");
  return check_phases(o);
}
