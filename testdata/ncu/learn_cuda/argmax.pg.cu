// The place of the largest number of each row. Base: a block of several warps to a row. SLOW: one warp to a row, whatever its length.
#include "common.cuh"

constexpr int kThreads = SLOW ? 32 : 1024;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "rows"), pg_param(c, "columns"));
  t[1] = PG_TENSOR("y", PG_I32, PG_OUT, pg_param(c, "rows"));
  return 2;
}

__device__ void better(float &v, int &at, float other, int there) {
  if (other > v || (other == v && there < at)) v = other, at = there;
}

__device__ void over_warp(float &v, int &at) {
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(kAll, v, step);
    const int there = __shfl_xor_sync(kAll, at, step);
    better(v, at, other, there);
  }
}

__global__ void argmax(int columns, const float *x, int *y) {
  const float *row = x + static_cast<int64_t>(blockIdx.x) * columns;
  float v = -INFINITY;
  int at = 0x7FFFFFFF;
  for (int i = threadIdx.x; i < columns; i += kThreads) better(v, at, row[i], i);
  over_warp(v, at);
  if (kThreads > 32) {
    __shared__ float values[32];
    __shared__ int places[32];
    if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = v, places[threadIdx.x / 32] = at;
    __syncthreads();
    v = values[threadIdx.x % 32], at = places[threadIdx.x % 32];
    over_warp(v, at);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = at;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  argmax<<<unsigned(pg_param(c, "rows")), kThreads, 0, stream_of(stream)>>>(int(pg_param(c, "columns")), as<float>(data[0]), as<int>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t columns = pg_param(c, "columns");
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "rows"), stream, [=] __device__(int64_t row) {
    y[row] = 0;
    for (int64_t i = 1; i < columns; i++) {
      if (x[row * columns + i] > x[row * columns + int64_t(y[row])]) y[row] = double(i);
    }
  });
}
