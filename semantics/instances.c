/* instances.c: the type assignments at which a rule must hold: those at which the engine may fire it. */
#include <string.h>

#include "instances.h"

struct widths {
  unsigned n;
  unsigned at[24];
};

static void add_width(struct widths *w, unsigned bits) {
  for (unsigned i = 0; i < w->n; i++)
    if (w->at[i] == bits) return;
  if (w->n < 24) w->at[w->n++] = bits;
}

static struct widths make_widths(unsigned n, const unsigned *at) {
  struct widths w = {0};
  for (unsigned i = 0; i < n; i++) add_width(&w, at[i]);
  return w;
}

static struct widths target_widths(const struct target *t) {
  struct widths w = {0};
  for (uint32_t i = 0; i < t->types.n; i++) add_width(&w, vt_bits(t->types.at[i]));
  return w;
}

/* ---- What an instance must satisfy to make sense --------------------------------------------------------
 */

static bool op_fits(const struct instance *in, const struct pat *p) {
  vt types[16] = {0};
  const struct op *op = p->op;
  if (op->ntyvar > 16) return false;
  for (uint32_t i = 0; i < op->ntyvar; i++) types[i] = tyref_vt(p->optys[i], in->types);
  struct eval_env env = {.types = types};
  if (op->where && (!expr_applicable(op->where, &env) || !eval_bool(op->where, &env))) return false;
  for (uint32_t i = 0; i < op->nres; i++)
    if (op->res[i].val && !expr_applicable(op->res[i].val, &env)) return false;
  if (op->poison && !expr_applicable(op->poison, &env)) return false;
  if (op->ub && !expr_applicable(op->ub, &env)) return false;
  if (op->mem == MEM_NONE) return true;
  vt mem = op->second >= 0 ? types[op->second]
                           : tyref_vt(op->mem == MEM_READ ? op->res[0].ty : op->in[0].ty, types);
  return vt_bits(mem) % 8 == 0;
}

static bool tree_fits(const struct instance *in, const struct pat *p) {
  if (!p) return true;
  struct eval_env env = {.types = in->types};
  if (p->kind == P_OP && !op_fits(in, p)) return false;
  if (p->kind == P_EXPR && p->value && !expr_applicable(p->value, &env)) return false;
  for (uint32_t i = 0; i < p->nkid; i++)
    if (!tree_fits(in, p->kid[i])) return false;
  return tree_fits(in, p->chain);
}

static bool is_width_only(const struct expr *e) {
  if (e->op == X_VAR || e->op == B_FACT || e->op == B_POISON || e->op == X_FRESH) return false;
  for (uint32_t i = 0; i < e->nkid; i++)
    if (!is_width_only(e->kid[i])) return false;
  return true;
}

/* Guards over widths alone choose types; the others must make sense at them. */
static bool guards_fit(const struct instance *in) {
  const struct rule *r = in->rule;
  struct eval_env env = {.types = in->types};
  for (uint32_t i = 0; i < r->nwhen; i++) {
    if (!expr_applicable(r->when[i], &env)) return false;
    if (is_width_only(r->when[i]) && !eval_bool(r->when[i], &env)) return false;
  }
  return true;
}

static bool promotion_fits(const struct instance *in) {
  const struct op *op = in->rule->promote_op;
  vt wide[MAX_TYVARS];
  memcpy(wide, in->types, sizeof wide);
  wide[0] = in->wide;
  const vt *both[2] = {in->types, wide};
  for (int k = 0; k < 2; k++) {
    struct eval_env env = {.types = both[k]};
    if (op->where && (!expr_applicable(op->where, &env) || !eval_bool(op->where, &env))) return false;
    for (uint32_t i = 0; i < op->nres; i++)
      if (op->res[i].val && !expr_applicable(op->res[i].val, &env)) return false;
    if (op->poison && !expr_applicable(op->poison, &env)) return false;
  }
  return true;
}

static bool fits(const struct instance *in) {
  const struct rule *r = in->rule;
  if (r->kind == RULE_PROMOTE && !r->lhs) return promotion_fits(in);
  if (!guards_fit(in) || !tree_fits(in, r->lhs) || !tree_fits(in, r->rhs)) return false;
  for (uint32_t i = 0; i < r->nlet; i++)
    if (!tree_fits(in, r->let_node[i])) return false;
  struct eval_env env = {.types = in->types};
  for (uint32_t i = 0; i < r->nset; i++)
    if (r->set[i].value && !expr_applicable(r->set[i].value, &env)) return false;
  return true;
}

/* ---- Enumeration -----------------------------------------------------------------------------------------
 */

/* Widths by type variable; the product of all of them, filtered. */
static void product(struct instance in, const struct widths *w, uint32_t n, uint32_t at, instance_list *out) {
  if (at == n) {
    if (fits(&in)) *vec_push(out) = in;
    return;
  }
  for (unsigned i = 0; i < w[at].n; i++) {
    in.types[at] = vt_int(w[at].at[i]);
    product(in, w, n, at + 1, out);
  }
}

