/* poly.c: see poly.h. */
#include "poly.h"

#include <stdlib.h>
#include <string.h>

#include "util/diag.h"

void poly_ctx_init(struct poly_ctx *c, uint64_t work_limit) {
  *c = (struct poly_ctx){.work_limit = work_limit};
}

static void poly_release(struct poly *p) {
  for (uint32_t i = 0; i < p->cap; i++) mpz_clear(p->t[i].c);
  mpz_clears(p->lo, p->hi, NULL);
  free(p->t);
  free(p);
}

void poly_ctx_free(struct poly_ctx *c) {
  for (uint32_t i = 0; i < c->all.n; i++) poly_release(c->all.at[i]);
  for (uint32_t i = 0; i < c->atoms.n; i++) mpz_clears(c->atoms.at[i].lo, c->atoms.at[i].hi, NULL);
  vec_free(&c->all);
  vec_free(&c->atoms);
}

uint32_t poly_new_atom(struct poly_ctx *c, const mpz_t lo, const mpz_t hi) {
  struct atom_range *r = vec_push(&c->atoms);
  mpz_init_set(r->lo, lo);
  mpz_init_set(r->hi, hi);
  r->boolean = mpz_sgn(lo) == 0 && mpz_cmp_ui(hi, 1) == 0;
  return c->atoms.n - 1;
}

/* A polynomial with room for n terms, all zero, not yet normal. */
static struct poly *poly_room(struct poly_ctx *c, uint32_t n) {
  struct poly *p = calloc(1, sizeof *p);
  if (!p || !(p->t = calloc(n ? n : 1, sizeof *p->t))) bug("out of memory");
  p->n = p->cap = n;
  for (uint32_t i = 0; i < n; i++) mpz_init(p->t[i].c);
  mpz_inits(p->lo, p->hi, NULL);
  *vec_push(&c->all) = p;
  c->work += n;
  if (c->work > c->work_limit) c->failed = true;
  return p;
}

static int mono_cmp(const struct term *a, const struct term *b) {
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  for (uint32_t i = 0; i < a->n; i++)
    if (a->m[i] != b->m[i]) return a->m[i] < b->m[i] ? -1 : 1;
  return 0;
}

static int mono_cmp_q(const void *a, const void *b) { return mono_cmp(a, b); }

static void min_max_of_products(mpz_t lo, mpz_t hi, const mpz_t al, const mpz_t ah, const mpz_t bl,
                                const mpz_t bh) {
  mpz_t p[4];
  for (int i = 0; i < 4; i++) mpz_init(p[i]);
  mpz_mul(p[0], al, bl);
  mpz_mul(p[1], al, bh);
  mpz_mul(p[2], ah, bl);
  mpz_mul(p[3], ah, bh);
  mpz_set(lo, p[0]);
  mpz_set(hi, p[0]);
  for (int i = 1; i < 4; i++) {
    if (mpz_cmp(p[i], lo) < 0) mpz_set(lo, p[i]);
    if (mpz_cmp(p[i], hi) > 0) mpz_set(hi, p[i]);
  }
  for (int i = 0; i < 4; i++) mpz_clear(p[i]);
}

void mono_bounds(const struct poly_ctx *c, const struct term *t, mpz_t lo, mpz_t hi) {
  mpz_set_ui(lo, 1);
  mpz_set_ui(hi, 1);
  for (uint32_t i = 0; i < t->n; i++) {
    const struct atom_range *r = &c->atoms.at[t->m[i]];
    min_max_of_products(lo, hi, lo, hi, r->lo, r->hi);
  }
}

static void poly_bounds(const struct poly_ctx *c, struct poly *p) {
  mpz_t lo, hi;
  mpz_inits(lo, hi, NULL);
  mpz_set_ui(p->lo, 0);
  mpz_set_ui(p->hi, 0);
  for (uint32_t i = 0; i < p->n; i++) {
    mono_bounds(c, &p->t[i], lo, hi);
    bool positive = mpz_sgn(p->t[i].c) > 0;
    mpz_addmul(p->lo, p->t[i].c, positive ? lo : hi);
    mpz_addmul(p->hi, p->t[i].c, positive ? hi : lo);
  }
  mpz_clears(lo, hi, NULL);
}

static void term_move(struct term *to, struct term *from) {
  mpz_swap(to->c, from->c);
  to->n = from->n;
  memcpy(to->m, from->m, sizeof to->m);
}

