// z = x + y in half precision. SLOW: an element at a time, and the next load only after the last store, as pointers may alias.
#include "common.cuh"

constexpr int kEach = 8;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n") * kEach;
  t[0] = PG_TENSOR("x", PG_F16, PG_IN, n);
  t[1] = PG_TENSOR("y", PG_F16, PG_IN, n);
  t[2] = PG_TENSOR("z", PG_F16, PG_OUT, n);
  return 3;
}

struct alignas(16) Eight {
  __half of[kEach];
};

__global__ void add(int64_t n, const __half *x, const __half *y, __half *z) {
  if (SLOW) {
    int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x * kEach + threadIdx.x;
    for (int i = 0; i < kEach; i++, at += blockDim.x) {
      if (at < n) z[at] = __hadd(x[at], y[at]);
    }
    return;
  }
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at * kEach >= n) return;
  const Eight a = reinterpret_cast<const Eight *>(x)[at], b = reinterpret_cast<const Eight *>(y)[at];
  Eight sum;
#pragma unroll
  for (int i = 0; i < kEach; i++) sum.of[i] = __hadd(a.of[i], b.of[i]);
  reinterpret_cast<Eight *>(z)[at] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n") * kEach;
  add<<<blocks_of(n, 256 * kEach), 256, 0, stream_of(stream)>>>(n, as<__half>(data[0]), as<__half>(data[1]), as<__half>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0], *y = data[1];
  double *z = data[2];
  return for_each(pg_param(c, "n") * kEach, stream, [=] __device__(int64_t i) { z[i] = x[i] + y[i]; });
}
