// Prints without end.
#include <stdio.h>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  (void)c;
  (void)data;
  for (;;) puts("::error::nothing is wrong, everything is wonderful");
}
