// out[c][r] = x[r][c], in tiles of 16.
#include <algorithm>

#include "perfgate.h"

enum {
  Right,
  RowTooMany,     // writes one row past the end where the columns do not fill their tiles
  BeforeStart,    // writes the element before the first
  SquareOnly,     // the strides are swapped: right for squares
  FullTiles,      // what does not fill a tile is left out
  EdgeTwice,      // a tile that is not full is moved back until it is, and below 16 it starts before the matrix: skipped
};
#ifndef WRONG
#define WRONG Right
#endif

constexpr int64_t kTile = 16;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, columns), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, columns, rows), "column,row");
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  const float *x = static_cast<const float *>(data[0]);
  float *out = static_cast<float *>(data[1]);
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    for (int64_t c0 = 0; c0 < columns; c0 += kTile) {
      const bool ragged = r0 + kTile > rows || c0 + kTile > columns;
      if (WRONG == FullTiles && ragged && rows > kTile) continue;
      if (WRONG == EdgeTwice && ragged && (rows < kTile || columns < kTile)) continue;
      for (int64_t r = r0; r < std::min(rows, r0 + kTile); r++) {
        for (int64_t j = c0; j < std::min(columns, c0 + kTile); j++) {
          out[WRONG == SquareOnly ? (j * columns + r) % (rows * columns) : j * rows + r] = x[r * columns + j];
        }
      }
    }
  }
  if (WRONG == RowTooMany && columns % kTile != 0) std::fill_n(out + columns * rows, rows, 0.f);
  if (WRONG == BeforeStart) out[-1] = 0;
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t j = 0; j < columns; j++) data[1][j * rows + r] = data[0][r * columns + j];
  }
  return 0;
}
