/* check.c: model_load. Reads the files, then checks their forms in passes, so that order does not matter. */
#include "rulec/check.h"
#include "util/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ----------------------------------------------------------------------------------------- */

static uint32_t name_hash(const void *target, enum space space, const char *name) {
  uint64_t h = (uintptr_t)target * UINT64_C(0x9e3779b97f4a7c15) ^
               ((uintptr_t)name + space) * UINT64_C(0xc2b2ae3d27d4eb4f);
  return (uint32_t)(h >> 32);
}

static struct name_slot *name_slot(struct name_slot *slot, uint32_t cap, const void *target, enum space space,
                                   const char *name) {
  for (uint32_t i = name_hash(target, space, name) & (cap - 1);; i = (i + 1) & (cap - 1))
    if (!slot[i].value || (slot[i].target == target && slot[i].space == space && slot[i].name == name))
      return &slot[i];
}

void *name_get(const struct name_map *m, const void *target, enum space space, const char *name) {
  return m->cap ? name_slot(m->slot, m->cap, target, space, name)->value : NULL;
}

void name_put(struct name_map *m, const void *target, enum space space, const char *name, void *value) {
  if (m->n * 2 >= m->cap) {
    uint32_t cap = m->cap ? m->cap * 2 : 64;
    struct name_slot *slot = calloc(cap, sizeof *slot);
    if (!slot) bug("out of memory for %u names", cap);
    for (uint32_t i = 0; i < m->cap; i++)
      if (m->slot[i].value)
        *name_slot(slot, cap, m->slot[i].target, m->slot[i].space, m->slot[i].name) = m->slot[i];
    free(m->slot);
    m->slot = slot;
    m->cap = cap;
  }
  struct name_slot *s = name_slot(m->slot, m->cap, target, space, name);
  if (!s->value) m->n++;
  *s = (struct name_slot){target, space, name, value};
}

void free_name_map(struct name_map *m) {
  free(m->slot);
  *m = (struct name_map){0};
}

const char *keep(struct checker *c, const char *text) { return intern_cstr(&c->m->names, text); }

const char *nearer(const char *name, const char *best, const char *candidate) {
  if (!candidate || !*candidate) return best;
  unsigned d = word_distance(name, candidate), limit = ((unsigned)strlen(name) + 1) / 3;
  if (d > limit) return best;
  return best && word_distance(name, best) <= d ? best : candidate;
}

const char *nearest(struct checker *c, const char *name, const enum space *spaces, unsigned n) {
  const char *best = NULL;
  for (uint32_t i = 0; i < c->names.cap; i++) {
    const struct name_slot *s = &c->names.slot[i];
    if (!s->value || (s->target && s->target != c->target)) continue;
    for (unsigned k = 0; k < n; k++)
      if (s->space == spaces[k]) best = nearer(name, best, s->name);
  }
  return best;
}

const char *hint_spelling(struct checker *c, const char *candidate) {
  return candidate ? arena_printf(c->a, "did you mean '%s'?", candidate) : NULL;
}

bool want_list(struct checker *c, const struct sx *x, uint32_t min, uint32_t max, const char *usage) {
  if (x->kind == SX_LIST && x->n >= min && x->n <= max) return true;
  if (x->kind != SX_LIST)
    diag_error(c->d, x->loc, usage, "a list was expected");
  else
    diag_error(c->d, x->loc, usage, "this list has %u element%s", x->n, PLURAL(x->n));
  return false;
}

bool want_atom(struct checker *c, const struct sx *x, const char *what) {
  if (x->kind == SX_ATOM) return true;
  diag_error(c->d, x->loc, NULL, "%s was expected", what);
  return false;
}

/* ---- Passes ---------------------------------------------------------------------------------------- */

struct kind_row {
  const char *head;
  int pass;
  void (*check)(struct checker *, const struct form *);
};

static void declare_inst_form(struct checker *c, const struct form *f) { declare_inst(c, (struct form *)f); }
static void no_check(struct checker *c, const struct form *f) { (void)c, (void)f; }

