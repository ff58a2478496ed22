#include "perfgate.h"
#include "product.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, n, n);
  t[1] = PG_TENSOR("b", PG_F32, PG_IN, n, n);
  t[2] = PG_TENSOR("c", PG_F32, PG_OUT, n, n);
  return 3;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  product(pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<const float *>(data[1]), static_cast<float *>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t n = pg_param(c, "n");
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t k = 0; k < n; k++) sum += data[0][i * n + k] * data[1][k * n + j];
      data[2][i * n + j] = sum;
    }
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "n"));
  *flops = 2 * n * n * n;
  *bytes = 3 * n * n * sizeof(float);
}
