/* workers.c: instances are proven in child processes, a bounded number at a time. A child takes a batch of
 * instances, each with a solver context of its own, and answers one by one. When it exceeds its memory or is
 * stuck it dies: the instance at hand is unknown, and the rest of the batch goes to another child. */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/diag.h"
#include "verify.h"

enum { MAX_JOBS = 64, MAX_BATCH = 256, INSTANCE_CPU_SECONDS = 150 };

struct batch {
  uint32_t first, end; /* rows */
};

struct worker {
  pid_t pid;
  int fd;
  struct batch todo; /* not answered yet */
  char *buf;
  size_t n, cap;
};

struct pool {
  const struct options *o;
  struct row *rows;
  uint32_t n, next, done;
  VEC(struct batch) again; /* what dead children left */
  const volatile int *stop;
};

/* What a child sends before the text. */
struct answer {
  enum verdict verdict;
  enum rung rung;
  enum clause_kind clause;
  unsigned cases;
  double ms;
  uint64_t rlimit;
  bool bad_values;
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

static void limit_cpu(const struct options *o) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double more = INSTANCE_CPU_SECONDS * (o->scale > 1 ? o->scale : 1);
  rlim_t at = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + (long)more);
  struct rlimit time = {at, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &time);
}

/* What one instance frees the next one uses: handing it back to the system in between, only to have it zeroed
 * again, took a fifth of the time. */
static void keep_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 32 << 20);
}

static void child(const struct pool *p, struct batch b, int fd) {
  struct rlimit space = {(rlim_t)2 << 30, (rlim_t)2 << 30}, core = {0, 0};
  setrlimit(RLIMIT_AS, &space);
  setrlimit(RLIMIT_CORE, &core);
  signal(SIGINT, SIG_IGN);
  keep_memory();
  for (; b.first < b.end; b.first++) {
    struct row *row = &p->rows[b.first];
    limit_cpu(p->o);
    prove_instance(row->in, p->o, row);
    struct answer a = {
        row->verdict, row->rung,   row->clause,     row->cases,
        row->ms,      row->rlimit, row->bad_values, row->text ? (uint32_t)strlen(row->text) : 0};
    send_all(fd, &a, sizeof a);
    if (a.text) send_all(fd, row->text, a.text);
  }
  _exit(0);
}

static bool start(struct worker *w, const struct pool *p, struct batch b) {
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
    child(p, b, fd[1]);
  }
  close(fd[1]);
  *w = (struct worker){.pid = pid, .fd = fd[0], .todo = b};
  return true;
}

/* The next batch: smaller toward the end, so that all children finish together. */
static bool take(struct pool *p, struct batch *b) {
  if (*p->stop) return false;
  if (p->again.n) {
    *b = p->again.at[--p->again.n];
    return true;
  }
  if (p->next >= p->n) return false;
  uint32_t left = p->n - p->next, size = left / (4 * p->o->jobs) + 1;
  if (size > MAX_BATCH) size = MAX_BATCH;
  *b = (struct batch){p->next, p->next + size};
  p->next += size;
  return true;
}

static void progress(struct pool *p, const struct row *last) {
  p->done++;
  if (!p->o->progress) return;
  char types[128];
  fprintf(stderr, "\r\033[K%u/%u %s %s", p->done, p->n, last->in->rule->name,
          instance_types(last->in, types));
  fflush(stderr);
}

/* Takes the answers that have arrived in full. */
static void digest(struct pool *p, struct worker *w) {
  struct answer a;
  size_t at = 0;
  while (w->todo.first < w->todo.end && w->n - at >= sizeof a) {
    memcpy(&a, w->buf + at, sizeof a);
    if (w->n - at < sizeof a + a.text) break;
    struct row *row = &p->rows[w->todo.first++];
    row->verdict = a.verdict;
    row->rung = a.rung;
    row->clause = a.clause;
    row->cases = a.cases;
    row->rlimit = a.rlimit;
    row->bad_values = a.bad_values;
    row->ms = a.ms;
    row->text = a.text ? strndup(w->buf + at + sizeof a, a.text) : NULL;
    row->done = true;
    at += sizeof a + a.text;
    progress(p, row);
  }
  memmove(w->buf, w->buf + at, w->n - at);
  w->n -= at;
}

/* The child is gone. */
static void finish(struct pool *p, struct worker *w) {
  int status = 0;
  close(w->fd);
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (w->todo.first < w->todo.end && !*p->stop) {
    struct row *row = &p->rows[w->todo.first++];
    bool killed = WIFSIGNALED(status);
    row->verdict = UNKNOWN;
    row->done = true;
    row->text = strdup(killed && WTERMSIG(status) == SIGXCPU ? "the child ran out of CPU time"
                       : killed                              ? "the child died (out of memory, or a bug)"
                                                             : "the child stopped without an answer");
    progress(p, row);
    if (w->todo.first < w->todo.end) *vec_push(&p->again) = w->todo;
  }
  free(w->buf);
  *w = (struct worker){.fd = -1};
}

/* Reads what a child has to say; true at its end. */
static bool collect(struct pool *p, struct worker *w) {
  if (w->cap - w->n < 4096) {
    w->cap = w->cap ? 2 * w->cap : 8192;
    w->buf = realloc(w->buf, w->cap);
    if (!w->buf) bug("out of memory");
  }
  ssize_t k = read(w->fd, w->buf + w->n, w->cap - w->n);
  if (k < 0 && errno == EINTR) return false;
  if (k <= 0) return true;
  w->n += (size_t)k;
  digest(p, w);
  return false;
}

void prove_all(struct row *rows, uint32_t n, const struct options *o, const volatile int *stop) {
  struct worker w[MAX_JOBS];
  struct pollfd fds[MAX_JOBS];
  struct pool p = {.o = o, .rows = rows, .n = n, .stop = stop};
  for (unsigned i = 0; i < o->jobs; i++) w[i] = (struct worker){.fd = -1};
  for (;;) {
    unsigned running = 0;
    struct batch b;
    for (unsigned i = 0; i < o->jobs; i++) {
      if (w[i].fd < 0 && take(&p, &b) && !start(&w[i], &p, b)) *vec_push(&p.again) = b;
      if (w[i].fd >= 0 && *stop) kill(w[i].pid, SIGKILL);
      running += w[i].fd >= 0;
      fds[i] = (struct pollfd){.fd = w[i].fd, .events = POLLIN};
    }
    if (!running && (*stop || (p.next >= n && !p.again.n))) break;
    if (poll(fds, o->jobs, 1000) <= 0) continue;
    for (unsigned i = 0; i < o->jobs; i++)
      if (w[i].fd >= 0 && fds[i].revents & (POLLIN | POLLHUP | POLLERR) && collect(&p, &w[i]))
        finish(&p, &w[i]);
  }
  vec_free(&p.again);
  if (o->progress) fprintf(stderr, "\r\033[K");
}
