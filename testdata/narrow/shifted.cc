// y = (x + 1000) - 1000: right in float32, off by more than any x explains, and what a float32 reference shows. WRONG adds a thousandth of x.
#include <cstdint>

#include "perfgate.h"

#ifndef WRONG
#define WRONG 0
#endif

template <class T> static T shifted(T x) {
  const volatile T far = x + T(1000);
  return far - T(1000);
}

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const float *x = static_cast<const float *>(data[0]);
  for (int64_t i = 0; i < pg_param(c, "n"); i++) static_cast<float *>(data[1])[i] = shifted(x[i]) + WRONG * 1e-3f * x[i];
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  for (int64_t i = 0; i < pg_param(c, "n"); i++) data[1][i] = shifted(data[0][i]);
  return 0;
}

#ifndef ALONE
int pg_reference_f32(const pg_case *c, double *const *data, void *) {
  for (int64_t i = 0; i < pg_param(c, "n"); i++) data[1][i] = shifted(static_cast<float>(data[0][i]));
  return 0;
}
#endif
