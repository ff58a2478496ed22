#include "attention.h"

// Planted fault: the launch has this many blocks, which walk over all of the work; 0 launches enough.
#ifndef PG_FAULT_GRID
#define PG_FAULT_GRID 0
#endif
// Planted fault: percent of the keys that are gone over once more.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif
// Planted fault: every block asks for all the shared memory that it may have, so that few of them fit.
#ifndef PG_FAULT_SHARED
#define PG_FAULT_SHARED 0
#endif
// Planted fault: keys and values are read past the L1 cache.
#ifndef PG_FAULT_NO_L1
#define PG_FAULT_NO_L1 0
#endif

namespace {

constexpr int kLanes = 32, kWarps = 8;

__device__ float warp_max(float x) {
  for (int lane = kLanes / 2; lane > 0; lane /= 2) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFu, x, lane));
  return x;
}

__device__ float warp_sum(float x) {
  for (int lane = kLanes / 2; lane > 0; lane /= 2) x += __shfl_xor_sync(0xFFFFFFFFu, x, lane);
  return x;
}

__device__ float element(const __half *p) { return __half2float(PG_FAULT_NO_L1 ? __ldcg(p) : *p); }

__device__ float dot(const __half *a, const __half *b, int64_t n) {
  float sum = 0;
  for (int64_t d = 0; d < n; d++) sum += __half2float(a[d]) * element(b + d);
  return sum;
}

// Sum over the keys of weight times value, in one dimension; the first `again` of them are summed twice, once for nothing.
__device__ float weighted(const float *scores, const __half *v, int64_t stride, int64_t visible, int64_t again) {
  float o = 0;
  for (int64_t i = -again; i < visible; i++) {
    if (i == 0) o = 0;
    const int64_t j = i < 0 ? i + again : i;
    o += scores[j] * element(v + j * stride);
  }
  return o;
}

// Query `row` of all heads together, by one warp.
__device__ void attend(const Attention &a, int work, const __half *q, const __half *k, const __half *v, __half *out, int64_t row,
                       float *scores) {
  const int lane = threadIdx.x % kLanes;
  const int64_t head = row / a.S, query = row % a.S, visible = a.causal ? query + 1 : a.S;
  const int64_t again = visible * work / 100;
  k += head * a.S * a.D;
  v += head * a.S * a.D;

  // Planted work goes in steps of a warp's keys: as many of them over all queries as make the percentage.
  const int64_t steps = (visible + kLanes - 1) / kLanes * work, extra = (row + 1) * steps / 100 - row * steps / 100;
  float top = -INFINITY, sum = 0;
  for (int64_t j = lane - extra * kLanes; j < visible; j += kLanes) {
    const int64_t key = j < 0 ? j + extra * kLanes : j;
    if (key >= visible) continue;
    scores[key] = dot(q + row * a.D, k + key * a.D, a.D) * rsqrtf(static_cast<float>(a.D));
    top = fmaxf(top, scores[key]);
  }
  top = warp_max(top);
  for (int64_t j = lane; j < visible; j += kLanes) sum += scores[j] = __expf(scores[j] - top);
  sum = warp_sum(sum);
  __syncwarp();

  for (int64_t d = lane; d < a.D; d += kLanes) {
    out[row * a.D + d] = __float2half(weighted(scores, v + d, a.D, visible, again) / sum);
  }
  __syncwarp();
}

__global__ void naive(Attention a, int work, const __half *q, const __half *k, const __half *v, __half *out) {
  extern __shared__ float rows[];
  float *scores = rows + threadIdx.x / kLanes * a.S;
  const int64_t all = a.B * a.H * a.S, step = static_cast<int64_t>(gridDim.x) * kWarps;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes; row < all; row += step) {
    attend(a, work, q, k, v, out, row, scores);
  }
}

// What a launch asks for, at least `bytes`.
size_t shared_bytes(size_t bytes) {
  if (!PG_FAULT_SHARED) return bytes;
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaFuncSetAttribute(naive, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  return static_cast<size_t>(most);
}

}  // namespace

void attention_naive(const Attention &a, const __half *q, const __half *k, const __half *v, __half *out, cudaStream_t stream) {
  const unsigned enough = static_cast<unsigned>((a.B * a.H * a.S + kWarps - 1) / kWarps);
  const unsigned blocks = PG_FAULT_GRID > 0 ? PG_FAULT_GRID : enough;
  naive<<<blocks, kWarps * kLanes, shared_bytes(kWarps * a.S * sizeof(float)), stream>>>(a, PG_FAULT_WORK, q, k, v, out);
}
