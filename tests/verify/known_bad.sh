#!/bin/sh
# Every unsound rule is refuted with a replayed counterexample of the clause that its file names, and its sound twin
# is proven. usage: known_bad.sh VERIFY-RULES FOLDER
set -u
prover=$1 folder=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0 ok=0 from_bugs=0
for file in "$folder"/*.isel; do
  name=$(basename "$file" .isel)
  clause=$(sed -n 's/^; refuted: bad-.*, clause //p' "$file")
  "$prover" "$file" --format=json -o "$work/out" 2>"$work/err"
  status=$?
  wrong=
  [ $status -eq 1 ] || wrong="exit status $status"
  grep '"name": "[a-z0-9.-]*bad-' "$work/out" > "$work/bad"
  grep '"name": "[a-z0-9.-]*good-' "$work/out" > "$work/good"
  grep '"verdict": "refuted"' "$work/bad" | grep -q "\"clause\": \"$clause\"" || wrong="$wrong; not refuted in clause $clause"
  grep '"verdict": "refuted"' "$work/bad" | grep -q 'see it again' || wrong="$wrong; no counterexample"
  grep -q '"verdict": "unknown"' "$work/bad" && wrong="$wrong; an unknown instance"
  grep -q '"verdict": "proved"' "$work/good" || wrong="$wrong; the sound twin has no proof"
  grep -v '"verdict": "proved"' "$work/good" | grep -q . && wrong="$wrong; the sound twin is not proven everywhere"
  if [ -n "$wrong" ]; then
    bad=$((bad + 1))
    echo "$name: $wrong"
    head -5 "$work/err"
  else
    ok=$((ok + 1))
    grep -q '^; From case' "$file" && from_bugs=$((from_bugs + 1))
  fi
done
echo "$ok unsound rules refuted, each with its twin proven ($from_bugs from collected compiler bugs), $bad wrong"
[ $bad -eq 0 ] && [ $ok -ge 40 ] && [ $from_bugs -ge 30 ]
