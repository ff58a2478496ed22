// How perfgate shapes, launches and checks the kernels gemm and gemm_tensor.
#include "gemm.h"
#include "perfgate.h"

namespace {

Gemm shape_of(const pg_case *c) { return {pg_param(c, "M"), pg_param(c, "N"), pg_param(c, "K")}; }

bool on_tensor_cores(const pg_case *c) { return strcmp(c->kernel, "gemm_tensor") == 0; }

// One thread a result.
__global__ void reference(Gemm g, const double *a, const double *b, double *c) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= g.M * g.N) return;
  const int64_t row = i / g.N, column = i % g.N;
  double sum = 0;
  for (int64_t k = 0; k < g.K; k++) sum += a[row * g.K + k] * b[k * g.N + column];
  c[i] = sum;
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const Gemm g = shape_of(c);
  const int dtype = on_tensor_cores(c) ? PG_F16 : PG_F32;
  t[0] = pg_dims_named(PG_TENSOR("A", dtype, PG_IN, g.M, g.K), "m,k");
  t[1] = pg_dims_named(PG_TENSOR("B", dtype, PG_IN, g.K, g.N), "k,n");
  t[2] = pg_dims_named(PG_TENSOR("C", PG_F32, PG_OUT, g.M, g.N), "m,n");
  return 3;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const Gemm g = shape_of(c);
  const cudaStream_t s = static_cast<cudaStream_t>(stream);
  float *out = static_cast<float *>(data[2]);
  if (on_tensor_cores(c)) {
    gemm_tensor(g, static_cast<const __half *>(data[0]), static_cast<const __half *>(data[1]), out, s);
  } else {
    gemm(g, static_cast<const float *>(data[0]), static_cast<const float *>(data[1]), out, s);
  }
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const Gemm g = shape_of(c);
  const unsigned blocks = static_cast<unsigned>((g.M * g.N + 255) / 256);
  reference<<<blocks, 256, 0, static_cast<cudaStream_t>(stream)>>>(g, data[0], data[1], data[2]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const Gemm g = shape_of(c);
  const double M = double(g.M), N = double(g.N), K = double(g.K);
  *flops = 2 * M * N * K;
  *bytes = (M * K + K * N) * (on_tensor_cores(c) ? 2 : 4) + M * N * 4;
}
