// How often each of eight values is in a picture that is mostly sky, counted by each block for itself in shared memory. Base adds a run of equal
// values up in a register before it counts them. SLOW: one addition in shared memory for each value.
#include "common.cuh"

constexpr int kBins = 8;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = pg_fill_with(PG_TENSOR("x", PG_U8, PG_IN, pg_param(c, "n")), PG_FILL_CONSTANT, 5, 0);
  t[0].flags = PG_FILL_FIXED;
  t[1] = PG_TENSOR("y", PG_I32, PG_INOUT, kBins);
  return 2;
}

__global__ void histogram(int64_t n, const unsigned char *x, int *y) {
  __shared__ int of_block[kBins];
  if (threadIdx.x < kBins) of_block[threadIdx.x] = 0;
  __syncthreads();
  int run = 0, last = -1;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const int bin = x[i] % kBins;
    if (SLOW) {
      atomicAdd(&of_block[bin], 1 + (i >> 62));  // not the same for all, as far as the compiler knows
    } else if (bin == last) {
      run++;
    } else {
      if (run) atomicAdd(&of_block[last], run);
      run = 1, last = bin;
    }
  }
  if (!SLOW && run) atomicAdd(&of_block[last], run);
  __syncthreads();
  if (threadIdx.x < kBins && of_block[threadIdx.x]) atomicAdd(y + threadIdx.x, of_block[threadIdx.x]);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  histogram<<<min(blocks_of(n, 256), 1056u), 256, 0, stream_of(stream)>>>(n, as<unsigned char>(data[0]), as<int>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "n"), stream, [=] __device__(int64_t i) { atomicAdd(y + int(x[i]) % kBins, 1.0); });
}
