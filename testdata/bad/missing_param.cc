// Asks for a parameter that its cases do not have.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  saxpy::Args k = saxpy::args(c, data);
  k.n -= pg_param(c, "m");
  saxpy::compute(k);
  return 0;
}
