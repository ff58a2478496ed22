// How often each of 256 values occurs. GLOBAL: every thread adds to the result itself instead of to a copy of its block's.
#include "common.cuh"

#ifndef GLOBAL
#define GLOBAL 0
#endif

constexpr int kBins = 256, kEach = 64;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("value", PG_I32, PG_IN, pg_param(c, "n")), PG_FILL_UNIFORM, 0, kBins - 1);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("count", PG_I32, PG_OUT, kBins);
  return 2;
}

__global__ void histogram(int64_t n, const int32_t *value, int32_t *count) {
  __shared__ int mine[kBins];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads * kEach + threadIdx.x;
  for (int64_t i = first; i < first + kThreads * kEach && i < n; i += kThreads) atomicAdd(GLOBAL ? count + value[i] : mine + value[i], 1);
  __syncthreads();
  if (!GLOBAL && mine[threadIdx.x] != 0) atomicAdd(count + threadIdx.x, mine[threadIdx.x]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  cudaMemsetAsync(data[1], 0, kBins * sizeof(int32_t), stream_of(stream));
  histogram<<<blocks_of(n, kThreads * kEach), kThreads, 0, stream_of(stream)>>>(n, static_cast<const int32_t *>(data[0]), static_cast<int32_t *>(data[1]));
  return 0;
}

__global__ void reference(int64_t n, const double *value, double *count) {
  double found = 0;
  for (int64_t i = 0; i < n; i++) found += value[i] == threadIdx.x;
  count[threadIdx.x] = found;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  reference<<<1, kBins, 0, stream_of(stream)>>>(pg_param(c, "n"), data[0], data[1]);
  return 0;
}
