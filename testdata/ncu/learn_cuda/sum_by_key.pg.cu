// Rows of a matrix added up by one of four keys, a column to a thread. SLOW: what is added for the keys that a row does not have is 0.0,
// a double, so that every sum is taken in float64 and rounded.
#include "common.cuh"

#if SLOW
#define NOTHING 0.0
#else
#define NOTHING 0.f
#endif

constexpr int kKeys = 4, kParts = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows, columns);
  t[1] = pg_fill_with(PG_TENSOR("key", PG_I32, PG_IN, rows), PG_FILL_UNIFORM, 0, kKeys - 1);
  t[1].flags = PG_FILL_FIXED;
  t[2] = PG_TENSOR("y", PG_F32, PG_INOUT, kKeys, columns);
  return 3;
}

__global__ void sum_by_key(int64_t rows, int64_t columns, const float *x, const int *keys, float *y) {
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float sums[kKeys] = {};
#pragma unroll 4
  for (int64_t row = blockIdx.y; row < rows; row += kParts) {
    const float v = x[row * columns + column];
    const int key = keys[row];
#pragma unroll
    for (int k = 0; k < kKeys; k++) sums[k] += key == k ? v : NOTHING;
  }
  for (int k = 0; k < kKeys; k++) atomicAdd(y + k * columns + column, sums[k]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t columns = pg_param(c, "columns");
  sum_by_key<<<dim3(blocks_of(columns, 128), kParts), 128, 0, stream_of(stream)>>>(pg_param(c, "rows"), columns, as<float>(data[0]), as<int>(data[1]), as<float>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  const double *x = data[0], *keys = data[1];
  double *y = data[2];
  return for_each(columns, stream, [=] __device__(int64_t i) {
    for (int64_t row = 0; row < rows; row++) y[int64_t(keys[row]) * columns + i] += x[row * columns + i];
  });
}
