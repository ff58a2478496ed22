// How perfgate shapes, launches and checks the two kernels of basics.cu.
#include "basics.h"
#include "perfgate.h"

namespace {

bool is_saxpy(const pg_case *c) { return strcmp(c->kernel, "polynomial") != 0; }

__global__ void saxpy_reference(int64_t n, const double *a, const double *x, const double *y0, double *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = *a * x[i] + y0[i];
}

__global__ void polynomial_reference(int64_t n, int64_t degree, const double *x, double *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int64_t k = degree; k >= 1; k--) sum = sum * x[i] + 0.5;
  y[i] = sum;
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  if (is_saxpy(c)) {
    t[0] = PG_TENSOR("a", PG_F32, PG_IN);
    t[1] = PG_TENSOR("x", PG_F32, PG_IN, n);
    t[2] = PG_TENSOR("y0", PG_F32, PG_IN, n);
    t[3] = PG_TENSOR("y", PG_F32, PG_OUT, n);
    return 4;
  }
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, n), PG_FILL_UNIFORM, -1, 1);  // beyond 1 a polynomial explodes
  t[0].flags |= PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  const cudaStream_t s = static_cast<cudaStream_t>(stream);
  const float *first = static_cast<const float *>(data[0]);
  if (is_saxpy(c)) {
    saxpy(n, first, static_cast<const float *>(data[1]), static_cast<const float *>(data[2]), static_cast<float *>(data[3]), s);
  } else {
    polynomial(n, pg_param(c, "degree"), first, static_cast<float *>(data[1]), s);
  }
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
  const cudaStream_t s = static_cast<cudaStream_t>(stream);
  if (is_saxpy(c)) {
    saxpy_reference<<<blocks, 256, 0, s>>>(n, data[0], data[1], data[2], data[3]);
  } else {
    polynomial_reference<<<blocks, 256, 0, s>>>(n, pg_param(c, "degree"), data[0], data[1]);
  }
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "n"));
  *flops = is_saxpy(c) ? 2 * n : 2 * n * double(pg_param(c, "degree"));
  *bytes = (is_saxpy(c) ? 3 : 2) * n * sizeof(float);
}
