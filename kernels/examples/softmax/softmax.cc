#include "softmax.h"

#include <algorithm>
#include <cmath>

// Planted faults, each a dose; 0 is the right kernel. Slow ones leave the result alone:
#ifndef PG_FAULT_EXTRA_PASS
#define PG_FAULT_EXTRA_PASS 0   // n: every row is exponentiated and summed n times more
#endif
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0         // percent: that share of the rows is exponentiated and summed once more
#endif
// Wrong ones:
#ifndef PG_FAULT_TILE_EDGE
#define PG_FAULT_TILE_EDGE 0    // n: the last n columns of a row that is no multiple of 8 miss the maximum and the sum
#endif
#ifndef PG_FAULT_NO_MAX
#define PG_FAULT_NO_MAX 0       // 1: no maximum is subtracted before exp, which overflows at 88
#endif
#ifndef PG_FAULT_WRONG_SCALE
#define PG_FAULT_WRONG_SCALE 0  // percent: a row adds up to so much more than 1
#endif

namespace {

// Read at run time, so that builds of different doses differ in a number and not in how the code is laid out.
const volatile int kExtraPercent = 100 * PG_FAULT_EXTRA_PASS + PG_FAULT_WORK;

constexpr int kLanes = 8;  // maxima and sums that run side by side, so that they vectorise and need not wait for each other

float largest(const float *x, int64_t n) {
  float lane[kLanes];
  std::fill(lane, lane + kLanes, x[0]);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; j++) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
  }
  for (; i < n; i++) lane[0] = x[i] > lane[0] ? x[i] : lane[0];
  return *std::max_element(lane, lane + kLanes);
}

float sum(const float *x, int64_t n) {
  float lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; j++) lane[j] += x[i + j];
  }
  for (; i < n; i++) lane[0] += x[i];
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

// e[j] = exp(x[j] - max) for all columns; returns the sum of those that count.
float exponentials(const float *x, float max, int64_t counted, int64_t columns, float *e) {
  for (int64_t j = 0; j < columns; j++) e[j] = std::exp(x[j] - max);
  return sum(e, counted);
}

}  // namespace

template <class T> void softmax(int64_t rows, int64_t columns, const T *x, T *out, void *) {
  alignas(64) float buffer[kMaxColumns], e[kMaxColumns];
  const int64_t counted = columns % kLanes == 0 ? columns : columns - PG_FAULT_TILE_EDGE;
  const int extra = kExtraPercent;
  int owed = 0;  // in percent of a row

  for (int64_t r = 0; r < rows; r++) {
    const float *row = as_float(x + r * columns, buffer, columns);
    const float max = PG_FAULT_NO_MAX ? 0 : largest(row, counted);
    float total = exponentials(row, max, counted, columns, e);
    for (owed += extra; owed >= 100; owed -= 100) {
      asm volatile("" ::"r"(e), "m"(total) : "memory");  // the compiler must believe that the row has changed
      total = exponentials(row, max, counted, columns, e);
    }
    const float norm = (1 + PG_FAULT_WRONG_SCALE / 100.f) / total;
    for (int64_t j = 0; j < columns; j++) e[j] *= norm;
    narrow(e, out + r * columns, columns);
  }
}

template void softmax(int64_t, int64_t, const float *, float *, void *);
template void softmax(int64_t, int64_t, const f16 *, f16 *, void *);
template void softmax(int64_t, int64_t, const bf16 *, bf16 *, void *);
