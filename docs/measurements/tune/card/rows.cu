#include "rows.h"

#ifndef BLOCK  // threads of a block, which share its rows
#define BLOCK 256
#endif
#ifndef WIDTH  // floats of one load
#define WIDTH 1
#endif
#ifndef ROWS  // of a block, one after the other
#define ROWS 1
#endif

static __device__ float sum_of_block(float s) {
  __shared__ float parts[BLOCK / 32];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
  for (int w = 0; w < BLOCK / 32; w++) s += parts[w];
  return s;
}

static __global__ void __launch_bounds__(BLOCK) norms(int64_t rows, int64_t columns, const float *x, float *y) {
  for (int64_t r = blockIdx.x * int64_t(ROWS); r < min(rows, (blockIdx.x + 1) * int64_t(ROWS)); r++) {
    const float *row = x + r * columns;
    float s = 0;
    int64_t at = threadIdx.x;
    if (WIDTH == 4 && columns % 4 == 0) {
      const float4 *wide = reinterpret_cast<const float4 *>(row);
      for (int64_t i = threadIdx.x; i < columns / 4; i += BLOCK) {
        const float4 v = wide[i];
        s += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
      }
      at = columns;
    }
    for (int64_t i = at; i < columns; i += BLOCK) s += row[i] * row[i];
    s = sum_of_block(s);
    if (threadIdx.x == 0) y[r] = sqrtf(s / float(columns));
  }
}

extern "C" void rows_norm(int64_t rows, int64_t columns, const float *x, float *y, cudaStream_t stream) {
  norms<<<unsigned((rows + ROWS - 1) / ROWS), BLOCK, 0, stream>>>(rows, columns, x, y);
}
