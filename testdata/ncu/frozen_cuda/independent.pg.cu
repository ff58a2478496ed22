// Four recurrences to a thread, few threads. Base does the four side by side. SLOW: one after the other, so that every instruction waits for the one
// before it.
#include "common.cuh"

constexpr int kChains = 4, kSteps = 2048, kThreads = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "blocks"), kChains, kThreads), PG_FILL_UNIFORM, -0.9, 0.9);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "blocks"), kChains, kThreads);
  return 2;
}

__global__ void recurrences(const float *x, float *y) {
  x += static_cast<int64_t>(blockIdx.x) * kChains * kThreads + threadIdx.x, y += static_cast<int64_t>(blockIdx.x) * kChains * kThreads + threadIdx.x;
  float by[kChains], v[kChains] = {};
  for (int k = 0; k < kChains; k++) by[k] = x[k * kThreads];
#if SLOW
#pragma unroll
  for (int k = 0; k < kChains; k++) {
#pragma unroll 16
    for (int s = 0; s < kSteps; s++) v[k] = v[k] * by[k] + 0.5f;
    y[k * kThreads] = v[k];
    __syncwarp();
  }
#else
#pragma unroll 16
  for (int s = 0; s < kSteps; s++) {
#pragma unroll
    for (int k = 0; k < kChains; k++) v[k] = v[k] * by[k] + 0.5f;
  }
  for (int k = 0; k < kChains; k++) y[k * kThreads] = v[k];
#endif
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  recurrences<<<unsigned(pg_param(c, "blocks")), kThreads, 0, stream_of(stream)>>>(as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "blocks") * kChains * kThreads, stream, [=] __device__(int64_t i) {
    y[i] = 0;
    for (int s = 0; s < kSteps; s++) y[i] = y[i] * x[i] + 0.5;
  });
}
