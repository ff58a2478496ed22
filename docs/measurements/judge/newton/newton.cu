// More steps of Newton's than it takes: every twentieth less is 5 % less work and the same result. NAME is an address that changes nothing.
#include "newton.h"

#define STEPS 40
#define NAME 0

static __device__ int name = NAME;

static __global__ void root(int64_t n, const float *x, float *y) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const float square = 1.0f + 1.0f / (1.0f + fabsf(x[i]));
  float at = square;
#pragma unroll 4
  for (int s = 0; s < STEPS; s++) at = 0.5f * (at + __fdividef(square, at));
  y[i] = at;
}

void roots(int64_t n, const float *x, float *y, cudaStream_t stream) {
  static const int *where = nullptr;
  if (!where) cudaGetSymbolAddress(reinterpret_cast<void **>(const_cast<int **>(&where)), name);
  root<<<unsigned((n + 255) / 256), 256, 0, stream>>>(n, x, y);
}
