/* test_loop.c: rules that loop are a fault of the rules: the combiner stops and names them. The tables of
 * Tessera that this program holds have the rules of looping.isel besides their own. */
#include "combine.h"
#include "workspace.h"
#include "../run_suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* register -> bitreverse -> bswap -> register */
static void make_dag(struct dag *d, struct arena *arena) {
  dag_init(d, arena);
  vt from[] = {VT_I(32), VT_CHAIN}, to[] = {VT_CHAIN};
  struct sdval x = dag_get(d, ISD_COPYFROMREG, from, 2, &d->entry, 1, 0, 1);
  x = dag_get1(d, ISD_BITREVERSE, VT_I(32), &x, 1, 0);
  x = dag_get1(d, ISD_BSWAP, VT_I(32), &x, 1, 0);
  d->root = dag_get(d, ISD_COPYTOREG, to, 1, (struct sdval[]){d->root, x}, 2, 0, 2);
}

static void run(const char *disabled) {
  struct arena arena = {0};
  struct dag d = {0};
  const struct match_tables *t = match_tables_for("tessera");
  make_dag(&d, &arena);
  bool *off = calloc(match_num_rules(t), sizeof *off);
  int rule = match_rule_number(t, disabled ? disabled : "loop-inwards");
  if (rule < 0 || !off) exit(3);
  off[rule] = disabled != NULL;
  struct pass p = {.dag = &d, .tables = t, .disabled = off, .pointer = VT_I(32), .bool_type = VT_I(32)};
  combine(&p, LEGAL_NOTHING);
  workspace_free(&p);
  free(off);
  dag_free(&d);
  arena_free(&arena);
}

/* What the run says on stderr, in a process of its own; the caller frees. */
static char *said(const char *disabled, int *status) {
  FILE *log = tmpfile();
  ck_assert_ptr_nonnull(log);
  pid_t pid = fork();
  if (!pid) {
    dup2(fileno(log), STDERR_FILENO);
    run(disabled);
    _exit(0);
  }
  ck_assert_int_eq(waitpid(pid, status, 0), pid);
  rewind(log);
  char *text = calloc(1, 4096);
  ck_assert_ptr_nonnull(text);
  size_t n = fread(text, 1, 4095, log);
  text[n] = 0;
  fclose(log);
  return text;
}

START_TEST(loops_are_named) {
  static const char *const rules[] = {"loop-inwards (tests/selector/looping.isel:2)",
                                      "loop-outwards (tests/selector/looping.isel:4)"};
  int status;
  char *text = said(NULL, &status);
  ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %#x: %s", status, text);
  ck_assert_msg(strstr(text, "internal error: the combiner does not come to an end") != NULL, "%s", text);
  for (unsigned i = 0; i < 2; i++) {
    const char *at = strstr(text, rules[i]);
    ck_assert_msg(at != NULL, "%s is not named: %s", rules[i], text);
    ck_assert_msg(strstr(at + 1, rules[i]) == NULL, "%s is named twice: %s", rules[i], text);
  }
  free(text);
}
END_TEST

START_TEST(without_one_it_ends) {
  int status;
  char *text = said("loop-outwards", &status);
  ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "status %#x: %s", status, text);
  ck_assert_str_eq(text, "");
  free(text);
}
END_TEST

int main(void) {
  TCase *t = tcase_create("loops");
  tcase_add_test(t, loops_are_named);
  tcase_add_test(t, without_one_it_ends);
  return run_suite("loops", t);
}
