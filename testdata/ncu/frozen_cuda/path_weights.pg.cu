// Each thread walks over a table of its own by indices that are data. Base has the tables of a block in shared memory, a thread's entries a
// block's width apart. SLOW: in an array of the thread, which lies in local memory as its index is not known to the compiler.
#include "common.cuh"

constexpr int kTable = 24, kSteps = 96, kThreads = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = pg_fill_with(PG_TENSOR("to", PG_U8, PG_IN, kSteps, n), PG_FILL_UNIFORM, 0, kTable - 1);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

__global__ void paths(int64_t n, const unsigned char *to, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
#if SLOW
  float own[kTable];
#define OWN(k) own[k]
#else
  __shared__ float tables[kTable * kThreads];
#define OWN(k) tables[(k) * kThreads + threadIdx.x]
#endif
  for (int k = 0; k < kTable; k++) OWN(k) = float(k) / kTable;
  if (i >= n) return;
#pragma unroll 4
  for (int s = 0; s < kSteps; s++) {
    const int at = to[s * n + i];
    OWN(at) = OWN(at) * 0.5f + 0.25f;
  }
  float sum = 0;
  for (int k = 0; k < kTable; k++) sum += OWN(k);
  y[i] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  paths<<<blocks_of(n, kThreads), kThreads, 0, stream_of(stream)>>>(n, as<unsigned char>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  const double *to = data[0];
  double *y = data[1];
  return for_each(n, stream, [=] __device__(int64_t i) {
    double own[kTable];
    for (int k = 0; k < kTable; k++) own[k] = double(k) / kTable;
    for (int s = 0; s < kSteps; s++) own[int(to[s * n + i])] = own[int(to[s * n + i])] * 0.5 + 0.25;
    y[i] = 0;
    for (int k = 0; k < kTable; k++) y[i] += own[k];
  });
}
