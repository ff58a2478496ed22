// out[i] = table[index[i]] for rows of 8 floats. The indices run through the table over and over.
#include <algorithm>

#include "perfgate.h"

enum {
  Right,
  NarrowIndex,   // the index is kept in 8 bits
  LastIndex,     // an index is taken modulo one row less, so the last row is never read
  WritesIndex,   // sorts the indices in place for better locality
  ShortRow,      // the last float of a row is copied for even rows only
};
#ifndef WRONG
#define WRONG Right
#endif

constexpr int64_t kWidth = 8;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  t[0] = pg_dims_named(PG_TENSOR("table", PG_F32, PG_IN, rows, kWidth), "row,column");
  t[1] = pg_fill_with(PG_TENSOR("index", PG_I32, PG_IN, n), PG_FILL_UNIFORM, 0, double(rows - 1));
  t[1].flags = PG_FILL_FIXED;
  t[2] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, n, kWidth), "i,column");
  return 3;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  const float *table = static_cast<const float *>(data[0]);
  int32_t *index = static_cast<int32_t *>(data[1]);
  float *out = static_cast<float *>(data[2]);
  for (int64_t i = 0; i < n; i++) {
    int64_t row = index[i];
    if (WRONG == NarrowIndex) row &= 0xff;
    if (WRONG == LastIndex && rows > 1) row %= rows - 1;
    for (int64_t j = 0; j < kWidth; j++) {
      if (WRONG == ShortRow && j == kWidth - 1 && row % 2 == 1) continue;
      out[i * kWidth + j] = table[row * kWidth + j];
    }
  }
  if (WRONG == WritesIndex) std::sort(index, index + n);
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  for (int64_t i = 0; i < pg_param(c, "n"); i++) {
    for (int64_t j = 0; j < kWidth; j++) data[2][i * kWidth + j] = data[0][int64_t(data[1][i]) * kWidth + j];
  }
  return 0;
}
