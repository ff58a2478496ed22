#include "reduce.h"

#ifndef SUMS
#define SUMS 1
#endif
#ifndef STEPS
#define STEPS 1
#endif

float reduce(int64_t n, const float *x) {
  float sum[SUMS] = {};
  int64_t i = 0;
  for (; i + SUMS * STEPS <= n; i += SUMS * STEPS)
    for (int step = 0; step < STEPS; step++)
      for (int s = 0; s < SUMS; s++) sum[s] += x[i + step * SUMS + s];
  float all = 0;
  for (; i < n; i++) all += x[i];
  for (int s = 0; s < SUMS; s++) all += sum[s];
  return all;
}
