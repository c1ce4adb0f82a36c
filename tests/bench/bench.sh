#!/usr/bin/env bash
# Ours against llc in the same run, on IR that llc's own passes prepared (-stop-before=<target>-isel):
#   time     selection, from compact IR to the instruction list, against the total of llc's instruction-selection timers
#   memory   our arenas' high-water against llc's peak less its size after parsing
#   insts    MIR instructions without COPY, PHI and jumps to the next block
# each as the ratio of sums and the 95th percentile of the files' ratios; then growth on generated shapes.
#   tests/bench/bench.sh [--target x86-64|aarch64|both] [--sample N] [--sqlite sqlite3.c] [--shapes-only] [--out DIR]
# --sample N: every Nth c-torture program (default 10). The amalgamation of SQLite is taken from the npm package
# better-sqlite3 when --sqlite names none. A step that cannot be done says so with its reason on stderr; exit 1 when that
# step is SQLite and --sqlite asked for it.
set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib.sh"
targets=(x86-64 aarch64) sample=10 out=$top/build/bench sqlite= shapes_only=0
while [ $# -gt 0 ]; do
  case $1 in
    --target) [ "$2" = both ] || targets=("$2"); shift 2 ;;
    --sample) sample=$2; shift 2 ;;
    --sqlite) sqlite=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --shapes-only) shapes_only=1; shift ;;
    *) echo "bench.sh: unknown option $1" >&2; exit 2 ;;
  esac
done
bin=$(dirname "$VERIDAG")/../tests
PEAK=${PEAK:-$bin/peak} SHAPES=${SHAPES:-$bin/shapes}
OPT=$(llvm_tool opt llvm-22) || exit 2
EXTRACT=$(llvm_tool llvm-extract llvm-22) || exit 2
mkdir -p "$out"

prepared() { # target in.bc out.ll: the IR that reaches instruction selection
  local isel=x86-isel
  [ "$1" = x86-64 ] || isel=aarch64-isel
  "$LLC" -O2 "-mtriple=$(triple_of "$1")" -stop-before=$isel "$2" -o - 2>/dev/null |
    sed -n '/^--- |$/,/^\.\.\.$/{/^--- |$/d;/^\.\.\.$/q;s/^  //;p}' >"$3"
  [ -s "$3" ]
}
count_insts() { # of a MIR file; "functions instructions"
  awk '
    function flush() { if (jump != "" && jump != next_block) n++; jump = "" }
    /^name:/ { functions++ }
    /^body:/ { body = 1; next }
    /^\.\.\./ { flush(); body = 0 }
    body && /^  bb\.[0-9]+/ { match($0, /bb\.[0-9]+/); next_block = substr($0, RSTART, RLENGTH); flush(); next }
    body && /^    (successors|liveins):/ { next }
    body && /^    [^ ]/ {
      next_block = ""; flush()
      if ($0 ~ /(= |^    )(COPY|PHI) / || $0 ~ /LIFETIME_(START|END)/) next
      if (match($0, /^    (JMP_1|B) %bb\.[0-9]+$/)) { match($0, /bb\.[0-9]+/); jump = substr($0, RSTART, RLENGTH); next }
      n++ }
    END { print functions + 0, n + 0 }' "$1"
}
only_functions() { # names-file in.mir: the documents of those functions
  awk 'NR == FNR { keep[$1] = 1; next } /^---/ { doc = "" } { doc = doc $0 "\n" } /^name:/ { name = $2 }
    /^\.\.\./ { if (name in keep) printf "%s", doc; name = "" }' "$1" "$2"
}

