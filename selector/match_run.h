/* match_run.h: one attempt at a match, shared by the files of the matcher. */
#ifndef VERIDAG_MATCH_RUN_H
#define VERIDAG_MATCH_RUN_H

#include "match.h"
#include "match_tables.h"

enum {
  ADDR_MAX_FIELDS = 8,
  ADDR_MAX = 4,
  ADDR_CANDIDATES = 12,
  ADDR_DEPTH = 5,
  RUN_STACK = 48,
  RUN_LETS = 24,
  RUN_CHAINS = 12
};

/* An address under construction. */
struct addr_state {
  bool set[ADDR_MAX_FIELDS];
  struct sdval val[ADDR_MAX_FIELDS]; /* registers and symbols */
  int64_t num[ADDR_MAX_FIELDS];
};

/* A value on the emission stack; in the dry run only its type is there. */
struct item {
  struct sdval v;
  vt ty;
};

struct run {
  struct matcher *m;
  const struct match_tables *t;
  struct dag *d;
  uint32_t root;
  bool selecting, look_only;
  struct sdval slot[MATCH_MAX_SLOTS];
  unsigned nslot;

  /* From M_RULE on. */
  const struct match_variant *variant;
  const struct match_rule *rule;
  struct sdval var[MATCH_MAX_VARS];
  struct bv val[MATCH_MAX_VARS];
  vt types[MATCH_MAX_TYVARS];
  struct eval_env env;

  /* Given by the caller. */
  const struct halves *half; /* expand-int: operands in halves */
  vt wide;                   /* promotion */

  /* Addresses: of a select pattern, or being collected when this run matches an address. */
  struct addr_state addr[ADDR_MAX];
  uint8_t addr_var[ADDR_MAX], addr_nonterm[ADDR_MAX];
  unsigned naddr;
  const struct match_nonterm *nonterm; /* the nonterminal whose rules run, or NULL */
  struct addr_state *found;            /* candidates go here */
  unsigned nfound, depth;
  bool whole; /* the value itself in a register does not count */
  struct {    /* addresses of parts of this one, asked for by several rules */
    struct sdval v;
    unsigned n;
    struct addr_state at[ADDR_CANDIDATES];
  } part[2];
  unsigned npart;

  /* Emission. */
  bool dry;
  struct item stack[RUN_STACK], let[RUN_LETS];
  unsigned sp;
  struct halves result[MATCH_MAX_RES];
  uint32_t have;         /* mask of results given */
  struct sdval chain_in; /* of machine nodes; moves on with each */
  struct sdval new_chain[RUN_CHAINS];
  bool new_write[RUN_CHAINS];
  unsigned nnew;
  uint32_t mem_node; /* the machine node that took the chain, when there is just one */
  unsigned nmem_node;
};

static inline unsigned code16(const uint8_t *p) { return p[0] | (unsigned)p[1] << 8; }
static inline uint32_t code24(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16; }

/* match.c */
/* Runs pattern code at `pc` until a rule's tail succeeds. */
bool run_pattern(struct run *r, uint32_t pc);
uint32_t find_entry(const struct match_entry *e, unsigned n, uint16_t op);
/* The in-chain of a node (SDNONE when it has none) and its out-chain. */
struct sdval chain_in_of(const struct dag *d, uint32_t node);
struct sdval chain_out_of(const struct dag *d, uint32_t node);
unsigned result_count(const struct dag *d, uint32_t node); /* without the chain */
bool constant_value(const struct dag *d, struct sdval v, struct bv *out);
/* The second type of a node: memory type or payload. */
vt second_type(const struct dag *d, uint32_t node);
vt resolve_type(const struct run *r, struct tyref t);

/* match_facts.c: answers B_FACT. */
bool answer_fact(void *self, const struct expr *e, const struct eval_env *env);

/* match_addr.c */
/* Matches a value as an address; the first candidate that is legal. `whole`: the value itself as a register
 * does not count. */
bool match_address(struct run *r, unsigned nonterm, struct sdval v, bool whole, struct addr_state *out);
bool address_done(struct run *r, const struct match_addr *a);
void push_address(struct run *r, unsigned k);

/* match_fold.c */
bool fold_is_legal(struct run *r);
bool same_state(struct run *r);
struct sdval fold_chain_in(struct run *r);
/* What follows a fold gets at least the number of the node that it hangs on now. */
void lift_states(struct dag *d, uint32_t node);
/* Numbers the nodes from `first` on, which selection made for `root`. */
void number_new_states(struct dag *d, uint32_t first, uint32_t root);

/* match_build.c: the emission part of a tail; false when something may not be built (dry run only). */
bool run_emission(struct run *r, const uint8_t *code);
void run_outputs(struct run *r, struct rewrite *out);
struct sdval target_form(struct dag *d, struct sdval v);
struct sdval join_chains(struct dag *d, const struct sdval *chains, unsigned n);

#endif
