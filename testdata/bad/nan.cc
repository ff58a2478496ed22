// Computes one NaN.
#include <math.h>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  saxpy::compute(k);
  k.y[k.n / 2] = NAN;
  return 0;
}
