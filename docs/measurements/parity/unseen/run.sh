#!/bin/sh
# Right and wrong kernels in C++ that nobody chose the bound by, on a CPU, with default settings on SEEDS seeds (20) from FROM (1). Writes
# right.SEED.json and wrong.SEED.json into OUT, and a line for each right kernel that failed and each wrong one that passed.
#
#   docs/measurements/parity/unseen/run.sh OUT
#
# PERFGATE is the program (default: perfgate). WHICH is right or wrong, or both.
set -eu
mkdir -p "$1"
out=$(realpath "$1") PERFGATE=$(command -v "${PERFGATE:-perfgate}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for which in ${WHICH:-right wrong}; do
  mkdir "$work/$which"
  cp "$(dirname "$0")"/*.* "$work/$which"
  (cd "$work/$which" && python3 configure.py "$which" >perfgate.yaml)
  for seed in $(seq "${FROM:-1}" $((${FROM:-1} + ${SEEDS:-20} - 1))); do
    result=$out/$which.$seed.json
    (cd "$work/$which" && "$PERFGATE" parity --head . --seed "$seed" --format json >"$result" 2>"$result.log") || true
    python3 "$(dirname "$0")/configure.py" judge "$which" "$result"
  done
done
