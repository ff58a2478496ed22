// Does not write the last element.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  saxpy::Args k = saxpy::args(c, data);
  k.n--;
  saxpy::compute(k);
  return 0;
}
