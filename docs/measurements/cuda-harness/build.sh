#!/bin/sh
# Builds the libraries that the scripts here measure: build.sh SM OUT, in the repository's root. SM is such as sm_89.
set -e
sm=$1 out=$2
mkdir -p "$out"
nv="nvcc -std=c++17 -O3 -arch=$sm -shared -Xcompiler -fPIC -I kernels/native"
e=kernels/examples
$nv $e/basics_cuda/basics.pg.cu $e/basics_cuda/basics.cu -o "$out/basics.so" &
$nv -DPG_FAULT_WORK=3 $e/basics_cuda/basics.pg.cu $e/basics_cuda/basics.cu -o "$out/basics_work3.so" &
$nv $e/attention_cuda/*.cu -o "$out/attention.so" &
$nv -DPG_FAULT_GRID=2 $e/attention_cuda/*.cu -o "$out/attention_2blocks.so" &
for f in testdata/cheats/cuda/*.cu; do
  $nv -I testdata/cheats/cuda "$f" -o "$out/$(basename "$f" .cu).so" &
done
wait
mkdir -p "$out/src" && cp -r kernels/native/harness kernels/native/perfgate.h "$out/src/"
(cd "$out/src" && for f in harness/*.cc harness/*.cu; do case $f in *_cpu*) ;; *) echo "#include \"$f\"";; esac; done >all.cu &&
  nvcc -std=c++17 -O2 -fmad=false -arch=$sm -Xcompiler -pthread -I. all.cu -o ../harness -ldl)
