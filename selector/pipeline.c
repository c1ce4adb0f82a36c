/* pipeline.c: a compilation: options, module, every function, the MIR file, and llc when it is asked for. */
#include "build_dag.h"
#include "gen/targets.h"
#include "match.h"
#include "rank.h"
#include "util/diag.h"
#include "util/words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Targets and features ------------------------------------------------------------------------ */

static const struct target *find_target(const char *triple) {
  for (const struct target *const *t = all_targets; *t; t++) {
    size_t n = strlen((*t)->arch);
    if (!strncmp(triple, (*t)->arch, n) && (triple[n] == '-' || !triple[n])) return *t;
  }
  return NULL;
}

/* "+a,-b": sets what the tables know; what they do not know is llc's business. */
static void set_features(struct isel *s, const char *list) {
  char name[64];
  while (next_item(&list, name, sizeof name)) {
    if (*name != '+' && *name != '-') continue;
    int i = match_feature(s->target->rows->tables, name + 1);
    if (i >= 0) s->features[i] = *name == '+';
  }
}

/* -mattr as written: signs are required; llc gets names of no use to us, and the user hears of them. */
static bool check_attrs(const struct isel *s, const char *list) {
  char name[64];
  while (next_item(&list, name, sizeof name)) {
    if (!name[0] || !name[1] || (*name != '+' && *name != '-')) {
      fprintf(stderr, "veridag: error: '%s' in -mattr does not begin with + or -\nhint: -mattr=+%s\n", name,
              name);
      return false;
    }
    if (match_feature(s->target->rows->tables, name + 1) < 0)
      fprintf(stderr, "veridag: warning: no rule asks for the feature '%s'\n", name + 1);
  }
  return true;
}

/* The function's own features, then those of the command line. What was found out for other ones is
 * forgotten. */
static void function_features(struct isel *s, const char *own) {
  size_t n = match_num_features(s->target->rows->tables);
  bool *before = calloc(n + 1, sizeof *before);
  if (!before) bug("out of memory");
  memcpy(before, s->features, n * sizeof *before);
  memset(s->features, 0, n * sizeof *before);
  set_features(s, own);
  set_features(s, s->options->attrs);
  if (memcmp(before, s->features, n * sizeof *before)) {
    ranks_free(s->ranks);
    s->ranks = NULL;
  }
  free(before);
}

static bool disable_rules(struct isel *s, const char *list) {
  char name[128];
  while (next_item(&list, name, sizeof name)) {
    int rule = match_rule_number(s->target->rows->tables, name);
    if (rule < 0) {
      fprintf(stderr, "veridag: error: no rule is named '%s'\n", name);
      return false;
    }
    s->disabled[rule] = true;
  }
  return true;
}

static bool start_isel(struct isel *s, const struct options *o, const struct target *t) {
  const struct match_tables *tables = t->rows->tables;
  *s = (struct isel){.options = o, .target = t, .log = stderr};
  s->features = calloc(match_num_features(tables) + 1, sizeof *s->features);
  s->tastes = calloc(match_num_tastes(tables) + 1, sizeof *s->tastes);
  s->disabled = calloc(match_num_rules(tables) + 1, sizeof *s->disabled);
  s->fired = calloc(match_num_rules(tables) + 1, sizeof *s->fired);
  if (!s->features || !s->tastes || !s->disabled || !s->fired) bug("out of memory");
  /* what a target declares as a taste is its taste */
  for (unsigned i = 0; i < match_num_tastes(tables); i++) s->tastes[i] = true;
  int absolute = match_taste(tables, "absolute-symbols");
  if (absolute >= 0 && s->options->reloc == RELOC_PIC) s->tastes[absolute] = false;
  return check_attrs(s, o->attrs) && disable_rules(s, o->disabled_rules);
}

static void end_isel(struct isel *s) {
  free(s->features);
  free(s->tastes);
  free(s->disabled);
  free(s->fired);
  ranks_free(s->ranks);
  arena_free(&s->scratch);
}

/* ---- Reports ------------------------------------------------------------------------------------- */

static void print_times(const struct isel *s) {
  static const char rule[] =
      "===-------------------------------------------------------------------------===";
  double total = 0;
  for (int i = 0; i < PHASE_COUNT; i++) total += (double)s->nanoseconds[i] / 1e9;
  fprintf(stderr, "%s\n                    Instruction Selection and Scheduling\n%s\n", rule, rule);
  fprintf(stderr, "  Total Execution Time: %.6f seconds\n\n", total);
  fprintf(stderr, "   ---User Time---   --- Name ---\n");
  for (int i = 0; i < PHASE_COUNT; i++) {
    double t = (double)s->nanoseconds[i] / 1e9;
    fprintf(stderr, "   %.6f (%5.1f%%)  %s\n", t, total > 0 ? 100 * t / total : 0, phase_title[i]);
  }
  fprintf(stderr, "   %.6f (100.0%%)  Total\n", total);
  fprintf(stderr, "\n  arenas at most %llu bytes, %llu selected nodes\n", (unsigned long long)s->high_water,
          (unsigned long long)s->dag_nodes);
}

