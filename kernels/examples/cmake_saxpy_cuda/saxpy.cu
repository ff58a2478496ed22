#include "saxpy.h"

// Planted fault: needless rounds of arithmetic an element.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif

static __global__ void add_scaled(int64_t n, const float *a, const float *x, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float extra = 0;
  for (int k = 0; k < PG_FAULT_WORK; k++) extra = sqrtf(extra * extra + x[i] * x[i]) * 1e-30f;
  y[i] = *a * x[i] + y[i] + extra * 1e-30f;
}

void saxpy(int64_t n, const float *a, const float *x, float *y, cudaStream_t stream) {
  add_scaled<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(n, a, x, y);
}
