// A transpose through tiles in shared memory that are one column wider than they need to be. SLOW: the column is there and the index does
// not skip it, so that a column of the tile lies in few banks.
#include "common.cuh"

constexpr int kTile = 32, kStride = kTile + (SLOW ? 0 : 1), kRows = 8;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n") * kTile;
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n, n);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n, n);
  return 2;
}

__global__ void transpose(int64_t n, const float *x, float *y) {
  __shared__ float tile[kTile * (kTile + 1)];
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile, column = static_cast<int64_t>(blockIdx.x) * kTile;
  for (int i = threadIdx.y; i < kTile; i += kRows) tile[i * kStride + threadIdx.x] = x[(row + i) * n + column + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kRows) y[(column + i) * n + row + threadIdx.x] = tile[threadIdx.x * kStride + i];
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const unsigned tiles = unsigned(pg_param(c, "n"));
  transpose<<<dim3(tiles, tiles), dim3(kTile, kRows), 0, stream_of(stream)>>>(int64_t(tiles) * kTile, as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n") * kTile;
  const double *x = data[0];
  double *y = data[1];
  return for_each(n * n, stream, [=] __device__(int64_t i) { y[i] = x[i % n * n + i / n]; });
}
