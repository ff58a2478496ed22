// y = 2 x, and faults that leave the result right on every input: only a tool that watches each access finds them.
#include "block.cuh"

enum {
  Right,
  ReadsPastEnd,   // looks at the element after the last one
  WritesPastEnd,  // writes back what it found there
  SharedRace,     // looks at what another warp writes, without a barrier
  Uninitialised,  // looks at scratch memory that nobody has written
  BarrierInBranch, // half of a warp goes past the barrier that the other half waits at
};

constexpr int kThreads = 64;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  t[2] = PG_TENSOR("scratch", PG_F32, PG_SCRATCH, n);
  return 3;
}

__global__ void twice(int64_t n, const float *x, float *y, volatile float *scratch) {
  __shared__ volatile float near[kThreads];
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  float value = i < n ? 2 * x[i] : 0;
  if (WRONG == ReadsPastEnd && i == n - 1 && x[n] == 12345.f) value = 0;
  if (WRONG == WritesPastEnd && i == n - 1) static_cast<volatile float *>(y)[n] = static_cast<volatile float *>(y)[n];
  if (WRONG == SharedRace) {
    near[threadIdx.x] = value;
    if (near[(threadIdx.x + 32) % kThreads] == 12345.f) value = 0;
  }
  if (WRONG == Uninitialised && i < n && scratch[i] == 12345.f) value = 0;
  if (WRONG == BarrierInBranch && threadIdx.x % 32 < 16) __syncthreads();
  if (i < n) y[i] = value;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  twice<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, static_cast<const float *>(data[0]), static_cast<float *>(data[1]), static_cast<float *>(data[2]));
  return 0;
}

__global__ void reference(int64_t n, const double *x, double *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, data[0], data[1]);
  return 0;
}
