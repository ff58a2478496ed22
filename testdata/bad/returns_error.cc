// Reports failure from its launch.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  (void)c;
  (void)data;
  return 7;
}
