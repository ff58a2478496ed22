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
// Planted fault: both products by multiply-adds in float32.
#ifndef PG_FAULT_NO_TENSOR
#define PG_FAULT_NO_TENSOR 0
#endif

namespace {

// The fragments are those of mma.m16n8k16 in the PTX manual: lane 4 r + c holds columns 2 c and 2 c + 1 of rows r and r + 8.
constexpr int kThreads = 128, kLanes = 32, kWarpQueries = 16, kQueries = kThreads / kLanes * kWarpQueries;
constexpr int kKeys = 32, kPad = PG_FAULT_BANK_CONFLICTS ? 0 : 8;

template <int D> struct Tiles {
  alignas(16) __half q[kQueries][D + kPad], k[kKeys][D + kPad], v[kKeys][D + kPad];
  __half p[PG_FAULT_NO_TENSOR ? kQueries : 1][kKeys + kPad];
};

__device__ unsigned pair_at(const __half *p) { return *reinterpret_cast<const unsigned *>(p); }

__device__ unsigned pair_of(float low, float high) {
  const __half2 h = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned *>(&h);
}

// c += a b, for a of 16 x 16, b of 16 x 8.
__device__ void multiply(float *c, const unsigned *a, const unsigned *b) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  __trap();
#endif
}

// Two 8 x 8 blocks below each other, transposed; lanes 0 to 15 say where their 16 rows begin.
__device__ void load_transposed(unsigned *b, const __half *row) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(at));
}

// Sixteen bytes a thread; rows beyond the end are zeros.
template <int D> __device__ void load(__half (*to)[D + kPad], const __half *from, int64_t first, int rows, int64_t limit) {
  for (int i = threadIdx.x; i < rows * D / 8; i += kThreads) {
    const int r = i / (D / 8), d = i % (D / 8) * 8;
    uint4 x = make_uint4(0, 0, 0, 0);
    if (first + r < limit) x = *reinterpret_cast<const uint4 *>(from + (first + r) * D + d);
    *reinterpret_cast<uint4 *>(&to[r][d]) = x;
  }
}

// What a lane has in hand: rows r and r + 8 of its warp's 16 queries.
template <int D> struct State {
  float top[2], sum[2], out[D / 8][4];

  __device__ void reset() {
    top[0] = top[1] = -INFINITY;
    sum[0] = sum[1] = 0;
    for (int n = 0; n < D / 8; n++) {
      for (int i = 0; i < 4; i++) out[n][i] = 0;
    }
  }
};

template <int D> __device__ void scores(const Tiles<D> &t, float (*s)[4]) {
  const int warp = threadIdx.x / kLanes, r = threadIdx.x % kLanes / 4, c = threadIdx.x % 4 * 2;
  const __half *q = t.q[warp * kWarpQueries + r], *below = t.q[warp * kWarpQueries + r + 8];
#pragma unroll
  for (int n = 0; n < kKeys / 8; n++) s[n][0] = s[n][1] = s[n][2] = s[n][3] = 0;
#if PG_FAULT_NO_TENSOR
#pragma unroll 4
  for (int d = 0; d < D; d++) {
    const float a = __half2float(q[d]), b = __half2float(below[d]);
#pragma unroll
    for (int n = 0; n < kKeys / 8; n++) {
      const float even = __half2float(t.k[n * 8 + c][d]), odd = __half2float(t.k[n * 8 + c + 1][d]);
      s[n][0] += a * even;
      s[n][1] += a * odd;
      s[n][2] += b * even;
      s[n][3] += b * odd;
    }
  }
#else
#pragma unroll
  for (int d = 0; d < D; d += 16) {
    const unsigned a[4] = {pair_at(q + d + c), pair_at(below + d + c), pair_at(q + d + c + 8), pair_at(below + d + c + 8)};
#pragma unroll
    for (int n = 0; n < kKeys / 8; n++) {
      const __half *k = t.k[n * 8 + r] + d + c;
      const unsigned b[2] = {pair_at(k), pair_at(k + 8)};
      multiply(s[n], a, b);
    }
  }
#endif
}

// Online softmax: scores become weights, what was summed before is scaled to the new maximum.
template <int D> __device__ void weigh(State<D> &state, float (*s)[4], int64_t query, int64_t first, const Attention &a) {
  const int c = threadIdx.x % 4 * 2;
  const float scale = rsqrtf(static_cast<float>(D));
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const int64_t visible = a.causal ? min(query + half * 8 + 1, a.S) : a.S;
    float top = state.top[half];
#pragma unroll
    for (int n = 0; n < kKeys / 8; n++) {
#pragma unroll
      for (int i = half * 2; i < half * 2 + 2; i++) {
        s[n][i] = first + n * 8 + c + i % 2 < visible ? s[n][i] * scale : -INFINITY;
        top = fmaxf(top, s[n][i]);
      }
    }
    top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFu, top, 1));
    top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFu, top, 2));
    const float fade = top == -INFINITY ? 1.0f : __expf(state.top[half] - top);
    state.top[half] = top;
    state.sum[half] *= fade;
