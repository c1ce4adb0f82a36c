/* run_suite.h: the end of a unit test's main(). */
#ifndef VERIDAG_RUN_SUITE_H
#define VERIDAG_RUN_SUITE_H

#include <check.h>

/* Runs the test case as the suite `name` and frees both; the exit status: 0, or 1 when one failed or none
 * ran. */
static inline int run_suite(const char *name, TCase *t) {
  Suite *s = suite_create(name);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r), run = srunner_ntests_run(r);
  srunner_free(r);
  return failed > 0 || run == 0;
}

#endif
