// Works on a stream of its own that nobody waits for: events on the given stream see nothing.
#include "saxpy.cuh"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  static cudaStream_t side = nullptr;
  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  saxpy::launch(saxpy::args(c, data), side);
  return 0;
}
