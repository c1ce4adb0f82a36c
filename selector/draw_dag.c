/* draw_dag.c: see draw_dag.h. */
#include "draw_dag.h"
#include "dag_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool can_draw(enum picture format) {
  if (format == PICTURE_DOT) return true;
  for (const char *p = getenv("PATH"); p && *p; p += strcspn(p, ":"), p += *p == ':') {
    char path[4096];
    snprintf(path, sizeof path, "%.*s/dot", (int)strcspn(p, ":"), p);
    if (!access(path, X_OK)) return true;
  }
  return false;
}

/* Graphviz's picture of the text in `dot`, written to `path`. */
static bool run_graphviz(FILE *dot, const char *path) {
  int status = 0;
  fflush(NULL);
  rewind(dot);
  pid_t pid = fork();
  if (!pid) {
    if (dup2(fileno(dot), STDIN_FILENO) >= 0) execlp("dot", "dot", "-Tsvg", "-o", path, (char *)NULL);
    fprintf(stderr, "veridag: error: cannot run dot: %s (package graphviz)\n", strerror(errno));
    _exit(127);
  }
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The picture, in the file `path`. */
static bool draw_to(const char *path, const struct dag *d, const struct match_tables *t, enum picture format,
                    const char *title) {
  FILE *f = format == PICTURE_DOT ? fopen(path, "w") : tmpfile();
  if (!f) return false;
  dag_print_dot(f, d, t, title);
  bool ok = !ferror(f) && (format == PICTURE_DOT || run_graphviz(f, path));
  return !fclose(f) && ok;
}

bool draw_dag(const struct dag *d, const struct match_tables *t, enum picture format, const char *function,
              uint32_t block, const char *phase, const char *title) {
  char path[512], aside[544];
  snprintf(path, sizeof path, "dag.%.200s.bb%u.%s.%s", function, block, phase,
           format == PICTURE_SVG ? "svg" : "dot");
  for (char *p = path; *p; p++)
    if (*p == '/') *p = '_';
  snprintf(aside, sizeof aside, "%s.%d.tmp", path, (int)getpid());
  errno = 0;
  if (!draw_to(aside, d, t, format, title) || rename(aside, path)) {
    fprintf(stderr, "veridag: error: cannot write %s: %s\n", path, errno ? strerror(errno) : "dot failed");
    unlink(aside);
    return false;
  }
  fprintf(stderr, "wrote %s\n", path);
  return true;
}