/* Sorts, merges equal monomials, drops zeros, computes the interval. */
static struct poly *poly_normal(struct poly_ctx *c, struct poly *p) {
  qsort(p->t, p->n, sizeof *p->t, mono_cmp_q);
  uint32_t k = 0;
  for (uint32_t i = 0; i < p->n;) {
    uint32_t j = i + 1;
    for (; j < p->n && mono_cmp(&p->t[i], &p->t[j]) == 0; j++) mpz_add(p->t[i].c, p->t[i].c, p->t[j].c);
    if (mpz_sgn(p->t[i].c)) {
      if (k != i) term_move(&p->t[k], &p->t[i]);
      k++;
    }
    i = j;
  }
  p->n = k;
  poly_bounds(c, p);
  return p;
}

static void term_copy(struct term *to, const struct term *from) {
  mpz_set(to->c, from->c);
  to->n = from->n;
  memcpy(to->m, from->m, sizeof to->m);
}

struct poly *poly_mpz(struct poly_ctx *c, const mpz_t v) {
  struct poly *p = poly_room(c, 1);
  mpz_set(p->t[0].c, v);
  return poly_normal(c, p);
}

struct poly *poly_int(struct poly_ctx *c, long v) {
  struct poly *p = poly_room(c, 1);
  mpz_set_si(p->t[0].c, v);
  return poly_normal(c, p);
}

struct poly *poly_atom(struct poly_ctx *c, uint32_t atom) {
  struct poly *p = poly_room(c, 1);
  mpz_set_ui(p->t[0].c, 1);
  p->t[0].n = 1;
  p->t[0].m[0] = atom;
  return poly_normal(c, p);
}

void poly_clip(struct poly *p, const mpz_t lo, const mpz_t hi) {
  if (lo && mpz_cmp(lo, p->lo) > 0) mpz_set(p->lo, lo);
  if (hi && mpz_cmp(hi, p->hi) < 0) mpz_set(p->hi, hi);
}

void poly_clip_si(struct poly *p, long lo, const mpz_t hi) {
  mpz_t l;
  mpz_init_set_si(l, lo);
  poly_clip(p, l, hi);
  mpz_clear(l);
}

/* Clips p = Σ k[i]·a[i] to what the operands' own intervals say. */
static void clip_lin(struct poly *p, const struct poly *a, const mpz_t ca, const struct poly *b,
                     const mpz_t cb) {
  mpz_t lo, hi;
  mpz_inits(lo, hi, NULL);
  mpz_addmul(lo, ca, mpz_sgn(ca) > 0 ? a->lo : a->hi);
  mpz_addmul(hi, ca, mpz_sgn(ca) > 0 ? a->hi : a->lo);
  mpz_addmul(lo, cb, mpz_sgn(cb) > 0 ? b->lo : b->hi);
  mpz_addmul(hi, cb, mpz_sgn(cb) > 0 ? b->hi : b->lo);
  poly_clip(p, lo, hi);
  mpz_clears(lo, hi, NULL);
}

struct poly *poly_lin(struct poly_ctx *c, const struct poly *a, const mpz_t ca, const struct poly *b,
                      const mpz_t cb) {
  struct poly *p = poly_room(c, a->n + b->n);
  for (uint32_t i = 0; i < a->n; i++) {
    term_copy(&p->t[i], &a->t[i]);
    mpz_mul(p->t[i].c, p->t[i].c, ca);
  }
  for (uint32_t i = 0; i < b->n; i++) {
    term_copy(&p->t[a->n + i], &b->t[i]);
    mpz_mul(p->t[a->n + i].c, p->t[a->n + i].c, cb);
  }
  poly_normal(c, p);
  clip_lin(p, a, ca, b, cb);
  return p;
}

struct poly *poly_lin_si(struct poly_ctx *c, const struct poly *a, long ca, const struct poly *b, long cb) {
  mpz_t x, y;
  mpz_init_set_si(x, ca);
  mpz_init_set_si(y, cb);
  struct poly *p = poly_lin(c, a, x, b, y);
  mpz_clears(x, y, NULL);
  return p;
}

struct poly *poly_add(struct poly_ctx *c, const struct poly *a, const struct poly *b) {
  return poly_lin_si(c, a, 1, b, 1);
}

struct poly *poly_sub(struct poly_ctx *c, const struct poly *a, const struct poly *b) {
  return poly_lin_si(c, a, 1, b, -1);
}

struct poly *poly_scale(struct poly_ctx *c, const struct poly *a, long k) {
  return poly_lin_si(c, a, k, poly_int(c, 0), 0);
}

struct poly *poly_shift(struct poly_ctx *c, const struct poly *a, unsigned k) {
  mpz_t x, y;
  mpz_inits(x, y, NULL);
  mpz_setbit(x, k);
  struct poly *p = poly_lin(c, a, x, poly_int(c, 0), y);
  mpz_clears(x, y, NULL);
  return p;
}

