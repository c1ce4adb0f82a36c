#!/usr/bin/env bash
# Proves every rule that is built in, or shows the report of the last proof when neither the prover nor a rule changed since.
# The report stays in build/release/verify/proof.txt; one that is not a proof of everything in proof.new beside it.
set -uo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 0 ] || { echo "usage: tests/proof.sh" >&2; exit 2; }
report=build/release/verify/proof
if cmake --build --preset release --target proof; then cat $report.txt
else
  [ ! -e $report.new ] || cat $report.new
  echo "not every rule is proven" >&2
  exit 1
fi
