#!/bin/sh
# The gate on real kernels: gate.sh PERFGATE OUT [RUNS], in the repository's root. Base against itself RUNS times, then
# planted faults. One line a run, and result.json of each in OUT.
perfgate=$(realpath "$1") out=$(realpath -m "$2") runs=${3:-10}
mkdir -p "$out"
one() { # name, example, wanted exit code, arguments...
  name=$1 example=$2 want=$3
  shift 3
  start=$(date +%s)
  (cd "kernels/examples/$example" && "$perfgate" run --base . --head . --out "$out/$name" --verbose "$@" >"$out/$name.txt" 2>&1)
  got=$?
  verdicts=$(python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["cases"]:
    k = c.get("comparison") or {}
    print(" %s %s %+.2f%% mde %.2f%% after %d rounds;" % (c["name"], c["verdict"], 100 * (k.get("ratio", 1) - 1), 100 * k.get("mde", 0), k.get("rounds", 0)), end="")
' "$out/$name/result.json" 2>&1)
  echo "$name: exit $got, wanted $want, $(($(date +%s) - start)) s:$verdicts"
}
one attention_2blocks attention_cuda 1 --head-flags=-DPG_FAULT_GRID=2
one identical basics_cuda 0
one basics_work5 basics_cuda 1 --head-flags=-DPG_FAULT_WORK=5
i=1
while [ "$i" -le "$runs" ]; do
  one "same_attention_$i" attention_cuda 0 --time-identical
  one "same_basics_$i" basics_cuda 0 --time-identical
  i=$((i + 1))
done
