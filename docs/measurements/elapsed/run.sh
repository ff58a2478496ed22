#!/bin/sh
# Elapsed times beside busy loops, as many as LOOPS (default 2): unchanged code RUNS times (default 10), and every fault of sometimes.pg.cc once.
#
#   docs/measurements/elapsed/run.sh [aa] [faults] >docs/measurements/elapsed/busy.md
#
# The gate is built first, unless PERFGATE names a binary. The table has a line for each case of each run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
work=$(mktemp -d)
loops=
trap 'kill $loops 2>/dev/null || true; rm -rf "$work"' EXIT
if [ -z "${PERFGATE:-}" ]; then
  PERFGATE=$work/perfgate
  go build -o "$PERFGATE" ./cmd/perfgate
fi
PERFGATE=$(realpath "$PERFGATE")
i=0
while [ "$i" -lt "${LOOPS:-2}" ]; do
  sh -c 'while :; do :; done' &
  loops="$loops $!"
  i=$((i + 1))
done

# gate NAME ARGUMENTS...: one run, and its lines of the table.
gate() {
  name=$1
  shift
  code=0
  (cd "$here" && "$PERFGATE" run --base . --head . --out "$work/$name" --profile never "$@") >"$work/$name.txt" 2>&1 || code=$?
  if [ -f "$work/$name/result.json" ]; then
    python3 "$here/table.py" "$name" "$code" "$work/$name/result.json"
  else
    echo "| $name | exit $code | $(tail -n 1 "$work/$name.txt") |"
  fi
}

[ $# -gt 0 ] || set -- aa faults
echo "Beside ${LOOPS:-2} busy loops on $(nproc) cores:"
echo
python3 "$here/table.py"
for part in "$@"; do
  case $part in
  aa)
    i=1
    while [ "$i" -le "${RUNS:-10}" ]; do
      gate "unchanged $i" --time-identical
      i=$((i + 1))
    done
    ;;
  faults)
    gate sleeps --head-flags=-DPG_FAULT_SOMETIMES=1
    gate "waits for a child" --head-flags=-DPG_FAULT_SOMETIMES=2
    gate "waits for a thread" --head-flags=-DPG_FAULT_SOMETIMES=3
    gate "computes longer" --head-flags=-DPG_FAULT_SOMETIMES=4
    ;;
  *) echo "run.sh: no part is called $part; there are aa and faults" >&2 && exit 2 ;;
  esac
done
