#!/bin/bash
# Unchanged code in pairs of runs, outside and in new namespaces as a container has them: aa.sh PERFGATE [PAIRS] prints a line a run.
# The benchmark counts its processor's time, so that a busy machine can be used.
set -eu
perfgate=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
cd "$work/tree"
cat >walk.cc <<'C'
#include <cstdio>
#include <ctime>
#include <vector>
int main() {
  std::vector<float> x(1 << 20, 1), y(1 << 20, 2); // 8 MiB
  puts("kernel,ns");
  for (int i = 0; i < 20; i++) {
    timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (int j = 0; j < 8; j++)
      for (size_t k = 0; k < x.size(); k++) y[k] += 2 * x[k];
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    printf("k,%ld\n", (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec);
  }
  return y[7] == 0;
}
C
printf 'version: 1\nkernels:\n  - name: k\n    build: {command: c++ -O2 -o walk walk.cc}\n    bench: {command: ./walk, format: csv}\ngate: {tolerance: 20%%, improvement: 25%%, budget: 30s}\n' >perfgate.yaml
export PERFGATE_CACHE=$work/cache PERFGATE_LOCK_DIR=${PERFGATE_LOCK_DIR:-/run/lock} TMPDIR=$work
gate() { # name, then what runs it
    local code=0
    rm -rf "$work/out"
    "${@:2}" "$perfgate" run --base . --head . --time-identical --profile never --sandbox on --out "$work/out" >"$work/text" 2>&1 || code=$?
    python3 - "$1" $code "$work/out/result.json" <<'P' || tail -n 3 "$work/text"
import json, sys
name, code, path = sys.argv[1:]
result = json.load(open(path))
case, = result["cases"]
c = (case.get("comparisons") or [{}])[0]
width = f'{100 * (c["ratioHigh"] - c["ratioLow"]):.1f}' if "ratioLow" in c else "-"
print(name, "exit", code, case["verdict"], "width", width, "%, load", result["machine"].get("loadBefore"), flush=True)
P
}
for _ in $(seq "${2:-20}"); do
    gate outside env
    gate inside bwrap --unshare-all --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --bind "$work" "$work" --bind "$PERFGATE_LOCK_DIR" "$PERFGATE_LOCK_DIR"
done
