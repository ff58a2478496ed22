#!/bin/sh
# Records the zoo of planted faults on a machine with a GPU: for every fault of kernels/examples/faults_cuda.yaml base and
# head are built, timed in fresh processes, and profiled with Nsight Compute; base of every case is profiled twice (A/A).
#
#   docs/measurements/evidence/run.sh OUT [EXAMPLE]     on the machine with the GPU: leaves OUT/zoo.tar.gz
#   docs/measurements/evidence/keep.sh OUT/zoo.tar.gz...  anywhere: trims it into testdata/ncu/zoo and writes zoo.md
#
# PERFGATE_ZOO_LIST=testdata/ncu/unseen.yaml records that list (EXAMPLE: unseen_cuda), of mistakes that the rules had not seen.
# PERFGATE_ZOO_LIST=testdata/ncu/learn.yaml (frozen.yaml) records pairs that others explained. PERFGATE_ZOO_METRICS=testdata/ncu/metrics.txt (a full path)
# collects those metrics as well. PERFGATE_ZOO_BUILT names a folder that keeps what is built, PERFGATE_ZOO_UNTIL=built (or checked) ends
# there, PERFGATE_ZOO_CHECKED=1 takes parity for checked by such a run, PERFGATE_ZOO_AGAIN=20 makes A/A pairs of so many bases, and
# PERFGATE_ZOO_FULL=0 leaves out --set full.
# ZOO_TEST names a test binary that was built elsewhere (go test -c ./gate/profile/explain), for a machine without Go.
set -eu
cd "$(dirname "$0")/../../../gate/profile/explain"
export PERFGATE_ZOO_OUT="$1" PERFGATE_ZOO_ONLY="${2:-}"
if [ -n "${ZOO_TEST:-}" ]; then
  exec "$ZOO_TEST" -test.run '^TestRecord$' -test.v -test.timeout 30m
fi
exec go test -run '^TestRecord$' -v -count=1 -timeout 30m .
