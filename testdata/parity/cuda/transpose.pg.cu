// A transpose through tiles of 16 by 16 in shared memory.
#include "block.cuh"

enum {
  Right,
  RowTooMany,    // writes one row beyond the last
  BeforeStart,   // writes one element before the first
  SquareOnly,    // the output has the input's row length: right for square matrices alone
  FullTiles,     // the grid covers full tiles only
  MissingSync,   // the tile is read without waiting for those who write it
  SwappedBounds, // rows are held against the number of columns, and the other way round
  TileStride,    // the tile is written with rows of 17 and read with rows of 16
};

constexpr int kTile = 16;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, columns), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, columns, rows), "column,row");
  return 2;
}

__global__ void transpose(int64_t rows, int64_t columns, const float *x, float *out) {
  __shared__ float tile[kTile * (kTile + 1)];
  const int64_t r = static_cast<int64_t>(blockIdx.y) * kTile + threadIdx.y, c = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.x;
  const bool inside = WRONG == SwappedBounds ? r < columns && c < rows : r < rows && c < columns;
  if (inside) tile[threadIdx.y * (kTile + 1) + threadIdx.x] = x[r * columns + c];
  if (WRONG != MissingSync) __syncthreads();
  const int64_t to_row = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.y, to_column = static_cast<int64_t>(blockIdx.y) * kTile + threadIdx.x;
  const int64_t length = WRONG == SquareOnly ? columns : rows;
  const int stride = WRONG == TileStride ? kTile : kTile + 1;
  const float value = tile[threadIdx.x * stride + threadIdx.y];
  const bool fits = WRONG == SwappedBounds ? to_row < rows && to_column < columns : to_row < columns && to_column < rows;
  const int64_t at = to_row * length + to_column;
  if (fits && at < rows * columns) out[at] = value;
  if (WRONG == RowTooMany && to_row == columns - 1 && to_column < rows) out[at + rows] = value;
  if (WRONG == BeforeStart && at == 0) out[-1] = value;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  const bool full = WRONG == FullTiles;
  const dim3 grid(full ? static_cast<unsigned>(columns / kTile) : blocks_of(columns, kTile), full ? static_cast<unsigned>(rows / kTile) : blocks_of(rows, kTile));
  if (grid.x == 0 || grid.y == 0) return 0;
  transpose<<<grid, dim3(kTile, kTile), 0, stream_of(stream)>>>(rows, columns, static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t rows, int64_t columns, const double *x, double *out) {
  for (int64_t c = threadIdx.x; c < columns; c += blockDim.x) out[c * rows + blockIdx.x] = x[blockIdx.x * columns + c];
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows");
  reference<<<static_cast<unsigned>(rows), 128, 0, stream_of(stream)>>>(rows, pg_param(c, "columns"), data[0], data[1]);
  return 0;
}
