#!/usr/bin/env bash
# Random C programs through the selector: the checksum must be that of clang's own build.
#   tests/csmith.sh [--count N] [--first SEED] [--target x86-64|aarch64|both] [--jobs N] [--out DIR]
# Each seed runs at -O0 and -O2 on each target. Exit 1 when one differs or is not selected, 2 when nothing ran.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/lib.sh"
count=200 first=1 targets='x86-64 aarch64' jobs=$(nproc) out=$top/build/csmith
while [ $# -gt 0 ]; do
  case $1 in
    --count) count=$2 ;; --first) first=$2 ;; --jobs) jobs=$2 ;; --out) out=$2 ;;
    --target) [ "$2" = both ] || targets=$2 ;;
    *) echo "csmith.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
command -v csmith >/dev/null || { echo "missing program: csmith (package: csmith)" >&2; exit 2; }
include=$(dirname "$(ls /usr/include/csmith.h /usr/include/csmith*/csmith.h 2>/dev/null | head -1)")
[ -n "$include" ] || { echo "missing: csmith.h (package: libcsmith-dev)" >&2; exit 2; }
mkdir -p "$out"
export OUT=$out TARGETS=$targets INCLUDE=$include

# Integers only, no aggregates by value; programs that clang's build does not finish in time are drawn again.
one() { # seed
  local seed=$1 base=$OUT/$1 want got t opt status
  (cd "$OUT" && csmith --seed "$seed" --no-float --no-structs --no-unions --no-bitfields --no-packed-struct --quiet \
    --max-funcs 6 --max-block-depth 4 >"$base.c" 2>/dev/null) || { echo "$seed	skip	csmith failed"; return; }
  "$CLANG" -w -O1 -I "$INCLUDE" "$base.c" -o "$base.ref" 2>/dev/null || { echo "$seed	skip	clang failed"; return; }
  want=$(timeout 5 "$base.ref") || { echo "$seed	skip	no end within 5 s"; return; }
  for t in $TARGETS; do
    for opt in -O0 -O2; do
      local o=$base.$t$opt nopt=()
      [ $opt = -O2 ] || nopt=(-Xclang -disable-O0-optnone)
      "$CLANG" "--target=$(triple_of "$t")" -w $opt "${nopt[@]}" -fno-vectorize -fno-slp-vectorize -I "$INCLUDE" \
        -emit-llvm -c "$base.c" -o "$o.bc" 2>"$o.log" || { echo "$seed	error	$t $opt clang"; continue; }
      status=$(select_program "$t" "$o.bc" "$o" $opt)
      if [ "$status" = ok ]; then
        link_program "$t" "$o.exe" "$o.o" >"$o.log" 2>&1 || status=no-link
      fi
      if [ "$status" = ok ]; then
        got=$(run_program "$t" "$o.exe" 2>&1) || got="exit $?"
        if [ "$got" = "$want" ]; then status=pass; else status=wrong; fi
      fi
      [ $status = pass ] && rm -f "$o".*
      printf '%s\t%s\t%s %s %s\n' "$seed" "$status" "$t" "$opt" "$([ $status = pass ] || head -c 120 "$o.log" | tr '\n\t' '  ')"
    done
  done
  rm -f "$base.ref"
}
export -f one select_program link_program run_program triple_of
seq "$first" $((first + count - 1)) | xargs -P "$jobs" -I{} bash -c 'one "$@"' _ {} >"$out/results.tsv"
awk -F'\t' '{n[$2]++} $2!="pass"&&$2!="skip"{bad++; if (bad<=20) print} END{for(s in n) printf "  %-12s %5d\n", s, n[s];
  if (!n["pass"] && !bad) exit 2; exit bad>0}' "$out/results.tsv"
