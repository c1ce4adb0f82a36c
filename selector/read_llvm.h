/* read_llvm.h: what the three files of the IR reader share. */
#ifndef VERIDAG_READ_LLVM_H
#define VERIDAG_READ_LLVM_H

#include "ir.h"
#include "util/intern.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

struct ir_module {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetDataRef data;
  char *text;         /* made when first asked for */
  struct arena arena; /* names, types, globals */
  struct interner names;
  VEC(LLVMValueRef) functions; /* with bodies, in order */
  const char **dso_local;      /* interned names, as a hash set by address */
  uint32_t ndso, dso_cap;
};

/* A pointer-keyed map from LLVM's values to ids. */
struct ptr_map {
  void **keys;
  uint32_t *ids;
  uint32_t n, cap;
};

struct reader {
  struct ir_module *m;
  struct arena *arena; /* of the function */
  struct ir_function *f;
  struct ptr_map values, blocks, types;
  const struct ir_type **type_list;
  uint32_t ntypes, types_cap;
  const char *what; /* the first unsupported construct */
};

/* Records an unsupported construct (printf); the first one stays. Returns false. */
bool ir_unsupported(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t ptr_map_get(const struct ptr_map *m, const void *key); /* 0 when absent */
void ptr_map_put(struct ptr_map *m, void *key, uint32_t id);
void ptr_map_free(struct ptr_map *m);

/* The scalar parts of a type; NULL after ir_unsupported. */
const struct ir_type *read_type(struct reader *r, LLVMTypeRef t);
/* The id of a value, constants being made when first met; 0 after ir_unsupported. */
uint32_t read_value(struct reader *r, LLVMValueRef v);
uint32_t new_value(struct reader *r, enum ir_kind kind, const struct ir_type *type);
/* Base, constant offset and scaled indices of a getelementptr (instruction or expression); `ops` gets the
 * base and the variable indices. */
const struct ir_gep *read_gep(struct reader *r, LLVMValueRef v, const uint32_t **ops, uint32_t *nops);
/* Position of the first scalar part and number of parts that an index path selects in a type. */
bool read_path(struct reader *r, LLVMValueRef v, LLVMTypeRef aggregate, uint32_t *first, uint32_t *count);
/* Reads the body of a function whose arguments and blocks are known. */
bool read_body(struct reader *r, LLVMValueRef fn);
const struct ir_global *read_global(struct ir_module *m, LLVMValueRef v);
uint8_t read_arg_flags(struct reader *r, LLVMValueRef v, unsigned index, bool is_call);

#endif
