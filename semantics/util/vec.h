/* vec.h: growable arrays. `VEC(T) v = {0}; *vec_push(&v) = x; for (i < v.n) v.at[i]; vec_free(&v)` */
#ifndef VERIDAG_VEC_H
#define VERIDAG_VEC_H

#include <stddef.h>
#include <stdint.h>

#define VEC(T)                                                                                               \
  struct {                                                                                                   \
    T *at;                                                                                                   \
    uint32_t n, cap;                                                                                         \
  }

/* A named array type: `VEC_TYPE(names, const char *);` declares struct names. */
#define VEC_TYPE(NAME, T)                                                                                    \
  struct NAME {                                                                                              \
    T *at;                                                                                                   \
    uint32_t n, cap;                                                                                         \
  }

/* Makes room for one more element of `size` bytes; aborts when memory is out. Used by vec_push. */
void vec_grow(void **at, uint32_t n, uint32_t *cap, size_t size);

/* A pointer to a new, uninitialised last element. */
#define vec_push(v) (vec_grow((void **)&(v)->at, (v)->n, &(v)->cap, sizeof *(v)->at), &(v)->at[(v)->n++])
#define vec_free(v) (vec_release((void **)&(v)->at, &(v)->n, &(v)->cap))
void vec_release(void **at, uint32_t *n, uint32_t *cap);

#endif
