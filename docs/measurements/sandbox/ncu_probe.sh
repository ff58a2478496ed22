#!/bin/bash
# Which rules of Landlock Nsight Compute bears, for itself and for the program that it profiles: ncu_probe.sh OUT, on a machine with a GPU
# and nvcc. A line for each pair of rules, as landlock.py names them; OUT keeps what ncu said. Takes about a minute.
here=$(dirname "$(realpath "$0")") out=$(realpath -m "$1")
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/landlock.py" "$work"
cat >"$work/app.cu" <<'CU'
#include <cuda_profiler_api.h>
__global__ void k(float *p) { p[threadIdx.x] = p[threadIdx.x] * 2 + 1; }
int main() {
  float *p;
  int e = cudaMalloc(&p, 4096);
  cudaProfilerStart();
  k<<<1, 256>>>(p);
  e |= cudaDeviceSynchronize();
  cudaProfilerStop();
  return e;
}
CU
nvcc -o "$work/app" "$work/app.cu" || exit 3
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
try() { # rules of ncu, rules of the program
  local dir name="$1+$2"
  dir=$(mktemp -d -p "$work")
  (cd "$dir" && TMPDIR=$dir HOME=$dir timeout 40 python3 "$work/landlock.py" "$1" "$dir" -- "$ncu" --profile-from-start off \
    --target-processes application-only --section LaunchStats --export "$dir/report" --log-file "$dir/ncu.log" \
    python3 "$work/landlock.py" "$2" "$dir" -- "$work/app") >"$out/$name.txt" 2>&1
  local code=$? report=no
  [ -f "$dir/report.ncu-rep" ] && report=yes
  cat "$dir/ncu.log" >>"$out/$name.txt" 2>/dev/null
  echo "ncu $1, program $2: exit $code, report $report; $(tail -n 1 "$out/$name.txt" | cut -c1-160)"
}
try none none
for rules in fs net abstract signal fs,net,ports fs,net,abstract,signal fs,net,abstract,signal,ports; do
  try none "$rules"
done
try fs none
try fs,proc none
try fs,proc,net,abstract,signal fs,net,abstract,signal
try fs,proc,net,abstract,signal,ports fs,net,abstract,signal,ports
