#include "gemm.h"

// Planted fault: percent of the steps along K that are done once more.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif
// Planted fault: B lies in shared memory column after column without padding, so that the lanes of a warp share a bank.
#ifndef PG_FAULT_BANK_CONFLICTS
#define PG_FAULT_BANK_CONFLICTS 0
#endif
// Planted fault: A and B are read from global memory where they are used.
#ifndef PG_FAULT_NO_STAGING
#define PG_FAULT_NO_STAGING 0
#endif
// Planted fault: so many blocks a multiprocessor are asked for that registers spill.
#ifndef PG_FAULT_SPILLS
#define PG_FAULT_SPILLS 0
#endif
// Planted fault: every second thread has a loop of its own, which rounds another way.
#ifndef PG_FAULT_BRANCH
#define PG_FAULT_BRANCH 0
#endif

namespace {

constexpr int kThreads = 256, kAcross = 16, kTile = 128, kStep = 8, kEach = 8, kPad = 4;

struct Tiles {
  alignas(16) float a[kStep][kTile + kPad];
#if PG_FAULT_BANK_CONFLICTS
  float b[kTile][kStep];
#else
  alignas(16) float b[kStep][kTile + kPad];
#endif
};

// Columns of a thread: four and four, so that a warp reads neighbouring ones.
__device__ int column_of(int j) { return threadIdx.x % kAcross * 4 + j / 4 * kTile / 2 + j % 4; }
__device__ int row_of(int i) { return threadIdx.x / kAcross * kEach + i; }

__device__ float a_at(const Gemm &g, const float *a, int64_t row, int64_t k) { return row < g.M && k < g.K ? a[row * g.K + k] : 0.0f; }
__device__ float b_at(const Gemm &g, const float *b, int64_t k, int64_t column) { return k < g.K && column < g.N ? b[k * g.N + column] : 0.0f; }

__device__ void load(Tiles &t, const Gemm &g, const float *a, const float *b, int64_t row, int64_t column, int64_t k) {
#pragma unroll
  for (int i = threadIdx.x; i < kTile * kStep; i += kThreads) {
    t.a[i % kStep][i / kStep] = a_at(g, a, row + i / kStep, k + i % kStep);
    const float x = b_at(g, b, k + i / kTile, column + i % kTile);
#if PG_FAULT_BANK_CONFLICTS
    t.b[i % kTile][i / kTile] = x;
#else
    t.b[i / kTile][i % kTile] = x;
#endif
  }
}

// The elements that a thread needs of step k of a tile.
__device__ void fetch(const Tiles &t, int k, float *a, float *b) {
#pragma unroll
  for (int i = 0; i < kEach; i++) a[i] = t.a[k][row_of(i)];
#pragma unroll
#if PG_FAULT_BANK_CONFLICTS
  for (int j = 0; j < kEach; j++) b[j] = t.b[column_of(j)][k];
#else
  for (int j = 0; j < kEach; j++) b[j] = t.b[k][column_of(j)];
#endif
}

__device__ void fetch_unstaged(const Gemm &g, const float *a, const float *b, int64_t row, int64_t column, int64_t k, float *x, float *y) {
#pragma unroll
  for (int i = 0; i < kEach; i++) x[i] = a_at(g, a, row + row_of(i), k);
#pragma unroll
  for (int j = 0; j < kEach; j++) y[j] = b_at(g, b, k, column + column_of(j));
}

__device__ void multiply(const float *x, const float *y, float (*sum)[kEach]) {
  if (PG_FAULT_BRANCH && threadIdx.x % 2) {
#pragma unroll
    for (int i = 0; i < kEach * kEach; i++) sum[i / kEach][i % kEach] = __fmaf_rz(x[i / kEach], y[i % kEach], sum[i / kEach][i % kEach]);
    return;
  }
#pragma unroll
  for (int i = 0; i < kEach * kEach; i++) sum[i / kEach][i % kEach] += x[i / kEach] * y[i % kEach];
}

#if PG_FAULT_SPILLS
#define PG_BOUNDS __launch_bounds__(kThreads, 4)
#else
#define PG_BOUNDS __launch_bounds__(kThreads, 2)
#endif

__global__ void PG_BOUNDS simt(Gemm g, int work, const float *a, const float *b, float *c) {
  __shared__ Tiles t;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile, column = static_cast<int64_t>(blockIdx.x) * kTile;
  const int64_t steps = (g.K + kStep - 1) / kStep, again = steps * work / 100;
  float sum[kEach][kEach];
  for (int64_t s = -again; s < steps; s++) {  // what comes before 0 is for nothing
    if (s == -again || s == 0) {
#pragma unroll
      for (int i = 0; i < kEach * kEach; i++) sum[i / kEach][i % kEach] = 0;
    }
    const int64_t first = (s < 0 ? s + steps : s) * kStep;
    __syncthreads();
    if (!PG_FAULT_NO_STAGING) load(t, g, a, b, row, column, first);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kStep; k++) {
      float x[kEach], y[kEach];
      if (PG_FAULT_NO_STAGING) fetch_unstaged(g, a, b, row, column, first + k, x, y);
      else fetch(t, k, x, y);
      multiply(x, y, sum);
    }
  }
#pragma unroll
  for (int i = 0; i < kEach; i++) {
#pragma unroll
    for (int j = 0; j < kEach; j++) {
      const int64_t m = row + row_of(i), n = column + column_of(j);
      if (m < g.M && n < g.N) c[m * g.N + n] = sum[i][j];
    }
  }
}

}  // namespace

void gemm(const Gemm &g, const float *a, const float *b, float *c, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>((g.N + kTile - 1) / kTile), static_cast<unsigned>((g.M + kTile - 1) / kTile));
  simt<<<blocks, kThreads, 0, stream>>>(g, PG_FAULT_WORK, a, b, c);
}
