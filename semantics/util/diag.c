/* diag.c: located messages in the manner of a C compiler. */
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

static void print_line(FILE *out, struct loc at) {
  const char *p = at.src->text, *end = at.src->text + at.src->len;
  for (uint32_t n = 1; n < at.line && p < end; p++)
    if (*p == '\n') n++;
  const char *stop = memchr(p, '\n', (size_t)(end - p));
  if (!stop) stop = end;
  fprintf(out, "%5u | %.*s\n      | ", at.line, (int)(stop - p), p);
  for (uint32_t i = 1; i < at.col; i++) fputc(p + i - 1 < stop && p[i - 1] == '\t' ? '\t' : ' ', out);
  fputc('^', out);
  for (uint32_t i = 1; i < at.len && p + at.col - 1 + i < stop; i++) fputc('~', out);
  fputc('\n', out);
}

static void report(struct diag *d, struct loc at, const char *kind, const char *hint, const char *fmt,
                   va_list ap) {
  FILE *out = d->out ? d->out : stderr;
  if (at.src && at.line)
    fprintf(out, "%s:%u:%u: ", at.src->path, at.line, at.col);
  else if (at.src)
    fprintf(out, "%s: ", at.src->path);
  fprintf(out, "%s: ", kind);
  vfprintf(out, fmt, ap);
  fputc('\n', out);
  if (at.src && at.line && at.src->text) print_line(out, at);
  if (hint) fprintf(out, "   hint: %s\n", hint);
}

void diag_error(struct diag *d, struct loc at, const char *hint, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  report(d, at, "error", hint, fmt, ap);
  va_end(ap);
  d->errors++;
}

void diag_warning(struct diag *d, struct loc at, const char *hint, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  report(d, at, "warning", hint, fmt, ap);
  va_end(ap);
  d->warnings++;
}

void bug_at(const char *file, int line, const char *fmt, ...) {
  va_list ap;
  fprintf(stderr, "%s:%d: internal error: ", file, line);
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fputc('\n', stderr);
  fflush(stderr);
  abort();
}