#pragma unroll
    for (int n = 0; n < kKeys / 8; n++) {
#pragma unroll
      for (int i = half * 2; i < half * 2 + 2; i++) {
        s[n][i] = s[n][i] == -INFINITY ? 0.0f : __expf(s[n][i] - top);
        state.sum[half] += s[n][i];
      }
    }
#pragma unroll
    for (int n = 0; n < D / 8; n++) {
      state.out[n][half * 2] *= fade;
      state.out[n][half * 2 + 1] *= fade;
    }
  }
}

// The weights of two neighbouring tiles of scores are, as they lie, the left operand of the second product.
template <int D> __device__ void accumulate(Tiles<D> &t, State<D> &state, const float (*s)[4]) {
  const int lane = threadIdx.x % kLanes;
#if PG_FAULT_NO_TENSOR
  const int row = threadIdx.x / kLanes * kWarpQueries + lane / 4, c = lane % 4 * 2;
#pragma unroll
  for (int n = 0; n < kKeys / 8; n++) {
    for (int i = 0; i < 4; i++) t.p[row + i / 2 * 8][n * 8 + c + i % 2] = __float2half(s[n][i]);
  }
  __syncwarp();
#pragma unroll 2
  for (int j = 0; j < kKeys; j++) {
    const float a = __half2float(t.p[row][j]), b = __half2float(t.p[row + 8][j]);
#pragma unroll
    for (int n = 0; n < D / 8; n++) {
      const float even = __half2float(t.v[j][n * 8 + c]), odd = __half2float(t.v[j][n * 8 + c + 1]);
      state.out[n][0] += a * even;
      state.out[n][1] += a * odd;
      state.out[n][2] += b * even;
      state.out[n][3] += b * odd;
    }
  }
#else
#pragma unroll
  for (int j = 0; j < kKeys; j += 16) {
    const float *left = s[j / 8], *right = s[j / 8 + 1];
    const unsigned a[4] = {pair_of(left[0], left[1]), pair_of(left[2], left[3]), pair_of(right[0], right[1]), pair_of(right[2], right[3])};
#pragma unroll
    for (int n = 0; n < D / 8; n++) {
      unsigned b[2];
      load_transposed(b, t.v[j + lane % 16] + n * 8);
      multiply(state.out[n], a, b);
    }
  }
#endif
}

template <int D> __device__ void attend(const Attention &a, int work, const __half *q, const __half *k, const __half *v, __half *out, int64_t query,
                                        Tiles<D> &t) {
  State<D> state;
  const int lane = threadIdx.x % kLanes, row = threadIdx.x / kLanes * kWarpQueries + lane / 4, c = lane % 4 * 2;
  const int64_t last = a.causal ? min(query + kQueries, a.S) : a.S;  // keys that some query sees
  const int64_t tiles = (last + kKeys - 1) / kKeys, again = tiles * work / 100;
  load<D>(t.q, q, query, kQueries, a.S);
  for (int64_t i = -again; i < tiles; i++) {  // what comes before 0 is for nothing
    if (i == -again || i == 0) state.reset();
    const int64_t first = (i < 0 ? i + tiles : i) * kKeys;
    __syncthreads();
    load<D>(t.k, k, first, kKeys, a.S);
    load<D>(t.v, v, first, kKeys, a.S);
    __syncthreads();
    float s[kKeys / 8][4];
    scores<D>(t, s);
    weigh<D>(state, s, query + row, first, a);
    accumulate<D>(t, state, s);
  }
#pragma unroll
  for (int half = 0; half < 2; half++) {
    float sum = state.sum[half];
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1);
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 2);
    const int64_t at = query + row + half * 8;
    if (at >= a.S) continue;
#pragma unroll
    for (int n = 0; n < D / 8; n++) {
      const unsigned two = pair_of(state.out[n][half * 2] / sum, state.out[n][half * 2 + 1] / sum);
      *reinterpret_cast<unsigned *>(out + at * D + n * 8 + c) = two;
    }
  }
  __syncthreads();
}

template <int D> __global__ void __launch_bounds__(kThreads) tensor(Attention a, int work, const __half *q, const __half *k, const __half *v, __half *out) {
  __shared__ Tiles<D> t;
  const int64_t query = static_cast<int64_t>(blockIdx.x) * kQueries;
  for (int64_t head = blockIdx.y; head < a.B * a.H; head += gridDim.y) {
    const int64_t at = head * a.S * D;
    attend<D>(a, work, q + at, k + at, v + at, out + at, query, t);
  }
}

}  // namespace

void attention_tensor(const Attention &a, const __half *q, const __half *k, const __half *v, __half *out, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>((a.S + kQueries - 1) / kQueries), PG_FAULT_SERIAL_BATCH ? 1 : static_cast<unsigned>(a.B * a.H));
  if (a.D == 32) tensor<32><<<blocks, kThreads, 0, stream>>>(a, PG_FAULT_WORK, q, k, v, out);
  if (a.D == 64) tensor<64><<<blocks, kThreads, 0, stream>>>(a, PG_FAULT_WORK, q, k, v, out);
}
