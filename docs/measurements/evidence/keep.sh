#!/bin/sh
# Trims a recording of run.sh into testdata/ncu/zoo, if what is left explains exactly as the whole does, and writes zoo.md.
#
#   docs/measurements/evidence/keep.sh OUT/zoo.tar.gz
set -eu
archive=$(realpath "$1")
cd "$(dirname "$0")/../../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xzf "$archive" -C "$folder"
PERFGATE_ZOO_KEEP=$folder go test -run '^TestKeep$' -count=1 ./gate/profile/zoo
go test -run '^TestZoo$' -count=1 ./gate/profile/zoo -update
