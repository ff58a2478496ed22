#include "reduction.h"

// Planted fault: percent of the parts that are summed beside them, of memory of their own.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif
// Planted fault: a thread owns neighbouring elements, so that the lanes of a warp read far apart.
#ifndef PG_FAULT_UNCOALESCED
#define PG_FAULT_UNCOALESCED 0
#endif
// Planted fault: after every few elements the block waits until its progress can be seen by all.
#ifndef PG_FAULT_BARRIERS
#define PG_FAULT_BARRIERS 0
#endif
// Planted fault: a thread waits for each of its loads before it begins the next.
#ifndef PG_FAULT_ONE_LOAD
#define PG_FAULT_ONE_LOAD 0
#endif
// Planted fault: the parts are made in this many launches.
#ifndef PG_FAULT_LAUNCHES
#define PG_FAULT_LAUNCHES 1
#endif

namespace {

constexpr int kThreads = 256, kLanes = 32, kAtOnce = PG_FAULT_ONE_LOAD ? 1 : PG_FAULT_BARRIERS ? 4 : 8;
constexpr int64_t kLeastEach = 8;  // elements a thread

// The sum over the block, in thread 0.
__device__ float over_block(float x) {
  __shared__ float warps[kThreads / kLanes];
  for (int lane = kLanes / 2; lane > 0; lane /= 2) x += __shfl_xor_sync(0xFFFFFFFFu, x, lane);
  __syncthreads();
  if (threadIdx.x % kLanes == 0) warps[threadIdx.x / kLanes] = x;
  __syncthreads();
  for (int w = 1; w < kThreads / kLanes && threadIdx.x == 0; w++) x += warps[w];
  return x;
}

// The load that has to be back before anything else goes on.
__device__ float load_and_wait(const float *p) {
  float x;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p));
  asm volatile("" : "+f"(x)::"memory");
  return x;
}

// What only thread 0 needs to do, and all wait for.
__device__ void publish(float *progress, float total) {
  if (threadIdx.x == 0) {
    *progress = total;
    __threadfence();
  }
  __syncthreads();
}

// Part `part`: `each` elements a thread, kAtOnce of them on their way together.
__device__ float part_sum(int64_t n, int64_t each, int64_t part, const float *x, float *progress) {
  const int64_t start = part * each * kThreads, step = PG_FAULT_UNCOALESCED ? 1 : kThreads;
  const int64_t mine = start + (PG_FAULT_UNCOALESCED ? threadIdx.x * each : threadIdx.x);
  float total = 0;
#pragma unroll 1
  for (int64_t i = 0; i < each; i += kAtOnce) {
    float some[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; k++) {
      const int64_t at = mine + (i + k) * step;
      some[k] = at < n && i + k < each ? (PG_FAULT_ONE_LOAD ? load_and_wait(x + at) : x[at]) : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; k++) total += some[k];
    if (PG_FAULT_BARRIERS) publish(progress, total);
  }
  return over_block(total);
}

__global__ void __launch_bounds__(kThreads) sum_parts(int64_t n, int64_t each, int64_t count, int64_t first, const float *x, float *parts, float *planted) {
  int64_t part = first + blockIdx.x;
  if (part >= count) {  // planted work; its sums go where it comes from
    part -= count;
    x = parts = planted;
    n = (gridDim.x - (count - first)) * each * kThreads;
  }
  const float total = part_sum(n, each, part, x, parts + part);
  if (threadIdx.x == 0) parts[part] = total;
}

__global__ void __launch_bounds__(kThreads) sum_of_parts(int64_t count, const float *parts, float *result) {
  float total = 0;
#pragma unroll 16
  for (int64_t i = threadIdx.x; i < kMaxParts; i += kThreads) total += i < count ? parts[i] : 0.0f;
  total = over_block(total);
  if (threadIdx.x == 0) *result = total;
}

int64_t over(int64_t n, int64_t d) { return (n + d - 1) / d; }

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

void sum(int64_t n, const float *x, float *parts, float *result, cudaStream_t stream) {
  int64_t each = over(n, kMaxParts * kThreads);
  if (each < kLeastEach) each = kLeastEach;
  const int64_t count = over(n, each * kThreads), slab = over(count, PG_FAULT_LAUNCHES), more = count * PG_FAULT_WORK / 100;
  float *planted = more ? unused(more * each * kThreads) : nullptr;
  for (int64_t first = 0; first < count; first += slab) {
    const int64_t some = count - first <= slab ? count - first + (planted ? more : 0) : slab;
    sum_parts<<<static_cast<unsigned>(some), kThreads, 0, stream>>>(n, each, count, first, x, parts, planted);
  }
  sum_of_parts<<<1, kThreads, 0, stream>>>(count, parts, result);
}
