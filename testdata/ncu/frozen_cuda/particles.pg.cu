// Particles of eight numbers, of which a step needs four. Base has each number in an array of its own. SLOW: particle after particle.
#include "common.cuh"

constexpr int kFields = 8;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n * kFields);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

// The same numbers are used wherever they lie: field f of particle i is number i * kFields + f, or f * n + i. So both give another y.
__host__ __device__ inline int64_t place(int64_t n, int64_t i, int f) { return SLOW ? i * kFields + f : f * n + i; }

__global__ void energy(int64_t n, const float *x, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[place(n, i, 1)], b = x[place(n, i, 3)], c = x[place(n, i, 4)], m = x[place(n, i, 6)];
  y[i] = (a * a + b * b + c * c) * m;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  energy<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(n, as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  const double *x = data[0];
  double *y = data[1];
  return for_each(n, stream, [=] __device__(int64_t i) {
    const double a = x[place(n, i, 1)], b = x[place(n, i, 3)], d = x[place(n, i, 4)];
    y[i] = (a * a + b * b + d * d) * x[place(n, i, 6)];
  });
}
