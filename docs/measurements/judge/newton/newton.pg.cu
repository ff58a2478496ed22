#include "newton.h"
#include "perfgate.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"));
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n"));
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  roots(pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<float *>(data[1]), static_cast<cudaStream_t>(stream));
  return 0;
}

static __global__ void reference(int64_t n, const double *x, double *y) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = sqrt(1 + 1 / (1 + fabs(x[i])));
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<unsigned((n + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(n, data[0], data[1]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  *flops = 3 * 40 * double(pg_param(c, "n"));
  *bytes = 8 * double(pg_param(c, "n"));
}
