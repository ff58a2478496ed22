// Computes the right result and leaves one input changed.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  saxpy::compute(k);
  k.x[k.n / 2] += 1;
  return 0;
}