static void mark_addresses(const struct pat *p, uint32_t *mask) {
  if (!p) return;
  if (p->kind == P_OP && p->op->mem != MEM_NONE && p->op->nin) {
    struct tyref formal = p->op->in[p->op->nin - 1].ty;
    struct tyref t = formal.var >= 0 ? p->optys[formal.var] : formal;
    if (t.var >= 0) *mask |= 1u << t.var;
  }
  for (uint32_t i = 0; i < p->nkid; i++) mark_addresses(p->kid[i], mask);
}

static const unsigned bool_widths[] = {1, 8, 32};
static const unsigned pointer_widths[] = {64, 32};

/* Type variables that are the type of a condition or carry: operations call it B. */
static void mark_conditions(const struct pat *p, uint32_t *mask) {
  if (!p) return;
  for (uint32_t i = 0; p->kind == P_OP && i < p->op->ntyvar; i++)
    if (!strcmp(p->op->tyvars[i], "B") && p->optys[i].var >= 0) *mask |= 1u << p->optys[i].var;
  for (uint32_t i = 0; i < p->nkid; i++) mark_conditions(p->kid[i], mask);
  mark_conditions(p->chain, mask);
}

static uint32_t condition_tyvars(const struct rule *r) {
  uint32_t mask = r->bool_tyvars;
  mark_conditions(r->lhs, &mask);
  mark_conditions(r->rhs, &mask);
  for (uint32_t i = 0; i < r->nlet; i++) mark_conditions(r->let_node[i], &mask);
  return mask;
}

static const unsigned register_widths[] = {8, 16, 32, 64};

/* What stays of the widths once types are legal. */
static struct widths legal_only(struct widths w) {
  struct widths kept = {0};
  for (unsigned i = 0; i < w.n; i++)
    for (unsigned k = 0; k < 4; k++)
      if (w.at[i] == register_widths[k]) add_width(&kept, w.at[i]);
  return kept;
}

/* Default widths of each type variable of a rule that is not a promotion or an expansion to halves. */
static void default_widths(const struct rule *r, uint32_t conditions, struct widths *w) {
  uint32_t addresses = 0;
  mark_addresses(r->lhs, &addresses);
  mark_addresses(r->rhs, &addresses);
  for (uint32_t i = 0; i < r->ntyvar; i++) {
    if (addresses >> i & 1 && r->target)
      w[i] = make_widths(1, &r->target->pointer_bits);
    else if (addresses >> i & 1)
      w[i] = make_widths(2, pointer_widths);
    else if (conditions >> i & 1 && r->target)
      w[i] = make_widths(1, &r->target->bool_bits);
    else if (conditions >> i & 1)
      w[i] = make_widths(3, bool_widths);
    else if (r->nwidth)
      w[i] = make_widths(r->nwidth, r->widths);
    else if (r->target)
      w[i] = target_widths(r->target);
    else if (r->kind == RULE_EXPAND)
      w[i] = make_widths(4, register_widths);
    else
      w[i] = make_widths(12, telling_widths);
  }
}

/* The product of default widths. Conditions all have one type at a time: i1 before legalization, the target's
 * boolean after it, when the other types are legal too. */
static void enumerate_default(const struct rule *r, struct instance in, instance_list *out) {
  uint32_t conditions = condition_tyvars(r), before = out->n;
  struct widths w[MAX_TYVARS];
  default_widths(r, conditions, w);
  for (unsigned k = 0; k < 3; k++) {
    if (r->target && k) break;
    for (uint32_t i = 0; i < r->ntyvar && !r->target; i++)
      w[i] = conditions >> i & 1 ? make_widths(1, &bool_widths[k]) : k ? legal_only(w[i]) : w[i];
    product(in, w, r->ntyvar, 0, out);
    if (!conditions) return;
  }
  if (out->n > before) return;
  default_widths(r, conditions, w); /* conditions of different types */
  product(in, w, r->ntyvar, 0, out);
}

static int tyvar_named(const struct rule *r, const char *name) {
  for (uint32_t i = 0; i < r->ntyvar; i++)
    if (!strcmp(r->tyvars[i], name)) return (int)i;
  return -1;
}

static void enumerate_halves(const struct rule *r, struct instance in, instance_list *out) {
  static const unsigned half[] = {32, 64, 128}, other[] = {1, 8, 16, 32, 64, 128};
  struct widths w[MAX_TYVARS];
  uint32_t conditions = condition_tyvars(r);
  int h = tyvar_named(r, "H"), whole = -1;
  for (uint32_t i = 0; i < r->nhalf; i++)
    if (r->half[i].lo >= 0 && r->half[i].whole >= 0 && r->vars[r->half[i].whole].ty.var >= 0)
      whole = r->vars[r->half[i].whole].ty.var;
  if (whole < 0 && r->lhs) whole = r->lhs->ty.var;
  for (unsigned k = 0; k < 3; k++) {
    for (uint32_t i = 0; i < r->ntyvar; i++)
      w[i] = conditions >> i & 1 ? make_widths(3, bool_widths) : make_widths(6, other);
    uint32_t addresses = 0;
    mark_addresses(r->lhs, &addresses);
    for (uint32_t i = 0; i < r->ntyvar; i++)
      if (addresses >> i & 1) w[i] = make_widths(1, &half[half[k] == 32 ? 0 : 1]);
    unsigned full = 2 * half[k];
    if (h >= 0) w[h] = make_widths(1, &half[k]);
    if (whole >= 0) w[whole] = make_widths(1, &full);
    in.pointer_bits = half[k] == 32 ? 32 : 64;
    product(in, w, r->ntyvar, 0, out);
  }
}

