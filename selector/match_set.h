/* match_set.h: the rule sets of the matcher, known to the table compiler as well. */
#ifndef VERIDAG_MATCH_SET_H
#define VERIDAG_MATCH_SET_H

/* A set's rules are tried most specific first, ties in file order. */
enum match_set {
  MATCH_COMBINE,    /* generic combines and the target's */
  MATCH_EXPAND,     /* (expand …): a legal type's operation by others */
  MATCH_LOWER,      /* (lower …): the target's custom lowering */
  MATCH_EXPAND_INT, /* (expand-int …): by match_expand_int */
  MATCH_PROMOTE,    /* (promote op (custom …)): by match_promote */
  MATCH_SELECT,     /* instruction patterns: by match_select */
  MATCH_SETS
};

/* How an operand is extended for promotion; the values of enum ext_kind in model.h. */
enum match_ext { MX_ANY, MX_ZERO, MX_SIGN, MX_KEEP /* not of the promoted type */ };

#endif
