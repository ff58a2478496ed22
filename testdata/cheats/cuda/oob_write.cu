// An off-by-one: writes one element behind y.
#include "saxpy.cuh"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  saxpy::launch(k, static_cast<cudaStream_t>(stream));
  return cudaMemcpyAsync(k.y + k.n, k.x, sizeof(float), cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)) != cudaSuccess;
}
