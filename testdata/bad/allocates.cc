// Takes memory without end.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  (void)c;
  (void)data;
  for (;;) {
    char *piece = new char[16 << 20];
    *piece = 1;
    asm volatile("" : : "r"(piece) : "memory");  // or the compiler removes both
  }
}
