/* dag.h: the SelectionDAG of one basic block. Nodes are born in one hash-consing constructor, named by
 * 32-bit ids, and live in the function's arena until the block is done. */
#ifndef VERIDAG_DAG_H
#define VERIDAG_DAG_H

#include "bv.h"
#include "flags.h"
#include "types.h"
#include "util/arena.h"
#include "util/vec.h"

/* Operation numbers: generated from the .isel files (gen/ops.h): ISD_<NAME> for every operation, dots and
 * dashes as underscores (ISD_SETCC_ULT, X86_CMP), then machine instructions from OP_MACHINE on (OP_MACHINE +
 * inst id). */
#include "gen/ops.h"

struct sdval {
  uint32_t node; /* 0: none */
  uint32_t res;
};
#define SDNONE ((struct sdval){0, 0})
static inline bool sd_eq(struct sdval a, struct sdval b) { return a.node == b.node && a.res == b.res; }

/* A memref's ir_value is an id of the IR function; these stand for places that have none. */
enum { MEMREF_STACK = 0xfffffff0u, MEMREF_GOT = 0xfffffff1u };

/* What a load or store says about its access. */
struct memref {
  vt mem;         /* type in memory */
  uint32_t align; /* bytes, a power of two: a proven lower bound */
  bool is_volatile, atomic;
  uint8_t ordering;
  uint32_t ir_value; /* number of the IR pointer for printing, 0: none */
  int64_t ir_offset;
};

struct sduse {
  struct sdval val;
  uint32_t user;       /* node that owns this operand */
  uint32_t next, prev; /* other uses of val.node; index 0 ends the list */
};

struct sdnode {
  uint16_t op;
  uint8_t nres;
  uint8_t dead;
  uint16_t flags; /* FLAG_* bits */
  uint16_t nops;
  uint32_t ops;       /* first operand in dag->uses */
  uint32_t first_use; /* head of the list of uses of any result */
  uint32_t nuses;
  const vt *types; /* nres result types, interned */
  union {
    uint64_t imm; /* CONSTANT of ≤ 64 bits, FRAMEINDEX, REGISTER, COPYFROMREG, TARGETCONSTANT, … */
    const struct bv *wide;    /* CONSTANT of more than 64 bits */
    const struct memref *mem; /* memory operations and machine nodes that access memory */
    const struct sdsym *sym;  /* GLOBALADDR, EXTERNALSYM */
    const void *ptr;
  };
  const struct memref *const *memrefs; /* machine nodes: folded accesses */
  uint8_t nmemrefs;
  uint32_t became; /* of a merged node: what it merged into */
  uint32_t order;  /* IR order, for the source scheduler */
  uint32_t loc;    /* location id of the IR instruction */
  uint16_t place;  /* rule that made it + 1; 0: the builder */
  bool settled;    /* no rule of the combiner applied, and since then neither it nor its operands changed nor
                      did it lose a user */
  bool queued;     /* on the combiner's worklist */
  uint32_t topo;   /* topological number, valid after dag_topo */
};

struct sdsym {
  const char *name;
  int64_t offset;
  uint8_t target_flags; /* target's own enumeration, printed as target-flags(…) */
  bool external;        /* printed as &name rather than @name */
};

struct sdtypes {
  const vt *types;
  uint32_t n;
};

struct dag_bucket {
  uint32_t id; /* 0: empty */
  uint32_t hash;
};

struct dag {
  struct arena *arena;
  VEC(struct sdnode) nodes;   /* index 0 is not used */
  VEC(struct sduse) uses;     /* index 0 is not used */
  struct dag_bucket *buckets; /* the hash-consing table */
  uint32_t nbuckets, nhashed;
  VEC(struct sdtypes) type_lists; /* the interned lists, and a table of 1 + index into them */
  uint32_t *type_table, ntype_table;
  struct sdval root, entry; /* the last chain; the entry token */
  uint32_t order, loc;      /* given to new nodes */
  uint16_t place;
  uint32_t live; /* nodes not deleted */
  /* Called for every node that is created, changed or deleted while set (the worklists). */
  void (*listen)(void *self, uint32_t node, bool deleted);
  void *listener;
  /* When the DAG is printed: the name of the physical register that a node of `op` holds by number, or NULL.
   */
  const char *(*reg_name)(const void *names, uint16_t op, uint64_t reg);
  const void *names;
};

