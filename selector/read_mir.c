/* read_mir.c: reads back what print_mir wrote, so that a printed file can be checked as a file. It accepts
 * the form that print_mir writes and nothing wider. */
#include "mir.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct mir_reader {
  struct mir_file *file;
  const char *p, *end;
  uint32_t line;
  const char *error;
  struct mfunc *f;
};

static bool fail(struct mir_reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct mir_reader *r, const char *fmt, ...) {
  if (r->error) return false;
  char buf[200];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  r->error = arena_printf(&r->file->arena, "line %u: %s", r->line, buf);
  return false;
}

/* ---- Lines and words ----------------------------------------------------------------------------- */

/* The next line without its newline; false at the end. */
static bool next_line(struct mir_reader *r, char **line) {
  if (r->p >= r->end) return false;
  const char *nl = memchr(r->p, '\n', (size_t)(r->end - r->p));
  size_t len = nl ? (size_t)(nl - r->p) : (size_t)(r->end - r->p);
  *line = arena_strndup(&r->file->arena, r->p, len);
  r->p += len + (nl != NULL);
  r->line++;
  return true;
}

static bool starts(const char *s, const char *prefix) { return !strncmp(s, prefix, strlen(prefix)); }

static bool eat(const char **p, const char *word) {
  if (!starts(*p, word)) return false;
  *p += strlen(word);
  return true;
}

static bool name_char(char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c && strchr("-._$", c));
}

