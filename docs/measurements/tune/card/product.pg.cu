#include "perfgate.h"
#include "product.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, n, n);
  t[1] = PG_TENSOR("b", PG_F32, PG_IN, n, n);
  t[2] = PG_TENSOR("c", PG_F32, PG_OUT, n, n);
  return 3;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  product(pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<const float *>(data[1]), static_cast<float *>(data[2]), static_cast<cudaStream_t>(stream));
  return 0;
}

static __global__ void reference(int64_t n, const double *a, const double *b, double *c) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i >= n * n) return;
  double sum = 0;
  for (int64_t k = 0; k < n; k++) sum += a[i / n * n + k] * b[k * n + i % n];
  c[i] = sum;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<unsigned((n * n + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(n, data[0], data[1], data[2]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "n"));
  *flops = 2 * n * n * n;
  *bytes = 12 * n * n;
}
