/* dag_print.h: the DAG as text, in the form that the field knows, and as a drawing. Both are stable: the same
 * DAG prints the same bytes. */
#ifndef VERIDAG_DAG_PRINT_H
#define VERIDAG_DAG_PRINT_H

#include "pass.h"

/* "t5: i64 = add nsw t2, t4  [ORD=3] [rule mul-pow2]". Constants, registers, frame indices and symbols are
 * written where they are used. `t` may be NULL: no rule names. */
void dag_print_node(FILE *out, const struct dag *d, const struct match_tables *t, uint32_t node);
/* All live nodes, operands first, under a heading. */
void dag_print(FILE *out, const struct dag *d, const struct match_tables *t, const char *title);
/* The same as a Graphviz digraph: data edges black, chains blue and dashed, glue red. */
void dag_print_dot(FILE *out, const struct dag *d, const struct match_tables *t, const char *title);

#endif
