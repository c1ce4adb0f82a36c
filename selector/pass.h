/* pass.h: what the combiner and the legalizers are given. One struct pass serves all passes over one
 * function's blocks; `dag` changes from block to block. */
#ifndef VERIDAG_PASS_H
#define VERIDAG_PASS_H

#include <stdio.h>

#include "dag.h"
#include "match.h"

/* What is already legal, and so must stay legal. */
enum legality { LEGAL_NOTHING, LEGAL_TYPES, LEGAL_OPS };

struct pass {
  struct dag *dag;
  const struct match_tables *tables;
  const bool *features, *tastes, *disabled; /* as in struct matcher; NULL: none */
  uint32_t *fired;                          /* as in struct matcher, or NULL */
  vt pointer;
  vt bool_type; /* of setcc results after type legalization */
  bool big_endian;
  unsigned max_steps; /* -has-predecessor-max-steps */
  FILE *trace;        /* where the pass that runs prints its steps, or NULL */

  /* Builds a call of a runtime routine: arguments and result of any integer type, passed as the calling
   * convention says. *chain is the state before the call and becomes the state after it. */
  struct sdval (*libcall)(void *self, const char *name, vt ret, const struct sdval *args, unsigned n,
                          struct sdval *chain);
  /* The node cannot be handled (say, a division of i256): a fault of the input. The pass stops and returns
   * false. */
  void (*unsupported)(void *self, uint32_t node, const char *why);
  /* Bytes that the address is a multiple of, for what only the function knows (frame objects, globals); 1:
   * nothing. */
  uint32_t (*object_align)(void *self, struct sdval address);
  void *self;
  /* Where legalize_ops keeps what it found out for a set of features, from block to block; freed with
   * ranks_free by the owner of the pass. NULL: it is found out again for every DAG that needs it. */
  struct ranks **ranks;

  struct workspace *space; /* workspace.h; NULL at first, the owner of the pass frees it */

  uint64_t rewrites; /* rules applied, counted by the passes */
};

#endif
