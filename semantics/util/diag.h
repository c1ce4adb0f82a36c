/* diag.h: the two error doors. A fault of the input is a located diagnostic and makes the program
 * exit non-zero; a broken invariant of ours aborts. */
#ifndef VERIDAG_DIAG_H
#define VERIDAG_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct source {
  const char *path; /* as printed in messages */
  const char *text; /* whole file, NUL terminated */
  size_t len;
};

/* A place in a source; line and column count from 1, length in bytes (for the underline). */
struct loc {
  const struct source *src;
  uint32_t line, col, len;
};

struct diag {
  FILE *out;       /* where messages go; NULL means stderr */
  unsigned errors; /* how many errors were reported */
  unsigned warnings;
};

/* Prints "file:line:col: error: message", the line and a caret, and counts the error. `hint`, when not
 * NULL, follows as "hint: …". */
void diag_error(struct diag *d, struct loc at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void diag_warning(struct diag *d, struct loc at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The door for broken invariants: prints the message and where it was raised, then aborts. */
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