/* Rules that fired, in the order of the tables. */
static void print_stats(const struct isel *s) {
  const struct match_tables *t = s->target->rows->tables;
  for (unsigned i = 0; i < match_num_rules(t); i++)
    if (s->fired[i])
      fprintf(stderr, "%8u %s (%s)\n", (unsigned)s->fired[i], match_rule_name(t, i), match_rule_place(t, i));
}

/* "Cannot select: …" stands at the start of a line, as from llc; what is not supported is located. */
static void report(const struct options *o, const char *function, const char *what) {
  bool selecting = !strncmp(what, "Cannot select", 13), skip = o->fallback == FALLBACK_SKIP;
  if (selecting && !skip) fprintf(stderr, "error: %s\n", what);
  fprintf(stderr, "%s: %s: %s: %s%s\n", o->input, function, skip ? "skipped" : "error",
          selecting ? "" : "unsupported: ", what);
}

/* ---- Functions ----------------------------------------------------------------------------------- */

struct job {
  struct isel isel;
  struct ir_module *module;
  FILE *body; /* the functions' documents, before the module is printed */
  unsigned errors, skipped;
};

static void check_printed(const struct mfunc *mf) {
  struct arena a = {0};
  const char *wrong = mir_check(mf, &a);
  if (wrong) bug("the MIR is wrong: %s", wrong);
  arena_free(&a);
}

static bool run_function(struct job *j, unsigned i) {
  const struct options *o = j->isel.options;
  struct arena ir_arena = {0}, mir_arena = {0};
  struct ir_function f;
  const char *what = NULL;
  bool ok = ir_read(j->module, i, &ir_arena, &f, &what) == IR_OK;
  struct mfunc mf = {.arena = &mir_arena};
  if (ok) {
    if (o->print_ir) print_ir(&f, stdout);
    function_features(&j->isel, f.features);
    ok = select_function(&j->isel, &f, &mf, &what);
  }
  if (ok) {
    check_printed(&mf);
    print_mir(&mf, j->body);
  } else {
    report(o, ir_function_name(j->module, i), what ? what : "?");
    if (o->fallback == FALLBACK_SKIP)
      j->skipped++;
    else
      j->errors++;
  }
  mfunc_free(&mf);
  ir_function_free(&f);
  arena_free(&ir_arena);
  arena_free(&mir_arena);
  return ok;
}

/* Bodies of functions that were left out vanish from the module, after all functions were read. */
static void run_functions(struct job *j) {
  unsigned n = ir_num_functions(j->module);
  bool *left_out = calloc(n + 1, sizeof *left_out);
  if (!left_out) bug("out of memory");
  for (unsigned i = 0; i < n; i++) left_out[i] = !run_function(j, i);
  for (unsigned i = 0; i < n && !j->errors; i++)
    if (left_out[i]) ir_drop_body(j->module, i);
  free(left_out);
}

/* ---- Files --------------------------------------------------------------------------------------- */

static bool copy_file(FILE *from, FILE *to) {
  char buf[65536];
  rewind(from);
  for (size_t n; (n = fread(buf, 1, sizeof buf, from)) > 0;)
    if (fwrite(buf, 1, n, to) != n) return false;
  return !ferror(from);
}

/* Every file that is printed is read back and printed again: the same bytes, or our printer or reader is
 * wrong. */
static void check_round_trip(const char *path) {
  FILE *in = fopen(path, "r");
  if (!in) return;
  fseek(in, 0, SEEK_END);
  long len = ftell(in);
  rewind(in);
  char *text = malloc((size_t)len + 1), *again = NULL;
  size_t n = 0;
  if (!text || fread(text, 1, (size_t)len, in) != (size_t)len) bug("cannot read back %s", path);
  text[len] = 0;
  fclose(in);
  struct mir_file file;
  const char *error;
  if (!read_mir(&file, text, (size_t)len, &error)) bug("%s: our own MIR does not read back: %s", path, error);
  FILE *out = open_memstream(&again, &n);
  if (!out) bug("out of memory");
  print_mir_file(&file, out);
  fclose(out);
  if (n != (size_t)len || memcmp(text, again, n)) bug("%s: our own MIR reads back to something else", path);
  mir_file_free(&file);
  free(text);
  free(again);
}

static int run_llc(const struct job *j, const char *mir, const char *out, const char *filetype) {
  const struct options *o = j->isel.options;
  struct arena a = {0};
  const char *args[16] = {o->llc, "-x", "mir", "-start-before=finalize-isel", mir, "-o", out};
  unsigned n = 7;
  args[n++] = arena_printf(&a, "-O%u", o->opt_level);
  args[n++] = arena_printf(&a, "-filetype=%s", filetype);
  args[n++] = o->reloc == RELOC_PIC ? "-relocation-model=pic" : "-relocation-model=static";
  if (o->verify_mi) args[n++] = "-verify-machineinstrs";
  if (o->attrs) args[n++] = arena_printf(&a, "-mattr=%s", o->attrs);
  if (o->cpu) args[n++] = arena_printf(&a, "-mcpu=%s", o->cpu);
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    execvp(o->llc, (char *const *)args);
    fprintf(stderr, "veridag: error: cannot run %s: %s (package llvm-22)\n", o->llc, strerror(errno));
    _exit(127);
  }
  arena_free(&a);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) < 0) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static const char *default_output(const struct options *o, struct arena *a) {
  static const char *const suffix[] = {".mir", ".s", ".o"};
  if (o->output) return o->output;
  const char *slash = strrchr(o->input, '/'), *dot = strrchr(o->input, '.');
  size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - o->input) : strlen(o->input);
  return arena_printf(a, "%.*s%s", (int)n, o->input, suffix[o->file_type]);
}

