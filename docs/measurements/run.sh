#!/bin/sh
# Measures the CUDA examples with the gate itself, on any machine with an NVIDIA GPU, nvcc and python3:
#
#   docs/measurements/run.sh [PART...]        parts, in this order: record live faults aa beside apart tables (default all but beside)
#
#   record   fresh processes with 0, 1, 2, 3 and 5 % of injected work, for `go run ./cmd/simulate --injected`
#   live     the gate on 1 % of injected work at a tolerance of 0.5 %, on 2 % at one of 1 %, and on 3 and 5 % at one of 1.5 %,
#            RUNS_LIVE times each; cases that are close to the tolerance stay open for up to BUDGET (such as 90s; default the suite's)
#   faults   the gate on every fault of kernels/examples/faults_cuda.yaml
#   aa       the gate on unchanged code, RUNS times
#   beside   against an older gate, the binary OLD: unchanged code RUNS times with this one and RUNS_OLD times with that one in between, and
#            +3 % of work on BESIDE_KERNELS RUNS_LIVE times; SECONDS_BESIDE, where set, starts no further run after so many seconds
#   apart    the gate on unchanged code of three examples whose adapters are built apart
#   tables   Markdown tables of all that is there
#
# The gate is built first, unless PERFGATE names a binary (of `CGO_ENABLED=1 go build ./cmd/perfgate`: it asks the driver
# through NVML). OUT (default docs/measurements/suite/raw) takes the results: rerun a part and its files are replaced. PROCESSES is how many
# processes a dose gets. SECONDS_AA, where set, starts no further run of aa after so many seconds. Of several GPUs
# CUDA_VISIBLE_DEVICES chooses one; to use them side by side, give each some of the DOSES of live, the BATCHES of faults (their
# numbers), or the runs of aa, live or beside from FIRST on, and one OUT to all.
set -eu
cd "$(dirname "$0")/../.."
suite=$PWD/docs/measurements/suite
OUT=${OUT:-$suite/raw} RUNS=${RUNS:-10} RUNS_LIVE=${RUNS_LIVE:-3} PROCESSES=${PROCESSES:-24}
RUNS_OLD=${RUNS_OLD:-3} BESIDE_KERNELS=${BESIDE_KERNELS:-gemm,attention_tiled,transpose,sum}
DOSES=${DOSES:-1 2 3 5} BATCHES=${BATCHES:-} FIRST=${FIRST:-1} BUDGET=${BUDGET:-}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- record live faults aa apart tables

# The binary has to be at hand from every folder.
build() {
  if [ -z "${PERFGATE:-}" ]; then
    PERFGATE=$work/perfgate
    CGO_ENABLED=1 go build -o "$PERFGATE" ./cmd/perfgate
  fi
  PERFGATE=$(realpath "$PERFGATE")
  "$PERFGATE" version >"$OUT/version.txt"
}

# gate NAME ARGUMENTS...: one run on the suite; its result and one line that says how it ended. What profiles say is in
# ../evidence.
gate() {
  name=$1
  shift
  start=$(date +%s)
  code=0
  (cd kernels/examples && "$PERFGATE" run --config "${CONFIG:-suite_cuda.yaml}" --base . --head . --out "$work/$name" --verbose --profile never "$@") >"$work/$name.txt" 2>&1 || code=$?
  if [ -f "$work/$name/result.json" ]; then
    # What identifies the card and the machine is nobody's business.
    sed -E -e 's/GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/GPU-00000000-0000-0000-0000-000000000000/g' \
      -e 's/("kernel": ?")[0-9]+\.[^"]*"/\1"/' "$work/$name/result.json" | gzip -9 -n >"$OUT/$name.json.gz"
  else
    cat "$work/$name.txt"
  fi
  echo "$name: exit $code after $(($(date +%s) - start)) s"
}

record() { python3 "$suite/record.py" --processes "$PROCESSES" --out "$OUT/streams.csv"; }

# What is surely more than 1.5 % slower is surely more than 0.5 and 1 % slower: bounds do not depend on the tolerance.
live() {
  for dose in $DOSES; do
    case $dose in
    1) tolerance=0.5% ;;
    2) tolerance=1% ;;
    *) tolerance=1.5% ;;
    esac
    i=$FIRST
    while [ "$i" -le "$RUNS_LIVE" ]; do
      gate "live_${dose}_$i" "--head-flags=-DPG_FAULT_WORK=$dose" --tolerance "$tolerance" ${BUDGET:+--budget "$BUDGET"}
      i=$((i + 1))
    done
  done
}

faults() {
  python3 "$suite/faults.py" batches >"$work/batches"
  while read -r name kernels flags; do
    case " ${BATCHES:-$name} " in *" $name "*) gate "faults_$name" --kernel "$kernels" --head-flags="$flags" ;; esac
  done <"$work/batches"
}

aa() {
  begun=$(date +%s) i=$FIRST
  while [ "$i" -le "$RUNS" ]; do
    [ $(($(date +%s) - begun)) -lt "${SECONDS_AA:-1000000}" ] || break
    gate "aa_$i" --time-identical
    i=$((i + 1))
  done
}

# The older gate's runs stand at even distances. What is injected comes early: its build is the slow part.
beside() {
  [ -x "${OLD:?the older binary}" ] || { echo "run.sh: OLD=$OLD is no program" >&2 && exit 2; }
  new=$PERFGATE begun=$(date +%s) i=$FIRST olds=0 injected=0
  while [ "$i" -le "$RUNS" ]; do
    [ $(($(date +%s) - begun)) -lt "${SECONDS_BESIDE:-1000000}" ] || break
    gate "beside_new_$i" --time-identical
    if [ $((olds * (RUNS - FIRST + 1))) -lt $(((i - FIRST + 1) * RUNS_OLD)) ] && [ "$olds" -lt "$RUNS_OLD" ]; then
      olds=$((olds + 1))
      PERFGATE=$OLD
      gate "beside_old_$i" --time-identical
      PERFGATE=$new
    fi
    if [ "$injected" -lt "$RUNS_LIVE" ]; then
      injected=$((injected + 1))
      gate "beside_injected_$i" --kernel "$BESIDE_KERNELS" --head-flags=-DPG_FAULT_WORK=3
    fi
    i=$((i + 1))
  done
}

apart() {
  CONFIG=apart.tmp.yaml
  {
    printf 'version: 1\ndevice: cuda\nkernels:\n'
    for example in reduction softmax transpose; do
      sed -n '/^kernels:/,/^gate:/p' "kernels/examples/${example}_cuda/perfgate.yaml" | sed -e '/^kernels:/d' -e '/^gate:/d' \
        -e "s#adapter: #adapter: ${example}_cuda/#" -e "s#sources: \[#sources: [${example}_cuda/#" -e 's#cases: 60#cases: 4#'
    done
    printf 'gate: {tolerance: 1.5%%, budget: 2m}\n'
  } >"kernels/examples/$CONFIG"
  gate apart_1 --time-identical
  rm "kernels/examples/$CONFIG"
  unset CONFIG
}

tables() { python3 "$suite/tables.py" "$OUT" >"$OUT/tables.md" && cat "$OUT/tables.md"; }

for part in "$@"; do
  case $part in
  record | live | faults | aa | beside | apart | tables) ;;
  *) echo "run.sh: no part is called $part; there are record, live, faults, aa, beside, apart and tables" >&2 && exit 2 ;;
  esac
done
case " $* " in *" live "* | *" faults "* | *" aa "* | *" beside "* | *" apart "*) build ;; esac
for part in "$@"; do
  "$part"
done
