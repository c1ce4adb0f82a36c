/* oracle.h: proposes the constants of (find (M S …) (ORACLE C …)). Nothing here is trusted: the rule's (when
 * …) checks what is proposed, at every rewrite. */
#ifndef VERIDAG_ORACLE_H
#define VERIDAG_ORACLE_H

#include "bv.h"

/* Asks oracle `name` about `arg`; every result has the width of arg[0]. False when it has nothing to propose
 * or there is no such oracle.
 *   magic-udiv C → M S           x div C = high(x * M) >> S
 *   magic-udiv-preshift C → M S K   the same after x >> K, C a multiple of 2^K, K > 0
 *   magic-udiv-add C → M S       the multiplier is 2^w + M, the shift S + 1
 *   magic-sdiv C → M S           signed, C > 0, M may have its top bit set
 *   two-bits C → A B             C = 2^A + 2^B
 *   inverse C → I                C * I = 1 modulo 2^w, C odd
 *   bitmask C → E                the encoding of C as a logical immediate of AArch64 */
bool oracle_ask(const char *name, const struct bv *arg, unsigned narg, struct bv *out, unsigned nout);
bool oracle_exists(const char *name);

#endif
