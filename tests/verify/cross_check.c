/* cross_check.c: what the ring and integer rungs prove of the built-in rules at up to 8 bits is bit-blasted
 * as well. usage: cross_check [every Nth instance] */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sources.h"
#include "verify.h"

static bool narrow(const struct instance *in) {
  for (unsigned i = 0; i < MAX_TYVARS; i++)
    if (vt_bits(in->types[i]) > 8) return false;
  return vt_bits(in->wide) <= 16 && in->rule->ntyvar > 0;
}

int main(int argc, char **argv) {
  unsigned step = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  struct diag d = {0};
  struct model *m = load_builtin(NULL, 0, &d);
  if (!m || !step) return 2;
  instance_list all = {0}, few = {0};
  for (uint32_t i = 0; i < m->rules.n; i++) enumerate_instances(m->rules.at[i], &all);
  for (uint32_t i = 0, k = 0; i < all.n; i++)
    if (narrow(&all.at[i]) && k++ % step == 0) *vec_push(&few) = all.at[i];
  struct row *rows = calloc(few.n + 1, sizeof *rows);
  if (!rows) return 2;
  for (uint32_t i = 0; i < few.n; i++) rows[i].in = &few.at[i];
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  struct options o = {.scale = 1, .jobs = cpus > 0 && cpus < 64 ? (unsigned)cpus : 1, .cross_check = true};
  volatile int stop = 0;
  prove_all(rows, few.n, &o, &stop);
  unsigned disagree = 0, abstract = 0;
  for (uint32_t i = 0; i < few.n; i++) {
    char types[128];
    enum rung r = rows[i].rung;
    abstract += rows[i].verdict == PROVED &&
                (r == RUNG_RING || r == RUNG_GF2 || r == RUNG_INDEX || r == RUNG_LIA || r == RUNG_LEMMAS);
    if (!rows[i].text || strncmp(rows[i].text, "BUG", 3)) continue;
    disagree++;
    printf("%s at %s: %s\n", rows[i].in->rule->name, instance_types(rows[i].in, types), rows[i].text);
  }
  printf(
      "%u instances, %u of them proven by the ring or integers and confirmed by bit-blasting, %u refuted\n",
      few.n, abstract, disagree);
  return disagree || abstract == 0;
}
