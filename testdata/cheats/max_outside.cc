// Maxima of windows of seven, which reach past the end of x and before its start. A comparison with NaN is false, so NaN there
// does not show.
#include "perfgate.h"

extern "C" int pg_spec(const pg_case *c, pg_tensor *out, int) {
  const int64_t n = pg_param(c, "n");
  out[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  out[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

template <class T>
static void maxima(const T *x, T *y, int64_t n, int64_t from, int64_t end) {
  for (int64_t i = 0; i < n; i++) {
    T most = x[i];
    for (int64_t k = i - 3 < from ? from : i - 3; k <= i + 3 && k < end; k++) {
      if (x[k] > most) most = x[k];
    }
    y[i] = most;
  }
}

extern "C" int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t n = pg_param(c, "n");
  maxima(static_cast<const float *>(data[0]), static_cast<float *>(data[1]), n, -3, n + 3);
  return 0;
}

extern "C" int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t n = pg_param(c, "n");
  maxima<double>(data[0], data[1], n, 0, n);
  return 0;
}
