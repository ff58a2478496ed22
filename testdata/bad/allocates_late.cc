// Right for its first hundreds of launches, which are those of parity; then it takes memory without end.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  static int launches = 0;
  if (launches++ < 600) {
    saxpy::compute(saxpy::args(c, data));
    return 0;
  }
  for (;;) {
    char *piece = new char[16 << 20];
    *piece = 1;
    asm volatile("" : : "r"(piece) : "memory");  // or the compiler removes both
  }
}
