// Two kernels of which one waits for memory and one for arithmetic: what scatters here is the machine's doing.
#include "perfgate.h"

__global__ void memory(int64_t n, const float *x, float *y) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) y[i] = 1.5f * x[i] + 0.5f;
}

// Eight chains of dependent multiply-adds a thread keep the pipeline full; |c| < 1 keeps the numbers finite.
__global__ void arithmetic(int64_t n, const float *x, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float chain[8];
  for (int k = 0; k < 8; k++) chain[k] = x[i] + k;
  for (int step = 0; step < 512; step++) {
#pragma unroll
    for (int k = 0; k < 8; k++) chain[k] = chain[k] * 0.99f + 0.01f * (k + 1);
  }
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += chain[k];
  y[i] = sum + x[i];
}

static bool is_memory(const pg_case *c) { return c->kernel[0] == 'm'; }

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  const float *x = static_cast<const float *>(data[0]);
  float *y = static_cast<float *>(data[1]);
  const int threads = 256;
  if (is_memory(c)) {
    memory<<<4096, threads, 0, static_cast<cudaStream_t>(stream)>>>(n, x, y);
  } else {
    arithmetic<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, static_cast<cudaStream_t>(stream)>>>(n, x, y);
  }
  return cudaPeekAtLastError();
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = static_cast<double>(pg_param(c, "n"));
  *flops = is_memory(c) ? 2 * n : n * 512 * 8 * 2;
  *bytes = 2 * n * sizeof(float);
}
