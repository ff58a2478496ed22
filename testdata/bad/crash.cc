// Reads address 0 in its launch.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  float *volatile nowhere = nullptr;
  *saxpy::args(c, data).y = *nowhere;
  return 0;
}
