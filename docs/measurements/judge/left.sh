#!/bin/sh
# What one candidate leaves on a GPU for the next: left.sh PERFGATE OUT. testdata/judge/leave/leave.cu has the ways. First two processes without perfgate,
# then a candidate that leaves and one that looks: the first wrong value of its parity is 100000 and the sum of 1 << way.
set -u
here=$(cd "$(dirname "$0")" && pwd) perfgate=$1 out=$2
judge="$here/../../../testdata/judge"
work=$(mktemp -d) && mkdir -p "$out" && cd "$work" || exit 2
{ echo "#define ALONE"; cat "$judge/leave/leave.cu"; } > alone.cu
nvcc -std=c++17 -arch=native -o alone alone.cu -ldl && ./alone | tee "$out/alone.txt"
mkdir base && cp "$judge"/cuda/normalize.* "$judge/cuda/perfgate.yaml" base/
for part in LEAVES LOOKS; do
  cp -r base $part && { echo "#define $part"; cat "$judge/leave/leave.cu"; } > $part/normalize.cu
  "$perfgate" judge $part --base base --ledger search > "$out/$part.json" 2> "$out/$part.err"
  echo "$part: exit $?, $(grep -m1 '"verdict"' "$out/$part.json")"
done
mask=$(grep -o 'got 1[0-9]\{5\}' "$out/LOOKS.json" | head -1 | cut -c6-)
[ -n "$mask" ] || { echo "nobody has looked"; exit 1; }
way=0
cut -d: -f1 "$out/alone.txt" | while read -r name; do
  [ $(((1$mask - 100000) >> way & 1)) = 1 ] && echo "left for the next candidate: $name" || echo "not left: $name"
  way=$((way + 1))
done
cd / && rm -rf "$work"
