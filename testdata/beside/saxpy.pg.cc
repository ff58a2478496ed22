#include "perfgate.h"
#include "saxpy.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  saxpy(c->kernel, pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  for (int64_t i = 0; i < pg_param(c, "n"); i++) data[1][i] = 2 * data[0][i] + 1;
  return 0;
}