measure() { # target name prepared.ll veridag-flags...: one line of the table, or nothing when we do not select it
  local t=$1 name=$2 ll=$3 o=$out/$1.$2 triple ours theirs mem parse
  shift 3
  triple=$(triple_of "$t")
  "$VERIDAG" -O2 "-mtriple=$triple" -time-passes "$@" "$ll" -o "$o.mir" >"$o.ours" 2>&1 || return 1
  parse=$("$PEAK" "$OPT" -disable-output -passes=no-op-module "$ll" 2>/dev/null)
  mem=$("$PEAK" "$LLC" -O2 "-mtriple=$triple" -time-passes -stop-after=finalize-isel "$ll" -o "$o.llc.mir" 2>"$o.llc")
  ours=$(awk '/Instruction Selection and Scheduling/{on=1} on && /Total Execution Time/{print $4; exit}' "$o.ours")
  theirs=$(awk '/Instruction Selection and Scheduling/{on=1} on && /Total Execution Time/{print $4; exit}' "$o.llc")
  sed -n 's/^name: *//p' "$o.mir" >"$o.names"
  only_functions "$o.names" "$o.llc.mir" >"$o.llc.kept"
  local arena
  arena=$(sed -n 's/.*arenas at most \([0-9]*\) bytes.*/\1/p' "$o.ours")
  read -r functions insts < <(count_insts "$o.mir")
  read -r llc_functions llc_insts < <(count_insts "$o.llc.kept")
  [ "$functions" = "$llc_functions" ] || echo "bench: $name: $functions functions, llc printed $llc_functions" >&2
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$ours" "$theirs" "$arena" "$((mem - parse))" "$insts" "$llc_insts" "$functions"
  rm -f "$o".*
}
table() { # rows on stdin
  awk -F'\t' '
    function p95(a, n,  i, j, x) { for (i = 2; i <= n; i++) { x = a[i]; for (j = i - 1; j > 0 && a[j] > x; j--) a[j + 1] = a[j]; a[j + 1] = x }
      return n ? a[int(0.95 * n + 0.999)] : 0 }
    { t += $2; u += $3; m += $4; q += $5; i += $6; j += $7; f += $8
      if ($3 > 0) a[++na] = $2 / $3; if ($5 > 0) b[++nb] = $4 / $5; if ($7 > 0) c[++nc] = $6 / $7 }
    END { if (!NR) { print "  nothing was measured"; exit 1 }
      printf "  %d files, %d functions\n", NR, f
      printf "  %-8s ours %12.4f s   llc %12.4f s   ratio %.3f   p95 %.3f\n", "time", t, u, u ? t / u : 0, p95(a, na)
      printf "  %-8s ours %12d B   llc %12d B   ratio %.4f   p95 %.4f\n", "memory", m, q, q ? m / q : 0, p95(b, nb)
      printf "  %-8s ours %12d     llc %12d     ratio %.3f   p95 %.3f\n", "insts", i, j, j ? i / j : 0, p95(c, nc) }'
}

