/* rulec: reads .isel files and writes what the selector is built from.
 *   rulec --check FILES…        only reads and checks
 *   rulec -o DIR FILES…         writes DIR/{ops,targets,sources,tables_<t>,insts_<t>}.{h,c} */
#include <string.h>

#include "rulec.h"

static int usage(void) {
  fprintf(stderr, "usage: rulec --check FILE.isel...\n       rulec -o DIRECTORY FILE.isel...\n");
  return 2;
}

/* All tables are made before anything is written, so that a wrong rule leaves the old files alone. */
static bool make_all(const struct model *m, struct arena *a, struct gen *gens) {
  for (unsigned i = 0; i < m->targets.n; i++) build_tables(&gens[i], m, m->targets.at[i], a);
  return m->diag->errors == 0;
}

static bool write_all(const struct model *m, struct gen *gens, const char *dir, const char *const *paths,
                      unsigned n) {
  bool ok = emit_ops(m, dir) && emit_op_defs(m, dir) && emit_list(m, dir) && emit_sources(dir, paths, n);
  for (unsigned i = 0; i < m->targets.n && ok; i++)
    ok = emit_match(&gens[i], dir) && emit_target(&gens[i], dir);
  return ok;
}

int main(int argc, char **argv) {
  struct diag d = {0};
  struct arena a = {0};
  const char *dir = NULL;
  int first = 1;
  if (argc > 1 && strcmp(argv[1], "--check") == 0)
    first = 2;
  else if (argc > 2 && strcmp(argv[1], "-o") == 0) {
    dir = argv[2];
    first = 3;
  } else
    return usage();
  if (first >= argc) return usage();
  const char *const *paths = (const char *const *)argv + first;
  unsigned n = (unsigned)(argc - first);
  struct model *m = model_load(paths, n, &d);
  if (!m) return 1;
  struct gen *gens = ARENA_ARRAY(&a, struct gen, m->targets.n + 1);
  int status = make_all(m, &a, gens) ? 0 : 1;
  if (!status && dir) status = write_all(m, gens, dir, paths, n) ? 0 : 2;
  for (unsigned i = 0; i < m->targets.n; i++) free_tables(&gens[i]);
  arena_free(&a);
  model_free(m);
  return status;
}
