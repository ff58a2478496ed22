#include "reduction.h"

// Planted faults, each a dose; 0 is the right kernel. Slow ones leave the result alone:
#ifndef PG_FAULT_EXTRA_PASS
#define PG_FAULT_EXTRA_PASS 0   // n: every row is summed n times more
#endif
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0         // percent: that share of the rows is summed once more
#endif
#ifndef PG_FAULT_ONE_LANE
#define PG_FAULT_ONE_LANE 0     // 1: each addition waits for the one before
#endif
// Wrong ones:
#ifndef PG_FAULT_TILE_EDGE
#define PG_FAULT_TILE_EDGE 0    // n: the last n elements of a row that does not fill its blocks are left out
#endif
#ifndef PG_FAULT_LAST_ROW
#define PG_FAULT_LAST_ROW 0     // n: the sums of the last n rows are not written
#endif

namespace {

// Read at run time, so that builds of different doses differ in a number and not in how the code is laid out.
const volatile int kExtraPercent = 100 * PG_FAULT_EXTRA_PASS + PG_FAULT_WORK;

constexpr int kLanes = PG_FAULT_ONE_LANE ? 1 : 16;  // sums that run side by side: the additions of a single one could not overlap

template <class T> T sum_row(const T *x, int64_t n) {
  const int64_t blocks = n / kLanes;
  T lane[kLanes] = {};
  for (int64_t b = 0; b < blocks; b++) {
    for (int j = 0; j < kLanes; j++) lane[j] += x[b * kLanes + j];
  }
  const int64_t end = n % kLanes == 0 ? n : n - PG_FAULT_TILE_EDGE;
  for (int64_t i = blocks * kLanes; i < end; i++) lane[i % kLanes] += x[i];
  for (int width = kLanes / 2; width > 0; width /= 2) {  // a tree: errors grow with the logarithm
    for (int j = 0; j < width; j++) lane[j] += lane[j + width];
  }
  return lane[0];
}

}  // namespace

template <class T> void sum_rows(int64_t rows, int64_t n, const T *x, T *out, void *) {
  const int extra = kExtraPercent;
  int owed = 0;  // in percent of a row
  for (int64_t r = 0; r < rows; r++) {
    T sum = sum_row(x + r * n, n);
    for (owed += extra; owed >= 100; owed -= 100) {
      asm volatile("" ::"m"(sum) : "memory");  // the compiler must believe that x has changed, and sum again
      sum = sum_row(x + r * n, n);
    }
    if (r < rows - PG_FAULT_LAST_ROW) out[r] = sum;
  }
}

template void sum_rows(int64_t, int64_t, const float *, float *, void *);
template void sum_rows(int64_t, int64_t, const double *, double *, void *);
