#!/bin/bash
# Unchanged code timed on a CPU beside a build: beside_build.sh PERFGATE [RUNS [CORES]]
#
# The first kernel of perfgate init, compared with itself on two cores, RUNS times in turn: with nothing beside it, beside perfgate precheck
# that compiles another project in a loop (its builds wait for rounds), and beside the same compiler that waits for nobody. Prints for each:
# exit codes, the median standard deviation of the log ratio of a round, and the median seconds.
set -eu
perfgate=$(realpath "$1") runs=${2:-10} cores=${3:-0,1}
work=$(mktemp -d)
beside=
trap '[ -z "$beside" ] || kill -- -"$beside" 2>/dev/null; rm -rf "$work"' EXIT
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
export PERFGATE_LOCK_DIR=$work/locks PERFGATE_CACHE=$work/cache
mkdir -p "$PERFGATE_LOCK_DIR"

for name in timed built; do
  mkdir "$work/$name" && cd "$work/$name" && git init -q -b main
  "$perfgate" init >/dev/null && git add . && git commit -q -m "A kernel"
done
source=$(ls "$work"/built/bench/*.cc "$work"/built/bench/*.cpp 2>/dev/null | grep -v '\.pg\.' | head -1)
cp "$source" "$work/plain.cc"
heavy='#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>'

# Each turn of these compiles something new, in seconds.
gate_builds() { while :; do printf '%s\n// %s\n' "$heavy" "$RANDOM$RANDOM" | cat - "$work/plain.cc" >"$source"; "$perfgate" precheck --base HEAD || true; done; }
compiles() { while :; do printf '%s\n// %s\n' "$heavy" "$RANDOM" | cat - "$work/plain.cc" >"$work/x.cc"; c++ -std=c++17 -O3 -c -o "$work/x.o" "$work/x.cc"; done; }
export -f gate_builds compiles
export perfgate work source heavy

cd "$work/timed"
for i in $(seq "$runs"); do
  for arm in nothing gate_builds compiles; do
    beside=
    if [ "$arm" != nothing ]; then
      setsid taskset -c "$cores" bash -c "cd $work/built; $arm" >/dev/null 2>&1 &
      beside=$!
      sleep 2
    fi
    began=$SECONDS
    rc=0
    taskset -c "$cores" "$perfgate" run --base . --head . --time-identical --budget 60s >/dev/null 2>&1 || rc=$?
    seconds=$((SECONDS - began))
    [ -z "$beside" ] || kill -- -"$beside" 2>/dev/null || true
    beside=
    echo "$arm $rc $seconds $(python3 -c 'import json; print(json.load(open("perfgate-out/result.json"))["cases"][0]["comparisons"][0].get("s"))')" >>"$work/all"
  done
done
python3 - "$work/all" <<'EOT'
import collections, statistics, sys
rows = collections.defaultdict(list)
for line in open(sys.argv[1]):
    arm, rc, seconds, s = line.split()
    rows[arm].append((int(rc), float(seconds), float("nan") if s == "None" else float(s)))
print("beside | exit 0, 1, 3 | s of a round | seconds of a run")
for arm, all_ in rows.items():
    print(arm, "|", ", ".join(str(sum(r[0] == c for r in all_)) for c in (0, 1, 3)), "|",
          f"{100 * statistics.median(r[2] for r in all_):.2f} %", "|", f"{statistics.median(r[1] for r in all_):.0f}")
EOT
