#!/usr/bin/env bash
# Is every C and C++ file of the tree what clang-format 14 (Debian 12's) makes of it?
#   tests/format.sh [--fix]        --fix: format them (cmake --build --preset release --target format)
# Exit 1 when a file is not, 2 when there is nothing to look at or to look with.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
fix=0
case ${1:-} in
  --fix) fix=1 ;;
  '') ;;
  *) echo "usage: tests/format.sh [--fix]" >&2; exit 2 ;;
esac
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "missing program: clang-format (package: clang-format)" >&2; exit 2; }
"$tool" --version | grep -q ' version 14\.' || { echo "format: $("$tool" --version): version 14 is needed" >&2; exit 2; }
mapfile -t files < <(find selector semantics targets tests verify -name '*.[ch]' -o -name '*.cpp' | LC_ALL=C sort)
[ ${#files[@]} -gt 0 ] || { echo "format: no file found" >&2; exit 2; }
if [ $fix = 1 ]; then "$tool" -i "${files[@]}"; fi
bad=0
for f in "${files[@]}"; do
  diff -u --label "$f" --label "$f, formatted" "$f" <("$tool" "$f") || bad=$((bad + 1))
done
echo "format: $((${#files[@]} - bad)) of ${#files[@]} files as clang-format has them"
[ $bad -eq 0 ] || { echo "tests/format.sh --fix formats them" >&2; exit 1; }
