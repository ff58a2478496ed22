// Right, and as slow as REPEAT says.
#include "../saxpy.h"

#ifndef REPEAT
#define REPEAT 50
#endif

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  for (int i = 0; i < REPEAT; i++) {
    saxpy::compute(k);
    asm volatile("" : : "r"(k.y) : "memory");  // or the compiler does it once
  }
  return 0;
}