failed=0 asked=$sqlite
not_measured() { # target reason: SQLite's step cannot be done
  echo "== $1, SQLite: NOT MEASURED: $2" | tee /dev/stderr
  [ -z "$asked" ] || failed=1
}
fetch_sqlite() { # the amalgamation out of npm's package into $out; else the reason on stdout
  local sqlite=$out/package/deps/sqlite3/sqlite3.c
  [ -s "$sqlite" ] && return
  command -v npm >/dev/null || { echo "npm is missing (package: npm), and --sqlite names no sqlite3.c"; return 1; }
  (cd "$out" && rm -f better-sqlite3-*.tgz && timeout 300 npm pack better-sqlite3@12 >npm.log 2>&1) ||
    { echo "npm pack better-sqlite3@12 failed: $(grep -m1 -i err "$out/npm.log" || tail -1 "$out/npm.log")"; return 1; }
  tar -xzf "$out"/better-sqlite3-*.tgz -C "$out" && [ -s "$sqlite" ] ||
    { echo "npm's package better-sqlite3@12 holds no deps/sqlite3/sqlite3.c"; return 1; }
}
drop_skipped() { # target in.ll out.ll: without the bodies of the functions that we do not support, for llc too
  local names
  "$VERIDAG" -O2 "-mtriple=$(triple_of "$1")" -fallback=skip "$2" -o /dev/null 2>"$out/skipped.log" || return 1
  mapfile -t names < <(sed -n 's/^.*: \([^ :]*\): skipped: unsupported: .*/-func=\1/p' "$out/skipped.log")
  if [ ${#names[@]} -eq 0 ]; then cp "$2" "$3"; else "$EXTRACT" -delete -S "${names[@]}" "$2" -o "$3"; fi
}
measure_sqlite() { # target
  local t=$1 triple all rows=$out/rows.$1.sqlite.tsv
  triple=$(triple_of "$t")
  [ -z "$sqlite_fault" ] || { not_measured "$t" "$sqlite_fault"; return; }
  "$CLANG" "--target=$triple" -O2 -w -fno-vectorize -fno-slp-vectorize -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
    -emit-llvm -c "$sqlite" -o "$out/in.bc" 2>"$out/sqlite.log" ||
    { not_measured "$t" "clang: $(grep -m1 error "$out/sqlite.log")"; return; }
  prepared "$t" "$out/in.bc" "$out/in.ll" || { not_measured "$t" "llc prepared no IR"; return; }
  drop_skipped "$t" "$out/in.ll" "$out/kept.ll" ||
    { not_measured "$t" "the functions that we skip cannot be taken out"; return; }
  measure "$t" sqlite "$out/kept.ll" >"$rows" ||
    { not_measured "$t" "veridag: $(grep -m1 -i error "$out/$t.sqlite.ours" || tail -1 "$out/$t.sqlite.ours")"; return; }
  [ -n "$(cut -f3 "$rows")" ] || { not_measured "$t" "llc printed no times"; return; }
  all=$(grep -c '^define' "$out/in.ll")
  echo "== $t, SQLite ($((all - $(cut -f8 "$rows"))) of $all functions left out of both as unsupported)"
  table <"$rows"
}

sqlite_fault=
if [ $shapes_only = 1 ] && [ -n "$asked" ]; then
  echo "bench.sh: --shapes-only measures no SQLite" >&2
  exit 2
elif [ -n "$asked" ]; then
  [ -s "$sqlite" ] || sqlite_fault="$sqlite is missing or empty"
elif [ $shapes_only = 0 ]; then
  sqlite_fault=$(fetch_sqlite)
  sqlite=$out/package/deps/sqlite3/sqlite3.c
fi
if [ $shapes_only = 0 ]; then
  [ -e "$top/build/torture/src/.done" ] || "$top/tests/torture.sh" --target x86-64 --sample 1000 >/dev/null
  for t in "${targets[@]}"; do
    triple=$(triple_of "$t")
    : >"$out/$t.tsv"
    for c in $(cd "$top/build/torture/src" && printf '%s\n' *.c | LC_ALL=C sort | awk -v n="$sample" 'NR % n == 0'); do
      "$CLANG" "--target=$triple" -O2 -std=gnu89 -w -fno-vectorize -fno-slp-vectorize -emit-llvm -c \
        "$top/build/torture/src/$c" -o "$out/in.bc" 2>/dev/null && prepared "$t" "$out/in.bc" "$out/in.ll" &&
        measure "$t" "${c%.c}" "$out/in.ll" >>"$out/$t.tsv"
    done
    echo "== $t, c-torture"
    table <"$out/$t.tsv"
    measure_sqlite "$t"
  done
fi
echo "== growth: time for 10^6 nodes over time for 10^5"
for t in "${targets[@]}"; do
  for s in chain fold tokens selects wide strided; do
    for n in 100000 1000000; do
      "$SHAPES" $s $n >"$out/shape.ll"
      timeout 600 "$VERIDAG" -O2 "-mtriple=$(triple_of "$t")" -time-passes "$out/shape.ll" -o /dev/null 2>&1 |
        awk '/Total Execution Time/{print $4; exit}' >"$out/shape.$n"
    done
    awk -v t="$t" -v s=$s 'NR == 1 { a = $1 } NR == 2 { printf "  %-8s %-8s %9.3f s %9.3f s   ratio %.1f\n", t, s, a, $1, a ? $1 / a : 0 } END { if (NR < 2) printf "  %-8s %-8s did not finish\n", t, s }' \
      "$out/shape.100000" "$out/shape.1000000"
  done
done
exit $failed
