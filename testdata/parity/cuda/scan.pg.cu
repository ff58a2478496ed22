// Running sums of rows in place (inout): one block of 256 threads a row, chunk after chunk with a carry.
#include "block.cuh"

enum {
  Right,
  NoCarry,       // every chunk starts from zero
  MissingSync,   // a step reads what others have written already, or not yet
  CarryRace,     // the next chunk reads the carry before the last thread has written it
  Exclusive,     // the last element of a chunk that is not full is left out of itself
  RaggedChunk,   // a chunk that is not full is not done
};

constexpr int kThreads = 256;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_INOUT, pg_param(c, "rows"), pg_param(c, "n")), "row,column");
  return 1;
}

__global__ void scan(int64_t n, float *x) {
  __shared__ float part[kThreads], carried;
  x += blockIdx.x * n;
  const int at = static_cast<int>(threadIdx.x);
  if (at == 0) carried = 0;
  __syncthreads();
  for (int64_t first = 0; first < n; first += kThreads) {
    const int64_t i = first + at;
    const float early = *static_cast<volatile float *>(&carried);
    if (WRONG == RaggedChunk && n - first < kThreads && n > kThreads) return;
    volatile float *shared = part;
    shared[at] = i < n ? x[i] : 0.f;
    __syncthreads();
    for (int step = 1; step < kThreads; step *= 2) {
      if (WRONG == MissingSync && at % 64 >= 32) __nanosleep(100);
      const float add = at >= step ? shared[at - step] : 0.f;
      if (WRONG != MissingSync) __syncthreads();
      shared[at] += add;
      if (WRONG != MissingSync) __syncthreads();
    }
    __syncthreads();
    const float before = WRONG == NoCarry ? 0 : WRONG == CarryRace ? early : *static_cast<volatile float *>(&carried);
    __syncthreads();
    float value = before + shared[at];
    if (WRONG == Exclusive && i == n - 1 && n % kThreads != 0 && n > 1) value = before + shared[at - 1 < 0 ? 0 : at - 1];
    if (i < n) x[i] = value;
    if (WRONG == CarryRace && at == kThreads - 1) __nanosleep(500);  // the others go on with the old carry
    if (at == kThreads - 1) carried = before + shared[at];
    if (WRONG != CarryRace) __syncthreads();
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  scan<<<static_cast<unsigned>(pg_param(c, "rows")), kThreads, 0, stream_of(stream)>>>(pg_param(c, "n"), static_cast<float *>(data[0]));
  return 0;
}

__global__ void reference(int64_t n, double *x) {
  x += blockIdx.x * n;
  for (int64_t i = 1; i < n; i++) x[i] += x[i - 1];
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  reference<<<static_cast<unsigned>(pg_param(c, "rows")), 1, 0, stream_of(stream)>>>(pg_param(c, "n"), data[0]);
  return 0;
}
