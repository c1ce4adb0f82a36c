/* reader.c: text to s-expressions, and the expansion of `for` templates. */
#include "rulec/sexp.h"

#include <stdlib.h>
#include <string.h>

/* ---- Reading --------------------------------------------------------------------------------------- */

struct cursor {
  struct reader *r;
  const struct source *src;
  const char *p, *end;
  uint32_t line, col;
  unsigned depth;
};

enum { MAX_DEPTH = 200, MAX_EXPANDED = 1 << 20 };

static char peek(const struct cursor *c) { return c->p < c->end ? *c->p : 0; }

static void step(struct cursor *c) {
  if (*c->p++ == '\n') {
    c->line++;
    c->col = 1;
  } else {
    c->col++;
  }
}

static struct loc here(const struct cursor *c, uint32_t len) {
  return (struct loc){.src = c->src, .line = c->line, .col = c->col, .len = len};
}

static void skip_space(struct cursor *c) {
  while (c->p < c->end) {
    if (*c->p == ';') {
      while (c->p < c->end && *c->p != '\n') step(c);
    } else if (strchr(" \t\r\n", *c->p) && *c->p) {
      step(c);
    } else {
      return;
    }
  }
}

static struct sx *new_sx(struct reader *r, enum sx_kind kind, struct loc loc) {
  struct sx *s = ARENA_NEW(r->arena, struct sx);
  s->kind = kind;
  s->loc = loc;
  return s;
}

static struct sx *read_string(struct cursor *c) {
  struct loc at = here(c, 1);
  step(c);
  const char *start = c->p;
  while (c->p < c->end && *c->p != '"' && *c->p != '\n') step(c);
  if (peek(c) != '"') {
    diag_error(c->r->diag, at, "a string ends on its line with '\"'", "unterminated string");
    return NULL;
  }
  struct sx *s = new_sx(c->r, SX_STRING, at);
  s->text = arena_strndup(c->r->arena, start, (size_t)(c->p - start));
  step(c);
  s->loc.len = c->col - at.col;
  return s;
}

/* The length of the atom at the cursor. Brackets and braces inside it may hold spaces. */
static size_t atom_length(struct cursor *c) {
  unsigned nest = 0;
  const char *q = c->p;
  for (; q < c->end; q++) {
    if (*q == '[' || *q == '{')
      nest++;
    else if ((*q == ']' || *q == '}') && nest)
      nest--;
    else if (*q == '\n' || *q == 0)
      break;
    else if (!nest && strchr(" \t\r()\";", *q))
      break;
  }
  return (size_t)(q - c->p);
}

static struct sx *read_sx(struct cursor *c);

static struct sx *read_list(struct cursor *c) {
  struct loc open = here(c, 1);
  struct sx_list kids = {0};
  struct sx *s = new_sx(c->r, SX_LIST, open);
  step(c);
  if (++c->depth > MAX_DEPTH) {
    diag_error(c->r->diag, open, NULL, "more than %d lists inside each other", MAX_DEPTH);
    c->p = c->end;
    return NULL;
  }
  for (;;) {
    skip_space(c);
    if (c->p >= c->end) {
      diag_error(c->r->diag, open, "add the missing ')'", "this '(' is never closed");
      vec_free(&kids);
      return NULL;
    }
    if (*c->p == ')') break;
    struct sx *k = read_sx(c);
    if (k)
      *vec_push(&kids) = k;
    else if (c->p >= c->end)
      break;
  }
  c->depth--;
  if (c->p < c->end) {
    step(c);
    if (c->line == open.line) s->loc.len = c->col - open.col;
  }
  s->n = kids.n;
  s->kid = ARENA_ARRAY(c->r->arena, struct sx *, kids.n ? kids.n : 1);
  if (kids.n) memcpy(s->kid, kids.at, kids.n * sizeof *kids.at);
  vec_free(&kids);
  return s;
}

static struct sx *read_atom(struct cursor *c) {
  size_t len = atom_length(c);
  struct loc at = here(c, (uint32_t)len);
  const char *text = c->p;
  if (len == 0) {
    diag_error(c->r->diag, here(c, 1), NULL, "unexpected character 0x%02x", (unsigned)(unsigned char)*c->p);
    step(c);
    return NULL;
  }
  for (size_t i = 0; i < len; i++) step(c);
  if (text[len - 1] == ':' && peek(c) == '(' && len > 1) {
    struct sx *list = read_list(c);
    if (list) list->bind = intern(c->r->names, text, len - 1);
    return list;
  }
  struct sx *s = new_sx(c->r, SX_ATOM, at);
  s->text = intern(c->r->names, text, len);
  return s;
}

static struct sx *read_sx(struct cursor *c) {
  if (*c->p == '(') return read_list(c);
  if (*c->p == '"') return read_string(c);
  return read_atom(c);
}

/* ---- Templates ------------------------------------------------------------------------------------- */

/* The values of a `for`'s variables in one row. */
struct binding {
  uint32_t n;
  struct sx *const *name, *const *value;
};

static const struct sx *bound(const struct binding *b, const char *name, size_t len) {
  for (uint32_t i = 0; i < b->n; i++)
    if (strncmp(b->name[i]->text, name, len) == 0 && b->name[i]->text[len] == 0) return b->value[i];
  return NULL;
}

