// An off-by-one: the last element looks at what lies behind x.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  saxpy::compute(k);
  k.y[k.n - 1] += 0.5f * const_cast<const volatile float *>(k.x)[k.n];
  return 0;
}
