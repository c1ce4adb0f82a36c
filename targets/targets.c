/* targets.c: the targets that the selector knows. Adding one is one line here and one folder. */
#include "target.h"

#include <stddef.h>

extern const struct target target_x86_64, target_aarch64, target_tessera, target_tessera_be;

const struct target *const all_targets[] = {&target_x86_64, &target_aarch64, &target_tessera_be,
                                            &target_tessera, NULL};
