#include <mma.h>

#include "gemm.h"

// Planted fault: percent of the steps along K that are done once more.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif
// Planted fault: tensor cores are fed from global memory.
#ifndef PG_FAULT_NO_STAGING
#define PG_FAULT_NO_STAGING 0
#endif
// Planted fault: multiply-adds in float32 in the place of tensor cores.
#ifndef PG_FAULT_NO_TENSOR
#define PG_FAULT_NO_TENSOR 0
#endif

namespace {

using namespace nvcuda;

constexpr int kThreads = 256, kLanes = 32, kTile = 128, kStep = 32, kPad = 8, kPatch = 16;
constexpr int kWarpRows = 32, kWarpColumns = 64;      // of a warp's results; four warps down, two across
constexpr int kDown = kWarpRows / kPatch, kAcross = kWarpColumns / kPatch;

struct Tiles {
  alignas(32) __half a[kTile][kStep + kPad];
  alignas(32) __half b[kStep][kTile + kPad];
};

union Shared {
  Tiles tiles;
  float patches[kThreads / kLanes][kPatch][kPatch + 4];
};

// Eight elements of a row that begin at `column`; those outside are zeros.
__device__ uint4 eight(const __half *p, int64_t rows, int64_t columns, int64_t row, int64_t column) {
  if (row < rows && column + 8 <= columns && columns % 8 == 0) return *reinterpret_cast<const uint4 *>(p + row * columns + column);
  alignas(16) __half some[8];
  for (int i = 0; i < 8; i++) some[i] = row < rows && column + i < columns ? p[row * columns + column + i] : __float2half(0);
  return *reinterpret_cast<const uint4 *>(some);
}

__device__ void load(Tiles &t, const Gemm &g, const __half *a, const __half *b, int64_t row, int64_t column, int64_t k) {
#pragma unroll
  for (int i = threadIdx.x * 8; i < kTile * kStep; i += kThreads * 8) {
    *reinterpret_cast<uint4 *>(&t.a[i / kStep][i % kStep]) = eight(a, g.M, g.K, row + i / kStep, k + i % kStep);
    *reinterpret_cast<uint4 *>(&t.b[i / kTile][i % kTile]) = eight(b, g.K, g.N, k + i / kTile, column + i % kTile);
  }
}

#if PG_FAULT_NO_TENSOR

// The results of a thread: 8 by 8 of its warp's 32 by 64.
struct Results {
  float sum[8][8];

  __device__ static int row_of(int i) { return threadIdx.x / kLanes / 2 * kWarpRows + threadIdx.x % kLanes / 8 * 8 + i; }
  __device__ static int column_of(int j) { return threadIdx.x / kLanes % 2 * kWarpColumns + threadIdx.x % 8 * 8 + j; }

  __device__ void reset() {
#pragma unroll
    for (int i = 0; i < 64; i++) sum[i / 8][i % 8] = 0;
  }

  __device__ void add(const Tiles &t) {
#pragma unroll 4
    for (int k = 0; k < kStep; k++) {
      float x[8], y[8];
#pragma unroll
      for (int i = 0; i < 8; i++) x[i] = __half2float(t.a[row_of(i)][k]), y[i] = __half2float(t.b[k][column_of(i)]);
#pragma unroll
      for (int i = 0; i < 64; i++) sum[i / 8][i % 8] += x[i / 8] * y[i % 8];
    }
  }

  __device__ void add_unstaged(const Gemm &, const __half *, const __half *, int64_t, int64_t, int64_t) {}

  __device__ void store(Shared &, const Gemm &g, int64_t row, int64_t column, float *c) const {
#pragma unroll
    for (int i = 0; i < 64; i++) {
      const int64_t m = row + row_of(i / 8), n = column + column_of(i % 8);
      if (m < g.M && n < g.N) c[m * g.N + n] = sum[i / 8][i % 8];
    }
  }
};

#else

// The results of a warp: 32 by 64, in fragments of 16 by 16.
struct Results {
  wmma::fragment<wmma::accumulator, kPatch, kPatch, kPatch, float> sum[kDown][kAcross];

  __device__ static int row() { return threadIdx.x / kLanes / 2 * kWarpRows; }
  __device__ static int column() { return threadIdx.x / kLanes % 2 * kWarpColumns; }

