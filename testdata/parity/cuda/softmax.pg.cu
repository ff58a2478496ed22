// Softmax of rows, one block of 128 threads that walks over all of them.
#include "block.cuh"

enum {
  Right,
  SumOf512,      // columns from 512 on are left out of the sum
  Underflow,     // whatever is less than e^-8 of the largest is written as zero
  RowPairs,      // the grid covers pairs of rows: the last of an odd number stays unwritten
  InPlace,       // the exponentials overwrite the input
  WarpMax,       // the maximum of the first warp only: no second stage of the reduction
  StaleMax,      // a row starts from the maximum of the row that the block did before
  UnclearedRoom, // the second stage reads a place for each of 32 warps, and only four have written theirs
  MissingSync,   // the other warps' maxima are read without waiting for them
  HalfExp,       // exponentials in float16
};

constexpr int kThreads = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, columns), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, rows, columns), "row,column");
  t[0] = pg_fill_with(t[0], PG_FILL_NORMAL, 0, 200);  // so wide that the wrong maximum overflows or underflows
  return 2;
}

__device__ float largest(float mine, float *room) {
  if (WRONG == WarpMax) {
    if (threadIdx.x == 0) room[0] = -INFINITY;
    __syncthreads();
    const float top = over_warp<Max>(mine);
    if (threadIdx.x == 0) room[0] = top;
    __syncthreads();
    return room[0];
  }
  if (WRONG == UnclearedRoom) {
    const float top = over_warp<Max>(mine);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = top;
    __syncthreads();
    const float all = over_warp<Max>(room[threadIdx.x % 32]);
    __syncthreads();
    return all;
  }
  if (WRONG == MissingSync) {
    const float top = over_warp<Max>(mine);
    if (threadIdx.x >= 32) __nanosleep(200);  // as if the other warps had more to do
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = top;
    float all = room[0];
    for (int w = 1; w < kThreads / 32; w++) all = fmaxf(all, room[w]);
    return all;
  }
  return over_block<Max>(mine, room);
}

__device__ float exponential(float x) {
  if (WRONG == Underflow && x < -8) return 0;
  if (WRONG == HalfExp) return __half2float(hexp(__float2half(x)));
  return expf(x);
}

__global__ void softmax(int64_t rows, int64_t columns, float *x, float *out) {
  __shared__ float room[32];
  if (WRONG == UnclearedRoom) {  // what an earlier kernel may have left there
    static_cast<volatile float *>(room)[threadIdx.x % 32] = 1e4f;
    __syncthreads();
  }
  float top = -INFINITY;
  for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
    float *from = x + r * columns, *to = out + r * columns, sum = 0;
    if (WRONG != StaleMax) top = -INFINITY;
    for (int64_t j = threadIdx.x; j < columns; j += kThreads) top = fmaxf(top, from[j]);
    top = largest(top, room);
    for (int64_t j = threadIdx.x; j < columns; j += kThreads) {
      const float e = exponential(from[j] - top);
      to[j] = e;
      if (WRONG == InPlace) from[j] = e;
      if (WRONG != SumOf512 || j < 512) sum += e;
    }
    sum = over_block<Sum>(sum, room);
    for (int64_t j = threadIdx.x; j < columns; j += kThreads) to[j] /= sum;
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  const int64_t done = WRONG == RowPairs ? rows / 2 * 2 : rows;
  if (done == 0) return 0;
  softmax<<<1, kThreads, 0, stream_of(stream)>>>(
      done, columns, static_cast<float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t columns, const double *x, double *out) {
  x += blockIdx.x * columns;
  out += blockIdx.x * columns;
  double top = -INFINITY, sum = 0;
  for (int64_t j = 0; j < columns; j++) top = fmax(top, x[j]);
  for (int64_t j = 0; j < columns; j++) sum += exp(x[j] - top);
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x) out[j] = exp(x[j] - top) / sum;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  reference<<<static_cast<unsigned>(pg_param(c, "rows")), kThreads, 0, stream_of(stream)>>>(pg_param(c, "columns"), data[0], data[1]);
  return 0;
}
