#include "layernorm.h"

#include <cmath>

// Planted faults, each a dose; 0 is the right kernel. Slow ones leave the result alone:
#ifndef PG_FAULT_EXTRA_PASS
#define PG_FAULT_EXTRA_PASS 0    // n: mean and variance of every row are computed n times more
#endif
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0          // percent: mean and variance of that share of the rows are computed once more
#endif
#ifndef PG_FAULT_STRIDED
#define PG_FAULT_STRIDED 0       // n: neighbours in time of the last pass are n + 1 columns apart
#endif
// Wrong ones:
#ifndef PG_FAULT_TILE_EDGE
#define PG_FAULT_TILE_EDGE 0     // n: the last n columns of a row that is no multiple of 16 miss mean and variance
#endif
#ifndef PG_FAULT_ONE_PASS
#define PG_FAULT_ONE_PASS 0      // 1: variance as E[x^2] - E[x]^2, which cancels where the mean is large
#endif
#ifndef PG_FAULT_WRONG_SCALE
#define PG_FAULT_WRONG_SCALE 0   // 1: the variance is divided by n - 1
#endif
#ifndef PG_FAULT_NO_EPSILON
#define PG_FAULT_NO_EPSILON 0    // 1: nothing is added to the variance, and a constant row divides by zero
#endif

namespace {

// Read at run time, so that builds of different doses differ in a number and not in how the code is laid out.
const volatile int kExtraPercent = 100 * PG_FAULT_EXTRA_PASS + PG_FAULT_WORK;

constexpr int kLanes = 16;  // sums that run side by side, so that they vectorise and their additions overlap

// The sum of f(x[j]), as a tree.
template <class F> float sum(const float *x, int64_t n, F f) {
  float lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; j++) lane[j] += f(x[i + j]);
  }
  for (; i < n; i++) lane[i % kLanes] += f(x[i]);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; j++) lane[j] += lane[j + width];
  }
  return lane[0];
}

struct Moments { float mean, variance; };

Moments moments(const float *x, int64_t columns) {
  const int64_t n = columns % kLanes == 0 ? columns : columns - PG_FAULT_TILE_EDGE;
  const float mean = sum(x, n, [](float v) { return v; }) / float(n);
  const float squares = PG_FAULT_ONE_PASS ? sum(x, n, [](float v) { return v * v; }) - float(n) * mean * mean
                                          : sum(x, n, [mean](float v) { return (v - mean) * (v - mean); });
  return {mean, squares / float(n - PG_FAULT_WRONG_SCALE)};
}

}  // namespace

void layernorm(int64_t rows, int64_t columns, const float *x, const float *gamma, const float *beta, float *out, void *) {
  constexpr int64_t stride = 1 + PG_FAULT_STRIDED;
  const int extra = kExtraPercent;
  int owed = 0;  // in percent of a row
  for (int64_t r = 0; r < rows; r++, x += columns, out += columns) {
    Moments m = moments(x, columns);
    for (owed += extra; owed >= 100; owed -= 100) {
      asm volatile("" ::"m"(m) : "memory");  // the compiler must believe that the row has changed
      m = moments(x, columns);
    }
    const float norm = 1 / std::sqrt(m.variance + (PG_FAULT_NO_EPSILON ? 0 : kEpsilon));
    for (int64_t first = 0; first < stride; first++) {
      for (int64_t j = first; j < columns; j += stride) out[j] = (x[j] - m.mean) * norm * gamma[j] + beta[j];
    }
  }
}
