#!/bin/sh
# Trims recordings of run.sh into testdata/ncu/zoo, if what is left explains exactly as the whole does, and writes zoo.md.
#
#   docs/measurements/evidence/keep.sh OUT/zoo.tar.gz...      one of everything, or one of each example
#
# PERFGATE_ZOO_SET=learn (or frozen) trims a recording of testdata/ncu/learn.yaml into testdata/ncu/learn instead, and writes pairs.md.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for archive in "$@"; do
  tar -xzf "$archive" -C "$folder"
  cat "$folder/pairs.jsonl" >>"$folder/all"
done
mv "$folder/all" "$folder/pairs.jsonl"
cd "$(dirname "$0")/../../.."
PERFGATE_ZOO_KEEP=$folder go test -run '^TestKeep$' -count=1 ./gate/profile/explain
go test -run '^TestZoo$|^TestSets$' -count=1 ./gate/profile/explain -update
