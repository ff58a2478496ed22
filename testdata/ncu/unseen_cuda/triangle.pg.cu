// A row of a triangular matrix times a vector, a warp to a row, and as many blocks as SMs. CONTIGUOUS: a block gets neighbouring rows
// instead of every so-manieth, so that the last block has twice the work of the mean one.
#include "common.cuh"

#ifndef CONTIGUOUS
#define CONTIGUOUS 0
#endif

constexpr int64_t kWeights = 1024, kWarps = 32;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[1] = PG_TENSOR("w", PG_F32, PG_IN, kWeights);
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 3;
}

__global__ void triangle(int64_t n, const float *x, const float *w, float *y) {
  const int64_t each = (n + gridDim.x - 1) / gridDim.x;
  const unsigned lane = threadIdx.x % kLanes;
  for (int64_t k = threadIdx.x / kLanes; k < each; k += kWarps) {
    const int64_t row = CONTIGUOUS ? blockIdx.x * each + k : blockIdx.x + gridDim.x * k;
    if (row >= n) continue;
    float sum = 0;
    for (int64_t j = lane; j <= row; j += kLanes) sum += x[j] * w[(row - j) % kWeights];
    sum = over_warp(sum);
    if (lane == 0) y[row] = sum;
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  triangle<<<static_cast<unsigned>(sms), kLanes * kWarps, 0, stream_of(stream)>>>(pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<const float *>(data[1]), static_cast<float *>(data[2]));
  return 0;
}

__global__ void reference(int64_t n, const double *x, const double *w, double *y) {
  const int64_t row = thread_index();
  if (row >= n) return;
  y[row] = 0;
  for (int64_t j = 0; j <= row; j++) y[row] += x[j] * w[(row - j) % kWeights];
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, data[0], data[1], data[2]);
  return 0;
}
