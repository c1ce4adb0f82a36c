/* read_llvm.c: opens a module through LLVM's C API and reads its functions into the compact IR. What the API
 * does not tell (dso_local) is taken from the module's text, which the MIR file needs anyway. */
#include "read_llvm.h"
#include "util/diag.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/IRReader.h>

bool ir_unsupported(struct reader *r, const char *fmt, ...) {
  if (!r->what) {
    char buf[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    r->what = arena_strdup(&r->m->arena, buf);
  }
  return false;
}

static uint32_t ptr_hash(const void *p) {
  uint64_t x = (uint64_t)(uintptr_t)p;
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  return (uint32_t)(x >> 32);
}

uint32_t ptr_map_get(const struct ptr_map *m, const void *key) {
  if (!m->cap) return 0;
  for (uint32_t i = ptr_hash(key) & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
    if (m->keys[i] == key) return m->ids[i];
    if (!m->keys[i]) return 0;
  }
}

static void ptr_map_insert(struct ptr_map *m, void *key, uint32_t id) {
  uint32_t i = ptr_hash(key) & (m->cap - 1);
  while (m->keys[i] && m->keys[i] != key) i = (i + 1) & (m->cap - 1);
  if (!m->keys[i]) m->n++;
  m->keys[i] = key;
  m->ids[i] = id;
}

void ptr_map_put(struct ptr_map *m, void *key, uint32_t id) {
  if (2 * (m->n + 1) > m->cap) {
    struct ptr_map old = *m;
    m->cap = old.cap ? 2 * old.cap : 64;
    m->n = 0;
    m->keys = calloc(m->cap, sizeof *m->keys);
    m->ids = calloc(m->cap, sizeof *m->ids);
    if (!m->keys || !m->ids) bug("out of memory");
    for (uint32_t i = 0; i < old.cap; i++)
      if (old.keys[i]) ptr_map_insert(m, old.keys[i], old.ids[i]);
    free(old.keys);
    free(old.ids);
  }
  ptr_map_insert(m, key, id);
}

void ptr_map_free(struct ptr_map *m) {
  free(m->keys);
  free(m->ids);
  *m = (struct ptr_map){0};
}

/* ---- Opening ------------------------------------------------------------------------------------- */

/* Unnamed allocas get names: MIR finds the alloca of a stack object by its name alone. */
static void name_allocas(LLVMValueRef fn) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      size_t len;
      if (LLVMIsAAllocaInst(i) && !*LLVMGetValueName2(i, &len)) LLVMSetValueName2(i, "slot", 4);
    }
}

static char *one_line(const char *text) {
  char *copy = strdup(text ? text : "unknown error");
  if (!copy) bug("out of memory");
  char *nl = strchr(copy, '\n');
  if (nl) *nl = 0;
  return copy;
}

static LLVMModuleRef parse_file(LLVMContextRef context, const char *path, char **error) {
  char *message = NULL;
  LLVMMemoryBufferRef buffer;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    size_t n = strlen(path) + strlen(message) + 32;
    *error = malloc(n);
    if (!*error) bug("out of memory");
    snprintf(*error, n, "%s: error: cannot read: %s", path, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  LLVMModuleRef module;
  if (LLVMParseIRInContext2(context, buffer, &module, &message)) {
    *error = one_line(message);
    LLVMDisposeMessage(message);
    LLVMDisposeMemoryBuffer(buffer);
    return NULL;
  }
  LLVMDisposeMemoryBuffer(buffer);
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
    char *line = one_line(message);
    size_t n = strlen(path) + strlen(line) + 32;
    *error = malloc(n);
    if (!*error) bug("out of memory");
    snprintf(*error, n, "%s: error: invalid module: %s", path, line);
    free(line);
    LLVMDisposeMessage(message);
    LLVMDisposeModule(module);
    return NULL;
  }
  LLVMDisposeMessage(message);
  return module;
}

/* The reader's own diagnostics come back as text; LLVM must not print or exit. */
static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *self) {
  (void)info;
  (void)self;
}

struct ir_module *ir_open(const char *path, const char *triple, char **error) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
  LLVMModuleRef module = parse_file(context, path, error);
  if (!module) {
    LLVMContextDispose(context);
    return NULL;
  }
  struct ir_module *m = calloc(1, sizeof *m);
  if (!m) bug("out of memory");
  m->context = context;
  m->module = module;
  m->names.arena = &m->arena;
  if (triple) LLVMSetTarget(module, triple);
  for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn))
    if (!LLVMIsDeclaration(fn)) {
      name_allocas(fn);
      *vec_push(&m->functions) = fn;
    }
  return m;
}

void ir_close(struct ir_module *m) {
  if (!m) return;
  if (m->text) LLVMDisposeMessage(m->text);
  LLVMDisposeModule(m->module);
  LLVMContextDispose(m->context);
  vec_free(&m->functions);
  free(m->dso_local);
  intern_free(&m->names);
  arena_free(&m->arena);
  free(m);
}