/* Replaces every {name} of the row's variables in `text`; other braces stay. */
static const char *fill_text(struct reader *r, const struct binding *b, const char *text) {
  VEC(char) out = {0};
  for (const char *p = text; *p;) {
    const char *close = *p == '{' ? strchr(p, '}') : NULL;
    const struct sx *v = close ? bound(b, p + 1, (size_t)(close - p - 1)) : NULL;
    if (v && v->kind != SX_LIST) {
      for (const char *q = v->text; *q; q++) *vec_push(&out) = *q;
      p = close + 1;
    } else {
      *vec_push(&out) = *p++;
    }
  }
  const char *s = intern(r->names, out.at ? out.at : "", out.n);
  vec_free(&out);
  return s;
}

static struct sx *fill(struct reader *r, const struct binding *b, const struct sx *s) {
  size_t len = s->text ? strlen(s->text) : 0;
  if (s->kind == SX_ATOM && len > 2 && s->text[0] == '{' && s->text[len - 1] == '}') {
    const struct sx *v = bound(b, s->text + 1, len - 2);
    if (v && v->kind == SX_LIST) return (struct sx *)v;
  }
  struct sx *copy = new_sx(r, s->kind, s->loc);
  *copy = *s;
  if (s->bind) copy->bind = fill_text(r, b, s->bind);
  if (s->text) copy->text = fill_text(r, b, s->text);
  if (s->kind != SX_LIST) return copy;
  copy->kid = ARENA_ARRAY(r->arena, struct sx *, s->n ? s->n : 1);
  copy->n = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    struct sx *k = fill(r, b, s->kid[i]);
    /* An atom that became empty is an omitted one: `{f}` with a row value "" */
    if (k->kind != SX_ATOM || k->text[0]) copy->kid[copy->n++] = k;
  }
  return copy;
}

static void expand(struct reader *r, const struct sx *s, struct sx_list *out);

/* One row: a list of as many values as there are names, or for one name the value itself. */
static bool expand_row(struct reader *r, const struct sx *s, const struct sx *names, struct sx *row,
                       struct sx_list *out) {
  struct sx *single = (struct sx *)names;
  struct binding b = {.n = 1, .name = &single, .value = &row};
  if (names->kind == SX_LIST) {
    b = (struct binding){.n = names->n, .name = names->kid, .value = row->kid};
    if (row->kind != SX_LIST || row->n != names->n) {
      if (row->kind == SX_LIST || names->n != 1) {
        diag_error(r->diag, row->loc, NULL, "this row has %u of %u values", row->kind == SX_LIST ? row->n : 1,
                   names->n);
        return false;
      }
      b.value = &row;
    }
  }
  for (uint32_t i = 2; i < s->n; i++) expand(r, fill(r, &b, s->kid[i]), out);
  return true;
}

static void expand_for(struct reader *r, const struct sx *s, struct sx_list *out) {
  const char *usage = "write (for (NAME (VALUE …)) FORM …) or (for ((NAME …) ((VALUE …) …)) FORM …)";
  const struct sx *head = s->n >= 2 ? s->kid[1] : NULL;
  if (!head || head->kind != SX_LIST || head->n != 2 || head->kid[0]->kind == SX_STRING ||
      head->kid[1]->kind != SX_LIST || s->n < 3) {
    diag_error(r->diag, s->loc, usage, "malformed 'for'");
    return;
  }
  const struct sx *names = head->kid[0];
  for (uint32_t i = 0; names->kind == SX_LIST && i < names->n; i++)
    if (names->kid[i]->kind != SX_ATOM) {
      diag_error(r->diag, names->kid[i]->loc, usage, "a name was expected");
      return;
    }
  for (uint32_t i = 0; i < head->kid[1]->n; i++)
    if (!expand_row(r, s, names, head->kid[1]->kid[i], out)) return;
}

static void expand(struct reader *r, const struct sx *s, struct sx_list *out) {
  if (out->n > MAX_EXPANDED) bug("templates expand to more than %d forms", MAX_EXPANDED);
  if (sx_head(s) && strcmp(sx_head(s), "for") == 0)
    expand_for(r, s, out);
  else
    *vec_push(out) = (struct sx *)s;
}

void read_forms(struct reader *r, const struct source *src, struct sx_list *out) {
  struct cursor c = {.r = r, .src = src, .p = src->text, .end = src->text + src->len, .line = 1, .col = 1};
  for (;;) {
    skip_space(&c);
    if (c.p >= c.end) return;
    if (*c.p == ')') {
      diag_error(r->diag, here(&c, 1), NULL, "this ')' closes nothing");
      step(&c);
      continue;
    }
    struct loc at = here(&c, 1);
    c.depth = 0;
    struct sx *s = read_sx(&c);
    if (!s) continue;
    if (s->kind == SX_LIST && !s->bind)
      expand(r, s, out);
    else
      diag_error(r->diag, at, "every form is a list: (rule …), (op …), …", "a form was expected");
  }
}

bool sx_is(const struct sx *s, const char *text) { return s->kind == SX_ATOM && strcmp(s->text, text) == 0; }

const char *sx_head(const struct sx *s) {
  return s->kind == SX_LIST && s->n && s->kid[0]->kind == SX_ATOM ? s->kid[0]->text : NULL;
}
