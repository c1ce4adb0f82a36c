/* main.c: the command line of verify-rules. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sources.h"
#include "verify.h"

enum { EXIT_PROVED = 0, EXIT_REFUTED = 1, EXIT_INPUT = 2, EXIT_UNKNOWN = 3 };

/* Set by Ctrl-C; the one variable that a signal handler can reach. */
static volatile sig_atomic_t interrupted;

static void interrupt(int sig) {
  (void)sig;
  interrupted = 1;
}

static void usage(FILE *f) {
  fprintf(f, "usage: verify-rules [options] [FILE.isel ...]\n"
             "Proves the built-in rules, or the rules of the files against the built-in vocabulary.\n"
             "  --only NAME        one rule\n"
             "  --types T          one choice of types, as printed (i8, \"T=i8,S=i16\")\n"
             "  --values A=1,B=2   fix variables\n"
             "  --target NAME      rules of one target\n"
             "  --list             names, laws and places\n"
             "  --format=text|json\n"
             "  --shard=I/N        part I of N of the instances\n"
             "  -j N               proofs at a time (default: processors)\n"
             "  --timeout-scale X  all budgets times X\n"
             "  --stats            rungs and the slowest instances\n"
             "  -o FILE            the report goes to a file\n"
             "Exit status: 0 all proved, 1 one refuted or vacuous, 2 bad input, 3 one unknown.\n");
}

static int fail(const char *what, const char *detail) {
  fprintf(stderr, "verify-rules: error: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
  return EXIT_INPUT;
}

static bool parse_scale(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && !*end && *out > 0 && *out <= 1e6;
}

static bool parse_jobs(const char *text, unsigned *out) {
  char *end;
  long v = strtol(text, &end, 10);
  *out = (unsigned)v;
  return *text && !*end && v >= 1 && v <= 64;
}

/* "I/N": part I of N. */
static bool parse_shard(const char *text, struct options *o) {
  int end = 0;
  return sscanf(text, "%u/%u%n", &o->shard, &o->shards, &end) == 2 && !text[end] && o->shard >= 1 &&
         o->shard <= o->shards;
}

/* name=value,name=value… */
static bool parse_values(const char *text) {
  for (const char *p = text;; p++) {
    size_t name = strcspn(p, "=,"), value = p[name] == '=' ? strcspn(p + name + 1, "=,") : 0;
    if (!name || !value) return false;
    p += name + 1 + value;
    if (*p == '=') return false;
    if (!*p) return true;
  }
}

static bool known_target(const struct model *m, const char *name) {
  for (uint32_t i = 0; i < m->rules.n; i++)
    if (m->rules.at[i]->target && !strcmp(m->rules.at[i]->target->name, name)) return true;
  return false;
}

/* Returns -1 to go on, else an exit status. */
static int parse_options(int argc, char **argv, struct options *o) {
  enum {
    OPT_ONLY = 256,
    OPT_TYPES,
    OPT_VALUES,
    OPT_TARGET,
    OPT_LIST,
    OPT_FORMAT,
    OPT_SCALE,
    OPT_STATS,
    OPT_SHARD
  };
  static const struct option longs[] = {{"only", required_argument, NULL, OPT_ONLY},
                                        {"types", required_argument, NULL, OPT_TYPES},
                                        {"values", required_argument, NULL, OPT_VALUES},
                                        {"target", required_argument, NULL, OPT_TARGET},
                                        {"list", no_argument, NULL, OPT_LIST},
                                        {"format", required_argument, NULL, OPT_FORMAT},
                                        {"timeout-scale", required_argument, NULL, OPT_SCALE},
                                        {"shard", required_argument, NULL, OPT_SHARD},
                                        {"stats", no_argument, NULL, OPT_STATS},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  int c;
  while ((c = getopt_long(argc, argv, "j:o:h", longs, NULL)) != -1) {
    switch (c) {
    case OPT_ONLY: o->only = optarg; break;
    case OPT_TYPES: o->types = optarg; break;
    case OPT_VALUES:
      if (!parse_values(optarg)) return fail("--values needs name=value,name=value…", optarg);
      o->values = optarg;
      break;
    case OPT_TARGET: o->target = optarg; break;
    case OPT_LIST: o->list = true; break;
    case OPT_STATS: o->stats = true; break;
    case OPT_FORMAT:
      o->json = !strcmp(optarg, "json");
      if (!o->json && strcmp(optarg, "text")) return fail("--format must be text or json", optarg);
      break;
    case OPT_SCALE:
      if (!parse_scale(optarg, &o->scale)) return fail("--timeout-scale needs a positive number", optarg);
      break;
    case OPT_SHARD:
      if (!parse_shard(optarg, o)) return fail("--shard needs I/N with 1 <= I <= N", optarg);
      break;
    case 'j':
      if (!parse_jobs(optarg, &o->jobs)) return fail("-j needs a number from 1 to 64", optarg);
      break;
    case 'o': o->out = optarg; break;
    case 'h': usage(stdout); return EXIT_PROVED;
    default: fputs("hint: verify-rules --help lists the options\n", stderr); return EXIT_INPUT;
    }
  }
  return -1;
}

static bool same_source(const struct rule *r, const char *const *files, int n) {
  for (int i = 0; i < n; i++)
    if (r->loc.src && !strcmp(r->loc.src->path, files[i])) return true;
  return false;
}

/* The rules to be proven: of the user's files when there are any. */
static void select_instances(const struct model *m, const struct options *o, const char *const *files,
                             int nfile, instance_list *out) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < m->rules.n; i++) {
    const struct rule *r = m->rules.at[i];
    if (nfile && !same_source(r, files, nfile)) continue;
    if (o->only && strcmp(o->only, r->name)) continue;
    if (o->target && (!r->target || strcmp(o->target, r->target->name))) continue;
    instance_list all = {0};
    enumerate_instances(r, &all);
    char types[128];
    for (uint32_t k = 0; k < all.n; k++)
      if ((!o->types || !strcmp(o->types, instance_types(&all.at[k], types))) &&
          (!o->shards || number++ % o->shards == o->shard - 1))
        *vec_push(out) = all.at[k];
    vec_free(&all);
  }
}

