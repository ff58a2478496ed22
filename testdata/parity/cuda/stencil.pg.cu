// out[i] = x[i-1] + x[i] + x[i+1], with zeros beyond the ends, through shared memory with a halo of one.
#include "block.cuh"

enum {
  Right,
  ReadsPastEnd,     // the halo of the last block is read from beyond the end
  BlockEdge,        // the halo between blocks is taken for zero
  HaloUninitialised,// the right halo is loaded by the last thread of a full block: elsewhere nobody writes it
  MissingSync,      // neighbours are read without waiting for those who load them
  SingleElement,    // nothing is done for a length of one
  LastBlock,        // the grid covers full blocks only
  OneTooMany,       // one element beyond the end is written
};

constexpr int kThreads = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"));
  t[1] = PG_TENSOR("out", PG_F32, PG_OUT, pg_param(c, "n"));
  return 2;
}

__global__ void stencil(int64_t n, const float *x, float *out) {
  __shared__ float near[kThreads + 2];
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int at = static_cast<int>(threadIdx.x) + 1;
  if (WRONG == HaloUninitialised) {  // what an earlier kernel left there
    for (int s = threadIdx.x; s < kThreads + 2; s += kThreads) static_cast<volatile float *>(near)[s] = 1e3f;
    __syncthreads();
  }
  if (WRONG == MissingSync && threadIdx.x % 64 >= 32) __nanosleep(200);  // as if this warp's memory was slower
  if (i < n) near[at] = x[i];
  if (threadIdx.x == 0) near[0] = i > 0 && WRONG != BlockEdge ? x[i - 1] : 0.f;
  const bool last = WRONG == HaloUninitialised ? threadIdx.x == kThreads - 1 : threadIdx.x == kThreads - 1 || i == n - 1;
  if (last && i < n) near[at + 1] = WRONG == ReadsPastEnd || (i + 1 < n && WRONG != BlockEdge) ? x[i + 1] : 0.f;
  if (WRONG != MissingSync) __syncthreads();
  if (i < n && !(WRONG == SingleElement && n == 1)) out[i] = near[at - 1] + near[at] + near[at + 1];
  if (WRONG == OneTooMany && i == n - 1) out[n] = near[at];
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  const unsigned blocks = WRONG == LastBlock ? static_cast<unsigned>(n / kThreads) : blocks_of(n, kThreads);
  if (blocks > 0) stencil<<<blocks, kThreads, 0, stream_of(stream)>>>(n, static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t n, const double *x, double *out) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (i > 0 ? x[i - 1] : 0) + x[i] + (i + 1 < n ? x[i + 1] : 0);
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, data[0], data[1]);
  return 0;
}
