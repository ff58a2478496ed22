// What a decode step does to a row between its products: scale, rotate by a bias, gate, clamp, and the rest of it. Base: one kernel.
// SLOW: eight kernels of two microseconds each, one an operation.
#include "common.cuh"

constexpr int kSteps = 8;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[1] = PG_TENSOR("w", PG_F32, PG_IN, n);
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 3;
}

template <class T> __host__ __device__ T one_step(int step, T v, T w) {
  switch (step % 4) {
    case 0: return v * T(0.75) + w;
    case 1: return v / (T(1) + (v < 0 ? -v : v));
    case 2: return v * w + T(0.25);
    default: return v > T(2) ? T(2) : v < T(-2) ? T(-2) : v;
  }
}

__global__ void step(int64_t n, int first, int last, const float *x, const float *w, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int s = first; s < last; s++) v = one_step(s, v, w[i]);
  y[i] = v;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  const float *x = as<float>(data[0]), *w = as<float>(data[1]);
  float *y = as<float>(data[2]);
  for (int s = 0; s < kSteps; s += SLOW ? 1 : kSteps) step<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(n, s, SLOW ? s + 1 : kSteps, s ? y : x, w, y);
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0], *w = data[1];
  double *y = data[2];
  return for_each(pg_param(c, "n"), stream, [=] __device__(int64_t i) {
    y[i] = x[i];
    for (int s = 0; s < kSteps; s++) y[i] = one_step(s, y[i], w[i]);
  });
}
