/* sources.c: see sources.h. */
#include "sources.h"

#include "gen/sources.h"

struct model *load_builtin(const char *const *extra, unsigned nextra, struct diag *d) {
  return model_load_sources(builtin_sources, builtin_source_count, extra, nextra, d);
}
