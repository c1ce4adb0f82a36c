/* check.h: what the files of the checker share. The checker turns forms into the model in passes over all
 * files (declarations, functions, operations, instructions, rules), so that their order in the files does not
 * matter. */
#ifndef VERIDAG_CHECK_H
#define VERIDAG_CHECK_H

#include "model.h"
#include "rulec/sexp.h"

/* ---- Names ---------------------------------------------------------------------------------------- */

/* clang-format off */
enum space { SPACE_OP, SPACE_FN, SPACE_RULE, SPACE_TARGET, SPACE_CLASS, SPACE_REG, SPACE_INST, SPACE_FACT, SPACE_ROUTINE };
/* clang-format on */

struct name_slot {
  const void *target;
  enum space space;
  const char *name;
  void *value;
};
/* A map from (target or NULL, space, name) to what it names. Names are interned. */
struct name_map {
  struct name_slot *slot;
  uint32_t n, cap;
};
void *name_get(const struct name_map *m, const void *target, enum space space, const char *name);
void name_put(struct name_map *m, const void *target, enum space space, const char *name, void *value);
void free_name_map(struct name_map *m);

/* What a name of SPACE_CLASS is. */
struct class_ref {
  enum { CLASS_REG, CLASS_IMM, CLASS_MEM } kind;
  void *p;
};

struct form {
  const struct sx *sx;
  struct target *target; /* NULL: generic */
  struct inst *inst;     /* for `inst` forms, once declared */
};

/* What the checker knows of a target beyond the model. */
struct target_info {
  const char *dir; /* of the file with the full (target …) form: files there belong to it */
  size_t dir_len;
  const struct sx *flag_names; /* (flags cf zf …), or NULL when only their number was given */
};

struct checker {
  struct model *m;
  struct arena *a;
  struct diag *d;
  struct reader reader;
  struct name_map names;
  struct target *target; /* of the form being checked */
  VEC(struct form) forms;
  VEC(struct form) tastes;       /* uses of (NAME) facts, resolved at the end */
  VEC(struct target_info) infos; /* by target id */
};

const char *keep(struct checker *c, const char *text); /* interns */
/* The nearest known spelling of `name` as a hint, or NULL. Targets: NULL and the current one. */
const char *nearest(struct checker *c, const char *name, const enum space *spaces, unsigned n);
#define NEAREST(c, name, ...)                                                                                \
  nearest(c, name, (const enum space[]){__VA_ARGS__},                                                        \
          sizeof((const enum space[]){__VA_ARGS__}) / sizeof(enum space))
/* `best` or the nearer one of best and candidate. */
const char *nearer(const char *name, const char *best, const char *candidate);
const char *hint_spelling(struct checker *c, const char *candidate); /* "did you mean '…'?" or NULL */

/* ---- Types and scopes ------------------------------------------------------------------------------ */

struct tynode {
  const char *name; /* as written, or NULL */
  int parent;       /* union-find; -1: a root */
  vt fixed;         /* of a root */
  bool soft;        /* yields to any width that its use asks for */
  vt fallback;      /* of a soft one that nothing determines */
  bool given;       /* on the left side, or meant by name (W, H) */
};

enum scope_kind { SCOPE_OP, SCOPE_FN, SCOPE_RULE, SCOPE_INST, SCOPE_IMM, SCOPE_NONTERM };

struct local {
  const char *name;
  struct loc loc;
  const struct expr *value;
  bool used;
};

struct param {
  const char *name;
  enum sort sort;
  int index;
};

