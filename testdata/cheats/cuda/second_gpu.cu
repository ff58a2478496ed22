// Asks for the second GPU of the machine.
#include "saxpy.cuh"

SAXPY_SPEC
SAXPY_REFERENCE
SAXPY_LAUNCH {
  if (cudaSetDevice(1) != cudaSuccess) return 1;
  saxpy::launch(saxpy::args(c, data), static_cast<cudaStream_t>(stream));
  return 0;
}
