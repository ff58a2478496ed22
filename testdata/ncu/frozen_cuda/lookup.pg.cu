// Values through a table of 256 numbers, each by an index of its own. Base has the table in shared memory. SLOW: in constant memory, which serves one
// address of a warp at a time.
#include "common.cuh"

constexpr int kTable = 256, kEach = 8;

__constant__ float table[kTable];

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_U8, PG_IN, kEach, n);
  t[0] = pg_fill_with(t[0], PG_FILL_UNIFORM, 0, 255);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

__host__ __device__ inline double entry(int k) { return k % 17 / 16.0 - 0.5; }

__global__ void lookup(int64_t n, const unsigned char *x, float *y) {
  __shared__ float near[kTable];
  for (int k = threadIdx.x; k < kTable; k += blockDim.x) near[k] = table[k];
  __syncthreads();
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kEach; k++) sum += SLOW ? table[x[k * n + i]] : near[x[k * n + i]];
  y[i] = sum;
}

int pg_setup(const pg_case *, void *const *, void *stream, void **state) {
  float host[kTable];
  for (int k = 0; k < kTable; k++) host[k] = float(entry(k));
  *state = nullptr;
  if (cudaMemcpyToSymbolAsync(table, host, sizeof host, 0, cudaMemcpyHostToDevice, stream_of(stream)) != cudaSuccess) return 1;
  return cudaStreamSynchronize(stream_of(stream)) == cudaSuccess ? 0 : 1;
}

void pg_teardown(void *) {}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  lookup<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(n, as<unsigned char>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  const double *x = data[0];
  double *y = data[1];
  return for_each(n, stream, [=] __device__(int64_t i) {
    y[i] = 0;
    for (int k = 0; k < kEach; k++) y[i] += entry(int(x[k * n + i]));
  });
}
