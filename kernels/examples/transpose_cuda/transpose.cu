#include "transpose.h"

// Planted fault: percent of the tiles that are done once more, by the blocks that begin first.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif
// Planted fault: no padding in shared memory.
#ifndef PG_FAULT_BANK_CONFLICTS
#define PG_FAULT_BANK_CONFLICTS 0
#endif
// Planted fault: no shared memory; the lanes of a warp write far apart.
#ifndef PG_FAULT_UNCOALESCED
#define PG_FAULT_UNCOALESCED 0
#endif
// Planted fault: tiles of 8 by 8, each a block of two warps. A row of them is a sector of memory, so that nothing is read in vain.
#ifndef PG_FAULT_TINY_BLOCKS
#define PG_FAULT_TINY_BLOCKS 0
#endif

namespace {

constexpr int kTile = PG_FAULT_TINY_BLOCKS ? 8 : 32, kRows = 8;

__device__ void directly(int64_t rows, int64_t columns, int64_t row, int64_t column, const float *x, float *y) {
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int64_t r = row + i, c = column + threadIdx.x;
    if (r < rows && c < columns) y[c * rows + r] = x[r * columns + c];
  }
}

__device__ void through_tile(int64_t rows, int64_t columns, int64_t row, int64_t column, const float *x, float *y) {
  __shared__ float tile[kTile][kTile + (PG_FAULT_BANK_CONFLICTS ? 0 : 1)];
#pragma unroll
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int64_t r = row + i, c = column + threadIdx.x;
    if (r < rows && c < columns) tile[i][threadIdx.x] = x[r * columns + c];
  }
  __syncthreads();
#pragma unroll
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int64_t r = row + threadIdx.x, c = column + i;
    if (r < rows && c < columns) y[c * rows + r] = tile[threadIdx.x][i];
  }
  __syncthreads();
}

__device__ void one_tile(int64_t rows, int64_t columns, int64_t tile, const float *x, float *y) {
  const int64_t across = (columns + kTile - 1) / kTile, row = tile / across * kTile, column = tile % across * kTile;
  if (PG_FAULT_UNCOALESCED) directly(rows, columns, row, column, x, y);
  else through_tile(rows, columns, row, column, x, y);
}

__global__ void __launch_bounds__(kTile * kRows) transpose_kernel(int64_t rows, int64_t columns, int work, const float *x, float *y) {
  const int64_t tile = blockIdx.x, tiles = gridDim.x;
  one_tile(rows, columns, tile, x, y);
  if (tile * 100 >= tiles * work) return;
  one_tile(rows, columns, (tile + tiles / 2) % tiles, x, y);  // not in cache, if the matrix is too large for it
}

}  // namespace

void transpose(int64_t rows, int64_t columns, const float *x, float *y, cudaStream_t stream) {
  const int64_t tiles = (rows + kTile - 1) / kTile * ((columns + kTile - 1) / kTile);
  transpose_kernel<<<static_cast<unsigned>(tiles), dim3(kTile, kRows), 0, stream>>>(rows, columns, PG_FAULT_WORK, x, y);
}
