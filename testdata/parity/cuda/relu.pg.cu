// max(x, 0) in float16, two at a time, defined for infinities and NaN too: NaN stays NaN.
#include "block.cuh"

enum {
  Right,
  NanSwallowed,     // fmaxf returns the other operand where one is NaN
  InfinityClamped,  // infinity comes out as the largest float16
  VectorTail,       // the last of an odd number is left out
  GridLimit,        // the grid has at most 16 blocks, and nobody walks on
  LastElement,      // the last element is passed through
};

constexpr int kThreads = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F16, PG_IN, pg_param(c, "n"));
  t[1] = PG_TENSOR("out", PG_F16, PG_OUT, pg_param(c, "n"));
  t[0].flags = PG_ALLOW_NONFINITE;
  return 2;
}

__device__ __half positive(__half x) {
  const float wide = __half2float(x);
  if (WRONG == NanSwallowed) return __float2half(fmaxf(wide, 0.f));
  if (WRONG == InfinityClamped && isinf(wide) && wide > 0) return __float2half(65504.f);
  return wide < 0 ? __float2half(0.f) : x;
}

__global__ void relu(int64_t n, const __half *x, __half *out) {
  const int64_t pair = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (2 * pair + 1 < n) {
    const __half2 two = reinterpret_cast<const __half2 *>(x)[pair];
    reinterpret_cast<__half2 *>(out)[pair] = __halves2half2(positive(__low2half(two)), positive(__high2half(two)));
  } else if (2 * pair < n && WRONG != VectorTail) {
    out[2 * pair] = positive(x[2 * pair]);
  }
  if (WRONG == LastElement && pair == (n - 1) / 2) out[n - 1] = x[n - 1];
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  unsigned blocks = blocks_of((n + 1) / 2, kThreads);
  if (WRONG == GridLimit) blocks = std::min(blocks, 16u);
  relu<<<blocks, kThreads, 0, stream_of(stream)>>>(n, static_cast<const __half *>(data[0]), static_cast<__half *>(data[1]));
  return 0;
}

__global__ void reference(int64_t n, const double *x, double *out) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] < 0 ? 0 : x[i];
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, data[0], data[1]);
  return 0;
}
