// Writes one byte past the end of its output.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  saxpy::compute(k);
  reinterpret_cast<volatile char *>(k.y + k.n)[0] = 0;
  return 0;
}
