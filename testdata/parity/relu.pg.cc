// max(x, 0), defined for infinities and NaN too: NaN stays NaN.
#include <algorithm>
#include <cmath>

#include "perfgate.h"

enum {
  Right,
  NanSwallowed,      // fmax returns the other operand where one is NaN
  InfinityClamped,   // infinity comes out as the largest float
  SixBits,           // what is over 40 is cut off, as by an 8-bit format
  Small,             // what is under 1e-2 is taken for zero
};
#ifndef WRONG
#define WRONG Right
#endif

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"));
  t[1] = PG_TENSOR("out", PG_F32, PG_OUT, pg_param(c, "n"));
  t[0].flags = PG_ALLOW_NONFINITE;
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const float *x = static_cast<const float *>(data[0]);
  float *out = static_cast<float *>(data[1]);
  for (int64_t i = 0; i < pg_param(c, "n"); i++) {
    out[i] = x[i] < 0 ? 0 : x[i];
    if (WRONG == NanSwallowed) out[i] = std::fmax(x[i], 0.f);
    if (WRONG == InfinityClamped && std::isinf(out[i])) out[i] = 3.4e38f;
    if (WRONG == SixBits && out[i] > 40) out[i] = 40;
    if (WRONG == Small && out[i] < 1e-2f) out[i] = 0;
  }
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  for (int64_t i = 0; i < pg_param(c, "n"); i++) data[1][i] = data[0][i] < 0 ? 0 : data[0][i];
  return 0;
}
