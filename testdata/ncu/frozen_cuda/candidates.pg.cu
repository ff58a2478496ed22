// How many numbers of each row are over a threshold that a histogram of the row gives, with room in shared memory for candidates. SLOW: room for four times
// as many as are ever needed, so that one block fits an SM.
#include "common.cuh"

constexpr int kThreads = 512, kBins = 256, kShared = (SLOW ? 128 : 32) * 1024;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "rows"), pg_param(c, "columns")), PG_FILL_UNIFORM, 0, 1);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_I32, PG_OUT, pg_param(c, "rows"));
  return 2;
}

__host__ __device__ inline int bin_of(float v) { return v >= 1.f ? kBins - 1 : int(v * kBins); }

__global__ void candidates(int columns, int wanted, const float *x, int *y) {
  extern __shared__ float kept[];
  __shared__ int bins[kBins], many, threshold;
  const float *row = x + static_cast<int64_t>(blockIdx.x) * columns;
  for (int i = threadIdx.x; i < kBins; i += kThreads) bins[i] = 0;
  if (threadIdx.x == 0) many = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += kThreads) atomicAdd(&bins[bin_of(row[i])], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int over = 0, bin = kBins - 1;
    while (bin > 0 && (over += bins[bin]) < wanted) bin--;
    threshold = bin;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    const float v = row[i];
    if (bin_of(v) >= threshold) {
      const int at = atomicAdd(&many, 1);
      if (at < 8192) kept[at] = v;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = many + (kept[0] < 0.f);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  cudaFuncSetAttribute(candidates, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  candidates<<<unsigned(pg_param(c, "rows")), kThreads, kShared, stream_of(stream)>>>(int(pg_param(c, "columns")), 64, as<float>(data[0]), as<int>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t columns = pg_param(c, "columns");
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "rows"), stream, [=] __device__(int64_t row) {
    int bins[kBins] = {};
    for (int64_t i = 0; i < columns; i++) bins[bin_of(float(x[row * columns + i]))]++;
    int over = 0, bin = kBins - 1;
    while (bin > 0 && (over += bins[bin]) < 64) bin--;
    y[row] = over;
  });
}