/* One form's names: type variables, variables, let-bound expressions. */
struct scope {
  struct checker *c;
  enum scope_kind kind;
  VEC(struct tynode) ty;
  VEC(struct var) vars;
  VEC(uint8_t) var_used;
  VEC(struct local) lets;
  VEC(struct param) params; /* SCOPE_FN: params.index is the variable number */
  VEC(struct expr *) exprs; /* every expression made, to settle types in */
  VEC(struct pat *) pats;
  VEC(struct pat *) let_nodes; /* right-side lets */
  VEC(int) let_vars;
  const struct op *op; /* SCOPE_OP: flags and poison? refer to it */
  struct rule *rule;
  struct inst *inst; /* SCOPE_INST, and SCOPE_RULE for a match */
  int nfresh;
  bool heuristics; /* in only-if */
  bool facts;      /* facts may be asked */
  bool rhs;
};

void scope_free(struct scope *s);
struct tyref ty_fixed(vt t);
struct tyref ty_fresh(struct scope *s, const char *name);
/* The type variable of that name, made on demand. */
struct tyref ty_named(struct scope *s, const char *name);
bool ty_is_named(const struct scope *s, const char *name);
struct tyref ty_find(const struct scope *s, struct tyref t); /* root or fixed */
bool ty_unify(struct scope *s, struct tyref a, struct tyref b);
const char *ty_text(struct checker *c, const struct scope *s, struct tyref t);
/* Reports a clash of types at a place. */
bool ty_expect(struct scope *s, struct loc at, struct tyref got, struct tyref want);
/* Parses `i32`, `flags`, `chain`, `block`, or a type variable (when allowed). */
bool parse_type(struct scope *s, const char *text, struct tyref *out);
bool is_tyvar_name(const char *text);
/* Settles all types: numbers the type variables that are left, rewrites every reference. */
void scope_settle(struct scope *s, uint32_t *ntyvar, const char *const **tyvars);
/* After scope_settle: the new number of a type node, or -1 when it is fixed. */
struct tyref ty_settled(const struct scope *s, struct tyref t);

int var_find(const struct scope *s, const char *name);
int var_add(struct scope *s, const char *name, enum var_kind kind, struct tyref ty, struct loc loc);

/* ---- Expressions ----------------------------------------------------------------------------------- */

/* Internal operators: parameters inside function bodies. */
#define XOP_NUM_PARAM ((enum xop)(XOP_COUNT + 1))
#define XOP_BOOL_PARAM ((enum xop)(XOP_COUNT + 2))

struct expr *new_expr(struct scope *s, enum xop op, enum sort sort, struct loc loc, uint32_t nkid);
struct expr *num_lit(struct scope *s, struct loc loc, int64_t n);
const struct expr *width_of(struct scope *s, struct loc loc, struct tyref ty);
const struct expr *var_expr(struct scope *s, struct loc loc, int var);
/* Each reports and returns NULL when the form is wrong. `expect` is the width that the context asks for, or
 * NULL. */
const struct expr *check_num(struct scope *s, const struct sx *x);
const struct expr *check_bool(struct scope *s, const struct sx *x);
const struct expr *check_bv(struct scope *s, const struct sx *x, const struct expr *expect);
/* Bindings of (let ((n e) …) …): pushes locals; returns how many, or -1. */
int check_bindings(struct scope *s, const struct sx *list, const struct expr *expect);
void pop_bindings(struct scope *s, int n);
/* True when x is a literal or num, so that its width must come from outside. */
/* True when the width of a bit-vector follows from x itself, not from what stands beside it. */
bool has_width(struct scope *s, const struct sx *x);
bool is_fact_name(const char *name);
const struct expr *check_fact(struct scope *s, const struct sx *x);
/* Appends the conjuncts of (when E …). */
bool check_conjuncts(struct scope *s, const struct sx *clause, const struct expr ***out, uint32_t *n);
bool is_expr_head(struct checker *c, const char *name);
/* The operator or function nearest to `name`, or NULL. */
const char *nearest_operator(struct checker *c, const char *name);
#define PLURAL(n) ((n) == 1 ? "" : "s")