static int cannot_write(const char *path) {
  fprintf(stderr, "veridag: error: cannot write %s: %s\n", path, strerror(errno));
  return 1;
}

/* Devices, pipes and links (/dev/stdout is one) are written to; a rename would replace them by a file. */
static bool is_special(const char *path) {
  struct stat st;
  return !lstat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Copies a finished file to standard output ("-") or into a device. */
static int deliver(const char *from, const char *to) {
  bool to_stdout = !strcmp(to, "-");
  FILE *in = fopen(from, "r"), *out = to_stdout ? stdout : fopen(to, "w");
  bool ok = in && out && copy_file(in, out) && !fflush(out);
  if (in) fclose(in);
  if (out && !to_stdout && fclose(out)) ok = false;
  return ok ? 0 : cannot_write(to_stdout ? "standard output" : to);
}

/* The file is made aside and takes its name when it is whole. */
static int write_output(struct job *j) {
  const struct options *o = j->isel.options;
  struct arena a = {0};
  const char *out = default_output(o, &a);
  bool direct = !strcmp(out, "-") || is_special(out);
  const char *aside = direct ? arena_printf(&a, "/tmp/veridag.%d.mir", getpid())
                             : arena_printf(&a, "%s.%d.tmp", out, getpid());
  FILE *f = fopen(aside, "w");
  int rc = 0;
  if (!f) {
    rc = cannot_write(out);
    arena_free(&a);
    return rc;
  }
  print_mir_module(ir_text(j->module), f);
  bool ok = copy_file(j->body, f);
  if (fclose(f) || !ok) rc = cannot_write(out);
  if (!rc) check_round_trip(aside);
  if (!rc && o->file_type == FILE_MIR && o->verify_mi) rc = run_llc(j, aside, "/dev/null", "null");
  if (!rc && o->file_type != FILE_MIR) {
    const char *made = arena_printf(&a, "%s.out", aside);
    rc = run_llc(j, aside, direct ? out : made, o->file_type == FILE_ASM ? "asm" : "obj");
    unlink(aside);
    if (!rc && !direct && rename(made, out)) rc = cannot_write(out);
    if (rc) unlink(made);
  } else if (!rc && direct) {
    rc = deliver(aside, out);
    unlink(aside);
  } else if (!rc && rename(aside, out))
    rc = cannot_write(out);
  if (rc) unlink(aside);
  arena_free(&a);
  return rc;
}

/* ---- The whole ----------------------------------------------------------------------------------- */

static int print_tables(const struct options *o) {
  const struct target *t = find_target(o->triple ? o->triple : "x86_64");
  if (!t) {
    fprintf(stderr, "veridag: error: no target for the triple '%s'\n", o->triple);
    return 1;
  }
  match_print_table(t->rows->tables, stdout);
  return 0;
}

static int finish(struct job *j) {
  const struct options *o = j->isel.options;
  if (o->time_passes) print_times(&j->isel);
  if (o->stats) print_stats(&j->isel);
  if (j->skipped)
    fprintf(stderr, "%s: %u of %u functions skipped\n", o->input, j->skipped, ir_num_functions(j->module));
  if (j->errors || j->isel.undrawn) return 1;
  if (o->stop_after && strcmp(o->stop_after, "finalize-isel")) return 0;
  return write_output(j);
}

static int with_module(const struct options *o, struct ir_module *m) {
  const char *triple = ir_triple(m);
  const struct target *t = find_target(*triple ? triple : "x86_64");
  if (!t) {
    fprintf(
        stderr,
        "%s: error: no target for the triple '%s'\nhint: -mtriple=x86_64-linux-gnu or aarch64-linux-gnu\n",
        o->input, triple);
    return 1;
  }
  ir_set_layout(m, t->triple, t->layout);
  struct job j = {.module = m, .body = tmpfile()};
  if (!j.body) return cannot_write("a temporary file");
  int rc = 1;
  if (start_isel(&j.isel, o, t)) {
    run_functions(&j);
    rc = finish(&j);
  }
  end_isel(&j.isel);
  fclose(j.body);
  return rc;
}

int pipeline(const struct options *o) {
  if (o->print_matcher_table) return print_tables(o);
  char *error = NULL;
  struct ir_module *m = ir_open(o->input, o->triple, &error);
  if (!m) {
    fprintf(stderr, "%s\n", error);
    free(error);
    return 1;
  }
  int rc = with_module(o, m);
  ir_close(m);
  return rc;
}
