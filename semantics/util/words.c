/* words.c: see words.h. */
#include "util/words.h"

#include <stdio.h>
#include <string.h>

unsigned word_distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  unsigned row[64];
  if (n > 60 || m > 60) return 99;
  for (size_t j = 0; j <= m; j++) row[j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned best = diagonal + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[m];
}

bool next_item(const char **list, char *buf, size_t size) {
  if (!*list || !**list) return false;
  size_t n = strcspn(*list, ",");
  snprintf(buf, size, "%.*s", (int)n, *list);
  *list += n + ((*list)[n] == ',');
  return true;
}
