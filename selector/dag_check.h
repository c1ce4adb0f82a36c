/* dag_check.h: the invariants of a DAG, checked after every pass in debug and fuzz builds and with
 * -verify-dag. */
#ifndef VERIDAG_DAG_CHECK_H
#define VERIDAG_DAG_CHECK_H

#include "pass.h"

/* Uses and operands agree, no node is dead but used, no cycle; operands and results fit the operation's
 * signature and its `where`; from LEGAL_TYPES on every type is legal, from LEGAL_OPS on every operation.
 * Prints the first violation with its node and returns false. */
bool dag_check(const struct pass *p, enum legality legal, FILE *out);

#endif
