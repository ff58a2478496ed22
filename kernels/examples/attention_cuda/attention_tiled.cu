#include "attention.h"

// Planted fault: percent of the tiles of keys that are gone over once more.
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0
#endif
// Planted fault: the grid covers the queries of one head, and every block walks over all heads.
#ifndef PG_FAULT_SERIAL_BATCH
#define PG_FAULT_SERIAL_BATCH 0
#endif
// Planted fault: no padding in shared memory.
#ifndef PG_FAULT_BANK_CONFLICTS
#define PG_FAULT_BANK_CONFLICTS 0
#endif
// Planted fault: keys and values are read from global memory where they are used.
#ifndef PG_FAULT_NO_STAGING
#define PG_FAULT_NO_STAGING 0
#endif
// Planted fault: after every few keys the block waits until its progress can be seen by all.
#ifndef PG_FAULT_BARRIERS
#define PG_FAULT_BARRIERS 0
#endif
// Planted fault: every thread takes the exponential of the weights that it reads.
#ifndef PG_FAULT_RECOMPUTE
#define PG_FAULT_RECOMPUTE 0
#endif
// Planted fault: so many blocks a multiprocessor are asked for that registers spill.
#ifndef PG_FAULT_SPILLS
#define PG_FAULT_SPILLS 0
#endif

namespace {

constexpr int kThreads = 128, kColumns = 8;           // threads across a row of the tile of scores
constexpr int kQueries = 64, kKeys = 32;              // the tile of scores that a block has in hand
constexpr int kRows = kQueries / (kThreads / kColumns), kKeysEach = kKeys / kColumns;
constexpr int kPad = PG_FAULT_BANK_CONFLICTS ? 0 : 1;

template <int D> struct Tiles {
  float q[kQueries][D + kPad], k[kKeys][D + kPad], v[kKeys][D + kPad], p[kQueries][kKeys + kPad];
};

template <int D> __device__ void load(float (*to)[D + kPad], const __half *from, int64_t first, int rows, int64_t limit) {
  for (int i = threadIdx.x; i < rows * D; i += kThreads) {
    const int r = i / D, d = i % D;
    to[r][d] = first + r < limit ? __half2float(from[(first + r) * D + d]) : 0.0f;
  }
}

// What only thread 0 needs to do, and all wait for.
__device__ void publish(__half *progress, float sum) {
  if (threadIdx.x == 0) {
    *progress = __float2half(sum);
    __threadfence();
  }
  __syncthreads();
}

// What a thread has in hand: kRows queries, and D / kColumns dimensions of each in the output.
template <int D> struct State {
  float top[kRows], sum[kRows], out[kRows][D / kColumns];

  __device__ void reset() {
    for (int i = 0; i < kRows; i++) {
      top[i] = -INFINITY;
      sum[i] = 0;
      for (int c = 0; c < D / kColumns; c++) out[i][c] = 0;
    }
  }
};

// Scores of this thread's queries and keys.
template <int D> __device__ void scores(const Tiles<D> &t, const __half *k, int64_t first, int64_t limit, float (*s)[kKeysEach]) {
  const int row = threadIdx.x / kColumns * kRows, column = threadIdx.x % kColumns;
  for (int i = 0; i < kRows; i++) {
    for (int j = 0; j < kKeysEach; j++) s[i][j] = 0;
  }
#pragma unroll 8
  for (int d = 0; d < D; d++) {
    float key[kKeysEach];
#pragma unroll
    for (int j = 0; j < kKeysEach; j++) {
      const int64_t n = first + column + j * kColumns;
      key[j] = PG_FAULT_NO_STAGING ? __half2float(k[(n < limit ? n : limit - 1) * D + d]) : t.k[column + j * kColumns][d];
    }
#pragma unroll
    for (int i = 0; i < kRows; i++) {
      const float q = t.q[row + i][d];
#pragma unroll
      for (int j = 0; j < kKeysEach; j++) s[i][j] += q * key[j];
    }
  }
}

// Online softmax: the weights of this tile go to shared memory, what was summed before is scaled to the new maximum.
template <int D> __device__ void weigh(Tiles<D> &t, State<D> &state, float (*s)[kKeysEach], int64_t query, int64_t first, const Attention &a) {
  const int row = threadIdx.x / kColumns * kRows, column = threadIdx.x % kColumns;
  const float scale = rsqrtf(static_cast<float>(D));
#pragma unroll
  for (int i = 0; i < kRows; i++) {
    const int64_t visible = a.causal ? min(query + row + i + 1, a.S) : a.S;
    float top = state.top[i];
#pragma unroll
    for (int j = 0; j < kKeysEach; j++) {
      s[i][j] = first + column + j * kColumns < visible ? s[i][j] * scale : -INFINITY;
      top = fmaxf(top, s[i][j]);
    }
    for (int lane = kColumns / 2; lane > 0; lane /= 2) top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFu, top, lane));
    const float fade = top == -INFINITY ? 1.0f : __expf(state.top[i] - top);
    float sum = 0;
#pragma unroll
    for (int j = 0; j < kKeysEach; j++) {
      const float weight = s[i][j] == -INFINITY ? 0.0f : __expf(s[i][j] - top);
      t.p[row + i][column + j * kColumns] = !PG_FAULT_RECOMPUTE ? weight : weight > 0 ? s[i][j] - top : -INFINITY;
      sum += weight;
    }
    state.top[i] = top;
    state.sum[i] = state.sum[i] * fade + sum;  // of this thread's keys only; added up at the end
#pragma unroll
    for (int c = 0; c < D / kColumns; c++) state.out[i][c] *= fade;
  }
}

