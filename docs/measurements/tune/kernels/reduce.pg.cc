#include "perfgate.h"
#include "reduce.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"));
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, 1);
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  *static_cast<float *>(data[1]) = reduce(pg_param(c, "n"), static_cast<const float *>(data[0]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  data[1][0] = 0;
  for (int64_t i = 0; i < pg_param(c, "n"); i++) data[1][0] += data[0][i];
  return 0;
}