/* The product of two monomials; false when it has too many factors. */
static bool mono_mul(const struct poly_ctx *c, struct term *t, const struct term *a, const struct term *b) {
  uint32_t n = 0, x = 0, y = 0;
  while (x < a->n || y < b->n) {
    bool from_a = y >= b->n || (x < a->n && a->m[x] <= b->m[y]);
    uint32_t v = from_a ? a->m[x++] : b->m[y++];
    if (c->atoms.at[v].boolean && n && t->m[n - 1] == v) continue;
    if (n >= MONO_MAX) return false;
    t->m[n++] = v;
  }
  t->n = n;
  return true;
}

struct poly *poly_mul(struct poly_ctx *c, const struct poly *a, const struct poly *b, bool *tightened) {
  if (tightened) *tightened = false;
  if ((uint64_t)a->n * b->n > 4000 || c->failed) {
    c->failed = true;
    return poly_int(c, 0);
  }
  struct poly *p = poly_room(c, a->n * b->n);
  uint32_t k = 0;
  for (uint32_t i = 0; i < a->n; i++)
    for (uint32_t j = 0; j < b->n; j++, k++) {
      mpz_mul(p->t[k].c, a->t[i].c, b->t[j].c);
      if (!mono_mul(c, &p->t[k], &a->t[i], &b->t[j])) c->failed = true;
    }
  poly_normal(c, p);
  mpz_t lo, hi;
  mpz_inits(lo, hi, NULL);
  min_max_of_products(lo, hi, a->lo, a->hi, b->lo, b->hi);
  if (tightened) *tightened = mpz_cmp(lo, p->lo) > 0 || mpz_cmp(hi, p->hi) < 0;
  poly_clip(p, lo, hi);
  mpz_clears(lo, hi, NULL);
  return p;
}

struct poly *poly_reduce(struct poly_ctx *c, const struct poly *a, unsigned w) {
  struct poly *p = poly_room(c, a->n);
  mpz_t half, full;
  mpz_inits(half, full, NULL);
  mpz_setbit(half, w - 1);
  mpz_setbit(full, w);
  for (uint32_t i = 0; i < a->n; i++) {
    term_copy(&p->t[i], &a->t[i]);
    mpz_fdiv_r_2exp(p->t[i].c, p->t[i].c, w);
    if (mpz_cmp(p->t[i].c, half) > 0) mpz_sub(p->t[i].c, p->t[i].c, full);
  }
  mpz_clears(half, full, NULL);
  return poly_normal(c, p);
}

void poly_split(struct poly_ctx *c, const struct poly *p, const mpz_t d, struct poly **whole,
                struct poly **part) {
  struct poly *a = poly_room(c, p->n), *b = poly_room(c, p->n);
  mpz_t q, r, half;
  mpz_inits(q, r, half, NULL);
  mpz_fdiv_q_2exp(half, d, 1);
  bool same = true;
  for (uint32_t i = 0; i < p->n; i++) {
    mpz_fdiv_qr(q, r, p->t[i].c, d);
    if (p->t[i].n && mpz_cmp(r, half) > 0) {
      mpz_sub(r, r, d);
      mpz_add_ui(q, q, 1);
    }
    if (mpz_sgn(q)) same = false;
    term_copy(&a->t[i], &p->t[i]);
    mpz_set(a->t[i].c, q);
    term_copy(&b->t[i], &p->t[i]);
    mpz_set(b->t[i].c, r);
  }
  mpz_clears(q, r, half, NULL);
  *whole = poly_normal(c, a);
  *part = poly_normal(c, b);
  if (same) poly_clip(b, p->lo, p->hi);
}

bool poly_eq(const struct poly *a, const struct poly *b) {
  if (a->n != b->n) return false;
  for (uint32_t i = 0; i < a->n; i++)
    if (mono_cmp(&a->t[i], &b->t[i]) || mpz_cmp(a->t[i].c, b->t[i].c)) return false;
  return true;
}

uint64_t poly_hash(const struct poly *p) {
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (uint32_t i = 0; i < p->n; i++) {
    const struct term *t = &p->t[i];
    h = (h ^ mpz_get_ui(t->c) ^ (uint64_t)(mpz_sgn(t->c) + 1) << 40) * 0x100000001b3u;
    for (uint32_t j = 0; j < t->n; j++) h = (h ^ (t->m[j] + 1)) * 0x100000001b3u;
    h ^= h >> 29;
  }
  return h;
}

bool poly_const(const struct poly *p, mpz_t value) {
  if (p->n == 0) {
    mpz_set_ui(value, 0);
    return true;
  }
  if (p->n > 1 || p->t[0].n) return false;
  mpz_set(value, p->t[0].c);
  return true;
}

bool poly_in_range(const struct poly *p, unsigned w) {
  return mpz_sgn(p->lo) >= 0 && (mpz_sgn(p->hi) == 0 || mpz_sizeinbase(p->hi, 2) <= w);
}
