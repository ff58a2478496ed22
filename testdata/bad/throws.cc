// Throws out of its launch.
#include <stdexcept>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  (void)c;
  (void)data;
  throw std::runtime_error("no such luck");
}
