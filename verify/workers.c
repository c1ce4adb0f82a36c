/* workers.c: one child process per instance, a bounded number at a time. A child that exceeds its memory or is stuck
 * is killed and its instance is unknown. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/diag.h"
#include "verify.h"

enum { MAX_JOBS = 64, CHILD_CPU_SECONDS = 120 };

struct worker {
  pid_t pid;
  int fd;
  struct row *row;
  char *buf;
  size_t n, cap;
};

/* What a child sends before the text. */
struct answer {
  enum verdict verdict;
  enum rung rung;
  enum clause_kind clause;
  unsigned cases;
  double ms;
  uint64_t rlimit;
  uint32_t text;
};

static void send_all(int fd, const void *data, size_t n) {
  const char *at = data;
  while (n) {
    ssize_t k = write(fd, at, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) _exit(1);
    at += k;
    n -= (size_t)k;
  }
}

static void child(const struct model *m, struct row *row, const struct options *o, int fd) {
  double cpu = CHILD_CPU_SECONDS * (o->scale > 1 ? o->scale : 1);
  struct rlimit time = {(rlim_t)cpu, (rlim_t)cpu + 1}, space = {(rlim_t)2 << 30, (rlim_t)2 << 30}, core = {0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_AS, &space);
  setrlimit(RLIMIT_CORE, &core);
  signal(SIGINT, SIG_IGN);
  prove_instance(m, row->in, o, row);
  struct answer a = {row->verdict, row->rung, row->clause, row->cases, row->ms, row->rlimit,
                     row->text ? (uint32_t)strlen(row->text) : 0};
  send_all(fd, &a, sizeof a);
  if (a.text) send_all(fd, row->text, a.text);
  _exit(0);
}

static bool start(struct worker *w, const struct model *m, struct row *row, const struct options *o) {
  int fd[2];
  if (pipe(fd)) return false;
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0) {
    close(fd[0]);
    close(fd[1]);
    return false;
  }
  if (pid == 0) {
    close(fd[0]);
    child(m, row, o, fd[1]);
  }
  close(fd[1]);
  *w = (struct worker){.pid = pid, .fd = fd[0], .row = row};
  return true;
}

static void finish(struct worker *w) {
  int status = 0;
  struct rusage used = {0};
  close(w->fd);
  while (wait4(w->pid, &status, 0, &used) < 0 && errno == EINTR) {}
  struct row *row = w->row;
  struct answer a;
  row->done = true;
  if (w->n >= sizeof a) {
    memcpy(&a, w->buf, sizeof a);
    row->verdict = a.verdict;
    row->rung = a.rung;
    row->clause = a.clause;
    row->cases = a.cases;
    row->rlimit = a.rlimit;
    row->text = a.text && w->n >= sizeof a + a.text ? strndup(w->buf + sizeof a, a.text) : NULL;
  } else {
    row->verdict = UNKNOWN;
    row->text = strdup(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? "the child ran out of CPU time"
                       : WIFSIGNALED(status) ? "the child died (out of memory, or a bug)"
                                             : "the child stopped without an answer");
  }
  row->ms = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
            (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
  free(w->buf);
  *w = (struct worker){.fd = -1};
}

/* Reads what a child has to say; true at its end. */
static bool collect(struct worker *w) {
  if (w->cap - w->n < 4096) {
    w->cap = w->cap ? 2 * w->cap : 8192;
    w->buf = realloc(w->buf, w->cap);
    if (!w->buf) bug("out of memory");
  }
  ssize_t k = read(w->fd, w->buf + w->n, w->cap - w->n);
  if (k < 0 && errno == EINTR) return false;
  if (k <= 0) return true;
  w->n += (size_t)k;
  return false;
}

static void progress(const struct options *o, uint32_t done, uint32_t n, const struct row *last) {
  if (!o->progress) return;
  char types[128];
  fprintf(stderr, "\r\033[K%u/%u %s %s", done, n, last->in->rule->name, instance_types(last->in, types));
  fflush(stderr);
}

void prove_all(const struct model *m, struct row *rows, uint32_t n, const struct options *o,
               const volatile int *stop) {
  struct worker w[MAX_JOBS];
  struct pollfd p[MAX_JOBS];
  unsigned jobs = o->jobs < 1 ? 1 : o->jobs > MAX_JOBS ? MAX_JOBS : o->jobs;
  uint32_t next = 0, done = 0, running = 0;
  for (unsigned i = 0; i < jobs; i++) w[i] = (struct worker){.fd = -1};
  while ((next < n && !*stop) || running) {
    for (unsigned i = 0; i < jobs && next < n && !*stop; i++)
      if (w[i].fd < 0 && start(&w[i], m, &rows[next], o)) {
        next++;
        running++;
      }
    if (*stop)
      for (unsigned i = 0; i < jobs; i++)
        if (w[i].fd >= 0) kill(w[i].pid, SIGKILL);
    for (unsigned i = 0; i < jobs; i++) p[i] = (struct pollfd){.fd = w[i].fd, .events = POLLIN};
    if (poll(p, jobs, 1000) <= 0) continue;
    for (unsigned i = 0; i < jobs; i++) {
      if (w[i].fd < 0 || !(p[i].revents & (POLLIN | POLLHUP | POLLERR)) || !collect(&w[i])) continue;
      struct row *row = w[i].row;
      bool answered = w[i].n > 0;
      finish(&w[i]);
      if (*stop && !answered) row->done = false;
      running--;
      progress(o, ++done, n, row);
    }
  }
  if (o->progress) fprintf(stderr, "\r\033[K");
}
