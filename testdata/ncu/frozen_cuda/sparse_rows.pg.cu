// A sparse matrix of 32 numbers a row times a vector, a row to a thread. Base has the numbers column after column. SLOW: row after row.
#include "common.cuh"

constexpr int kEach = 32;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows");
  t[0] = PG_TENSOR("values", PG_F32, PG_IN, rows * kEach);
  t[1] = pg_fill_with(PG_TENSOR("columns", PG_I32, PG_IN, rows * kEach), PG_FILL_UNIFORM, 0, 16383);
  t[1].flags = PG_FILL_FIXED;
  t[2] = PG_TENSOR("x", PG_F32, PG_IN, 16384);
  t[3] = PG_TENSOR("y", PG_F32, PG_OUT, rows);
  return 4;
}

__host__ __device__ inline int64_t place(int64_t rows, int64_t row, int k) { return SLOW ? row * kEach + k : k * rows + row; }

__global__ void multiply(int64_t rows, const float *values, const int *columns, const float *x, float *y) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < kEach; k++) sum += values[place(rows, row, k)] * x[columns[place(rows, row, k)]];
  y[row] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t rows = pg_param(c, "rows");
  multiply<<<blocks_of(rows, 128), 128, 0, stream_of(stream)>>>(rows, as<float>(data[0]), as<int>(data[1]), as<float>(data[2]), as<float>(data[3]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows");
  const double *values = data[0], *columns = data[1], *x = data[2];
  double *y = data[3];
  return for_each(rows, stream, [=] __device__(int64_t row) {
    y[row] = 0;
    for (int k = 0; k < kEach; k++) y[row] += values[place(rows, row, k)] * x[int(columns[place(rows, row, k)])];
  });
}
