#include <cmath>

#include "layernorm.h"
#include "perfgate.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  // Activations are rarely centred, and a mean far from zero is what a careless variance fails on.
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, rows, columns), PG_FILL_NORMAL, 300, 1);
  t[1] = PG_TENSOR("gamma", PG_F32, PG_IN, columns);
  t[2] = PG_TENSOR("beta", PG_F32, PG_IN, columns);
  t[3] = PG_TENSOR("out", PG_F32, PG_OUT, rows, columns);
  t[0] = pg_dims_named(t[0], "row,column");
  t[3] = pg_dims_named(t[3], "row,column");
  return 4;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  layernorm(pg_param(c, "rows"), pg_param(c, "columns"), static_cast<const float *>(data[0]),
            static_cast<const float *>(data[1]), static_cast<const float *>(data[2]), static_cast<float *>(data[3]), stream);
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "columns");
  for (int64_t r = 0; r < rows; r++) {
    const double *x = data[0] + r * n;
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < n; j++) mean += x[j] / double(n);
    for (int64_t j = 0; j < n; j++) variance += (x[j] - mean) * (x[j] - mean) / double(n);
    for (int64_t j = 0; j < n; j++) {
      data[3][r * n + j] = (x[j] - mean) / std::sqrt(variance + double(kEpsilon)) * data[1][j] + data[2][j];
    }
  }
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double rows = double(pg_param(c, "rows")), columns = double(pg_param(c, "columns"));
  *flops = 8 * rows * columns;  // 1 for the mean, 3 for the variance, 4 to normalise
  *bytes = (2 * rows + 2) * columns * sizeof(float);
}
