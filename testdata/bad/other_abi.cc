// Was built for an interface that does not exist.
#define pg_abi pg_abi_of_the_header
#include "../saxpy.h"
#undef pg_abi

SAXPY_SPEC
SAXPY_REFERENCE

extern "C" PG_EXPORT int pg_abi(void) { return 99; }

SAXPY_LAUNCH {
  saxpy::compute(saxpy::args(c, data));
  return 0;
}
