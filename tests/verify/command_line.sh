#!/bin/sh
# Options, exit statuses and messages of verify-rules. usage: command_line.sh VERIFY-RULES
set -u
prover=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
cat > "$work/good.isel" <<'END'
(rule t-add-zero "x + 0 = x" (add x 0) => x (widths 8 32))
END
cat > "$work/bad.isel" <<'END'
(rule t-mul-pow2 "x * C = x << log2 C, C a power of two" (mul x C) => (shl x (log2 C)) (when (distinct C 0)) (widths 8))
END
cat > "$work/vacuous.isel" <<'END'
(rule t-never "a guard that never holds" (add x C) => x (when (bvult C 0)) (widths 8))
(rule t-undefined "a pattern that is never defined" (udiv x 0) => x (widths 8))
END
cat > "$work/syntax.isel" <<'END'
(rule t-broken "an unknown operation" (frobnicate x) => x)
END
cat > "$work/hard.isel" <<'END'
(rule t-remainder "common factors leave a remainder" (urem (mul.nuw x y) (mul.nuw y z)) => (mul y (urem x z)) (widths 64))
END
cat > "$work/three.isel" <<'END'
(rule t-sub-zero "x - 0 = x" (sub x 0) => x (widths 8 16 32))
END

# expect STATUS TEXT ARGUMENTS…: the exit status, and a line that the output must have
expect() {
  want=$1 text=$2
  shift 2
  "$prover" "$@" > "$work/out" 2>&1
  got=$?
  if [ $got -ne "$want" ] || ! grep -q -e "$text" "$work/out"; then
    echo "verify-rules $*: exit $got, wanted $want and '$text'"
    sed 's/^/    /' "$work/out" | head -20
    failed=$((failed + 1))
  fi
}

expect 0 '1 rules, 2 instances: 2 proved' "$work/good.isel"
expect 0 '1 instances: 1 proved' "$work/good.isel" --types i8
expect 0 '"verdict": "proved"' "$work/good.isel" --format=json
expect 1 'REFUTED at i8, clause: value' "$work/bad.isel"
expect 1 'x = 0x03 *C = 0x06' "$work/bad.isel" --values x=3,C=6
expect 1 '(mul x C) = 0x12 = 18' "$work/bad.isel" --only t-mul-pow2 --types i8 --values x=3,C=6
expect 0 '1 proved' "$work/bad.isel" --values x=3,C=4
expect 1 't-never VACUOUS' "$work/vacuous.isel"
expect 1 't-undefined VACUOUS' "$work/vacuous.isel"
expect 2 "syntax.isel:1:" "$work/syntax.isel"
expect 2 'missing.isel' "$work/missing.isel"
expect 2 'no such rule' "$work/good.isel" --only t-nothing
expect 2 'format must be' --format=xml
expect 2 'needs a number' -j 0
expect 2 'needs a positive number' --timeout-scale none
expect 2 'unrecognized option' --frobnicate
expect 2 "$work/no/such/folder/out" "$work/good.isel" -o "$work/no/such/folder/out"
expect 3 't-remainder UNKNOWN at i64' "$work/hard.isel" --timeout-scale 0.001
expect 0 '2 instances: 2 proved' "$work/three.isel" --shard=1/2
expect 0 '1 instances: 1 proved' "$work/three.isel" --shard 2/2
expect 0 '3 proved' "$work/three.isel" -j 2 --timeout-scale 2
expect 0 'proved by:' "$work/three.isel" --stats
expect 0 ' t-sub-zero i16 ' "$work/three.isel" --stats --types i16
expect 0 '1 proved' --target x86-64 --only x86-64.ADD32rr
expect 2 'there is nothing to prove' --target x86-64 "$work/good.isel"
expect 2 'no such rule' --target aarch64 --only x86-64.ADD32rr
expect 2 'nothing to prove' "$work/good.isel" --types i9
expect 2 'needs I/N' --shard=3/2
expect 2 'needs I/N' --shard=0/2
expect 0 'x86-64.ADD32rr *select *x86-64 *targets/' --list --target x86-64
expect 0 'add-zero .*x + 0 = x' --list --only add-zero
expect 2 'no rule is for such a target' --list --target pdp-11
expect 2 'needs name=value' "$work/bad.isel" --values x
expect 2 'needs name=value' "$work/bad.isel" --values x=3,,C=4
expect 2 "no variable 'q'" "$work/bad.isel" --values q=3
expect 0 'usage:' --help

ln -s "$work/linked" "$work/link"
"$prover" "$work/good.isel" -o "$work/link" && [ -h "$work/link" ] && grep -q proved "$work/linked" ||
  { echo "a link given with -o was replaced"; failed=$((failed + 1)); }

"$prover" "$work/good.isel" --format=json -o "$work/report" || failed=$((failed + 1))
"$prover" --list --target aarch64 | grep -q x86-64 && { echo "--target lists the rules of another target"; failed=$((failed + 1)); }
for field in rules instances proved refuted unknown vacuous seconds results name kind target types verdict rung ms place; do
  grep -q "\"$field\":" "$work/report" || { echo "no field '$field' in the report"; failed=$((failed + 1)); }
done
[ $failed -eq 0 ] && echo "the command line behaves"
exit $((failed != 0))