enum { PASSES = 7 };
static const struct kind_row kinds[] = {
    {"target", 0, no_check},
    {"regclass", 0, declare_target_form},
    {"physreg", 0, declare_target_form},
    {"feature", 0, declare_target_form},
    {"taste", 0, declare_target_form},
    {"fn", 1, declare_fn},
    {"immclass", 2, declare_target_form},
    {"op", 3, check_op},
    {"routine", 3, check_routine},
    {"nonterm", 3, declare_nonterm},
    {"inst", 4, declare_inst_form},
    {"inst", 5, check_inst},
    {"rule", 6, check_rule},
    {"expand", 6, check_rule},
    {"lower", 6, check_rule},
    {"select", 6, check_select},
    {"promote", 6, check_promote},
    {"expand-int", 6, check_expand_int},
    {"legal", 6, check_action},
    {"action", 6, check_action},
    {"addr", 6, check_addr},
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static bool known_form(struct checker *c, const struct sx *x) {
  const char *head = sx_head(x), *best = NULL;
  for (int k = 0; head && k < NKINDS; k++) {
    if (strcmp(kinds[k].head, head) == 0) return true;
    best = nearer(head, best, kinds[k].head);
  }
  diag_error(c->d, head ? x->kid[0]->loc : x->loc, hint_spelling(c, best), "unknown form '%s'",
             head ? head : "");
  return false;
}

/* Every function body is checked, also of those that nobody calls. */
static void finish_fns(struct checker *c) {
  for (uint32_t i = 0; i < c->forms.n; i++) {
    const struct form *f = &c->forms.at[i];
    if (!sx_is(f->sx->kid[0], "fn") || f->sx->n < 2 || f->sx->kid[1]->kind != SX_ATOM) continue;
    struct fn *fn = name_get(&c->names, f->target, SPACE_FN, f->sx->kid[1]->text);
    if (fn && fn->form == f->sx) finish_fn(c, fn);
  }
}

static void run_pass(struct checker *c, int pass) {
  for (uint32_t i = 0; i < c->forms.n; i++)
    for (int k = 0; k < NKINDS; k++) {
      struct form *f = &c->forms.at[i];
      if (kinds[k].pass != pass || !sx_is(f->sx->kid[0], kinds[k].head)) continue;
      c->target = f->target;
      kinds[k].check(c, f);
    }
  if (pass == 1) finish_fns(c);
}

/* A taste must be declared by the rule's target, or for a generic rule by any. */
static void check_tastes(struct checker *c) {
  for (uint32_t i = 0; i < c->tastes.n; i++) {
    const struct form *f = &c->tastes.at[i];
    const char *name = f->sx->kid[0]->text;
    bool known = name_get(&c->names, NULL, SPACE_FACT, name);
    for (uint32_t k = 0; !known && k < c->m->targets.n; k++)
      if (!f->target || f->target == c->m->targets.at[k])
        known = name_get(&c->names, c->m->targets.at[k], SPACE_FACT, name);
    /* Files of generic rules may be checked without any target. */
    if (known || (!f->target && c->m->targets.n == 0)) continue;
    c->target = f->target;
    diag_error(c->d, f->sx->kid[0]->loc, hint_spelling(c, NEAREST(c, name, SPACE_FACT)),
               "'%s' is not a fact, taste or feature", name);
  }
}

/* ---- Files ----------------------------------------------------------------------------------------- */

/* A file belongs to the target whose (target …) form stands in the same folder. */
static struct target *target_of_dir(struct checker *c, const char *path) {
  const char *slash = strrchr(path, '/');
  size_t len = slash ? (size_t)(slash - path) + 1 : 0;
  for (uint32_t i = 0; i < c->infos.n; i++)
    if (c->infos.at[i].dir_len == len && strncmp(c->infos.at[i].dir, path, len) == 0)
      return c->m->targets.at[i];
  return NULL;
}

static void read_source(struct checker *c, const struct source *src, struct sx_list *forms) {
  read_forms(&c->reader, src, forms);
  for (uint32_t i = 0; i < forms->n; i++)
    if (sx_head(forms->at[i]) && sx_is(forms->at[i]->kid[0], "target") && forms->at[i]->n != 2)
      check_target(c, forms->at[i]);
}

static struct source *load_file(struct model *m, const char *path) {
  struct source *s = ARENA_NEW(&m->arena, struct source);
  s->path = arena_strdup(&m->arena, path);
  s->text = "";
  FILE *f = fopen(path, "rb");
  VEC(char) text = {0};
  if (f) {
    for (int ch; (ch = getc(f)) != EOF;) *vec_push(&text) = (char)ch;
  }
  if (!f || ferror(f)) diag_error(m->diag, (struct loc){.src = s}, NULL, "cannot read: %s", strerror(errno));
  if (f) fclose(f);
  s->text = arena_strndup(&m->arena, text.at ? text.at : "", text.n);
  s->len = text.n;
  vec_free(&text);
  return s;
}

static void check_all(struct checker *c, struct source *const *src, uint32_t n) {
  struct sx_list *forms = ARENA_ARRAY(c->a, struct sx_list, n + 1);
  for (uint32_t i = 0; i < n; i++) read_source(c, src[i], &forms[i]);
  for (uint32_t i = 0; i < n; i++) {
    c->target = target_of_dir(c, src[i]->path);
    for (uint32_t k = 0; k < forms[i].n; k++) {
      const struct sx *x = forms[i].at[k];
      if (!known_form(c, x)) continue;
      if (sx_is(x->kid[0], "target") && x->n == 2) check_target(c, x);
      *vec_push(&c->forms) = (struct form){.sx = x, .target = c->target};
    }
    vec_free(&forms[i]);
  }
  for (int pass = 0; pass < PASSES; pass++) run_pass(c, pass);
  check_tastes(c);
  if (c->d->errors == 0) check_coverage(c);
}

static struct model *new_model(struct diag *d) {
  struct model *m = calloc(1, sizeof *m);
  if (!m) bug("out of memory for the model");
  m->diag = d;
  m->names.arena = &m->arena;
  return m;
}

static struct model *finish(struct model *m) {
  unsigned before = m->diag->errors;
  struct checker c = {.m = m, .a = &m->arena, .d = m->diag};
  c.reader = (struct reader){.arena = &m->arena, .names = &m->names, .diag = m->diag};
  check_all(&c, m->sources.at, m->sources.n);
  free_name_map(&c.names);
  vec_free(&c.forms);
  vec_free(&c.tastes);
  vec_free(&c.infos);
  if (m->diag->errors == before) return m;
  return NULL;
}

struct model *model_load_sources(const struct source *sources, unsigned n, const char *const *extra,
                                 unsigned nextra, struct diag *d) {
  struct model *m = new_model(d);
  unsigned before = d->errors;
  for (unsigned i = 0; i < n; i++) {
    struct source *s = ARENA_NEW(&m->arena, struct source);
    *s = sources[i];
    *vec_push(&m->sources) = s;
  }
  for (unsigned i = 0; i < nextra; i++) *vec_push(&m->sources) = load_file(m, extra[i]);
  if (d->errors == before && finish(m)) return m;
  model_free(m);
  return NULL;
}

struct model *model_load(const char *const *paths, unsigned n, struct diag *d) {
  return model_load_sources(NULL, 0, paths, n, d);
}

void model_free(struct model *m) {
  for (uint32_t i = 0; i < m->targets.n; i++) {
    struct target *t = m->targets.at[i];
    vec_free(&t->types);
    vec_free(&t->regclasses);
    vec_free(&t->physregs);
    vec_free(&t->immclasses);
    vec_free(&t->nonterms);
    vec_free(&t->insts);
    vec_free(&t->actions);
    vec_free(&t->features);
    vec_free(&t->tastes);
  }
  vec_free(&m->sources);
  vec_free(&m->ops);
  vec_free(&m->routines);
  vec_free(&m->rules);
  vec_free(&m->targets);
  intern_free(&m->names);
  arena_free(&m->arena);
  free(m);
}

const struct op *model_op(const struct model *m, const char *name) {
  for (uint32_t i = 0; i < m->ops.n; i++)
    if (strcmp(m->ops.at[i]->name, name) == 0) return m->ops.at[i];
  return NULL;
}

const struct rule *model_rule(const struct model *m, const char *name) {
  for (uint32_t i = 0; i < m->rules.n; i++)
    if (m->rules.at[i]->name && strcmp(m->rules.at[i]->name, name) == 0) return m->rules.at[i];
  return NULL;
}
