// Rows divided by their Euclidean length. A row of zeros stays zero; any other has length 1 afterwards, however small
// or large its numbers are, so it is scaled by its largest element before it is squared.
#include <algorithm>
#include <cmath>
#include <limits>

#include "perfgate.h"

enum {
  Right,
  NoScaling,   // squares underflow for denormals
  Denormals,   // denormals count as zero
  ZeroRow,     // a row of zeros is divided by zero
  SignLost,    // a negative element larger than all others makes the scale negative
};
#ifndef WRONG
#define WRONG Right
#endif

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, n), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, rows, n), "row,column");
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  for (int64_t r = 0; r < rows; r++) {
    const float *row = static_cast<const float *>(data[0]) + r * n;
    float *out = static_cast<float *>(data[1]) + r * n;
    const auto x = [&](int64_t j) {
      return WRONG == Denormals && std::fabs(row[j]) < std::numeric_limits<float>::min() ? 0 : row[j];
    };
    float largest = 0;
    for (int64_t j = 0; j < n; j++) {
      if (std::fabs(x(j)) > std::fabs(largest)) largest = WRONG == SignLost ? x(j) : std::fabs(x(j));
    }
    if (WRONG == NoScaling && largest != 0) largest = 1;
    float squares = 0;
    for (int64_t j = 0; j < n; j++) {
      const float scaled = largest == 0 && WRONG != ZeroRow ? 0 : x(j) / largest;
      squares += scaled * scaled;
    }
    const float length = std::sqrt(squares);
    for (int64_t j = 0; j < n; j++) {
      out[j] = largest == 0 && WRONG != ZeroRow ? 0 : x(j) / largest / length;
    }
  }
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  for (int64_t r = 0; r < rows; r++) {
    double squares = 0;
    for (int64_t j = 0; j < n; j++) squares += data[0][r * n + j] * data[0][r * n + j];
    for (int64_t j = 0; j < n; j++) data[1][r * n + j] = squares == 0 ? 0 : data[0][r * n + j] / std::sqrt(squares);
  }
  return 0;
}
