// Starts a thread for the work and waits for it, as it should.
#include <thread>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  std::thread([k] { saxpy::compute_long(k); }).join();
  return 0;
}
