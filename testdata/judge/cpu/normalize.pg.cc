#include <cmath>

#include "normalize.h"
#include "perfgate.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), cols = pg_param(c, "cols");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows, cols);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, rows, cols);
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  normalize(pg_param(c, "rows"), pg_param(c, "cols"), static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), cols = pg_param(c, "cols");
  for (int64_t r = 0; r < rows; r++) {
    const double *x = data[0] + r * cols;
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < cols; i++) mean += x[i] / double(cols);
    for (int64_t i = 0; i < cols; i++) variance += (x[i] - mean) * (x[i] - mean) / double(cols);
    for (int64_t i = 0; i < cols; i++) data[1][r * cols + i] = (x[i] - mean) / std::sqrt(variance + 1e-5);
  }
  return 0;
}
