// A small linear layer on few rows, a warp to an output. Base loops over the inputs, four at a time. SLOW: that loop is unrolled wholly,
// so that the code is larger than what the SM keeps of it, and each instruction runs once.
#include "common.cuh"

constexpr int kInner = 512, kRows = 24, kOuter = 128;
#if SLOW
#define TIMES _Pragma("unroll")
#else
#define TIMES _Pragma("unroll 1")
#endif

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "blocks"), kRows, kInner);
  t[1] = PG_TENSOR("w", PG_F32, PG_IN, kInner / 4, kOuter, 4);
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "blocks"), kRows, kOuter);
  return 3;
}

template <class T> __device__ T bent(T v) { return v > 0 ? v : v * T(0.01); }

__global__ void layer(const float *x, const float *w, float *y) {
  __shared__ float xs[kRows][kInner];
  for (int i = threadIdx.x; i < kRows * kInner; i += kOuter) xs[i / kInner][i % kInner] = x[static_cast<int64_t>(blockIdx.x) * kRows * kInner + i];
  __syncthreads();
  float sum[kRows] = {};
  TIMES
  for (int k = 0; k < kInner; k += 4) {
    const float4 by = *reinterpret_cast<const float4 *>(w + (k / 4 * kOuter + threadIdx.x) * 4);
#pragma unroll
    for (int r = 0; r < kRows; r++) {
      const float4 v = *reinterpret_cast<const float4 *>(&xs[r][k]);
      sum[r] += v.x * by.x + v.y * by.y + v.z * by.z + v.w * by.w;
    }
  }
  for (int r = 0; r < kRows; r++) y[(static_cast<int64_t>(blockIdx.x) * kRows + r) * kOuter + threadIdx.x] = bent(sum[r]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  layer<<<unsigned(pg_param(c, "blocks")), kOuter, 0, stream_of(stream)>>>(as<float>(data[0]), as<float>(data[1]), as<float>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0], *w = data[1];
  double *y = data[2];
  return for_each(pg_param(c, "blocks") * kRows * kOuter, stream, [=] __device__(int64_t i) {
    double sum = 0;
    for (int k = 0; k < kInner; k++) sum += x[i / kOuter * kInner + k] * w[(k / 4 * kOuter + i % kOuter) * 4 + k % 4];
    y[i] = bent(sum);
  });
}