/* Every narrow type with the wide types that a target promotes it to. */
static struct widths wide_types(unsigned narrow) {
  static const unsigned x86[] = {8, 16, 32, 64}, wide_only[] = {32, 64};
  struct widths w = {0};
  for (unsigned i = 0; i < 4; i++)
    if (narrow < x86[i]) {
      add_width(&w, x86[i]);
      break;
    }
  for (unsigned i = 0; i < 2; i++)
    if (narrow < wide_only[i]) {
      add_width(&w, wide_only[i]);
      break;
    }
  if (narrow == 8) add_width(&w, 16); /* operations that a legal type lacks */
  if (narrow == 8 || narrow == 16) add_width(&w, 64);
  if (narrow > 64) add_width(&w, 128);
  return w;
}

/* Conditions are i1 while types are legalized; only operations of a legal type are promoted later. */
static struct widths promoted_conditions(unsigned narrow) {
  return make_widths(narrow == 8 || narrow == 16 ? 3 : 1, bool_widths);
}

static void enumerate_promotions(const struct rule *r, struct instance in, instance_list *out) {
  static const unsigned beyond[] = {65, 72, 80, 96, 100, 127}, other[] = {1, 7, 8, 16, 31, 32, 64, 128};
  bool custom = r->lhs != NULL;
  uint32_t conds = custom ? condition_tyvars(r) : 0;
  uint32_t n = custom ? r->ntyvar : r->promote_op->ntyvar;
  int nv = custom ? tyvar_named(r, "N") : 0, wv = custom ? tyvar_named(r, "W") : -1;
  for (unsigned k = 1; k <= 63 + 6; k++) {
    unsigned narrow = k <= 63 ? k : beyond[k - 64];
    struct widths wide = wide_types(narrow), w[MAX_TYVARS];
    for (unsigned j = 0; j < wide.n; j++) {
      for (uint32_t i = 0; i < n; i++) {
        bool cond = custom ? conds >> i & 1 : r->promote_op->in[0].ty.var != (int)i;
        w[i] = cond ? promoted_conditions(narrow) : make_widths(8, other);
      }
      if (nv >= 0) w[nv] = make_widths(1, &narrow);
      if (wv >= 0) w[wv] = make_widths(1, &wide.at[j]);
      in.wide = vt_int(wide.at[j]);
      product(in, w, n, 0, out);
    }
  }
}

void enumerate_instances(const struct rule *r, instance_list *out) {
  struct instance in = {
      .rule = r, .target = r->target, .pointer_bits = r->target ? r->target->pointer_bits : 64};
  uint32_t n = r->kind == RULE_PROMOTE && !r->lhs ? r->promote_op->ntyvar : r->ntyvar;
  if (n > MAX_TYVARS) return;
  if (r->kind == RULE_PROMOTE) {
    enumerate_promotions(r, in, out);
  } else if (r->kind == RULE_EXPAND_INT) {
    enumerate_halves(r, in, out);
  } else {
    enumerate_default(r, in, out);
  }
}

/* ---- Text -------------------------------------------------------------------------------------------------
 */

const char *instance_kind(const struct instance *in) {
  switch (in->rule->kind) {
  case RULE_COMBINE: return "combine";
  case RULE_PROMOTE: return "promote";
  case RULE_EXPAND_INT:
  case RULE_EXPAND:
  case RULE_LOWER: return "expand";
  case RULE_SELECT: return "select";
  case RULE_ADDR: return "address";
  case RULE_LIBCALL: return "libcall";
  }
  return "combine";
}

const char *instance_types(const struct instance *in, char buf[128]) {
  const struct rule *r = in->rule;
  bool ext = r->kind == RULE_PROMOTE && !r->lhs;
  uint32_t n = ext ? r->promote_op->ntyvar : r->ntyvar;
  const char *const *names = ext ? r->promote_op->tyvars : r->tyvars;
  char name[16];
  size_t at = 0;
  buf[0] = 0;
  if (n == 1 && !ext) return strcpy(buf, vt_name(in->types[0], name));
  for (uint32_t i = 0; i < n && at < 100; i++)
    at +=
        (size_t)snprintf(buf + at, 128 - at, "%s%s=%s", i ? "," : "", names[i], vt_name(in->types[i], name));
  if (ext && at < 100) snprintf(buf + at, 128 - at, "%sW=%s", at ? "," : "", vt_name(in->wide, name));
  if (!buf[0]) strcpy(buf, r->lhs && r->lhs->ty.var < 0 ? vt_name(r->lhs->ty.fixed, name) : "-");
  return buf;
}
