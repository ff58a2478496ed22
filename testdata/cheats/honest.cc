// The kernel of all test adapters here, done right: y = a*x + y0 for n elements. It must pass every time.
#include "perfgate.h"

extern "C" int pg_spec(const pg_case *c, pg_tensor *out, int cap) {
  const int64_t n = pg_param(c, "n");
  if (n < 1 || cap < 4) return -1;
  out[0] = pg_fill_with(PG_TENSOR("a", PG_F32, PG_IN, 1), PG_FILL_UNIFORM, 1, 2);
  out[1] = PG_TENSOR("x", PG_F32, PG_IN, n);
  out[2] = PG_TENSOR("y0", PG_F32, PG_IN, n);
  out[3] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 4;
}

extern "C" int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t n = pg_param(c, "n");
  const float a = *static_cast<const float *>(data[0]);
  const float *x = static_cast<const float *>(data[1]), *y0 = static_cast<const float *>(data[2]);
  float *y = static_cast<float *>(data[3]);
  for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + y0[i];
  return 0;
}

extern "C" int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t n = pg_param(c, "n");
  for (int64_t i = 0; i < n; i++) data[3][i] = data[0][0] * data[1][i] + data[2][i];
  return 0;
}

extern "C" void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = static_cast<double>(pg_param(c, "n"));
  *flops = 2 * n;
  *bytes = 12 * n;
}
