// An off-by-one: the last element looks at what lies behind x.
#include "saxpy.cuh"

namespace {

__global__ void with_neighbour(saxpy::Args k) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < k.n) k.y[i] = *k.a * k.x[i] + k.y0[i] + (i == k.n - 1 ? 0.5f * k.x[i + 1] : 0.f);
}

}  // namespace

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  with_neighbour<<<saxpy::blocks(k.n), 256, 0, static_cast<cudaStream_t>(stream)>>>(k);
  return 0;
}
