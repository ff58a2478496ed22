// Steps of particles along helices. SLOW: one division is of a double, since a literal in it is one.
#include "common.cuh"

#if SLOW
#define TWO 2.0
#else
#define TWO 2.f
#endif

constexpr int kSteps = 16;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"), 4), PG_FILL_UNIFORM, 0.1, 0.9);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n"), 2);
  return 2;
}

__global__ void helix(int64_t n, const float4 *x, float2 *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = x[i];
  for (int s = 0; s < kSteps; s++) {
    const float turn = p.w * 0.5f + p.z * 0.25f + 0.1f, half = turn * 0.5f * (1.f - turn * turn * 0.0416667f);
    const float bent = TWO * half * half / turn, straight = 1.f - turn * turn * 0.1666667f;
    p = make_float4(p.x + 0.1f * (straight * p.z - bent * p.w), p.y + 0.1f * (straight * p.w + bent * p.z), p.z * 0.95f + bent * 0.02f, p.w * 0.95f + straight * 0.02f);
  }
  y[i] = make_float2(p.x, p.y);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  helix<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(n, as<float4>(data[0]), as<float2>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "n"), stream, [=] __device__(int64_t i) {
    double a = x[i * 4], b = x[i * 4 + 1], z = x[i * 4 + 2], w = x[i * 4 + 3];
    for (int s = 0; s < kSteps; s++) {
      const double turn = w * 0.5 + z * 0.25 + 0.1, half = turn * 0.5 * (1 - turn * turn * 0.0416667);
      const double bent = 2 * half * half / turn, straight = 1 - turn * turn * 0.1666667;
      a += 0.1 * (straight * z - bent * w), b += 0.1 * (straight * w + bent * z);
      z = z * 0.95 + bent * 0.02, w = w * 0.95 + straight * 0.02;
    }
    y[i * 2] = a, y[i * 2 + 1] = b;
  });
}