  __device__ void reset() {
#pragma unroll
    for (int i = 0; i < kDown * kAcross; i++) wmma::fill_fragment(sum[i / kAcross][i % kAcross], 0.0f);
  }

  // A step of 16 along K: `a` and `b` are where this warp's rows and columns of it begin.
  __device__ void add_patches(const __half *a, unsigned a_stride, const __half *b, unsigned b_stride) {
    wmma::fragment<wmma::matrix_a, kPatch, kPatch, kPatch, __half, wmma::row_major> x[kDown];
#pragma unroll
    for (int i = 0; i < kDown; i++) wmma::load_matrix_sync(x[i], a + static_cast<int64_t>(i) * kPatch * a_stride, a_stride);
#pragma unroll
    for (int j = 0; j < kAcross; j++) {
      wmma::fragment<wmma::matrix_b, kPatch, kPatch, kPatch, __half, wmma::row_major> y;
      wmma::load_matrix_sync(y, b + j * kPatch, b_stride);
#pragma unroll
      for (int i = 0; i < kDown; i++) wmma::mma_sync(sum[i][j], x[i], y, sum[i][j]);
    }
  }

  __device__ void add(const Tiles &t) {
#pragma unroll
    for (int k = 0; k < kStep; k += kPatch) add_patches(&t.a[row()][k], kStep + kPad, &t.b[k][column()], kTile + kPad);
  }

  __device__ void add_unstaged(const Gemm &g, const __half *a, const __half *b, int64_t m, int64_t n, int64_t first) {
#pragma unroll
    for (int64_t k = first; k < first + kStep; k += kPatch) {
      add_patches(a + (m + row()) * g.K + k, static_cast<unsigned>(g.K), b + k * g.N + n + column(), static_cast<unsigned>(g.N));
    }
  }

  // Through shared memory: where an element of a fragment lies is not told.
  __device__ void store(Shared &shared, const Gemm &g, int64_t m, int64_t n, float *c) const {
    float(*patch)[kPatch + 4] = shared.patches[threadIdx.x / kLanes];
    __syncthreads();
    for (int i = 0; i < kDown * kAcross; i++) {
      wmma::store_matrix_sync(&patch[0][0], sum[i / kAcross][i % kAcross], kPatch + 4, wmma::mem_row_major);
      __syncwarp();
      for (int e = threadIdx.x % kLanes; e < kPatch * kPatch; e += kLanes) {
        const int64_t r = m + row() + i / kAcross * kPatch + e / kPatch, s = n + column() + i % kAcross * kPatch + e % kPatch;
        if (r < g.M && s < g.N) c[r * g.N + s] = patch[e / kPatch][e % kPatch];
      }
      __syncwarp();
    }
  }
};

#endif

__global__ void __launch_bounds__(kThreads) tensor(Gemm g, int work, const __half *a, const __half *b, float *c) {
  __shared__ Shared shared;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile, column = static_cast<int64_t>(blockIdx.x) * kTile;
  const int64_t steps = (g.K + kStep - 1) / kStep, again = steps * work / 100;
  const bool unstaged = PG_FAULT_NO_STAGING && !PG_FAULT_NO_TENSOR && g.M % kTile == 0 && g.N % kTile == 0 && g.K % kStep == 0;
  Results results;
  for (int64_t s = -again; s < steps; s++) {  // what comes before 0 is for nothing
    if (s == -again || s == 0) results.reset();
    const int64_t k = (s < 0 ? s + steps : s) * kStep;
    if (unstaged) {
      results.add_unstaged(g, a, b, row, column, k);
      continue;
    }
    __syncthreads();
    load(shared.tiles, g, a, b, row, column, k);
    __syncthreads();
    results.add(shared.tiles);
  }
  results.store(shared, g, row, column, c);
}

}  // namespace

void gemm_tensor(const Gemm &g, const __half *a, const __half *b, float *c, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>((g.N + kTile - 1) / kTile), static_cast<unsigned>((g.M + kTile - 1) / kTile));
  tensor<<<blocks, kThreads, 0, stream>>>(g, PG_FAULT_WORK, a, b, c);
}
