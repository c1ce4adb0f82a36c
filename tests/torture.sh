#!/usr/bin/env bash
# GCC's c-torture/execute programs through the selector: compile to IR with clang, select, finish with llc, link, run.
#   tests/torture.sh [--target x86-64|aarch64|both] [--sample N] [--jobs N] [--out DIR] [PROGRAM...]
# --sample N takes every Nth program. Prints a table per target, the programs behind every bad cell, and how many distinct
# generic combine rules fired ($out/fired.TARGET.tsv: in how many programs each).
# Exit 1 when a result is wrong, a run crashes, llc refuses our MIR, nothing can be selected for a node, or a program
# that tests/scope calls in scope is refused by us. Exit 2 when nothing ran.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/lib.sh"
targets=(x86-64 aarch64) sample=1 jobs=$(nproc) out=$top/build/torture names=()
while [ $# -gt 0 ]; do
  case $1 in
    --target) [ "$2" = both ] || targets=("$2"); shift 2 ;;
    --sample) sample=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    -*) echo "torture.sh: unknown option $1" >&2; exit 2 ;;
    *) names+=("$1"); shift ;;
  esac
done
export OUT=$out SCOPE=${SCOPE:-$top/build/release/tests/scope} top
[ -x "$SCOPE" ] || { echo "missing: $SCOPE (the build makes it; or name another one in SCOPE)" >&2; exit 2; }
mkdir -p "$out"
archive=$(ls /usr/src/gcc-12/gcc-*.tar.xz 2>/dev/null | head -1)
[ -n "$archive" ] || { echo "missing: GCC's test programs (package: gcc-12-source)" >&2; exit 2; }
if [ ! -e "$out/src/.done" ]; then
  mkdir -p "$out/src"
  tar -xJf "$archive" -C "$out/src" --strip-components=5 --wildcards '*/gcc.c-torture/execute/*' || exit 2
  touch "$out/src/.done"
fi

one() { # target program
  local t=$1 p=$2 dir=$OUT/$1 src=$OUT/src/$2.c status detail='' scope rc=0
  local base=$dir/$p
  mkdir -p "$(dirname "$base")"
  if [ ! -e "$base.bc" ]; then
    "$CLANG" "--target=$(triple_of "$t")" -O2 -std=gnu89 -w -fno-vectorize -fno-slp-vectorize -emit-llvm -c \
      "$src" -o "$base.bc" >"$base.log" 2>&1 || { printf '%s\tnot-c\t\n' "$p"; return; }
  fi
  scope=$("$SCOPE" "$base.bc" 2>/dev/null) || scope=unknown
  status=$(select_program "$t" "$base.bc" "$base" -O2 -stats)
  if [ "$status" = ok ]; then
    if ! link_program "$t" "$base.exe" "$base.o" >"$base.log" 2>&1; then status=no-link
    else
      (cd "$dir" && run_program "$t" "$base.exe") >"$base.out" 2>&1 || rc=$?
      status=pass
      [ $rc -eq 0 ] || status=wrong
    fi
    if [ $status != pass ]; then # does llc alone do better?
      local lrc=0
      "$LLC" -O2 "-mtriple=$(triple_of "$t")" -filetype=obj "$base.bc" -o "$base.llc.o" >/dev/null 2>&1 &&
        link_program "$t" "$base.llc.exe" "$base.llc.o" >/dev/null 2>&1 &&
        (cd "$dir" && run_program "$t" "$base.llc.exe") >/dev/null 2>&1 || lrc=$?
      [ $lrc -eq 0 ] || { detail="llc alone fails too ($status)"; status=llc-fails; }
    fi
    rm -f "$base.exe" "$base.llc.exe" "$base.llc.o"
  else
    detail=$(grep -m1 -iE 'unsupported:|Cannot select|error|bug|Assert|verif' "$base.log" | cut -c1-160)
  fi
  [ "$status" != unsupported ] || [ "$scope" != in ] || status=in-scope-refused
  printf '%s\t%s\t%s\n' "$p" "$status" "$detail"
}
export -f one select_program link_program run_program triple_of

# Of the programs in the table of a target: each generic combine that fired, by place, with the number of programs.
fired_rules() { # target
  awk -F'\t' -v dir="$out/$1" '$2 != "not-c" && $2 != "unsupported" { print dir "/" $1 ".selected.log" }' "$out/results.$1.tsv" |
    xargs -r cat 2>/dev/null | sed -n 's/^ *[0-9]* .*(\(selector\/combine\/.*\))$/\1/p' |
    LC_ALL=C sort | uniq -c | awk '{ print $2 "\t" $1 }'
}

if [ ${#names[@]} -eq 0 ]; then
  mapfile -t names < <(cd "$out/src" && printf '%s\n' *.c | sed 's,\.c$,,' | LC_ALL=C sort |
    awk -v n="$sample" 'NR % n == 0')
fi
bad=0
for t in "${targets[@]}"; do
  printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'one "$@"' _ "$t" {} >"$out/results.$t.tsv.part"
  LC_ALL=C sort "$out/results.$t.tsv.part" >"$out/results.$t.tsv" && rm "$out/results.$t.tsv.part"
  n=$(wc -l <"$out/results.$t.tsv")
  [ "$n" -gt 0 ] || { echo "torture: no program ran" >&2; exit 2; }
  echo "== $t: $n programs"
  cut -f2 "$out/results.$t.tsv" | sort | uniq -c | sort -rn | awk '{printf "  %-18s %5d\n", $2, $1}'
  fired_rules "$t" >"$out/fired.$t.tsv"
  echo "  generic combines that fired (copies of a template are one): $(wc -l <"$out/fired.$t.tsv")"
  awk -F'\t' '$2 ~ /^(wrong|crash|refused|unselected|error|no-link|in-scope-refused)$/' "$out/results.$t.tsv" |
    head -40 && awk -F'\t' '$2 ~ /^(wrong|crash|refused|unselected|error|no-link|in-scope-refused)$/{n++} END{exit n>0}' \
    "$out/results.$t.tsv" || bad=1
done
exit $bad
