#include <cmath>

#include "perfgate.h"
#include "softmax.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  const int dtype = int(pg_param(c, "dtype"));
  if (columns > kMaxColumns || (dtype != PG_F32 && dtype != PG_F16 && dtype != PG_BF16)) return -1;
  t[0] = pg_dims_named(PG_TENSOR("x", dtype, PG_IN, rows, columns), "row,column");
  t[0] = pg_fill_with(t[0], PG_FILL_NORMAL, 100, 1);  // exp(100) is no float: what subtracting the maximum is for
  t[1] = pg_dims_named(PG_TENSOR("out", dtype, PG_OUT, rows, columns), "row,column");
  // Probabilities of a thousand columns are about 1e-3, so what counts is the relative error: that of the arithmetic
  // (float: perfgate.yaml), and for f16 and bf16 the rounding of the output, 2^-11 and 2^-8 of its value.
  if (dtype == PG_F16) t[1].atol = 1e-6, t[1].rtol = 1e-3;
  if (dtype == PG_BF16) t[1].atol = 1e-6, t[1].rtol = 5e-3;
  return 2;
}

template <class T> static int launch(const pg_case *c, void *const *data, void *stream) {
  softmax(pg_param(c, "rows"), pg_param(c, "columns"), static_cast<const T *>(data[0]), static_cast<T *>(data[1]), stream);
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  switch (pg_param(c, "dtype")) {
    case PG_F32: return launch<float>(c, data, stream);
    case PG_F16: return launch<f16>(c, data, stream);
    case PG_BF16: return launch<bf16>(c, data, stream);
    default: return -1;
  }
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  for (int64_t r = 0; r < rows; r++) {
    const double *x = data[0] + r * columns;
    double *out = data[1] + r * columns;
    double max = x[0], sum = 0;
    for (int64_t j = 0; j < columns; j++) max = std::fmax(max, x[j]);
    for (int64_t j = 0; j < columns; j++) sum += out[j] = std::exp(x[j] - max);
    for (int64_t j = 0; j < columns; j++) out[j] /= sum;
  }
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "rows")) * double(pg_param(c, "columns"));
  *flops = 5 * n;  // max, subtract, exp counted as one, add, multiply
  *bytes = 2 * n * double(pg_dtype_size(int(pg_param(c, "dtype"))));
}
