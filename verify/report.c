/* report.c: verdicts as text and as JSON. */
#include <stdlib.h>
#include <string.h>

#include "verify.h"

struct totals {
  uint32_t instances, rules, by[4], rung[RUNG_COUNT];
  double cpu;
};

static struct totals count(const struct row *rows, uint32_t n) {
  struct totals t = {0};
  const struct rule *last = NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (!rows[i].done) continue;
    t.instances++;
    t.by[rows[i].verdict]++;
    t.cpu += rows[i].ms / 1e3;
    if (rows[i].verdict == PROVED) t.rung[rows[i].rung]++;
    if (rows[i].in->rule != last) t.rules++;
    last = rows[i].in->rule;
  }
  return t;
}

/* The line of the source with a caret under the rule's name. */
static void show_place(FILE *f, struct loc at) {
  if (!at.src || !at.line) return;
  const char *s = at.src->text;
  for (uint32_t line = 1; line < at.line && *s; s++) line += *s == '\n';
  size_t len = strcspn(s, "\n");
  fprintf(f, "%6u | %.*s\n       | ", at.line, (int)len, s);
  for (uint32_t i = 1; i < at.col; i++) fputc(i <= len && s[i - 1] == '\t' ? '\t' : ' ', f);
  for (uint32_t i = 0; i < (at.len ? at.len : 1); i++) fputc('^', f);
  fputc('\n', f);
}

static void show_row(FILE *f, const struct row *r) {
  static const char *const shout[] = {"proved", "REFUTED", "UNKNOWN", "VACUOUS"};
  const struct rule *rule = r->in->rule;
  char types[128];
  const char *path = rule->loc.src ? rule->loc.src->path : "?";
  fprintf(f, "%s:%u:%u: %s %s at %s, clause: %s\n", path, rule->loc.line, rule->loc.col, rule->name,
          shout[r->verdict], instance_types(r->in, types), clause_name[r->clause]);
  if (rule->law) fprintf(f, "   law: %s\n", rule->law);
  show_place(f, rule->loc);
  if (r->text) {
    if (r->verdict == REFUTED)
      fprintf(f, "%s", r->text);
    else
      fprintf(f, "   %s\n", r->text);
  }
}

static int slower(const void *a, const void *b) {
  const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
  return x->ms < y->ms ? 1 : x->ms > y->ms ? -1 : 0;
}

static void show_stats(FILE *f, const struct row *rows, uint32_t n, const struct totals *t) {
  char types[128];
  fprintf(f, "proved by:");
  for (int k = 0; k < RUNG_COUNT; k++)
    if (t->rung[k]) fprintf(f, "  %s %u", rung_name[k], t->rung[k]);
  fprintf(f, "\nslowest (CPU ms):\n");
  const struct row **by = calloc(n + 1, sizeof *by);
  if (!by) return;
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++)
    if (rows[i].done) by[k++] = &rows[i];
  qsort(by, k, sizeof *by, slower);
  for (uint32_t i = 0; i < k && i < 10; i++)
    fprintf(f, "  %8.0f  %s %s  %s\n", by[i]->ms, by[i]->in->rule->name, instance_types(by[i]->in, types),
            by[i]->verdict == PROVED ? rung_name[by[i]->rung] : verdict_name[by[i]->verdict]);
  free(by);
}

void report_text(FILE *f, const struct row *rows, uint32_t n, double seconds, const struct options *o) {
  struct totals t = count(rows, n);
  for (uint32_t i = 0; i < n; i++)
    if (rows[i].done && rows[i].verdict != PROVED) show_row(f, &rows[i]);
  if (o->stats) show_stats(f, rows, n, &t);
  fprintf(f,
          "%u rules, %u instances: %u proved, %u refuted, %u unknown, %u vacuous in %.1f s (%.1f s of CPU)\n",
          t.rules, t.instances, t.by[PROVED], t.by[REFUTED], t.by[UNKNOWN], t.by[VACUOUS], seconds, t.cpu);
  if (t.instances < n) fprintf(f, "stopped: %u instances were not looked at\n", n - t.instances);
}

static void json_string(FILE *f, const char *s) {
  fputc('"', f);
  for (; s && *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      fprintf(f, "\\%c", c);
    else if (c == '\n')
      fprintf(f, "\\n");
    else if (c < 32)
      fprintf(f, "\\u%04x", c);
    else
      fputc(c, f);
  }
  fputc('"', f);
}

static void json_row(FILE *f, const struct row *r) {
  const struct rule *rule = r->in->rule;
  char types[128], place[600];
  fprintf(f, "    {\"name\": ");
  json_string(f, rule->name);
  fprintf(f, ", \"kind\": \"%s\", \"target\": ", instance_kind(r->in));
  if (rule->target)
    json_string(f, rule->target->name);
  else
    fprintf(f, "null");
  fprintf(f, ", \"types\": ");
  json_string(f, instance_types(r->in, types));
  fprintf(
      f, ", \"verdict\": \"%s\", \"rung\": \"%s\", \"ms\": %.1f, \"steps\": %llu, \"cases\": %u, \"place\": ",
      verdict_name[r->verdict], rung_name[r->rung], r->ms, (unsigned long long)r->rlimit, r->cases);
  snprintf(place, sizeof place, "%s:%u", rule->loc.src ? rule->loc.src->path : "?", rule->loc.line);
  json_string(f, place);
  if (r->verdict != PROVED) {
    fprintf(f, ", \"clause\": \"%s\", \"text\": ", clause_name[r->clause]);
    json_string(f, r->text ? r->text : "");
  }
  fprintf(f, "}");
}

void report_json(FILE *f, const struct row *rows, uint32_t n, double seconds) {
  struct totals t = count(rows, n);
  fprintf(f, "{\n  \"rules\": %u,\n  \"instances\": %u,\n  \"proved\": %u,\n  \"refuted\": %u,\n", t.rules,
          t.instances, t.by[PROVED], t.by[REFUTED]);
  fprintf(
      f,
      "  \"unknown\": %u,\n  \"vacuous\": %u,\n  \"seconds\": %.2f,\n  \"complete\": %s,\n  \"results\": [",
      t.by[UNKNOWN], t.by[VACUOUS], seconds, t.instances == n ? "true" : "false");
  bool first = true;
  for (uint32_t i = 0; i < n; i++) {
    if (!rows[i].done) continue;
    fprintf(f, first ? "\n" : ",\n");
    first = false;
    json_row(f, &rows[i]);
  }
  fprintf(f, "\n  ]\n}\n");
}

void report_list(FILE *f, const struct model *m, const struct options *o) {
  for (uint32_t i = 0; i < m->rules.n; i++) {
    const struct rule *r = m->rules.at[i];
    if (o->only && strcmp(o->only, r->name)) continue;
    if (o->target && (!r->target || strcmp(o->target, r->target->name))) continue;
    struct instance in = {.rule = r};
    fprintf(f, "%-32s %-8s %-8s %s:%u  %s\n", r->name, instance_kind(&in), r->target ? r->target->name : "-",
            r->loc.src ? r->loc.src->path : "?", r->loc.line, r->law ? r->law : "");
  }
}