const char *ir_triple(const struct ir_module *m) { return LLVMGetTarget(m->module); }

void ir_set_layout(struct ir_module *m, const char *triple, const char *layout) {
  if (!*LLVMGetTarget(m->module)) LLVMSetTarget(m->module, triple);
  if (!*LLVMGetDataLayoutStr(m->module)) LLVMSetDataLayout(m->module, layout);
  m->data = LLVMGetModuleDataLayout(m->module);
}

const char *ir_text(struct ir_module *m) {
  if (!m->text) m->text = LLVMPrintModuleToString(m->module);
  return m->text;
}

unsigned ir_num_functions(const struct ir_module *m) { return m->functions.n; }

const char *ir_function_name(const struct ir_module *m, unsigned i) {
  size_t len;
  return LLVMGetValueName2(m->functions.at[i], &len);
}

/* ---- dso_local, from the text -------------------------------------------------------------------- */

static bool dso_slot(const struct ir_module *m, const char *name, uint32_t *slot) {
  for (uint32_t i = ptr_hash(name) & (m->dso_cap - 1);; i = (i + 1) & (m->dso_cap - 1)) {
    *slot = i;
    if (m->dso_local[i] == name) return true;
    if (!m->dso_local[i]) return false;
  }
}

static void dso_add(struct ir_module *m, const char *name) {
  if (2 * (m->ndso + 1) > m->dso_cap) {
    const char **old = m->dso_local;
    uint32_t n = m->dso_cap, slot;
    m->dso_cap = n ? 2 * n : 256;
    m->dso_local = calloc(m->dso_cap, sizeof *m->dso_local);
    if (!m->dso_local) bug("out of memory");
    for (uint32_t i = 0; i < n; i++)
      if (old[i] && !dso_slot(m, old[i], &slot)) m->dso_local[slot] = old[i];
    free(old);
  }
  uint32_t slot;
  if (dso_slot(m, name, &slot)) return;
  m->dso_local[slot] = name;
  m->ndso++;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/* Reads the global name at `p` (after '@') and returns where it ends. */
static const char *scan_name(struct ir_module *m, const char *p, const char **name) {
  const char *start = p;
  if (*p != '"') {
    while (*p && *p != ' ' && *p != '(' && *p != '\n') p++;
    *name = intern(&m->names, start, (size_t)(p - start));
    return p;
  }
  const char *end = strchr(++p, '"');
  if (!end) end = p + strlen(p);
  char *buf = malloc((size_t)(end - p) + 1), *q = buf;
  if (!buf) bug("out of memory");
  while (p < end) {
    if (*p == '\\' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
      *q++ = (char)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
      p += 3;
    } else
      *q++ = *p++;
  }
  *name = intern(&m->names, buf, (size_t)(q - buf));
  free(buf);
  return *end ? end + 1 : end;
}

/* One line of the module: records the global it defines or declares when it says dso_local. */
static void scan_line(struct ir_module *m, const char *line, const char *end) {
  bool global = *line == '@';
  if (!global && strncmp(line, "define ", 7) && strncmp(line, "declare ", 8)) return;
  const char *at = global ? line : memchr(line, '@', (size_t)(end - line));
  const char *said = memmem(line, (size_t)(end - line), " dso_local ", 11);
  if (!at || !said) return;
  const char *name;
  const char *after = scan_name(m, at + 1, &name);
  if (global ? said >= after - 1 : said < at) dso_add(m, name);
}

static void scan_text(struct ir_module *m) {
  if (m->dso_local) return;
  m->dso_cap = 256;
  m->dso_local = calloc(m->dso_cap, sizeof *m->dso_local);
  if (!m->dso_local) bug("out of memory");
  for (const char *line = ir_text(m); *line;) {
    const char *end = strchr(line, '\n');
    if (!end) end = line + strlen(line);
    scan_line(m, line, end);
    line = *end ? end + 1 : end;
  }
}

const struct ir_global *read_global(struct ir_module *m, LLVMValueRef v) {
  size_t len;
  const char *text = LLVMGetValueName2(v, &len);
  struct ir_global *g = ARENA_NEW(&m->arena, struct ir_global);
  g->name = intern(&m->names, text, len);
  g->is_function = LLVMIsAFunction(v) != NULL;
  g->is_tls = LLVMIsAGlobalVariable(v) && LLVMIsThreadLocal(v);
  LLVMLinkage linkage = LLVMGetLinkage(v);
  uint32_t slot;
  /* A weak symbol may be missing: its address, 0, is out of reach of anything but the global offset table. */
  g->dso_local = linkage != LLVMExternalWeakLinkage &&
                 (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ||
                  LLVMGetVisibility(v) != LLVMDefaultVisibility || dso_slot(m, g->name, &slot));
  return g;
}

/* ---- One function -------------------------------------------------------------------------------- */

static unsigned enum_kind(const char *name) { return LLVMGetEnumAttributeKindForName(name, strlen(name)); }

static LLVMAttributeRef attribute(LLVMValueRef v, unsigned index, const char *name, bool is_call) {
  unsigned kind = enum_kind(name);
  return is_call ? LLVMGetCallSiteEnumAttribute(v, index, kind) : LLVMGetEnumAttributeAtIndex(v, index, kind);
}

uint8_t read_arg_flags(struct reader *r, LLVMValueRef v, unsigned index, bool is_call) {
  static const struct {
    const char *name;
    uint8_t flag;
  } known[] = {{"zeroext", ARG_ZEXT}, {"signext", ARG_SEXT}, {"sret", ARG_SRET}};
  static const char *const refused[] = {"byval",      "inalloca",  "preallocated", "byref",
                                        "swifterror", "swiftself", "swiftasync",   "nest"};
  uint8_t flags = 0;
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (attribute(v, index, known[i].name, is_call)) flags |= known[i].flag;
  for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++)
    if (attribute(v, index, refused[i], is_call)) ir_unsupported(r, "%s parameter", refused[i]);
  return flags;
}

