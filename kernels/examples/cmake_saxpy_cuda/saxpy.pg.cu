// How perfgate shapes, launches and checks the kernel of saxpy.cu.
#include "perfgate.h"
#include "saxpy.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("a", PG_F32, PG_IN);
  t[1] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[2] = PG_TENSOR("y", PG_F32, PG_INOUT, n);
  return 3;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  saxpy(pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<const float *>(data[1]), static_cast<float *>(data[2]),
        static_cast<cudaStream_t>(stream));
  return 0;
}

static __global__ void reference(int64_t n, const double *a, const double *x, double *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] += *a * x[i];
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<static_cast<unsigned>((n + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(n, data[0], data[1], data[2]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "n"));
  *flops = 2 * n;
  *bytes = 3 * n * sizeof(float);  // x and y in, y out
}
