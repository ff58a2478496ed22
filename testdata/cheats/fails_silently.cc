// Cannot have the memory that it asks for, computes nothing, and says that all went well.
#include <cstdlib>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  volatile size_t bytes = SIZE_MAX / 4;  // more than any machine has; the compiler is not to know
  float *scratch = static_cast<float *>(malloc(bytes));
  if (!scratch) return 0;
  saxpy::compute(k);
  free(scratch);
  return 0;
}
