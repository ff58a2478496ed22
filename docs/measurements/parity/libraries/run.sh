#!/bin/sh
# Kernels of libraries that others wrote, by the default bound, each on 200 cases (CASES) with a seed of their own; writes TABLE.
#
#   docs/measurements/parity/libraries/run.sh cpu TABLE.md     OpenBLAS, numpy, torch, and this repository's examples with -Ofast
#   docs/measurements/parity/libraries/run.sh cuda TABLE.md    torch
#
# PERFGATE is the program (default: perfgate), PYTHON an interpreter that has numpy and torch (default: python3); for a CPU Debian's packages
# libopenblas-dev, python3-numpy and python3-torch bring all there is. AT_ONCE kernels share the machine; ONLY is a pattern of their names.
set -eu
device=$1 table=$(realpath -m "$2")
here=$(cd "$(dirname "$0")" && pwd)
PERFGATE=$(command -v "${PERFGATE:-perfgate}") PYTHON=${PYTHON:-python3} CASES=${CASES:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PERFGATE CASES work

mkdir "$work/libraries" "$work/results"
cp "$here"/*.pg.* "$work/libraries"
"$PYTHON" "$here/catalogue.py" config "$device" >"$work/libraries/perfgate.yaml"
if [ "$device" = cpu ]; then
  # By the bound, not by what the examples ask for.
  for name in attention gemm layernorm reduction saxpy softmax; do
    cp -r "$here/../../../../kernels/examples/$name" "$work/$name"
    sed -i 's/, [ar]tol: [^,}]*//g' "$work/$name/perfgate.yaml"
  done
fi

# A lock of its own for each: nothing is timed.
cat >"$work/check" <<'CHECK'
kernel=$1 folder=$2 flags=$3
mkdir "$work/lock-$folder-$kernel"
cd "$work/$folder"
PERFGATE_LOCK_DIR="$work/lock-$folder-$kernel" "$PERFGATE" parity --head . --head-flags="$flags" --kernel "$kernel" --fuzz-cases "$CASES" --seed 1 \
  --format json >"$work/results/$kernel$flags.json" 2>"$work/results/$kernel$flags.txt" || true
CHECK
for folder in "$work"/*/perfgate.yaml; do
  folder=$(basename "$(dirname "$folder")") flags=-Ofast
  [ "$folder" = libraries ] && flags=
  grep -o 'name: [A-Za-z0-9_-]*' "$work/$folder/perfgate.yaml" | cut -d' ' -f2 | grep -E "${ONLY:-}" | while read -r kernel; do echo "$kernel $folder '$flags'"; done
done | xargs -P "${AT_ONCE:-2}" -L 1 sh "$work/check"

for result in "$work"/results/*.json; do
  [ -s "$result" ] || { echo "no result of $(basename "$result" .json):"; cat "${result%.json}.txt"; exit 1; } >&2
done
"$PYTHON" "$here/catalogue.py" table "Kernels of libraries on a $(echo "$device" | sed "s/cpu/CPU/; s/cuda/GPU/")" "$work"/results/*.json >"$table"