struct fn_param {
  const char *name;
  enum sort sort;
  struct tyref ty;
  const struct expr *width;
};
/* Functions: declared first, their bodies checked when first used. */
struct fn {
  const char *name;
  const struct sx *form;
  struct target *target;
  enum { FN_NEW, FN_BUSY, FN_DONE, FN_BAD } state;
  uint32_t nparam;
  struct fn_param *param;
  enum sort result;
  const struct expr *result_width;
  uint32_t ntyvar;
  const char *const *tyvars;
  const struct expr *body;
  int nfresh;
};
void declare_fn(struct checker *c, const struct form *f);
bool finish_fn(struct checker *c, struct fn *f);
const struct expr *call_fn(struct scope *s, struct fn *f, const struct sx *call, const struct expr *expect);
struct fn *find_fn(struct checker *c, const char *name);

/* ---- Forms ----------------------------------------------------------------------------------------- */

struct op *find_op(struct checker *c, const char *name);
void check_op(struct checker *c, const struct form *f);
/* (routine …): an operation of the run-time library, which (libcall …) actions name. */
void check_routine(struct checker *c, const struct form *f);
bool check_pattern(struct scope *s, const struct sx *x, struct pat **out);
/* A result; `ty` is what the place needs, ty.var < 0 && ty.fixed == VT_NONE when unknown. */
struct pat *check_result(struct scope *s, const struct sx *x, struct tyref ty);
struct pat *new_pat(struct scope *s, enum pkind kind, struct loc loc);
/* The name, flags and types that an operation's head atom carries. */
struct head {
  const struct op *op;
  const struct sx *const *args; /* operands, after a family member's name */
  uint32_t nargs;
  uint16_t flags;
  const char *bracket; /* text between [ and ], or NULL */
  const char *ty[2];
};
bool parse_head(struct scope *s, const struct sx *list, struct head *h);
/* The name of an operation in `name` (with the family member in args when needed), quietly. */
const struct op *head_op(struct scope *s, const struct sx *list);

void check_rule(struct checker *c, const struct form *f);
void check_promote(struct checker *c, const struct form *f);
void check_expand_int(struct checker *c, const struct form *f);
void check_action(struct checker *c, const struct form *f);
void check_addr(struct checker *c, const struct form *f);
void check_select(struct checker *c, const struct form *f);
/* Clauses after a result: when, only-if, find, widths, requires, added-complexity, cost. */
bool check_clauses(struct scope *s, const struct sx *form, uint32_t from);
/* Settles the scope into the rule, reports unused names, adds the rule to the model. */
void finish_rule(struct scope *s);
/* The index of `=>` in a form, or 0 after a report. */
uint32_t find_arrow(struct checker *c, const struct sx *form);
bool name_and_law(struct checker *c, const struct sx *form, struct rule *r, uint32_t *next);
struct rule *new_rule(struct checker *c, enum rule_kind kind, struct loc loc);
bool pattern_root(struct scope *s, const struct sx *x);
bool result_root(struct scope *s, const struct sx *x);

void check_target(struct checker *c, const struct sx *x);
/* regclass physreg immclass feature taste */
void declare_target_form(struct checker *c, const struct form *f);
void declare_nonterm(struct checker *c, const struct form *f);
void declare_inst(struct checker *c, struct form *f);
void check_inst(struct checker *c, const struct form *f);
struct class_ref *find_class(struct checker *c, const char *name);
struct physreg *find_physreg(struct checker *c, const char *name);
struct inst *find_inst(struct checker *c, const char *name);

/* Instantiates forms at telling widths and reports widths that do not agree. */
void check_rule_widths(struct checker *c, const struct rule *r);
void check_op_widths(struct checker *c, const struct op *op);
void check_inst_widths(struct checker *c, const struct inst *i);

/* Reports operations that are legal and that no pattern always matches. */
void check_coverage(struct checker *c);

/* Small helpers for clauses. */
bool want_list(struct checker *c, const struct sx *x, uint32_t min, uint32_t max, const char *usage);
bool want_atom(struct checker *c, const struct sx *x, const char *what);
bool parse_int(const char *text, int64_t *out);

#endif
