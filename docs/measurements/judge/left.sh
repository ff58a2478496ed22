#!/bin/sh
# What one candidate leaves on a GPU for the next: left.sh PERFGATE OUT. testdata/judge/leave/leave.cu has the ways. First a candidate that leaves and
# one that looks, then two processes without perfgate. The first wrong value of a candidate's parity is 100000 and the sum of 1 << way.
set -u
here=$(cd "$(dirname "$0")" && pwd) perfgate=$1 out=$2
judge="$here/../../../testdata/judge"
work=$(mktemp -d) && mkdir -p "$out" && cd "$work" || exit 2
mkdir base && cp "$judge"/cuda/normalize.* "$judge/cuda/perfgate.yaml" base/
names=$(sed -n 's/^    {"\([^"]*\)", .*/\1/p' "$judge/leave/leave.cu")

ways() { # ways PART WORDS: a line for each way, from the answer to a part
  mask=$(grep -o 'got 1[0-9]\{5\}' "$out/$1.json" | head -1 | cut -c6-)
  [ -n "$mask" ] || { echo "$1 has not run"; return; }
  way=0
  echo "$names" | while read -r name; do
    [ $(((1$mask - 100000) >> way & 1)) = 1 ] && echo "$2: $name" || echo "not $2: $name"
    way=$((way + 1))
  done
}

for part in LEAVES LOOKS; do
  cp -r base $part && { echo "#define $part"; cat "$judge/leave/leave.cu"; } > $part/normalize.cu
  "$perfgate" judge $part --base base --ledger search > "$out/$part.json" 2> "$out/$part.err"
  echo "$part: exit $?, $(grep -m1 '"verdict"' "$out/$part.json")"
done
ways LEAVES "left in the sandbox"
ways LOOKS "seen by the next candidate"
{ echo "#define ALONE"; cat "$judge/leave/leave.cu"; } > alone.cu
nvcc -std=c++17 -arch=native -o alone alone.cu -ldl && ./alone | tee "$out/alone.txt"
cd / && rm -rf "$work"
