#!/usr/bin/env bash
# Builds and runs every suite; prints how many cases each ran. --full runs the long ones whole (all c-torture programs,
# 200 csmith seeds, the address-sanitizer build of everything).
set -uo pipefail
cd "$(dirname "$0")"
full=0
case ${1:-} in
  --full) full=1 ;;
  '') ;;
  *) echo "usage: ./test.sh [--full]" >&2; exit 2 ;;
esac
.ci/install-packages build run test || exit 2
passed=0 failed=0
suite() { # name command...
  local name=$1 start=$SECONDS
  shift
  echo "=== $name"
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "*** $name FAILED"; fi
  echo "--- $name: $((SECONDS - start)) s"
}
build() { cmake --preset "$1" >/dev/null && cmake --build --preset "$1" 2>&1 | tail -n 20 && [ "${PIPESTATUS[0]}" -eq 0 ]; }
build release || { echo "the build failed" >&2; exit 1; }
if [ $full = 1 ]; then suite 'unit tests' ctest --test-dir build/release --output-on-failure -j "$(nproc)"
else suite 'unit tests' ctest --test-dir build/release --output-on-failure -j "$(nproc)" -LE long; fi
suite 'sanitized build' build asan
suite 'unit tests, sanitized' ctest --test-dir build/asan --output-on-failure -j "$(nproc)" -L quick -E 'matcher-twin|bit-vectors'
suite 'every rule proven' tests/proof.sh
suite 'golden outputs and rejected inputs' tests/corpus.sh
suite 'format of the sources' tests/format.sh
suite 'the trusted base, every file told' tests/trusted-base.sh
suite 'known bugs' tests/regress.sh
if [ $full = 1 ]; then
  suite 'c-torture' tests/torture.sh
  suite 'csmith' tests/csmith.sh --count 200
else
  suite 'c-torture, every tenth program' tests/torture.sh --sample 10
  suite 'csmith, ten seeds' tests/csmith.sh --count 10
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
