/* instances.h: a rule at one choice of types. The prover proves the instances listed here, and the tables
 * that rulec makes let a rule fire at these types and no others. */
#ifndef VERIDAG_INSTANCES_H
#define VERIDAG_INSTANCES_H

#include "model.h"

enum { MAX_TYVARS = 8 };

/* `types` is by type variable of the rule; of a (promote … (ext …)), by type variable of the operation, with
 * the promoted one narrow. */
struct instance {
  const struct rule *rule;
  const struct target *target; /* whose widths, byte order and pointers; NULL: any */
  vt types[MAX_TYVARS];
  vt wide; /* promotions: the wide type */
  unsigned pointer_bits;
};

typedef VEC(struct instance) instance_list;

/* Appends every type assignment at which the rule must hold. */
void enumerate_instances(const struct rule *r, instance_list *out);
/* "combine", "promote", "expand", "libcall", "select" or "address" */
const char *instance_kind(const struct instance *in);
/* The types as text: "i8", "T=i8,S=i32" when there are several. */
const char *instance_types(const struct instance *in, char buf[128]);

#endif
