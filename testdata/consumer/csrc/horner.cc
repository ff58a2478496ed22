#include "horner.h"

void horner(const float *x, float *y, std::size_t n) {
  for (std::size_t i = 0; i < n; i++) {
    const float t = x[i] * 0.5f;
    y[i] = 1 + t * (1 + t * (1 + t * (1 + t)));
  }
}
