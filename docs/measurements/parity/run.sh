#!/bin/sh
# The long form of what CI checks on one seed: every wrong kernel of testdata/parity on 20 seeds, every right one on 200, and the
# fixed matrix of 27 cases on the same attention kernels. Takes about ten minutes on two cores; writes zoo.md beside this file.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
rm -f "$here/zoo.md"
go test ./gate/parity -count=1 -timeout 2h -v -run 'TestZooIsCaught|TestRightKernelsPass' \
  -zoo.seeds="${SEEDS:-20}" -zoo.right="${RIGHT:-200}" -zoo.grid -zoo.table="$here/zoo.md" | cut -c1-300
go test ./gate/parity -count=1 -run '^$' -bench SmallCases
