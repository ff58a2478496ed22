#include "basics.h"

// Planted fault: percent of the work that is done once more.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif

namespace {

constexpr unsigned kThreads = 256;

__global__ void saxpy_kernel(int64_t n, int64_t again, const float *a, const float *x, const float *y0, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) y[i] = *a * x[i] + y0[i];
  if (i < again) {  // other elements, so that nothing is in cache
    const int64_t j = n - 1 - i;
    y[j] = *a * x[j] + y0[j];
  }
}

__global__ void polynomial_kernel(int64_t n, int64_t degree, int64_t again, const float *x, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int64_t k = degree + again; k >= 1; k--) {
    if (k == degree) sum = 0;  // what came before was work for nothing
    sum = sum * x[i] + 0.5f;
  }
  y[i] = sum;
}

unsigned blocks(int64_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

}  // namespace

void saxpy(int64_t n, const float *a, const float *x, const float *y0, float *y, cudaStream_t stream) {
  saxpy_kernel<<<blocks(n), kThreads, 0, stream>>>(n, n * PG_FAULT_WORK / 100, a, x, y0, y);
}

void polynomial(int64_t n, int64_t degree, const float *x, float *y, cudaStream_t stream) {
  polynomial_kernel<<<blocks(n), kThreads, 0, stream>>>(n, degree, degree * PG_FAULT_WORK / 100, x, y);
}
