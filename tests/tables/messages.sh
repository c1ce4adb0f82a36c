#!/bin/sh
# messages.sh RULEC ROOT: rulec's own complaints (the checker's are tested in tests/semantics): each must name place and rule.
rulec=$1
cd "$2" || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0
count=0

# expect MESSAGE: the form on standard input, after a toy target, must be refused with this message.
expect() {
  mkdir -p "$dir/toy"
  cat >"$dir/toy/target.isel" <<'TOY'
(target toy (pointer 32) (endian little) (types i32) (bool i32) (flags 4))
(regclass gpr "gpr" 32)
(immclass imm8 (bits 8 unsigned))
(feature extra)
(nonterm mem (fields base:gpr disp:imm8) (operands base disp) (value (bvadd base disp)))
(addr plain "x" x => (mem (base x) (disp 0)))
(inst ADD (out d:gpr) (in a:gpr b:gpr) (sem (set d (bvadd a b))) (match (add:i32 a b)))
(inst LD (out d:gpr) (in m:mem) (sem (set d (read m 4))) (match (load:i32 m)))
TOY
  cat >"$dir/toy/rest.isel"
  count=$((count + 1))
  if "$rulec" --check semantics/ops.isel semantics/fns.isel "$dir/toy/target.isel" "$dir/toy/rest.isel" >"$dir/out" 2>&1; then
    case $1 in
    '') return ;;
    esac
    echo "FAIL: accepted, but '$1' was expected"
    failed=1
  elif [ -z "$1" ] || ! grep -qF -- "$1" "$dir/out"; then
    echo "FAIL: expected '$1', got:"
    cat "$dir/out"
    failed=1
  elif ! grep -q "$dir/toy/rest.isel:[0-9]*:[0-9]*: error: " "$dir/out"; then
    echo "FAIL: no place in:"
    cat "$dir/out"
    failed=1
  fi
}

expect '' <<'E'
(inst SUB (out d:gpr) (in a:gpr b:gpr) (sem (set d (bvsub a b))) (match (sub:i32 a b)))
(legal (add sub) i32)
E
expect "is shadowed by 'toy.ADD'" <<'E'
(inst ADD2 (out d:gpr) (in a:gpr b:gpr) (sem (set d (bvadd a b))) (match (add:i32 b a)))
E
expect "'toy.late' is shadowed by 'toy.early'" <<'E'
(rule early "x & x = x" (and x x) => x)
(rule late "y & y = y" (and y y) => y)
E
expect '' <<'E' # the rule of a fixed type comes first
(rule wide "x - x = 0" (sub x x) => 0)
(rule narrow "x - x = 0" (sub:i32 x x) => 0)
E
expect '' <<'E'
(rule guarded "x + C = x for 0" (add x C) => x (when (= C 0)))
(rule other "x + -1 = ~-x" (add x C) => (xor (sub 0 x) -1) (when (= C -1)))
E
expect "'sub' is legal at i32, but no pattern covers it" <<'E'
(legal sub i32)
E
expect 'swallows an access to memory that no instruction of the result makes' <<'E'
(select lost "loads nothing" (add:i32 x (load:i32 m:mem)) => (ADD x x))
E
echo "rulec: $count inputs"
exit $failed
