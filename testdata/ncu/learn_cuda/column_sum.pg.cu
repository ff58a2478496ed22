// Sums of the columns of a matrix of bytes, a part of the rows to a block. SLOW: a thread has one column and loads a byte at a time, instead of
// four columns that it loads together.
#include "common.cuh"

constexpr int kEach = SLOW ? 1 : 4, kThreads = 128, kParts = 64;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_I8, PG_IN, pg_param(c, "rows"), pg_param(c, "columns") * 4);
  t[1] = PG_TENSOR("y", PG_I32, PG_INOUT, pg_param(c, "columns") * 4);
  return 2;
}

__global__ void column_sum(int64_t rows, int64_t columns, const signed char *x, int *y) {
  const int64_t at = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kEach;
  if (at >= columns) return;
  int sum[kEach] = {};
#pragma unroll 4
  for (int64_t row = blockIdx.y; row < rows; row += kParts) {
    if (SLOW) {
      sum[0] += x[row * columns + at];
    } else {
      const char4 v = *reinterpret_cast<const char4 *>(x + row * columns + at);
      sum[0] += v.x, sum[1 % kEach] += v.y, sum[2 % kEach] += v.z, sum[3 % kEach] += v.w;
    }
  }
  for (int i = 0; i < kEach; i++) atomicAdd(y + at + i, sum[i]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t columns = pg_param(c, "columns") * 4;
  column_sum<<<dim3(blocks_of(columns, kThreads * kEach), kParts), kThreads, 0, stream_of(stream)>>>(pg_param(c, "rows"), columns, as<signed char>(data[0]), as<int>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns") * 4;
  const double *x = data[0];
  double *y = data[1];
  return for_each(columns, stream, [=] __device__(int64_t i) {
    for (int64_t row = 0; row < rows; row++) y[i] += x[row * columns + i];
  });
}
