#!/usr/bin/env bash
# Runs the input files of corpus/ that carry their own expectation.
#   tests/corpus.sh [--bless] [FILE...]           default: all of corpus/golden and corpus/reject
# A file holds one or more lines "RUN: command" in comments, where veridag, verify-rules, llc and clang mean the programs of
# this build, %s the file and %t a fresh temporary name; and, after a comment line "EXPECT", the output of all of them in
# comments "| text". A failing command adds "exit N". --bless rewrites what follows EXPECT: read the diff before a commit.
# Exit 1 when a file differs, 2 when no file ran.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/lib.sh"
bless=0
if [ "${1:-}" = --bless ]; then bless=1; shift; fi
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(find "$top/corpus/golden" "$top/corpus/reject" -name isel -prune -o -type f -print | LC_ALL=C sort)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
ln -s "$VERIDAG" "$bin/veridag"
ln -s "${VERIFY_RULES:-$top/build/release/verify/verify-rules}" "$bin/verify-rules"
ln -s "$CLANG" "$bin/clang"
ln -s "$LLC" "$bin/llc"
PATH=$bin:$PATH
ran=0 failed=0
cd "$top" || exit 2
for f in "${files[@]}"; do
  f=${f#"$top"/}
  mark=$(sed -n 's/^\(;\|;;\|#\|\/\/\) *RUN:.*/\1/p' "$f" | head -1)
  [ -n "$mark" ] || { echo "FAIL $f: no RUN line"; failed=$((failed + 1)); continue; }
  ran=$((ran + 1))
  got=$bin/got
  : >"$got"
  while IFS= read -r line; do
    rm -rf "$bin/t" && mkdir "$bin/t"
    line=${line//%s/$f}
    rc=0
    timeout 60 bash -c "${line//%t/$bin/t/out}" 2>&1 | expand -t4,12 | sed "s,$bin/t/,,g; s/[[:space:]]*$//" >>"$got" || rc=$?
    [ $rc -eq 0 ] || echo "exit $rc" >>"$got"
  done < <(sed -n "s,^$mark *RUN: ,,p" "$f")
  sed "s,^,$mark| ," "$got" | sed 's/[[:space:]]*$//' >"$got.marked"
  if [ $bless -eq 1 ]; then
    { sed "/^$mark EXPECT\$/,\$d" "$f"; echo "$mark EXPECT"; cat "$got.marked"; } >"$bin/new"
    cmp -s "$bin/new" "$f" || { cp "$bin/new" "$f"; echo "blessed $f"; }
  elif ! grep -qx "$mark EXPECT" "$f"; then
    echo "FAIL $f: no EXPECT line (tests/corpus.sh --bless $f)"
    failed=$((failed + 1))
  elif ! diff -u <(sed "1,/^$mark EXPECT\$/d" "$f") "$got.marked" >"$bin/diff"; then
    echo "FAIL $f"
    sed -n '3,40p' "$bin/diff"
    failed=$((failed + 1))
  fi
done
[ $ran -gt 0 ] || { echo "corpus: no file ran" >&2; exit 2; }
echo "corpus: $((ran - failed)) of $ran files as expected"
[ $failed -eq 0 ]
