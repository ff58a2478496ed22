#include "saxpy.h"

// Planted faults, each a dose; 0 is the right kernel. Slow ones leave the result alone:
#ifndef PG_FAULT_EXTRA_PASS
#define PG_FAULT_EXTRA_PASS 0   // n: y is read and written n times more, as by kernels that were not fused
#endif
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0         // percent: that share of y is read and written once more
#endif
#ifndef PG_FAULT_STRIDED
#define PG_FAULT_STRIDED 0      // n: neighbours in time are n + 1 floats apart
#endif
// Wrong ones:
#ifndef PG_FAULT_WRONG_SCALE
#define PG_FAULT_WRONG_SCALE 0  // percent: a is so much too large
#endif
#ifndef PG_FAULT_TILE_EDGE
#define PG_FAULT_TILE_EDGE 0    // n: where the length is no multiple of 8, the last n elements are left out
#endif

namespace {

// Read at run time, so that builds of different doses differ in a number and not in how the code is laid out.
const volatile int kExtraPasses = PG_FAULT_EXTRA_PASS, kExtraWork = PG_FAULT_WORK;

// Multiplies by a one that the compiler cannot know to be one: a pass over y that changes nothing.
void touch(float *y, int64_t n) {
  float one = 1;
  asm volatile("" : "+m"(one)::"memory");
  for (int64_t i = 0; i < n; i++) y[i] *= one;
}

}  // namespace

void saxpy(int64_t n, const float *a_at, const float *x, float *y, void *) {
  constexpr int64_t stride = 1 + PG_FAULT_STRIDED;
  const float a = *a_at * (1 + PG_FAULT_WRONG_SCALE / 100.f);
  const int64_t end = n % 8 == 0 ? n : n - PG_FAULT_TILE_EDGE;

  for (int64_t first = 0; first < stride; first++) {
    for (int64_t i = first; i < end; i += stride) y[i] += a * x[i];
  }
  for (int pass = kExtraPasses; pass > 0; pass--) touch(y, n);
  touch(y, n * kExtraWork / 100);
}
