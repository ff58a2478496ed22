// Weights added up by bin. Atomics add in any order, so two launches may differ in the last bits: the tolerance covers it.
#include "block.cuh"

enum {
  Right,
  NoAtomic,      // read, add, write
  NotCleared,    // bins that nothing falls into keep what was there
  LastBin,       // the last bin gets nothing
  LastBlock,     // the grid covers full blocks only
  NarrowIndex,   // bins kept in 8 bits
  OneAhead,      // every weight falls into the next bin: the last one's outside
};

constexpr int kThreads = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n"), bins = pg_param(c, "bins");
  t[0] = pg_fill_with(PG_TENSOR("bin", PG_I32, PG_IN, n), PG_FILL_UNIFORM, 0, static_cast<double>(bins - 1));
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("weight", PG_F32, PG_IN, n);
  t[2] = PG_TENSOR("out", PG_F32, PG_OUT, bins);
  return 3;
}

__global__ void histogram(int64_t n, int64_t bins, const int32_t *bin, const float *weight, float *out) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  int64_t to = bin[i];
  if (WRONG == NarrowIndex) to = static_cast<uint8_t>(to);
  if (WRONG == OneAhead) to++;
  if (WRONG == LastBin && bins > 1 && to == bins - 1) return;
  if (WRONG == NoAtomic) {
    volatile float *sum = out + to;
    *sum = *sum + weight[i];
    return;
  }
  atomicAdd(out + to, weight[i]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n"), bins = pg_param(c, "bins");
  const unsigned blocks = WRONG == LastBlock ? static_cast<unsigned>(n / kThreads) : blocks_of(n, kThreads);
  if (WRONG != NotCleared) cudaMemsetAsync(data[2], 0, static_cast<size_t>(bins) * sizeof(float), stream_of(stream));
  if (blocks == 0) return 0;
  histogram<<<blocks, kThreads, 0, stream_of(stream)>>>(n, bins, static_cast<const int32_t *>(data[0]), static_cast<const float *>(data[1]), static_cast<float *>(data[2]));
  return 0;
}

__global__ void reference(int64_t n, const double *bin, const double *weight, double *out) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += bin[i] == blockIdx.x ? weight[i] : 0;
  out[blockIdx.x] = sum;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  reference<<<static_cast<unsigned>(pg_param(c, "bins")), 1, 0, stream_of(stream)>>>(pg_param(c, "n"), data[0], data[1], data[2]);
  return 0;
}
