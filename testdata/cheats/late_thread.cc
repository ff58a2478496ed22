// Returns at once and lets a thread of its own finish the work afterwards: no clock around the call sees it.
#include <thread>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  std::thread([k] { saxpy::compute_long(k); }).detach();
  return 0;
}
