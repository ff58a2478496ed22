// A sum of waves at each point. SLOW: sinf, which is right for every argument, instead of the instruction that is right enough for these.
#include "common.cuh"

constexpr int kWaves = 24;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n")), PG_FILL_UNIFORM, -1, 1);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n"));
  return 2;
}

__global__ void phases(int64_t n, const float *x, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  float sum = 0;
#pragma unroll 4
  for (int k = 1; k <= kWaves; k++) sum += SLOW ? sinf(v * float(k)) : __sinf(v * float(k));
  y[i] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  phases<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(n, as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "n"), stream, [=] __device__(int64_t i) {
    y[i] = 0;
    for (int k = 1; k <= kWaves; k++) y[i] += sin(x[i] * k);
  });
}
