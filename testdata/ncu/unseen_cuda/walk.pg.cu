// Every thread walks through 32 states. TABLE: the next state is read from shared memory instead of computed.
#include "common.cuh"

#ifndef TABLE
#define TABLE 0
#endif

constexpr int kSteps = 512;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = pg_fill_with(PG_TENSOR("start", PG_I32, PG_IN, n), PG_FILL_UNIFORM, 0, 31);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

__host__ __device__ inline int next(int state) { return (state * 13 + 7) & 31; }

__global__ void walk(int64_t n, const int32_t *start, float *y) {
  __shared__ int table[32];
  if (threadIdx.x < 32) table[threadIdx.x] = next(static_cast<int>(threadIdx.x));
  __syncthreads();
  const int64_t i = thread_index();
  if (i >= n) return;
  int state = start[i], sum = 0;
#pragma unroll 4
  for (int k = 0; k < kSteps; k++) {
    state = TABLE ? table[state] : next(state);
    sum += state;
  }
  y[i] = static_cast<float>(sum + state);  // the sum over whole rounds is the same from every start
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  walk<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, static_cast<const int32_t *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t n, const double *start, double *y) {
  const int64_t i = thread_index();
  if (i >= n) return;
  int state = static_cast<int>(start[i]), sum = 0;
  for (int k = 0; k < kSteps; k++) sum += state = next(state);
  y[i] = sum + state;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, data[0], data[1]);
  return 0;
}
