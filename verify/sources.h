/* sources.h: the built-in rule files, compiled in by rulec, with a user's files on top. */
#ifndef VERIDAG_VERIFY_SOURCES_H
#define VERIDAG_VERIFY_SOURCES_H

#include "model.h"

struct model *load_builtin(const char *const *extra, unsigned nextra, struct diag *d);

#endif