static const char *function_features(struct reader *r, LLVMValueRef fn) {
  LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, "target-features", 15);
  if (!a) return NULL;
  unsigned len;
  const char *text = LLVMGetStringAttributeValue(a, &len);
  return arena_strndup(r->arena, text, len);
}

static bool read_header(struct reader *r, LLVMValueRef fn) {
  struct ir_function *f = r->f;
  f->global = *read_global(r->m, fn);
  f->name = f->global.name;
  LLVMTypeRef type = LLVMGlobalGetValueType(fn);
  f->variadic = LLVMIsFunctionVarArg(type);
  unsigned cc = LLVMGetFunctionCallConv(fn);
  if (cc != LLVMCCallConv && cc != LLVMFastCallConv && cc != LLVMColdCallConv)
    return ir_unsupported(r, "calling convention %u", cc);
  if (LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, enum_kind("naked")))
    return ir_unsupported(r, "naked function");
  f->optnone = LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, enum_kind("optnone")) != NULL;
  f->features = function_features(r, fn);
  f->ret = read_type(r, LLVMGetReturnType(type));
  if (!f->ret) return false;
  f->ret_flags = read_arg_flags(r, fn, LLVMAttributeReturnIndex, false);
  f->nargs = LLVMCountParams(fn);
  uint32_t *args = ARENA_ARRAY(r->arena, uint32_t, f->nargs + 1);
  uint8_t *flags = ARENA_ARRAY(r->arena, uint8_t, f->nargs + 1);
  f->args = args;
  f->arg_flags = flags;
  for (uint32_t i = 0; i < f->nargs; i++) {
    LLVMValueRef p = LLVMGetParam(fn, i);
    const struct ir_type *t = read_type(r, LLVMTypeOf(p));
    if (!t) return false;
    args[i] = new_value(r, IRV_ARG, t);
    f->values.at[args[i]].index = i;
    flags[i] = read_arg_flags(r, fn, i + 1, false);
    ptr_map_put(&r->values, p, args[i]);
  }
  return r->what == NULL;
}

enum ir_status ir_read(struct ir_module *m, unsigned i, struct arena *arena, struct ir_function *out,
                       const char **what) {
  scan_text(m);
  *out = (struct ir_function){0};
  struct reader r = {.m = m, .arena = arena, .f = out};
  *vec_push(&out->values) = (struct ir_value){0};
  LLVMValueRef fn = m->functions.at[i];
  bool ok = read_header(&r, fn) && read_body(&r, fn);
  ptr_map_free(&r.values);
  ptr_map_free(&r.blocks);
  ptr_map_free(&r.types);
  free(r.type_list);
  if (ok) return IR_OK;
  *what = r.what;
  return IR_UNSUPPORTED;
}

static void erase_body(LLVMValueRef fn) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind && LLVMGetFirstUse(i))
        LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      next = LLVMGetNextInstruction(i);
      LLVMInstructionEraseFromParent(i);
    }
  for (LLVMBasicBlockRef b; (b = LLVMGetFirstBasicBlock(fn));) LLVMDeleteBasicBlock(b);
}

void ir_drop_body(struct ir_module *m, unsigned i) {
  LLVMValueRef fn = m->functions.at[i];
  erase_body(fn);
  LLVMSetLinkage(fn, LLVMExternalLinkage);
  LLVMSetComdat(fn, NULL);
  if (LLVMHasPersonalityFn(fn)) LLVMSetPersonalityFn(fn, NULL);
  LLVMGlobalEraseMetadata(fn, LLVMGetMDKindIDInContext(m->context, "dbg", 3));
  if (m->text) LLVMDisposeMessage(m->text);
  m->text = NULL;
}
