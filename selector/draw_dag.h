/* draw_dag.h: DAGs as pictures, for -view-isel-dags. */
#ifndef VERIDAG_DRAW_DAG_H
#define VERIDAG_DRAW_DAG_H

#include "dag.h"
#include "match.h"

enum picture { PICTURE_DOT, PICTURE_SVG };

/* Can pictures of this format be made? SVG needs Graphviz's program `dot` on the path. */
bool can_draw(enum picture format);
/* Writes dag.FUNCTION.bbBLOCK.PHASE.dot or .svg into the current directory and says so on stderr. The file
 * takes its name when it is whole; when it cannot be made, says why and returns false. */
bool draw_dag(const struct dag *d, const struct match_tables *t, enum picture format, const char *function,
              uint32_t block, const char *phase, const char *title);

#endif
