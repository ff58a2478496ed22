// A series at every point of a field. Base launches as many blocks as are resident at once, and shares the points among them. SLOW: the number
// of blocks forgets that shared memory leaves room for four on an SM and not five, so that a second, nearly empty wave follows.
#include "common.cuh"

constexpr int kThreads = 256, kTerms = 256;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n")), PG_FILL_UNIFORM, -0.9, 0.9);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n"));
  return 2;
}

template <class T> __device__ T series(T x) {
  T sum = 0;
#pragma unroll 8
  for (int k = 0; k < kTerms; k++) sum = sum * x + T(k % 8) / 8;
  return sum;
}

__global__ void __launch_bounds__(kThreads, 4) wave(int64_t n, const float *x, float *y) {
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += static_cast<int64_t>(gridDim.x) * kThreads) y[i] = series(x[i]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  constexpr int kShared = 54 * 1024;
  cudaFuncSetAttribute(wave, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  wave<<<unsigned((SLOW ? 5 : 4) * sms), kThreads, kShared, stream_of(stream)>>>(n, as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "n"), stream, [=] __device__(int64_t i) { y[i] = series(x[i]); });
}
