/* Prints the XXH64 of a file, all of the hash library compiled in. */
#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#include <xxhash.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!f) return 1;
  XXH64_state_t *state = XXH64_createState();
  XXH64_reset(state, 0);
  char buf[4096];
  size_t n;
  while ((n = fread(buf, 1, sizeof buf, f)) > 0) XXH64_update(state, buf, n);
  printf("%016llx\n", (unsigned long long)XXH64_digest(state));
  XXH64_freeState(state);
  fclose(f);
  return 0;
}
