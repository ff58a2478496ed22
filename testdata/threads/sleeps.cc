// Sleeps before it works, as a back-off or a slow lock would: a thread's CPU clock does not run then.
#include <unistd.h>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  usleep(500);
  saxpy::compute_long(saxpy::args(c, data));
  return 0;
}
