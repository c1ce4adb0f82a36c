#!/usr/bin/env bash
# Inputs of known compiler bugs, with their right results, on both targets at -O2 and -O0.
#   tests/regress.sh [FILE...]                    default: all of corpus/regress
# A file says "; RUN-ARGS: f(i32 5, i64 0x10) = i32 7" for each call to make and may restrict "; TARGETS: x86_64 aarch64" or
# add "; LLC-FLAGS[x86_64]: …". The calls are made by a driver that llc compiles, so that only the file itself is ours.
# A file may say "; UNSUPPORTED" when it is kept for later: then our diagnostic is what is expected.
# Exit 1 when a call differs, 2 when nothing ran.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/lib.sh"
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(ls "$top"/corpus/regress/*.ll)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The driver: calls f as each RUN-ARGS line says; main returns the number of the first call that differs, or 0.
driver() {
  sed -n 's/^; RUN-ARGS: *//p' "$1" | awk '
    function hex(v,  i, n, d) { # LLVM reads u0x… as an unsigned integer
      return v ~ /^0x/ ? "u" v : v }
    { match($0, /\(.*\)/); name = substr($0, 1, RSTART - 1); args = substr($0, RSTART + 1, RLENGTH - 2)
      want = substr($0, RSTART + RLENGTH); sub(/^ *= */, "", want); split(want, w, " ")
      n = split(args, a, /, */); list = ""; types = ""
      for (i = 1; i <= n; i++) if (split(a[i], p, " ") == 2) {
        list = list (i > 1 ? ", " : "") p[1] " " hex(p[2]); types = types (i > 1 ? ", " : "") p[1] }
      if (!(name in decl)) { decl[name] = 1; print "declare " w[1] " @" name "(" types ")" }
      body = body "b" NR ":\n  %r" NR " = call " w[1] " @" name "(" list ")\n  %c" NR " = icmp eq " w[1] " %r" NR ", " hex(w[2]) \
        "\n  br i1 %c" NR ", label %b" (NR + 1) ", label %f" NR "\nf" NR ":\n  ret i32 " NR "\n" }
    END { print "define i32 @main() {\n  br label %b1\n" body "b" (NR + 1) ":\n  ret i32 0\n}"; if (!NR) exit 1 }'
}

calls=0 failed=0 runs=0
fail() { echo "FAIL $1: $2"; failed=$((failed + 1)); }
for f in "${files[@]}"; do
  name=$(basename "$f" .ll)
  for t in x86-64 aarch64; do
    short=${t//-/_}
    only=$(sed -n 's/^; TARGETS: *//p' "$f")
    [ -z "$only" ] || [[ " $only " == *" $short "* ]] || continue
    mapfile -t flags < <(sed -n "s/^; LLC-FLAGS\[$short\]: *//p" "$f" | tr ' ' '\n')
    for opt in -O2 -O0; do
      o=$dir/$name.$t$opt
      status=$(select_program "$t" "$f" "$o" $opt "${flags[@]}")
      runs=$((runs + 1))
      if grep -q '^; UNSUPPORTED' "$f"; then
        [ "$status" = unsupported ] || fail "$name $t $opt" "expected our unsupported diagnostic, got $status"
        continue
      fi
      if [ "$status" != ok ]; then fail "$name $t $opt" "$status: $(head -c 160 "$o.log")"; continue; fi
      if ! driver "$f" >"$o.drv.ll"; then continue; fi # no call to make: selecting it is the test
      "$LLC" -O0 "-mtriple=$(triple_of "$t")" -filetype=obj "$o.drv.ll" -o "$o.drv.o" 2>"$o.log" &&
        link_program "$t" "$o.exe" "$o.drv.o" "$o.o" 2>"$o.log" || { fail "$name $t $opt" "driver: $(head -c 160 "$o.log")"; continue; }
      rc=0
      run_program "$t" "$o.exe" >/dev/null 2>&1 || rc=$?
      calls=$((calls + $(grep -c '^; RUN-ARGS' "$f")))
      [ $rc -eq 0 ] || fail "$name $t $opt" "call $rc differs: $(sed -n 's/^; RUN-ARGS: *//p' "$f" | sed -n "${rc}p")"
    done
  done
done
[ $runs -gt 0 ] || { echo "regress: nothing ran" >&2; exit 2; }
echo "regress: ${#files[@]} files, $runs selections, $calls calls, $failed failed"
[ $failed -eq 0 ]