/* An empty graph but for the entry token. A zeroed graph gets its memory, one that was in use keeps it. */
void dag_init(struct dag *d, struct arena *arena);
void dag_free(struct dag *d);
static inline struct sdnode *dag_node(const struct dag *d, uint32_t id) { return &d->nodes.at[id]; }
static inline struct sdval dag_operand(const struct dag *d, uint32_t id, unsigned i) {
  return d->uses.at[d->nodes.at[id].ops + i].val;
}
static inline vt dag_type(const struct dag *d, struct sdval v) { return d->nodes.at[v.node].types[v.res]; }
static inline uint16_t dag_opcode(const struct dag *d, struct sdval v) { return d->nodes.at[v.node].op; }

/* The single constructor. Finds an equal node when the operation is pure (then its flags become the
 * intersection, and the listener hears of the change when they shrank) or makes one. Commutative operands are
 * put in canonical order (constants right). Nothing is folded here: folding is the rules' business. */
struct sdval dag_get(struct dag *d, uint16_t op, const vt *types, unsigned nres, const struct sdval *ops,
                     unsigned nops, uint16_t flags, uint64_t payload);
struct sdval dag_get1(struct dag *d, uint16_t op, vt type, const struct sdval *ops, unsigned nops,
                      uint16_t flags);
struct sdval dag_const(struct dag *d, struct bv value);
struct sdval dag_const_u64(struct dag *d, unsigned bits, uint64_t value);
bool dag_is_const(const struct dag *d, struct sdval v, struct bv *out);
/* Loads, stores and other nodes with a memref (copied). Never merged when volatile or atomic. */
struct sdval dag_mem(struct dag *d, uint16_t op, const vt *types, unsigned nres, const struct sdval *ops,
                     unsigned nops, const struct memref *mem);
const vt *dag_types(struct dag *d, const vt *types, unsigned n); /* interned list */

/* Redirects every use of `from` to `to`; equal users merge. Dead nodes stay until dag_delete_dead. */
void dag_replace_value(struct dag *d, struct sdval from, struct sdval to);
/* The same for all results of a node; to[i] may be SDNONE where result i has no use. */
void dag_replace_node(struct dag *d, uint32_t from, const struct sdval *to, unsigned n);
/* Changes one operand, or all of them; the node may then merge with an equal one (dag_forward). */
void dag_set_operand(struct dag *d, uint32_t node, unsigned i, struct sdval v);
void dag_set_operands(struct dag *d, uint32_t node, const struct sdval *ops);
/* What the value of a node that merged into another became; any other value itself. */
struct sdval dag_forward(const struct dag *d, struct sdval v);
/* Turns a node into another operation in place (selection). Uses of its results stay. */
void dag_morph(struct dag *d, uint32_t node, uint16_t op, const vt *types, unsigned nres,
               const struct sdval *ops, unsigned nops, uint64_t payload);
/* Deletes the node if it has no use and is not the root, and its operands that die with it. */
void dag_delete_dead(struct dag *d, uint32_t node);
void dag_sweep(struct dag *d);                              /* every node not reachable from the root */
unsigned dag_num_uses(const struct dag *d, struct sdval v); /* uses of this result only */
bool dag_has_one_use(const struct dag *d, struct sdval v);
/* Numbers live nodes operands-first, else as they were made, into `order` (arena of the dag); returns how
 * many. So a node mostly comes after all that was computed before it, which lets searches through operands
 * stop early. */
uint32_t dag_topo(struct dag *d, uint32_t **order);
/* True when `from` reaches `to` through operands; gives up after max_steps (0: never) and then says true. */
bool dag_reaches(const struct dag *d, uint32_t from, uint32_t to, unsigned max_steps);

#endif