static const char *word(struct mir_reader *r, const char **p) {
  const char *s = *p;
  while (name_char(**p)) (*p)++;
  return arena_strndup(&r->file->arena, s, (size_t)(*p - s));
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A symbol's name: plain, or in double quotes with \XX escapes. */
static const char *symbol(struct mir_reader *r, const char **p) {
  if (**p != '"') return word(r, p);
  char *out = arena_alloc(&r->file->arena, strlen(*p) + 1), *q = out;
  for ((*p)++; **p && **p != '"';) {
    if (**p == '\\' && hex_value((*p)[1]) >= 0 && hex_value((*p)[2]) >= 0) {
      *q++ = (char)(hex_value((*p)[1]) * 16 + hex_value((*p)[2]));
      *p += 3;
    } else
      *q++ = *(*p)++;
  }
  if (**p == '"') (*p)++;
  return out;
}

static int64_t number(const char **p) {
  char *end;
  int64_t v = strtoll(*p, &end, 10);
  *p = end;
  return v;
}

static int64_t offset(const char **p) {
  if (eat(p, " + ")) return number(p);
  if (!eat(p, " - ")) return 0;
  char *end;
  uint64_t v = strtoull(*p, &end, 10);
  *p = end;
  return (int64_t)(0 - v);
}

/* ---- Instructions -------------------------------------------------------------------------------- */

static bool percent_operand(struct mir_reader *r, const char **p, struct mop *o) {
  if (eat(p, "bb."))
    o->kind = MOP_BLOCK;
  else if (eat(p, "stack."))
    o->kind = MOP_STACK;
  else if (eat(p, "fixed-stack."))
    o->kind = MOP_FIXED;
  else if (eat(p, "jump-table."))
    o->kind = MOP_JUMPTABLE;
  else if (eat(p, "subreg.")) {
    o->kind = MOP_SUBREG;
    o->text = word(r, p);
    return true;
  } else
    o->kind = MOP_VREG;
  if (**p < '0' || **p > '9') return fail(r, "a number is missing after %%");
  o->index = (uint32_t)number(p);
  if (o->kind == MOP_STACK && eat(p, ".")) symbol(r, p); /* the name is in the stack list */
  if (o->kind == MOP_VREG && eat(p, ".")) o->text = word(r, p);
  return true;
}

static bool operand(struct mir_reader *r, const char **p, struct mop *o, bool defs) {
  *o = (struct mop){.def = defs};
  if (eat(p, "implicit-def "))
    o->implicit = o->def = true;
  else if (eat(p, "implicit "))
    o->implicit = true;
  if (eat(p, "early-clobber ")) o->early_clobber = true;
  if (eat(p, "dead ")) o->dead = true;
  if (eat(p, "killed ")) o->killed = true;
  if (eat(p, "undef ")) o->undef = true;
  if (eat(p, "target-flags(")) {
    const char *close = strchr(*p, ')');
    if (!close) return fail(r, "target-flags without ')'");
    o->target_flags = arena_strndup(&r->file->arena, *p, (size_t)(close - *p));
    *p = close + 1;
    eat(p, " ");
  }
  if (eat(p, "%")) return percent_operand(r, p, o);
  if (eat(p, "$")) {
    o->kind = MOP_PHYS;
    o->text = word(r, p);
    return true;
  }
  if (**p == '@' || **p == '&') {
    o->kind = *(*p)++ == '@' ? MOP_GLOBAL : MOP_EXTERNAL;
    o->text = symbol(r, p);
    o->imm = offset(p);
    return true;
  }
  if (**p == '-' || (**p >= '0' && **p <= '9')) {
    o->kind = MOP_IMM;
    o->imm = number(p);
    return true;
  }
  o->kind = MOP_REGMASK;
  o->text = word(r, p);
  return *o->text || fail(r, "cannot read the operand at '%.20s'", *p);
}

static bool memory_operand(struct mir_reader *r, const char **p, struct mmo *m) {
  *m = (struct mmo){0};
  if (!eat(p, "(")) return fail(r, "a memory operand starts with '('");
  m->is_volatile = eat(p, "volatile ");
  m->load = eat(p, "load ");
  m->store = eat(p, "store ");
  if (**p != '(') {
    m->ordering = word(r, p);
    eat(p, " ");
  }
  if (!eat(p, "(s")) return fail(r, "a memory operand has a type (sN)");
  m->align = m->bytes = (uint32_t)number(p) / 8;
  eat(p, ")");
  if (eat(p, " from ") || eat(p, " into ")) {
    const char *s = *p;
    while (**p && **p != ' ' && **p != ')' && **p != ',') (*p)++;
    m->base = arena_strndup(&r->file->arena, s, (size_t)(*p - s));
    m->offset = offset(p);
  }
  if (eat(p, ", align ")) m->align = (uint32_t)number(p);
  return eat(p, ")") || fail(r, "a memory operand ends with ')'");
}

enum { MAX_OPS = 4096, MAX_MMOS = 64 };

static bool inst_body(struct mir_reader *r, const char *p, struct minst *i, struct mop *ops, unsigned n) {
  i->name = word(r, &p);
  if (!*i->name) return fail(r, "no opcode");
  if (eat(&p, " ") && *p != ':') {
    do {
      if (n == MAX_OPS) return fail(r, "too many operands");
      if (!operand(r, &p, &ops[n++], false)) return false;
    } while (eat(&p, ", "));
    eat(&p, " ");
  }
  memcpy(minst_ops(r->f, i, n), ops, n * sizeof *ops);
  struct mmo mmos[MAX_MMOS];
  if (eat(&p, ":: ")) do {
      if (i->nmmos == MAX_MMOS) return fail(r, "too many memory operands");
      if (!memory_operand(r, &p, &mmos[i->nmmos++])) return false;
    } while (eat(&p, ", "));
  struct mmo *copy = ARENA_ARRAY(r->f->arena, struct mmo, i->nmmos + 1u);
  memcpy(copy, mmos, i->nmmos * sizeof *mmos);
  i->mmos = copy;
  return !*p || fail(r, "cannot read '%.20s'", p);
}

static bool read_inst(struct mir_reader *r, const char *p, struct minst *i) {
  static _Thread_local struct mop ops[MAX_OPS];
  unsigned n = 0;
  *i = (struct minst){0};
  if (strstr(p, " = ") && (*p == '%' || *p == '$' || starts(p, "early-clobber ") || starts(p, "dead "))) do {
      if (!operand(r, &p, &ops[n], true)) return false;
      if (ops[n].kind == MOP_VREG && eat(&p, ":")) {
        if (ops[n].index >= r->f->vregs.n) return fail(r, "register %%%u is not in the list", ops[n].index);
        word(r, &p);
      }
      n++;
    } while (eat(&p, ", "));
  if (n && !eat(&p, " = ")) return fail(r, "'=' is missing");
  i->ndefs = (uint8_t)n;
  return inst_body(r, p, i, ops, n);
}

/* ---- Blocks -------------------------------------------------------------------------------------- */

static bool block_lists(struct mir_reader *r, const char *p, struct mblock *b) {
  if (eat(&p, "successors: ")) {
    if (!*p) return true;
    do {
      struct msucc s = {0};
      if (!eat(&p, "%bb.")) return fail(r, "a successor is %%bb.N");
      s.block = (uint32_t)number(&p);
      if (eat(&p, "(0x")) {
        char *end;
        s.prob = (uint32_t)strtoul(p, &end, 16);
        p = end;
        eat(&p, ")");
      }
      *vec_push(&b->succs) = s;
    } while (eat(&p, ", "));
    return true;
  }
  eat(&p, "liveins: ");
  do {
    if (!eat(&p, "$")) return fail(r, "a live-in is a register");
    *vec_push(&b->liveins) = word(r, &p);
  } while (eat(&p, ", "));
  return true;
}

static struct mblock *block_header(struct mir_reader *r, const char *p) {
  uint32_t n = (uint32_t)number(&p);
  while (r->f->blocks.n <= n) *vec_push(&r->f->blocks) = (struct mblock){0};
  struct mblock *b = &r->f->blocks.at[n];
  b->used = true;
  if (eat(&p, " (%ir-block.")) b->ir_name = word(r, &p);
  return b;
}

static bool read_body(struct mir_reader *r) {
  char *line;
  struct mblock *b = NULL;
  while (next_line(r, &line)) {
    if (!strcmp(line, "...")) return true;
    if (starts(line, "  bb."))
      b = block_header(r, line + 5);
    else if (!strcmp(line, "  "))
      continue;
    else if (!b || !starts(line, "    "))
      return fail(r, "expected an instruction");
    else if (starts(line + 4, "successors: ") || starts(line + 4, "liveins: ")) {
      if (!block_lists(r, line + 4, b)) return false;
    } else if (!read_inst(r, line + 4, vec_push(&b->insts)))
      return false;
  }
  return fail(r, "the body has no end");
}

/* ---- The function's lists ------------------------------------------------------------------------ */

/* The text after `key` in a flow mapping, up to ',' or '}'; quotes are taken off. */
static const char *field(struct mir_reader *r, const char *line, const char *key) {
  const char *p = strstr(line, key);
  if (!p) return "";
  p += strlen(key);
  if (*p != '\'') {
    size_t n = strcspn(p, ",}");
    while (n && p[n - 1] == ' ') n--;
    return arena_strndup(&r->file->arena, p, n);
  }
  char *out = arena_alloc(&r->file->arena, strlen(p) + 1), *q = out;
  for (p++; *p && (*p != '\'' || p[1] == '\''); p++) {
    if (*p == '\'') p++;
    *q++ = *p;
  }
  return out;
}

static bool list_item(struct mir_reader *r, const char *list, const char *line) {
  struct mfunc *f = r->f;
  if (!strcmp(list, "registers"))
    *vec_push(&f->vregs) = field(r, line, "class: ");
  else if (!strcmp(list, "liveins"))
    *vec_push(&f->liveins) = (struct mlivein){
        field(r, line, "reg: ") + 1, (uint32_t)strtoul(field(r, line, "virtual-reg: ") + 1, NULL, 10)};
  else if (!strcmp(list, "stack"))
    *vec_push(&f->stack) =
        (struct mstack){field(r, line, "name: "), strtoull(field(r, line, "size: "), NULL, 10),
                        (uint32_t)strtoul(field(r, line, "alignment: "), NULL, 10)};
  else if (!strcmp(list, "fixedStack"))
    *vec_push(&f->fixed) = (struct mfixed){strtoll(field(r, line, "offset: "), NULL, 10),
                                           strtoull(field(r, line, "size: "), NULL, 10),
                                           (uint32_t)strtoul(field(r, line, "alignment: "), NULL, 10),
                                           !strcmp(field(r, line, "isImmutable: "), "true")};
  else
    return fail(r, "an item of no known list");
  return true;
}

static bool jump_table(struct mir_reader *r, const char *line) {
  const char *p = strchr(line, '[');
  if (!p) return fail(r, "a jump table has a list of blocks");
  struct mjump *j = vec_push(&r->f->jumps);
  *j = (struct mjump){0};
  while ((p = strstr(p, "%bb."))) {
    p += 4;
    *vec_push(&j->blocks) = (uint32_t)number(&p);
  }
  return true;
}

static const char *after_key(const char *line) {
  const char *p = strchr(line, ':') + 1;
  while (*p == ' ') p++;
  return p;
}

static bool header_line(struct mir_reader *r, const char *line, const char **list) {
  struct mfunc *f = r->f;
  if (starts(line, "name:")) {
    const char *v = after_key(line);
    f->name = *v == '\'' ? field(r, line, strchr(line, '\'') ? "name:            " : "name: ") : v;
  } else if (starts(line, "alignment:"))
    f->align = (uint32_t)strtoul(after_key(line), NULL, 10);
  else if (starts(line, "  maxAlignment:"))
    f->max_align = (uint32_t)strtoul(after_key(line), NULL, 10);
  else if (starts(line, "  adjustsStack:"))
    f->adjusts_stack = !strcmp(after_key(line), "true");
  else if (starts(line, "  hasCalls:"))
    f->has_calls = !strcmp(after_key(line), "true");
  else if (starts(line, "  kind:"))
    f->jump_kind = after_key(line);
  else if (starts(line, "      blocks:"))
    return jump_table(r, line);
  else if (starts(line, "  - {"))
    return list_item(r, *list, line);
  else if (*line != ' ')
    *list = arena_strndup(&r->file->arena, line, strcspn(line, ":"));
  return true;
}

static bool read_function(struct mir_reader *r) {
  char *line;
  const char *list = "";
  r->f = vec_push(&r->file->functions);
  *r->f = (struct mfunc){.arena = &r->file->arena};
  while (next_line(r, &line)) {
    if (starts(line, "body:")) return read_body(r);
    if (!header_line(r, line, &list)) return false;
  }
  return fail(r, "a function has no body");
}

static bool read_module(struct mir_reader *r) {
  char *line;
  if (!next_line(r, &line) || strcmp(line, "--- |")) return fail(r, "the file does not start with '--- |'");
  size_t cap = (size_t)(r->end - r->p) + 1;
  char *text = malloc(cap), *q = text;
  if (!text) return fail(r, "out of memory");
  bool closed = false;
  while (!closed && next_line(r, &line)) {
    closed = !strcmp(line, "...");
    if (closed) break;
    size_t n = strlen(line);
    if (n < 2) continue;
    memcpy(q, line + 2, n - 2);
    q += n - 2;
    *q++ = '\n';
  }
  r->file->module = arena_strndup(&r->file->arena, text, (size_t)(q - text));
  free(text);
  return closed || fail(r, "the module has no end");
}

bool read_mir(struct mir_file *f, const char *text, size_t len, const char **error) {
  *f = (struct mir_file){0};
  struct mir_reader r = {.file = f, .p = text, .end = text + len};
  bool ok = read_module(&r);
  char *line;
  while (ok && next_line(&r, &line))
    ok = !strcmp(line, "---") ? read_function(&r) : fail(&r, "expected '---'");
  *error = r.error;
  return ok;
}

void mir_file_free(struct mir_file *f) {
  for (uint32_t i = 0; i < f->functions.n; i++) mfunc_free(&f->functions.at[i]);
  vec_free(&f->functions);
  arena_free(&f->arena);
}
