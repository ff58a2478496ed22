#!/bin/sh
# The CUDA zoo of testdata/parity/cuda on the GPU of this machine, which needs nvcc: every wrong kernel on 20 seeds, the right ones on
# as many of 200 as RIGHT_TIME allows, beginning with number FROM; ONLY those whose names match, CASES of them a seed (default 100). In the repository's root:
#
#   CGO_ENABLED=1 go test -c -o /tmp/parity.test ./gate/parity && docs/measurements/parity/zoo_cuda.sh /tmp/parity.test OUT.md
#
# Wrong attention kernels also run the seed project's matrix, unscaled: S in 448, 512, 640, B in 16, 32, 48, H in 4, 8, 16, D = 64. The table
# has a column for it, and a line that sums both up; GRID=false leaves it out. TESTS=TestCUDAZooIsCaught leaves the right kernels out.
#
# AT_ONCE processes share the GPU: with 16 of them, switching between them takes most of the time.
set -e
tests=$(realpath "$1") table=$(realpath -m "$2")
rm -f "$table"
cd "$(dirname "$0")/../../../gate/parity"
for which in ${TESTS:-TestCUDAZooIsCaught TestRightCUDAKernelsPass}; do
  "$tests" -test.v -test.timeout 1h -test.run "^$which\$" -zoo.at-once "${AT_ONCE:-4}" -zoo.seeds "${SEEDS:-20}" \
    -zoo.right "${RIGHT:-200}" -zoo.from "${FROM:-0}" -zoo.only "${ONLY:-}" -zoo.cases "${CASES:-0}" -zoo.grid="${GRID:-true}" -zoo.time "${RIGHT_TIME:-10m}" -zoo.table "$table" | cut -c1-300
done