static int status_of(const struct row *rows, uint32_t n) {
  bool bad = false, unknown = false;
  for (uint32_t i = 0; i < n; i++) {
    if (rows[i].bad_values) return EXIT_INPUT;
    if (!rows[i].done)
      unknown = true;
    else if (rows[i].verdict == REFUTED || rows[i].verdict == VACUOUS)
      bad = true;
    else if (rows[i].verdict == UNKNOWN)
      unknown = true;
  }
  return bad ? EXIT_REFUTED : unknown ? EXIT_UNKNOWN : EXIT_PROVED;
}

static void write_report(FILE *f, const struct row *rows, uint32_t n, double seconds,
                         const struct options *o) {
  if (o->json)
    report_json(f, rows, n, seconds);
  else
    report_text(f, rows, n, seconds, o);
}

/* Writes beside the file and renames, so that a reader never sees half a report. */
static int report(const struct row *rows, uint32_t n, double seconds, const struct options *o) {
  if (!o->out) {
    write_report(stdout, rows, n, seconds, o);
    return fflush(stdout) ? fail("cannot write the report", strerror(errno)) : status_of(rows, n);
  }
  char path[4096];
  struct stat st; /* a device, pipe or link is written to: a rename would replace it by a file */
  bool special = !lstat(o->out, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
  if ((size_t)snprintf(path, sizeof path, special ? "%s" : "%s.tmp%ld", o->out, (long)getpid()) >=
      sizeof path)
    return fail("the name of the report is too long", NULL);
  FILE *f = fopen(path, "w");
  if (!f) return fail(o->out, strerror(errno));
  write_report(f, rows, n, seconds, o);
  bool bad = ferror(f) != 0;
  bad |= fclose(f) != 0;
  if (bad || (!special && rename(path, o->out))) {
    int e = errno;
    if (!special) unlink(path);
    return fail(o->out, strerror(e));
  }
  return status_of(rows, n);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int prove(const struct model *m, const struct options *o, const char *const *files, int nfile) {
  instance_list in = {0};
  select_instances(m, o, files, nfile, &in);
  if (in.n == 0) {
    vec_free(&in);
    return fail(o->only ? "no such rule, or not at these types" : "there is nothing to prove", o->only);
  }
  struct row *rows = calloc(in.n, sizeof *rows);
  if (!rows) return fail("out of memory", NULL);
  for (uint32_t i = 0; i < in.n; i++) rows[i].in = &in.at[i];
  struct sigaction act = {.sa_handler = interrupt};
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  double start = now();
  prove_all(rows, in.n, o, &interrupted);
  int status = report(rows, in.n, now() - start, o);
  for (uint32_t i = 0; i < in.n; i++) free(rows[i].text);
  free(rows);
  vec_free(&in);
  return status;
}

int main(int argc, char **argv) {
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  struct options o = {.scale = 1, .jobs = cpus > 0 && cpus <= 64 ? (unsigned)cpus : 1, .progress = isatty(2)};
  int status = parse_options(argc, argv, &o);
  if (status >= 0) return status;
  const char *const *files = (const char *const *)argv + optind;
  int nfile = argc - optind;
  struct diag d = {0};
  struct model *m = load_builtin(files, (unsigned)nfile, &d);
  if (!m) return EXIT_INPUT;
  if (o.target && !known_target(m, o.target)) {
    status = fail("no rule is for such a target", o.target);
  } else if (o.list) {
    report_list(stdout, m, &o);
    status = fflush(stdout) ? fail("cannot write the list", strerror(errno)) : EXIT_PROVED;
  } else {
    status = prove(m, &o, files, nfile);
  }
  model_free(m);
  return status;
}
