// A polynomial whose coefficients alternate between 64 values. LOCAL: they are in an array of the thread's own with an index that is
// not known when it is compiled, so that they lie in local memory.
#include "common.cuh"

#ifndef LOCAL
#define LOCAL 0
#endif

constexpr int kTable = 64;

__host__ __device__ constexpr float coefficient(int k) { return static_cast<float>(k % 7 - 3) / 8; }

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, n), PG_FILL_UNIFORM, -0.9, 0.9);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

// `stride` is 1, which the compiler cannot know.
__global__ void series(int64_t n, int degree, int stride, const float *x, float *y) {
  const int64_t i = thread_index();
  if (i >= n) return;
  const float v = x[i];
  float sum = 0;
  if (LOCAL) {
    float own[kTable];
    for (int k = 0; k < kTable; k++) own[k * stride % kTable] = coefficient(k);
#pragma unroll 1
    for (int k = 0; k < degree; k++) sum = sum * v + own[k * stride % kTable];
  } else {
#pragma unroll 1
    for (int k = 0; k < degree; k += kTable) {
#pragma unroll
      for (int j = 0; j < kTable; j++) sum = sum * v + coefficient(j);
    }
  }
  y[i] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  series<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, static_cast<int>(pg_param(c, "degree")), 1, static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t n, int degree, const double *x, double *y) {
  const int64_t i = thread_index();
  if (i >= n) return;
  double sum = 0;
  for (int k = 0; k < degree; k++) sum = sum * x[i] + coefficient(k % kTable);
  y[i] = sum;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, static_cast<int>(pg_param(c, "degree")), data[0], data[1]);
  return 0;
}
