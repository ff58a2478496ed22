#include "perfgate.h"
#include "rows.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "rows"), pg_param(c, "columns"));
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "rows"));
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  rows_norm(pg_param(c, "rows"), pg_param(c, "columns"), static_cast<const float *>(data[0]), static_cast<float *>(data[1]), static_cast<cudaStream_t>(stream));
  return 0;
}

static __global__ void reference(int64_t rows, int64_t columns, const double *x, double *y) {
  const int64_t r = blockIdx.x;
  __shared__ double parts[256];
  parts[threadIdx.x] = 0;
  for (int64_t i = threadIdx.x; i < columns; i += 256) parts[threadIdx.x] += x[r * columns + i] * x[r * columns + i];
  for (int half = 128; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[r] = sqrt(parts[0] / double(columns));
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  reference<<<unsigned(pg_param(c, "rows")), 256, 0, static_cast<cudaStream_t>(stream)>>>(pg_param(c, "rows"), pg_param(c, "columns"), data[0], data[1]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "rows")) * double(pg_param(c, "columns"));
  *flops = 2 * n;
  *bytes = 4 * n;
}
