#!/bin/sh
# Adapters that CMake with make, CMake with ninja, and plain nvcc build for the GPU of this machine, through parity; and resource limits
# that no kernel keeps: build_commands.sh PERFGATE OUT, in the repository's root.
perfgate=$(realpath "$1") out=$(realpath -m "$2") bad=0
mkdir -p "$out"
try() { # name, wanted exit code, folder, arguments...
  name=$1 want=$2 folder=$3
  shift 3
  (cd "$folder" && "$perfgate" "$@" >"$out/$name.txt" 2>&1)
  got=$?
  [ $got = "$want" ] || bad=1
  echo "$name: exit $got, wanted $want: $(grep -m1 '^\(PASS\|FAIL\|COULD\)' "$out/$name.txt" | cut -c1-200)"
}
for kernel in make ninja nvcc; do
  try "$kernel" 0 kernels/examples/cmake_saxpy_cuda parity --kernel "$kernel" --seed 7
done
cp -r testdata/parity/cuda "$out/limits"
sed 's/^    parity: .*/&\n    limits: {registers: 4}/' testdata/parity/cuda/hidden.yaml >"$out/limits/hidden.yaml"
try limits 1 "$out/limits" run --config hidden.yaml --base . --head . --seed 7 --out "$out/limits.run"
sed 's/^    measure:/    limits: {spill-bytes: 0}\n&/' kernels/examples/cmake_saxpy_cuda/perfgate.yaml >"$out/spills.yaml"
cp -r kernels/examples/cmake_saxpy_cuda "$out/spills" && mv "$out/spills.yaml" "$out/spills/perfgate.yaml"
try spills_of_a_finished_library 3 "$out/spills" run --kernel nvcc --base . --head . --seed 7 --out "$out/spills.run"
exit $bad
