#!/usr/bin/env bash
# Hashes a file with libxxhash's own header, selected by us and finished by llc, on both targets at -O2, and compares
# with clang's build.  tests/demo.sh [FILE]     default: the licence of this project
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/lib.sh"
file=${1:-$top/LICENSE}
[ -r "$file" ] || { echo "cannot read $file" >&2; exit 2; }
out=$top/build/demo
mkdir -p "$out"
printf '%-10s %-18s %-18s %-8s %s\n' target 'clang -O2' veridag result 'functions'
bad=0
for t in x86-64 aarch64; do
  o=$out/$t triple=$(triple_of $t) want='?' got='?' status=''
  inc=()
  [ $t = x86-64 ] || inc=(-idirafter /usr/include)
  if "$CLANG" "--target=$triple" -O2 -w -fno-vectorize -fno-slp-vectorize -DXXH_VECTOR=0 "${inc[@]}" -emit-llvm -c \
      "$top/tests/demo.c" -o "$o.bc" &&
      "$LLC" -O2 "-mtriple=$triple" -filetype=obj "$o.bc" -o "$o.ref.o" && link_program $t "$o.ref" "$o.ref.o"; then
    want=$(run_program $t "$o.ref" "$file")
    status=$(select_program $t "$o.bc" "$o" -O2)
    if [ "$status" = ok ] && link_program $t "$o.exe" "$o.o"; then got=$(run_program $t "$o.exe" "$file"); else got=$status; cat "$o.log"; fi
  fi
  result=equal
  [ "$want" = "$got" ] && [ "$want" != '?' ] || { result=DIFFERS; bad=1; }
  printf '%-10s %-18s %-18s %-8s %s\n' $t "$want" "$got" $result "$(grep -c '^name:' "$o.mir" 2>/dev/null)"
done
exit $bad
