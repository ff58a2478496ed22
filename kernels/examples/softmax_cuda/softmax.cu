#include "softmax.h"

// Planted fault: percent of the rows that are done beside them, in memory of their own.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif
// Planted fault: the launch has this many blocks, which walk over all rows; 0 launches one a row.
#ifndef PG_FAULT_GRID
#define PG_FAULT_GRID 0
#endif
// Planted fault: the work is split among this many launches.
#ifndef PG_FAULT_LAUNCHES
#define PG_FAULT_LAUNCHES 1
#endif
// Planted fault: a thread owns neighbouring elements, so that the lanes of a warp read far apart.
#ifndef PG_FAULT_UNCOALESCED
#define PG_FAULT_UNCOALESCED 0
#endif
// Planted fault: a barrier after every element.
#ifndef PG_FAULT_BARRIERS
#define PG_FAULT_BARRIERS 0
#endif
// Planted fault: maximum, sum and division go over all rows of a block one after the other, so that every element comes
// from memory three times.
#ifndef PG_FAULT_PASSES
#define PG_FAULT_PASSES 0
#endif
// Planted fault: every block asks for all the shared memory that it may have, so that few of them fit.
#ifndef PG_FAULT_SHARED
#define PG_FAULT_SHARED 0
#endif
// Planted fault: few long blocks, somewhat more of them than fit on the GPU at once.
#ifndef PG_FAULT_TAIL
#define PG_FAULT_TAIL 0
#endif

namespace {

constexpr int kThreads = 256, kLanes = 32, kPassRows = 16;

struct Max {
  __device__ static float of(float a, float b) { return fmaxf(a, b); }
};

struct Sum {
  __device__ static float of(float a, float b) { return a + b; }
};

// The same in every thread.
template <class Op> __device__ float over_block(float x) {
  __shared__ float warps[kThreads / kLanes];
  for (int lane = kLanes / 2; lane > 0; lane /= 2) x = Op::of(x, __shfl_xor_sync(0xFFFFFFFFu, x, lane));
  if (threadIdx.x % kLanes == 0) warps[threadIdx.x / kLanes] = x;
  __syncthreads();
  x = warps[0];
  for (int w = 1; w < kThreads / kLanes; w++) x = Op::of(x, warps[w]);
  __syncthreads();
  return x;
}

// Visits the elements of a row that are this thread's.
template <class Visit> __device__ void each(int64_t columns, Visit visit) {
  const int64_t mine = (columns + kThreads - 1) / kThreads;
#pragma unroll 4
  for (int64_t i = 0; i < mine; i++) {
    const int64_t at = PG_FAULT_UNCOALESCED ? threadIdx.x * mine + i : i * kThreads + threadIdx.x;
    if (at < columns) visit(at);
    if (PG_FAULT_BARRIERS) __syncthreads();
  }
}

__device__ void one_row(int64_t columns, const float *x, float *y, float *row) {
  float top = -INFINITY, sum = 0;
  each(columns, [&](int64_t i) { row[i] = x[i], top = fmaxf(top, row[i]); });
  top = over_block<Max>(top);
  each(columns, [&](int64_t i) { row[i] = __expf(row[i] - top), sum += row[i]; });
  const float scale = 1 / over_block<Sum>(sum);
  each(columns, [&](int64_t i) { y[i] = row[i] * scale; });
}

// Rows first to last, in three passes over all of them.
__device__ void in_passes(int64_t first, int64_t last, int64_t columns, const float *x, float *y) {
  float tops[kPassRows], scales[kPassRows];
  for (int64_t r = first; r < last; r++) {
    float top = -INFINITY;
    each(columns, [&](int64_t i) { top = fmaxf(top, x[r * columns + i]); });
    tops[r - first] = over_block<Max>(top);
  }
  for (int64_t r = first; r < last; r++) {
    float sum = 0;
    each(columns, [&](int64_t i) { sum += __expf(x[r * columns + i] - tops[r - first]); });
    scales[r - first] = 1 / over_block<Sum>(sum);
  }
  for (int64_t r = first; r < last; r++) {
    each(columns, [&](int64_t i) { y[r * columns + i] = __expf(x[r * columns + i] - tops[r - first]) * scales[r - first]; });
  }
}

__global__ void __launch_bounds__(kThreads) softmax_kernel(int64_t rows, int64_t more, int64_t columns, const float *x, float *y, float *planted) {
  extern __shared__ float row[];
  if (PG_FAULT_PASSES) {
    const int64_t first = static_cast<int64_t>(blockIdx.x) * kPassRows;
    in_passes(first, min(first + kPassRows, rows), columns, x, y);
    return;
  }
  for (int64_t r = blockIdx.x; r < rows + more; r += gridDim.x) {
    const bool asked = r < rows;
    const int64_t at = (asked ? r : r - rows) * columns;
    one_row(columns, (asked ? x : planted) + at, (asked ? y : planted + more * columns) + at, row);
  }
}

// What a launch asks for, at least `bytes`.
size_t shared_bytes(size_t bytes) {
  if (!PG_FAULT_SHARED) return bytes;
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  most -= 1024;  // over_block has some of its own
  cudaFuncSetAttribute(softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  return static_cast<size_t>(most);
}

// An eighth more than fit at once.
unsigned long_blocks(size_t shared) {
  int sms = 0, fit = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, softmax_kernel, kThreads, shared);
  return static_cast<unsigned>(sms * fit + sms * fit / 8);
}

unsigned blocks_for(int64_t rows, size_t shared) {
  if (PG_FAULT_TAIL) return long_blocks(shared);
  if (PG_FAULT_PASSES) return static_cast<unsigned>((rows + kPassRows - 1) / kPassRows);
  return PG_FAULT_GRID > 0 ? PG_FAULT_GRID : static_cast<unsigned>(rows);
}

// Memory for planted work. No launch gets what one shortly before it had, so that it comes from as far away as x does, in a
// graph too.
float *unused(int64_t floats) {
  constexpr int64_t kAll = int64_t{64} << 20;
  static float *all = nullptr;
  static int64_t at = 0;
  if (!all && (cudaMalloc(reinterpret_cast<void **>(&all), kAll * sizeof(float)) != cudaSuccess || cudaMemset(all, 0, kAll * sizeof(float)) != cudaSuccess)) return nullptr;
  at = at + floats > kAll ? 0 : at;
  at += floats;
  return all + at - floats;
}

}  // namespace

void softmax(int64_t rows, int64_t columns, const float *x, float *y, cudaStream_t stream) {
  const int64_t slab = (rows + PG_FAULT_LAUNCHES - 1) / PG_FAULT_LAUNCHES;
  for (int64_t first = 0; first < rows; first += slab) {
    const int64_t some = rows - first < slab ? rows - first : slab, at = first * columns;
    const int64_t more = some * PG_FAULT_WORK / 100;
    float *planted = more ? unused(2 * more * columns) : nullptr;
    const size_t shared = shared_bytes(columns * sizeof(float));
    softmax_kernel<<<blocks_for(planted ? some + more : some, shared), kThreads, shared, stream>>>(some, planted ? more : 0, columns, x + at, y + at, planted);
  }
}
