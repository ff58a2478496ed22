// The same, and makes sure that nobody else can see it either.
#include "saxpy.cuh"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  saxpy::kernel<float><<<1, 4096, 0, static_cast<cudaStream_t>(stream)>>>(k.n, k.a, k.x, k.y0, k.y);
  cudaGetLastError();
  return 0;
}
