#include "gemm.h"
#include "perfgate.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
  const int dtype = int(pg_param(c, "dtype"));
  if (dtype != PG_F32 && dtype != PG_F16 && dtype != PG_BF16) return -1;
  t[0] = pg_dims_named(PG_TENSOR("A", dtype, PG_IN, M, K), "m,k");
  t[1] = pg_dims_named(PG_TENSOR("B", dtype, PG_IN, K, N), "k,n");
  t[2] = pg_dims_named(PG_TENSOR("C", dtype, PG_OUT, M, N), "m,n");
  // float has the tolerance of perfgate.yaml; f16 and bf16 add the rounding of the output, 2^-11 and 2^-8 of its value.
  if (dtype == PG_F16) t[2].atol = 5e-3, t[2].rtol = 1e-3;
  if (dtype == PG_BF16) t[2].atol = 5e-3, t[2].rtol = 5e-3;
  return 3;
}

template <class T> static int launch(const pg_case *c, void *const *data, void *stream) {
  gemm(pg_param(c, "M"), pg_param(c, "N"), pg_param(c, "K"), static_cast<const T *>(data[0]),
       static_cast<const T *>(data[1]), static_cast<T *>(data[2]), stream);
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  switch (pg_param(c, "dtype")) {
    case PG_F32: return launch<float>(c, data, stream);
    case PG_F16: return launch<f16>(c, data, stream);
    case PG_BF16: return launch<bf16>(c, data, stream);
    default: return -1;
  }
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
  for (int64_t m = 0; m < M; m++) {
    for (int64_t n = 0; n < N; n++) {
      double sum = 0;
      for (int64_t k = 0; k < K; k++) sum += data[0][m * K + k] * data[1][k * N + n];
      data[2][m * N + n] = sum;
    }
  }
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double M = double(pg_param(c, "M")), N = double(pg_param(c, "N")), K = double(pg_param(c, "K"));
  *flops = 2 * M * N * K;
  *bytes = (M * K + K * N + M * N) * double(pg_dtype_size(int(pg_param(c, "dtype"))));
}
