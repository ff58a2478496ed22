// A point of a model of the atmosphere: 48 numbers that all depend on each other, iterated. SLOW: at most 32 registers a thread, for occupancy's
// sake, so that most of them are spilled.
#include "common.cuh"

constexpr int kState = 48, kTimes = 16;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, kState, n);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

template <class T, class Load> __device__ T iterate(Load load) {
  T s[kState];
#pragma unroll
  for (int k = 0; k < kState; k++) s[k] = load(k);
#pragma unroll 1
  for (int time = 0; time < kTimes; time++) {
#pragma unroll
    for (int k = 0; k < kState; k++) s[k] = s[k] * T(0.5) + s[(k + 7) % kState] * T(0.25) + s[(k + 24) % kState] * T(0.125);
  }
  T sum = 0;
#pragma unroll
  for (int k = 0; k < kState; k++) sum += s[k];
  return sum;
}

__global__ void
#if SLOW
__launch_bounds__(1024, 2)
#else
__launch_bounds__(256)
#endif
physics(int64_t n, const float *x, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = iterate<float>([=](int k) { return x[k * n + i]; });
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  physics<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(n, as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  const double *x = data[0];
  double *y = data[1];
  return for_each(n, stream, [=] __device__(int64_t i) { y[i] = iterate<double>([=](int k) { return x[k * n + i]; }); });
}
