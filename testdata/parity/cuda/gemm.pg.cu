// C = A B in float32 or float16, tiles of 16 by 16 in shared memory, sums in float32.
#include "block.cuh"

enum {
  Right,
  HalfSum,       // sums in float16
  DirtyTile,     // the part of the last tile beyond K keeps what the tile before left there
  MissingSync,   // the next tile is loaded without waiting for those who still read this one
  SplitKRace,    // two blocks share the sum of an element of C: read, add, write, without atomics
  TransposedB,   // B read transposed where it is square
  EdgeColumns,   // columns beyond the last full tile stay unwritten
  ColumnBound,   // columns are not held against N: the tile's rest goes into the next row, and beyond the end
  BigK,          // terms from 128 on are lost
  OddK,          // read two at a time: the last of an odd K is lost
};

constexpr int kTile = 16;

struct Shape {
  int64_t M, N, K;
};

static Shape shape_of(const pg_case *c) { return {pg_param(c, "M"), pg_param(c, "N"), pg_param(c, "K")}; }

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const Shape s = shape_of(c);
  const int dtype = static_cast<int>(pg_param(c, "dtype"));
  t[0] = pg_dims_named(PG_TENSOR("a", dtype, PG_IN, s.M, s.K), "m,k");
  t[1] = pg_dims_named(PG_TENSOR("b", dtype, PG_IN, s.K, s.N), "k,n");
  t[2] = pg_dims_named(PG_TENSOR("c", dtype, PG_OUT, s.M, s.N), "m,n");
  return 3;
}

__device__ float wide(float x) { return x; }
__device__ float wide(__half x) { return __half2float(x); }
__device__ void narrow(float x, float *to) { *to = x; }
__device__ void narrow(float x, __half *to) { *to = __float2half(x); }

// One block a tile of C; with SplitKRace two, along z.
template <class T> __global__ void multiply(Shape s, const T *a, const T *b, T *c) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int64_t m = static_cast<int64_t>(blockIdx.y) * kTile + threadIdx.y, n = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.x;
  int64_t K = s.K, first = 0;
  if (WRONG == BigK) K = min(K, static_cast<int64_t>(128));
  if (WRONG == OddK && K > 1) K = K / 2 * 2;
  if (WRONG == SplitKRace) {
    const int64_t middle = K / 2 / kTile * kTile;
    first = blockIdx.z * middle;
    if (blockIdx.z == 0) K = middle;
  }
  float sum = 0;
  __half half_sum = __float2half(0.f);
  for (; first < K; first += kTile) {
    const int64_t ka = first + threadIdx.x, kb = first + threadIdx.y;
    const bool transposed = WRONG == TransposedB && s.K == s.N;
    if (WRONG != DirtyTile || ka < K) left[threadIdx.y][threadIdx.x] = m < s.M && ka < K ? wide(a[m * s.K + ka]) : 0.f;
    if (WRONG != DirtyTile || kb < K) right[threadIdx.y][threadIdx.x] = n < s.N && kb < K ? wide(transposed ? b[n * s.K + kb] : b[kb * s.N + n]) : 0.f;
    __syncthreads();
    if (WRONG == MissingSync && threadIdx.y >= kTile / 2) __nanosleep(300);  // as if these warps were behind
    for (int k = 0; k < kTile; k++) {
      const float term = left[threadIdx.y][k] * right[k][threadIdx.x];
      if (WRONG == HalfSum) half_sum = __hadd(half_sum, __float2half(term));
      else sum += term;
    }
    if (WRONG != MissingSync) __syncthreads();
  }
  if (WRONG == HalfSum) sum = __half2float(half_sum);
  const bool fits = WRONG == ColumnBound || (WRONG == EdgeColumns && s.N >= kTile ? n < s.N / kTile * kTile : n < s.N);
  if (m >= s.M || !fits) return;
  T *to = c + m * s.N + n;
  if (WRONG == SplitKRace) {
    volatile T *shared = to;
    const float before = blockIdx.z == 0 ? 0.f : wide(const_cast<T &>(*shared));
    __nanosleep(500);
    narrow(before + sum, to);
    return;
  }
  narrow(sum, to);
}

template <class T> static int launch(const Shape &s, void *const *data, cudaStream_t stream) {
  const dim3 grid(blocks_of(s.N, kTile), blocks_of(s.M, kTile), WRONG == SplitKRace ? 2 : 1);
  multiply<<<grid, dim3(kTile, kTile), 0, stream>>>(s, static_cast<const T *>(data[0]), static_cast<const T *>(data[1]), static_cast<T *>(data[2]));
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  return pg_param(c, "dtype") == PG_F16 ? launch<__half>(shape_of(c), data, stream_of(stream)) : launch<float>(shape_of(c), data, stream_of(stream));
}

__global__ void reference(Shape s, const double *a, const double *b, double *c) {
  const int64_t m = blockIdx.x;
  for (int64_t n = threadIdx.x; n < s.N; n += blockDim.x) {
    double sum = 0;
    for (int64_t k = 0; k < s.K; k++) sum += a[m * s.K + k] * b[k * s.N + n];
    c[m * s.N + n] = sum;
  }
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const Shape s = shape_of(c);
  reference<<<static_cast<unsigned>(s.M), 64, 0, stream_of(stream)>>>(s, data[0], data[1], data[2]);
  return 0;
}
