// Sum and sum of squares of each row, a warp to a row. SHUFFLES: the warp adds up after every 32 elements instead of once.
#include "common.cuh"

#ifndef SHUFFLES
#define SHUFFLES 0
#endif

constexpr int64_t kColumns = 1024;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows, kColumns);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, rows, 2);
  return 2;
}

__global__ void moments(int64_t rows, const float *x, float *y) {
  const int64_t row = thread_index() / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  if (row >= rows) return;
  double sum = 0, squares = 0;
  for (int64_t k = lane; k < kColumns; k += kLanes) {
    const double v = x[row * kColumns + k];
    sum += SHUFFLES ? over_warp(v) : v;
    squares += SHUFFLES ? over_warp(v * v) : v * v;
  }
  if (!SHUFFLES) sum = over_warp(sum), squares = over_warp(squares);
  if (lane < 2) y[row * 2 + lane] = static_cast<float>(lane ? squares : sum);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t rows = pg_param(c, "rows");
  moments<<<blocks_of(rows * kLanes, kThreads), kThreads, 0, stream_of(stream)>>>(rows, static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t rows, const double *x, double *y) {
  const int64_t row = thread_index();
  if (row >= rows) return;
  double sum = 0, squares = 0;
  for (int64_t k = 0; k < kColumns; k++) sum += x[row * kColumns + k], squares += x[row * kColumns + k] * x[row * kColumns + k];
  y[row * 2] = sum, y[row * 2 + 1] = squares;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows");
  reference<<<blocks_of(rows, kThreads), kThreads, 0, stream_of(stream)>>>(rows, data[0], data[1]);
  return 0;
}
