#!/bin/bash
# How long parity of the CUDA examples takes: with their tolerances, by the bound, and with an older gate. In the repository's root, on a machine with
# an NVIDIA GPU and nvcc:
#
#   PERFGATE=/tmp/perfgate OLD=/tmp/perfgate-old docs/measurements/parity/time_cuda.sh OUT
#
# CASES (default 60) of each of the ten kernels, TIMES (default 2) times each way, in turns there and back; OLD, where set, is a gate of an older
# commit that takes the same configuration. All is built first, and nothing else should run beside it then. What each run prints goes to the folder OUT, its seconds to standard output.
set -eu
out=$(realpath -m "$1") PERFGATE=${PERFGATE:-perfgate} TIMEFORMAT="wall %R user %U sys %S"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r kernels/examples "$work/examples"
cd "$work/examples"
mkdir "$work/lock-old" "$work/lock-tolerances" "$work/lock-bound"
sed 's/, atol: [^,}]*//; s/, rtol: [^,}]*//' suite_cuda.yaml >bound.yaml

suite() {  # NAME WAY CASES
  local program=$PERFGATE config=suite_cuda.yaml code=0
  case $2 in old) program=$OLD ;; bound) config=bound.yaml ;; esac
  PERFGATE_LOCK_DIR="$work/lock-$2" "$program" parity --sandbox=off --head . --config "$config" --seed 1 --fuzz-cases "$3" >"$out/$1.txt" 2>&1 || code=$?
  echo -n "$1: exit $code, "
}

ways=(${OLD:+old} tolerances bound)
[ -z "${OLD:-}" ] || suite built-old old 1 &
suite built-tolerances tolerances 1  # the same library as by the bound
wait
echo
for ((i = 1; i <= ${TIMES:-2}; i++)); do
  for way in $([ $((i % 2)) = 1 ] && printf '%s\n' "${ways[@]}" || printf '%s\n' "${ways[@]}" | tac); do (time suite "$way-$i" "$way" "${CASES:-60}") 2>&1; done
done
