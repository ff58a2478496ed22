// Takes memory without end, and uses it.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  (void)c;
  (void)data;
  for (;;) {
    char *piece = new char[16 << 20];
    memset(piece, 1, 16 << 20);
    asm volatile("" : : "r"(piece) : "memory");  // or the compiler removes both
  }
}
