// What a search begins with: right, and in no hurry: a block a row, in float64.
#include "normalize.h"

static __global__ void rows_to_normal(int64_t cols, const float *x, float *y) {
  __shared__ double sums[256];
  const float *in = x + blockIdx.x * cols;
  double mean = 0, variance = 0;
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) mean += in[i];
  for (int pass = 0; pass < 2; pass++) {
    sums[threadIdx.x] = pass ? variance : mean;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();
    }
    if (pass) {
      variance = sums[0] / double(cols);
    } else {
      mean = sums[0] / double(cols);
      __syncthreads();
      for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) variance += (in[i] - mean) * (in[i] - mean);
    }
  }
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = float((in[i] - mean) / sqrt(variance + 1e-5));
}

void normalize(int64_t rows, int64_t cols, const float *x, float *y, cudaStream_t stream) {
  rows_to_normal<<<unsigned(rows), 256, 0, stream>>>(cols, x, y);
}
