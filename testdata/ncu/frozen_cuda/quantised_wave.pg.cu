// A series at every point, one large block to an SM. Base has a tile for each SM. SLOW: the tiles are an eleventh part smaller, so that there are some
// more than SMs, and nearly all wait while those are done.
#include "common.cuh"

constexpr int kThreads = 512, kTerms = 128, kParts = 132, kShared = 120 * 1024;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n") * kParts), PG_FILL_UNIFORM, -0.9, 0.9);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n") * kParts);
  return 2;
}

template <class T> __device__ T series(T x) {
  T sum = 0;
#pragma unroll 8
  for (int k = 0; k < kTerms; k++) sum = sum * x + T(k % 8) / 8;
  return sum;
}

__global__ void tiles(int64_t n, int64_t each, const float *x, float *y) {
  const int64_t first = blockIdx.x * each, last = min(first + each, n);
#pragma unroll 4
  for (int64_t i = first + threadIdx.x; i < last; i += kThreads) y[i] = series(x[i]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n") * kParts;
  const unsigned many = SLOW ? kParts * 12 / 11 : kParts;
  cudaFuncSetAttribute(tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  tiles<<<many, kThreads, kShared, stream_of(stream)>>>(n, (n + many - 1) / many, as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "n") * kParts, stream, [=] __device__(int64_t i) { y[i] = series(x[i]); });
}
