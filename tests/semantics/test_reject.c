/* test_reject.c: every file of corpus/reject/isel is refused with the message that its first line states, at
 * the place that it states, and the line with a caret is shown. The rule files of the tree are accepted
 * together. */
#define _GNU_SOURCE
#include "model.h"
#include "../run_suite.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char *const *builtin;
static unsigned nbuiltin;
static char **cases;
static int ncases;

static void list_cases(const char *dir) {
  struct dirent **entry;
  int n = scandir(dir, &entry, NULL, alphasort);
  cases = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof *cases);
  for (int i = 0; i < n; i++) {
    size_t len = strlen(entry[i]->d_name);
    if (len > 5 && strcmp(entry[i]->d_name + len - 5, ".isel") == 0 &&
        asprintf(&cases[ncases], "%s/%s", dir, entry[i]->d_name) > 0)
      ncases++;
    free(entry[i]);
  }
  if (n >= 0) free(entry);
}

static void first_line(const char *path, char *line, size_t size) {
  FILE *f = fopen(path, "r");
  ck_assert_ptr_nonnull(f);
  ck_assert_ptr_nonnull(fgets(line, (int)size, f));
  fclose(f);
  line[strcspn(line, "\n")] = 0;
  ck_assert_msg(strncmp(line, "; ", 2) == 0, "%s states no message", path);
}

START_TEST(refused_with_its_message) {
  char line[512], *want = NULL, *got = NULL;
  size_t size = 0;
  const char **paths = calloc(nbuiltin + 1, sizeof *paths);
  for (unsigned i = 0; i < nbuiltin; i++) paths[i] = builtin[i];
  paths[nbuiltin] = cases[_i];
  first_line(cases[_i], line, sizeof line);
  ck_assert(asprintf(&want, "%s:%s", cases[_i], line + 2) > 0);
  struct diag d = {.out = open_memstream(&got, &size)};
  struct model *m = model_load(paths, nbuiltin + 1, &d);
  fclose(d.out);
  ck_assert_msg(m == NULL && d.errors > 0, "%s was accepted", cases[_i]);
  const char *at = strstr(got, want);
  ck_assert_msg(at != NULL, "wanted:\n%s\ngot:\n%s", want, got);
  const char *shown = strchr(at, '\n') + 1;
  const char *caret = strchr(shown, '\n') + 1;
  ck_assert_msg(strncmp(shown + 5, " | ", 3) == 0 && strchr(caret, '^') != NULL, "no line is shown:\n%s",
                got);
  free(want);
  free(got);
  free(paths);
}
END_TEST

START_TEST(a_missing_file_is_reported) {
  char *got = NULL;
  size_t size = 0;
  const char *path = "no/such/file.isel";
  struct diag d = {.out = open_memstream(&got, &size)};
  struct model *m = model_load(&path, 1, &d);
  fclose(d.out);
  ck_assert(m == NULL && d.errors == 1);
  ck_assert_str_eq(got, "no/such/file.isel: error: cannot read: No such file or directory\n");
  free(got);
}
END_TEST

START_TEST(there_are_enough_cases) { ck_assert_int_ge(ncases, 60); }
END_TEST

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: test_reject DIRECTORY FILE.isel...\n"), 2;
  builtin = (const char *const *)argv + 2;
  nbuiltin = (unsigned)argc - 2;
  list_cases(argv[1]);
  TCase *t = tcase_create("messages");
  tcase_add_loop_test(t, refused_with_its_message, 0, ncases);
  tcase_add_test(t, a_missing_file_is_reported);
  tcase_add_test(t, there_are_enough_cases);
  return run_suite("refused rule files", t);
}
