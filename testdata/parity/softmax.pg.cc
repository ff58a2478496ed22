// Softmax of rows.
#include <algorithm>
#include <cmath>

#include "perfgate.h"

enum {
  Right,
  SumOf512,      // columns from 512 on are left out of the sum
  ShortcutExp,   // exp(x) as (1 + x/256)^256: right near zero
  Underflow,     // whatever is less than e^-8 of the largest is written as zero
  RowPairs,      // rows go two by two: the last of an odd number stays unwritten
  InPlace,       // the exponentials overwrite the input
  StaleMax,      // a row starts from the maximum of the row before
  WarpMax,       // the maximum of the first 32 columns only, as without the second stage of a reduction
};
#ifndef WRONG
#define WRONG Right
#endif

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, columns), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, rows, columns), "row,column");
  t[0] = pg_fill_with(t[0], PG_FILL_NORMAL, 0, 200);  // so wide that the wrong maximum overflows or underflows
  return 2;
}

static float exponential(float x) {
  if (WRONG == ShortcutExp) return std::pow(std::max(0.f, 1 + x / 256), 256.f);
  if (WRONG == Underflow && x < -8) return 0;
  return std::exp(x);
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  float max = -INFINITY;
  for (int64_t r = 0; r < (WRONG == RowPairs ? rows / 2 * 2 : rows); r++) {
    float *x = static_cast<float *>(data[0]) + r * columns, *out = static_cast<float *>(data[1]) + r * columns, sum = 0;
    if (WRONG != StaleMax) max = -INFINITY;
    for (int64_t j = 0; j < (WRONG == WarpMax ? std::min<int64_t>(columns, 32) : columns); j++) max = std::max(max, x[j]);
    for (int64_t j = 0; j < columns; j++) {
      out[j] = exponential(x[j] - max);
      if (WRONG == InPlace) x[j] = out[j];
      if (WRONG != SumOf512 || j < 512) sum += out[j];
    }
    for (int64_t j = 0; j < columns; j++) out[j] /= sum;
  }
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  for (int64_t r = 0; r < rows; r++) {
    const double *x = data[0] + r * columns;
    double *out = data[1] + r * columns, max = *std::max_element(x, x + columns), sum = 0;
    for (int64_t j = 0; j < columns; j++) sum += out[j] = std::exp(x[j] - max);
    for (int64_t j = 0; j < columns; j++) out[j] /= sum;
  }
  return 0;
}
