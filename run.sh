#!/usr/bin/env bash
# From a fresh checkout to a running program: installs the packages, builds, proves every rule (again only when the prover
# or a rule changed), then takes a program nobody here wrote (the single-header hash library of Debian's libxxhash-dev,
# driven over a file), selects it for both targets, links and runs it natively and under qemu, and compares with clang's build.
set -uo pipefail
cd "$(dirname "$0")"
[ $# -eq 0 ] || { echo "usage: ./run.sh" >&2; exit 2; }
.ci/install-packages build run || exit 2
cmake --preset release >/dev/null && cmake --build --preset release | tail -n 1 || { echo "the build failed" >&2; exit 1; }
tests/proof.sh || exit 1
exec tests/demo.sh
