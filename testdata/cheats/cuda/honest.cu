// Done right. It must pass every time.
#include "saxpy.cuh"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  saxpy::launch(saxpy::args(c, data), static_cast<cudaStream_t>(stream));
  return 0;
}

extern "C" void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = static_cast<double>(pg_param(c, "n"));
  *flops = 2 * n;
  *bytes = 12 * n;
}
