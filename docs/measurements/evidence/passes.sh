#!/bin/sh
# Times what a profile costs on this GPU: what perfgate asks Nsight Compute for, beside the same counters with the eleven sections of before.
#
#   docs/measurements/evidence/passes.sh PERFGATE OUT
#
# What is asked for is read off a run of `perfgate demo --device cuda`, whose calls of ncu are written down. Then one small kernel is
# profiled with either, in turns, TURNS times (default 3). OUT/profiles.txt has a line for each.
set -eu
perfgate=$(realpath "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ncu=$(command -v ncu)
mkdir bin
printf '#!/bin/sh\nprintf "%%s\\n" "$*" >>%s/asked.txt\nexec %s "$@"\n' "$work" "$ncu" >bin/ncu
chmod +x bin/ncu
PATH=$work/bin:$PATH "$perfgate" demo --device cuda --out demo >"$out/demo.txt" 2>&1 || true
now=$(grep -e '--metrics' asked.txt | head -1 | grep -o -e '--section.*--metrics [^ ]*')
metrics=${now##* }
before=
for section in SpeedOfLight SpeedOfLight_RooflineChart MemoryWorkloadAnalysis MemoryWorkloadAnalysis_Tables ComputeWorkloadAnalysis SchedulerStats \
  WarpStateStats LaunchStats Occupancy SourceCounters InstructionStats; do
  before="$before --section $section"
done

cat >small.cu <<'C'
#include <cstdio>
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.f;
  __syncthreads();
  float sum = 0.f;
  for (int j = 0; j < 64; ++j) sum += __expf(tile[(threadIdx.x + j) & 255]);
  if (i < n) out[i] = sum;
}
int main() {
  const int n = 1 << 20;
  float *in, *out;
  if (cudaMalloc(&in, n * sizeof *in) || cudaMalloc(&out, n * sizeof *out) || cudaMemset(in, 0, n * sizeof *in)) return 1;
  smooth<<<n / 256, 256>>>(in, out, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
C
nvcc -O2 -arch=native -o small small.cu

# profile NAME ARGUMENTS...: one profile, its seconds and its passes
profile() {
  name=$1
  shift
  begun=$(date +%s.%N)
  "$ncu" --clock-control none --cache-control all --force-overwrite --export small --log-file small.log "$@" ./small >said.txt 2>&1 || { cat said.txt small.log; return 1; }
  awk -v name="$name" -v begun="$begun" -v ended="$(date +%s.%N)" '
    /passes/ {for (i = 2; i <= NF; i++) if ($i ~ /^passes/) passes = $(i - 1)}
    END {printf "%-7s %5.2f s %3d passes\n", name, ended - begun, passes}' small.log | tee -a "$out/profiles.txt"
}

: >"$out/profiles.txt"
profile warm --section LaunchStats
i=0
while [ $((i += 1)) -le "${TURNS:-3}" ]; do
  # shellcheck disable=SC2086
  profile now $now
  # shellcheck disable=SC2086
  profile before $before --metrics "$metrics"
done
