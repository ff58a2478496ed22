// Two functions of a number, one for even and one for odd places. Base: warps have even or odd places alone. SLOW: neighbours in a warp take turns.
#include "common.cuh"

constexpr int kTimes = 32;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n") * 64);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n") * 64);
  return 2;
}

template <class T> __device__ T even(T v) {
#pragma unroll 4
  for (int k = 0; k < kTimes; k++) v = v * T(0.5) + T(0.125) * v * v / (T(1) + v * v);
  return v;
}

template <class T> __device__ T odd(T v) {
#pragma unroll 4
  for (int k = 0; k < kTimes; k++) v = v * T(0.25) + T(1) / (T(2) + v * v) - T(0.25);
  return v;
}

__global__ void turns(int64_t n, const float *x, float *y) {
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!SLOW) i = i / 64 * 64 + i % 64 / 32 + i % 32 * 2;  // of 64 places the even ones first
  y[i] = i % 2 ? odd(x[i]) : even(x[i]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n") * 64;
  turns<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(n, as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "n") * 64, stream, [=] __device__(int64_t i) { y[i] = i % 2 ? odd(x[i]) : even(x[i]); });
}
