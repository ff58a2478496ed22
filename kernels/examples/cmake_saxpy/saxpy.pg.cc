// The smallest whole adapter: two inputs, one of them a scalar, and a tensor that is updated in place.
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
  saxpy(pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<const float *>(data[1]),
        static_cast<float *>(data[2]), stream);
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const double a = data[0][0], *x = data[1];
  double *y = data[2];
  for (int64_t i = 0; i < pg_param(c, "n"); i++) y[i] = a * x[i] + y[i];
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "n"));
  *flops = 2 * n;
  *bytes = 3 * n * sizeof(float);  // x and y in, y out
}
