#include "product.h"

#ifndef TILE  // rows and columns of c that a block makes
#define TILE 64
#endif
#ifndef DEEP  // of a and b that are in shared memory at once
#define DEEP 16
#endif
#ifndef EACH  // rows and columns of c that a thread makes
#define EACH 4
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

constexpr int side = TILE / EACH, threads = side * side, at_once = UNROLL;

static __global__ void __launch_bounds__(threads) multiply(int n, const float *a, const float *b, float *c) {
  __shared__ float as[DEEP][TILE + 1], bs[DEEP][TILE];
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, y = threadIdx.x / side, x = threadIdx.x % side;
  float sum[EACH][EACH] = {};
  for (int k = 0; k < n; k += DEEP) {
    for (int i = threadIdx.x; i < TILE * DEEP; i += threads) {
      const int r = i / DEEP, d = i % DEEP;
      as[d][r] = row + r < n && k + d < n ? a[int64_t(row + r) * n + k + d] : 0;
    }
    for (int i = threadIdx.x; i < TILE * DEEP; i += threads) {
      const int d = i / TILE, q = i % TILE;
      bs[d][q] = column + q < n && k + d < n ? b[int64_t(k + d) * n + column + q] : 0;
    }
    __syncthreads();
#pragma unroll at_once
    for (int d = 0; d < DEEP; d++) {
      float left[EACH], right[EACH];
#pragma unroll
      for (int i = 0; i < EACH; i++) left[i] = as[d][y + i * side], right[i] = bs[d][x + i * side];
#pragma unroll
      for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < EACH; i++)
    for (int j = 0; j < EACH; j++) {
      const int r = row + y + i * side, q = column + x + j * side;
      if (r < n && q < n) c[int64_t(r) * n + q] = sum[i][j];
    }
}

extern "C" void product(int64_t n, const float *a, const float *b, float *c, cudaStream_t stream) {
  const unsigned blocks = unsigned((n + TILE - 1) / TILE);
  multiply<<<dim3(blocks, blocks), threads, 0, stream>>>(int(n), a, b, c);
}
