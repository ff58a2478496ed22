// For each pair of sites how similar they are, added up for the windows that they are in. Base adds up over a warp first. SLOW: every thread adds
// to the window's sum in global memory.
#include "common.cuh"

constexpr int64_t kWindow = 65536;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, pg_param(c, "windows"), kWindow);
  t[1] = PG_TENSOR("b", PG_F32, PG_IN, pg_param(c, "windows"), kWindow);
  t[2] = PG_TENSOR("y", PG_F32, PG_INOUT, pg_param(c, "windows"));
  return 3;
}

__global__ void pair_sums(int64_t n, const float *a, const float *b, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float alike = a[i] * b[i] / (1.f + fabsf(a[i] - b[i]));
  if (!SLOW) alike = warp_sum(alike);
  if (SLOW || threadIdx.x % kLanes == 0) atomicAdd(y + i / kWindow, alike);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "windows") * kWindow;
  pair_sums<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(n, as<float>(data[0]), as<float>(data[1]), as<float>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *a = data[0], *b = data[1];
  double *y = data[2];
  return for_each(pg_param(c, "windows") * kWindow, stream, [=] __device__(int64_t i) { atomicAdd(y + i / kWindow, a[i] * b[i] / (1 + fabs(a[i] - b[i]))); });
}
