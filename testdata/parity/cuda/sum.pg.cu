// Sums of rows, in float or double: one block of 256 threads a row, or two that meet in a scratch tensor.
#include "block.cuh"

enum {
  Right,
  RaceThreads,     // all threads add to one sum in shared memory, without atomics
  RaceBlocks,      // the two blocks of a row read, add and write the sum, without atomics
  MissingSync,     // the first warp adds up the warps' sums without waiting for them
  Uninitialised,   // the sum in the scratch tensor is not cleared
  VectorTail,      // read four at a time: the elements after the last group are left out
  Misaligned,      // read four at a time from rows that do not start at a multiple of 16 bytes
  ThroughFloat,    // double is summed in float
  HalfSum,         // summed in float16
  TwoChunks,       // the middle element of an odd row is in neither half
};

constexpr int kThreads = 256;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  const int dtype = static_cast<int>(pg_param(c, "dtype"));
  t[0] = pg_dims_named(PG_TENSOR("x", dtype, PG_IN, rows, n), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", dtype, PG_OUT, rows), "row");
  t[2] = PG_TENSOR("total", dtype, PG_SCRATCH, rows);
  return 3;
}

// What one thread sums of elements [from, to) of a row.
template <class T> __device__ T share(const T *x, int64_t from, int64_t to) {
  T mine = 0;
  if (WRONG == VectorTail) to = from + (to - from) / 4 * 4;
  if (WRONG == Misaligned && sizeof(T) == 4) {
    const float4 *four = reinterpret_cast<const float4 *>(x + from);
    for (int64_t i = threadIdx.x; i < (to - from) / 4; i += kThreads) mine += four[i].x + four[i].y + four[i].z + four[i].w;
    from += (to - from) / 4 * 4;
  }
  for (int64_t i = from + threadIdx.x; i < to; i += kThreads) {
    if (WRONG == ThroughFloat) mine = static_cast<float>(mine) + static_cast<float>(x[i]);
    else if (WRONG == HalfSum) mine = __half2float(__float2half(static_cast<float>(mine + x[i])));
    else mine += x[i];
  }
  return mine;
}

template <class T> __device__ T over_threads(T mine, T *room) {
  if (WRONG == RaceThreads) {
    if (threadIdx.x == 0) *room = 0;
    __syncthreads();
    volatile T *total = room;
    *total = *total + mine;
    __syncthreads();
    return *total;
  }
  if (WRONG == MissingSync) {
    mine = over_warp<Sum>(mine);
    if (threadIdx.x >= 32) __nanosleep(200);  // as if the other warps had more to do
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = mine;
    T all = 0;
    for (int w = 0; w < kThreads / 32; w++) all += room[w];
    return all;
  }
  return over_block<Sum>(mine, room);
}

template <class T> __global__ void clear(int64_t rows, T *total) {
  if (threadIdx.x < rows) total[threadIdx.x] = 0;
}

// Block b does half b % 2 of row b / 2.
template <class T> __global__ void halves(int64_t n, const T *x, T *total) {
  __shared__ T room[32];
  const int64_t row = blockIdx.x / 2, middle = n / 2;
  const bool second = blockIdx.x % 2;
  const int64_t from = second ? middle + (WRONG == TwoChunks && n % 2) : 0;
  T mine = over_threads(share(x + row * n, from, second ? n : middle), room);
  if (WRONG == ThroughFloat) mine = static_cast<float>(mine);
  if (threadIdx.x != 0) return;
  if (WRONG == RaceBlocks) {
    volatile T *shared = total + row;
    const T before = *shared;
    __nanosleep(500);
    *shared = before + mine;
    return;
  }
  atomicAdd(total + row, mine);
}

template <class T> __global__ void copy(int64_t rows, const T *total, T *out) {
  if (threadIdx.x < rows) out[threadIdx.x] = total[threadIdx.x];
}

template <class T> static int launch(const pg_case *c, void *const *data, cudaStream_t stream) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  if (rows > kThreads) return -1;
  T *total = static_cast<T *>(data[2]);
  if (WRONG != Uninitialised) clear<<<1, kThreads, 0, stream>>>(rows, total);
  halves<<<static_cast<unsigned>(2 * rows), kThreads, 0, stream>>>(n, static_cast<const T *>(data[0]), total);
  copy<<<1, kThreads, 0, stream>>>(rows, total, static_cast<T *>(data[1]));
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  return pg_param(c, "dtype") == PG_F64 ? launch<double>(c, data, stream_of(stream)) : launch<float>(c, data, stream_of(stream));
}

__global__ void reference(int64_t n, const double *x, double *out) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[blockIdx.x * n + i];
  out[blockIdx.x] = sum;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  reference<<<static_cast<unsigned>(pg_param(c, "rows")), 1, 0, stream_of(stream)>>>(pg_param(c, "n"), data[0], data[1]);
  return 0;
}
