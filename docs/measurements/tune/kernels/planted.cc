#include "planted.h"

#ifndef WORK
#define WORK 50
#endif
#ifndef NAME
#define NAME 1
#endif

// Read at run time: settings differ in numbers alone, and not in how the code is laid out.
static const volatile int kSteps = 1000 + WORK, kName = NAME;

void planted(int64_t n, const float *x, float *y) {
  const int steps = kSteps;
  unsigned a = unsigned(kName);
  for (int64_t i = 0; i < n / 50; i++)
    for (int k = 0; k < steps; k++) a = a * 1664525u + 1013904223u;
  asm volatile("" : : "r"(a));
  for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
}