template <int D> __device__ void accumulate(const Tiles<D> &t, const __half *v, int64_t first, int64_t limit, State<D> &state,
                                             __half *progress) {
  const int row = threadIdx.x / kColumns * kRows, column = threadIdx.x % kColumns;
#pragma unroll 4
  for (int j = 0; j < kKeys; j++) {
    const int64_t n = first + j < limit ? first + j : limit - 1;
    float weight[kRows];
#pragma unroll
    for (int i = 0; i < kRows; i++) weight[i] = PG_FAULT_RECOMPUTE ? __expf(t.p[row + i][j]) : t.p[row + i][j];
#pragma unroll
    for (int c = 0; c < D / kColumns; c++) {
      const float value = PG_FAULT_NO_STAGING ? __half2float(v[n * D + column + c * kColumns]) : t.v[j][column + c * kColumns];
#pragma unroll
      for (int i = 0; i < kRows; i++) state.out[i][c] += weight[i] * value;
    }
    if (PG_FAULT_BARRIERS && j % 2 == 0) publish(progress, state.sum[0]);
  }
}

template <int D> __device__ void attend(const Attention &a, int work, const __half *q, const __half *k, const __half *v, __half *out, int64_t query,
                                        Tiles<D> &t) {
  State<D> state;
  const int64_t last = a.causal ? min(query + kQueries, a.S) : a.S;  // keys that some query sees
  const int64_t tiles = (last + kKeys - 1) / kKeys, again = tiles * work / 100;
  load<D>(t.q, q, query, kQueries, a.S);
  for (int64_t i = -again; i < tiles; i++) {  // what comes before 0 is for nothing
    if (i == -again || i == 0) state.reset();
    const int64_t first = (i < 0 ? i + tiles : i) * kKeys;
    __syncthreads();
    if (!PG_FAULT_NO_STAGING) {
      load<D>(t.k, k, first, kKeys, a.S);
      load<D>(t.v, v, first, kKeys, a.S);
    }
    __syncthreads();
    float s[kRows][kKeysEach];
    scores<D>(t, k, first, a.S, s);
    weigh<D>(t, state, s, query, first, a);
    __syncwarp();  // a row belongs to threads of one warp
    accumulate<D>(t, v, first, a.S, state, out + query * D);  // which is thread 0's own in the end
  }
  const int row = threadIdx.x / kColumns * kRows, column = threadIdx.x % kColumns;
#pragma unroll
  for (int i = 0; i < kRows; i++) {
    float sum = state.sum[i];
    for (int lane = kColumns / 2; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, lane);
    if (query + row + i >= a.S) continue;
#pragma unroll
    for (int c = 0; c < D / kColumns; c++) {
      out[(query + row + i) * D + column + c * kColumns] = __float2half(state.out[i][c] / sum);
    }
  }
  __syncthreads();
}

#if PG_FAULT_SPILLS
#define PG_BOUNDS __launch_bounds__(kThreads, 12)
#else
#define PG_BOUNDS __launch_bounds__(kThreads)
#endif

template <int D> __global__ void PG_BOUNDS tiled(Attention a, int work, const __half *q, const __half *k, const __half *v, __half *out) {
  __shared__ Tiles<D> t;
  const int64_t query = static_cast<int64_t>(blockIdx.x) * kQueries;
  for (int64_t head = blockIdx.y; head < a.B * a.H; head += gridDim.y) {
    const int64_t at = head * a.S * D;
    attend<D>(a, work, q + at, k + at, v + at, out + at, query, t);
  }
}

}  // namespace

void attention_tiled(const Attention &a, const __half *q, const __half *k, const __half *v, __half *out, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>((a.S + kQueries - 1) / kQueries), PG_FAULT_SERIAL_BATCH ? 1 : static_cast<unsigned>(a.B * a.H));
  if (a.D == 32) tiled<32><<<blocks, kThreads, 0, stream>>>(a, PG_FAULT_WORK, q, k, v, out);
  if (a.D == 64) tiled<64><<<blocks, kThreads, 0, stream>>>(a, PG_FAULT_WORK, q, k, v, out);
}
