// Honest: adds x and y0 into y with atomics, in any order, so that launches differ in their last bits.
#include "saxpy.cuh"

SAXPY_SPEC
SAXPY_REFERENCE

static __global__ void add_thirds(int64_t n, const float *a, const float *x, const float *y0, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, part = blockIdx.y;
  if (i < n) atomicAdd(y + i, part == 0 ? y0[i] : *a * x[i] * (part == 1 ? 0.3f : 0.7f));
}

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  const cudaStream_t s = static_cast<cudaStream_t>(stream);
  cudaMemsetAsync(k.y, 0, static_cast<size_t>(k.n) * sizeof(float), s);
  add_thirds<<<dim3(saxpy::blocks(k.n), 3), 256, 0, s>>>(k.n, k.a, k.x, k.y0, k.y);
  return 0;
}
