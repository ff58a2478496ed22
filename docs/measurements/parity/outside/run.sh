#!/bin/sh
# Kernels that nobody chose the bound by, on a CPU: the right ones on 200 cases, the wrong ones on SEEDS seeds (20). Writes right.json and wrong.SEED.json into OUT.
#
#   docs/measurements/parity/outside/run.sh OUT
#
# PERFGATE is the program (default: perfgate), PYTHON an interpreter with numpy, scipy and torch (default: python3). Debian: python3-scipy python3-torch libeigen3-dev.
set -eu
mkdir -p "$1"
out=$(realpath "$1") PERFGATE=$(command -v "${PERFGATE:-perfgate}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")"/*.pg.* "$(dirname "$0")/configure.py" "$work"
cd "$work"
"${PYTHON:-python3}" configure.py right >perfgate.yaml
"$PERFGATE" parity --head . --fuzz-cases 200 --seed 1 --format json >"$out/right.json" || true
"${PYTHON:-python3}" configure.py wrong >perfgate.yaml
for seed in $(seq "${SEEDS:-20}"); do "$PERFGATE" parity --head . --seed "$seed" --format json >"$out/wrong.$seed.json" || true; done
