/* main.c: veridag, the instruction selector: LLVM IR in, LLVM MIR out. */
#include "selector.h"

int main(int argc, char **argv) {
  struct options o;
  int rc = parse_options(&o, argc, argv);
  return rc >= 0 ? rc : pipeline(&o);
}
