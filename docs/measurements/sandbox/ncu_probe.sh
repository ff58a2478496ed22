#!/bin/bash
# Which rules of Landlock and seccomp Nsight Compute bears, for itself and for the program that it profiles: ncu_probe.sh OUT; on a machine with a GPU
# and nvcc. A line for each pair of rules and each way to start the program, as landlock.py names them; OUT keeps what ncu said. Takes
# about a minute.
here=$(dirname "$(realpath "$0")") out=$(realpath -m "$1")
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/landlock.py" "$work"
cat >"$work/app.cu" <<'CU'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_profiler_api.h>
extern char **environ;
__global__ void k(float *p) { p[threadIdx.x] = p[threadIdx.x] * 2 + 1; }
extern "C" int run() {
  for (char **e = environ; *e; e++)
    if (strncmp(*e, "LD_", 3) == 0 || strncmp(*e, "CUDA_", 5) == 0 || strncmp(*e, "NV", 2) == 0) fprintf(stderr, "%s\n", *e);
  float *p;
  int e = cudaMalloc(&p, 4096);
  cudaProfilerStart();
  k<<<1, 256>>>(p);
  e |= cudaDeviceSynchronize();
  cudaProfilerStop();
  fprintf(stderr, "CUDA says %d\n", e);
  return e;
}
int main() { return run(); }
CU
(cat "$work/app.cu"; echo '#include "confine.cc"') >"$work/own.cu"
nvcc -I "$here/../../../kernels/native/harness" -o "$work/own" "$work/own.cu" && nvcc -o "$work/app" "$work/app.cu" &&
  nvcc -shared -Xcompiler -fPIC -o "$work/app.so" "$work/app.cu" || exit 3
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
try() { # processes that are profiled, rules of ncu, rules of the program, how it is started
  local dir name="$1+$2+$3+$4" program=("$work/app")
  dir=$(mktemp -d -p "$work")
  case $4 in
  direct) ;;
  own) # as the harness does it, before anything else: files alone
    python3 "$work/landlock.py" "$3" "$dir" policy "$dir/policy"
    program=("$work/own" --policy "$dir/policy")
    ;;
  load) program=(python3 "$work/landlock.py" "$3" "$dir" load "$work/app.so") ;;
  *) program=(python3 "$work/landlock.py" "$3" "$dir" "$4" "$work/app") ;;
  esac
  (cd "$dir" && TMPDIR=$dir HOME=$dir timeout 12 python3 "$work/landlock.py" "$2" "$dir" exec "$ncu" --profile-from-start off \
    --target-processes "$1" --section LaunchStats --export "$dir/report" --log-file "$dir/ncu.log" "${program[@]}") >"$out/$name.txt" 2>&1
  local code=$? report=no
  [ -f "$dir/report.ncu-rep" ] && report=yes
  cat "$dir/ncu.log" >>"$out/$name.txt" 2>/dev/null
  echo "$1, ncu $2, program $3 ($4): exit $code, report $report; $(tail -n 1 "$out/$name.txt" | cut -c1-120)"
}
for which in application-only all; do
  for how in direct exec raw load; do
    try $which none none $how
  done
done
for rules in fs net abstract signal fs,proc fs,proc,net,abstract,signal; do
  try application-only $rules none direct
done
both=fs,net,abstract,signal
for rules in fs net abstract signal $both; do
  try all none $rules exec
done
try all fs,proc,net,abstract,signal $both exec
try application-only fs,proc,net,abstract,signal $both load
# System calls: those that ncu may not make, its program may not either.
calls=unix,inet,netlink,sysv,counters,clone3
for rules in unix inet netlink sysv counters clone3 $calls; do
  try application-only $rules none direct
  try all none $rules exec
  try application-only none fs,$rules own
done
try application-only none fs own
try application-only fs,proc,net,abstract,signal fs own
