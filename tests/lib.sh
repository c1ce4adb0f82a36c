# What the test scripts share: where the tools are, and how a program goes from IR to a run.
# Sourced, never run. Scripts set `top` (the checkout) first.

# The newest installed LLVM tool of a family, version 19 at least.
llvm_tool() {
  local v
  for v in 22 21 20 19; do
    if command -v "$1-$v" >/dev/null; then command -v "$1-$v"; return; fi
  done
  echo "missing program: $1-22 (package: ${2:-$1-22})" >&2
  return 1
}

CLANG=$(llvm_tool clang clang-22) || exit 2
LLC=$(llvm_tool llc llvm-22) || exit 2
export CLANG LLC
export VERIDAG=${VERIDAG:-$top/build/release/selector/veridag}
[ -x "$VERIDAG" ] || {
  echo "missing: $VERIDAG (./run.sh builds it; or name another one in VERIDAG)" >&2
  exit 2
}
for tool in gcc:gcc aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu qemu-aarch64:qemu-user; do
  command -v "${tool%%:*}" >/dev/null || { echo "missing program: ${tool%%:*} (package: ${tool#*:})" >&2; exit 2; }
done

triple_of() {
  case $1 in
    x86-64) echo x86_64-linux-gnu ;;
    aarch64) echo aarch64-linux-gnu ;;
    *) echo "unknown target: $1 (known: x86-64, aarch64)" >&2; return 2 ;;
  esac
}
link_program() { # target output objects...
  local t=$1 out=$2
  shift 2
  case $t in
    x86-64) gcc -no-pie -o "$out" "$@" -lm ;;
    aarch64) aarch64-linux-gnu-gcc -static -o "$out" "$@" -lm ;;
  esac
}
run_program() { # target program args...
  local t=$1
  shift
  case $t in
    x86-64) timeout 20 "$@" ;;
    aarch64) timeout 60 qemu-aarch64 "$@" ;;
  esac
}

# Selects FILE.bc for a target. Writes OUT.mir and OUT.o. Prints one word:
# ok | unsupported | unselected | crash | error | refused; messages go to OUT.log (once selected, ours to OUT.selected.log
# and llc's to OUT.log).
# No output file may be left behind by a failing run; one that is counts as an error.
select_program() { # target in.bc out opt-flags...
  local t=$1 in=$2 out=$3 rc=0 triple
  shift 3
  triple=$(triple_of "$t")
  rm -f "$out.mir" "$out.o"
  timeout 60 "$VERIDAG" "-mtriple=$triple" "$@" "$in" -o "$out.mir" >"$out.log" 2>&1 || rc=$?
  if [ $rc -ne 0 ]; then
    if [ -e "$out.mir" ]; then echo error; return; fi
    if [ $rc -ge 124 ]; then echo crash
    elif grep -q 'Cannot select' "$out.log"; then echo unselected
    elif [ $rc -eq 1 ] && grep -q 'error: unsupported: ' "$out.log"; then echo unsupported
    else echo error; fi
    return
  fi
  mv "$out.log" "$out.selected.log"
  if ! timeout 120 "$LLC" -start-before=finalize-isel -x mir -verify-machineinstrs -filetype=obj \
      "-mtriple=$triple" "$out.mir" -o "$out.o" >"$out.log" 2>&1; then
    echo refused
    return
  fi
  echo ok
}
