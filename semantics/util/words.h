/* words.h: words of command lines and of rule files. */
#ifndef VERIDAG_WORDS_H
#define VERIDAG_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Levenshtein distance; 99 when a word is longer than 60 bytes. */
unsigned word_distance(const char *a, const char *b);
/* Copies the next item of a list "a,b,c" to buf, cut to its size, and moves *list behind it. False at the
 * end; NULL is an empty list. */
bool next_item(const char **list, char *buf, size_t size);

#endif
