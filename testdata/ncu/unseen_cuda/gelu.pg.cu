// The activation of many transformers, with the usual tanh. DOUBLE: a constant without its f, and all of it is in float64. POW:
// a cube by powf.
#include "common.cuh"

#ifndef DOUBLE
#define DOUBLE 0
#endif
#ifndef POW
#define POW 0
#endif

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

__device__ double in_double(double x) { return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

__device__ float in_float(float x) {
  const float cube = POW ? copysignf(powf(fabsf(x), 3.0f + 1e-30f * x), x) : x * x * x;
  const float u = 0.79788456f * (x + 0.044715f * cube);
  return x * (1.0f - 1.0f / (__expf(2.0f * u) + 1.0f));
}

__global__ void gelu(int64_t n, const float *x, float *y) {
  const int64_t i = thread_index();
  if (i >= n) return;
  if (DOUBLE) y[i] = static_cast<float>(in_double(x[i]));
  else y[i] = in_float(x[i]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  gelu<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t n, const double *x, double *y) {
  const int64_t i = thread_index();
  if (i < n) y[i] = in_double(x[i]);
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, data[0], data[1]);
  return 0;
}
