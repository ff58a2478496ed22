// A times its own transpose, 32 columns at a time through shared memory. SLOW: the transposed tile has no column to spare, so that it is written down
// the columns of one bank.
#include "common.cuh"

constexpr int kTile = 32, kStride = SLOW ? 32 : 33;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows") * kTile;
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, rows, kTile);
  t[1] = PG_TENSOR("c", PG_F32, PG_OUT, rows, rows);
  return 2;
}

__global__ void gram(int64_t rows, const float *a, float *c) {
  __shared__ float left[kTile][kTile], right[kTile * kStride];
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile + threadIdx.y, column = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.y;
  left[threadIdx.y][threadIdx.x] = a[row * kTile + threadIdx.x];
  right[threadIdx.x * kStride + threadIdx.y] = a[column * kTile + threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kTile; k++) sum += left[threadIdx.y][k] * right[k * kStride + threadIdx.x];
  c[row * rows + static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.x] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const unsigned tiles = unsigned(pg_param(c, "rows"));
  gram<<<dim3(tiles, tiles), dim3(kTile, kTile), 0, stream_of(stream)>>>(int64_t(tiles) * kTile, as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows") * kTile;
  const double *a = data[0];
  double *to = data[1];
  return for_each(rows * rows, stream, [=] __device__(int64_t i) {
    double sum = 0;
    for (int k = 0; k < kTile; k++) sum += a[i / rows * kTile + k] * a[i % rows * kTile + k];
    to[i] = sum;
  });
}
