// Never returns from its launch.
#include <unistd.h>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  (void)c;
  (void)data;
  for (;;) pause();
}
