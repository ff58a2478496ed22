// Writes where nothing is: the error stays, and takes the device from this process.
#include "saxpy.cuh"

namespace {

__global__ void wild(float *y) { y[1ll << 44] = 1; }

}  // namespace

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  wild<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(saxpy::args(c, data).y);
  return 0;
}
