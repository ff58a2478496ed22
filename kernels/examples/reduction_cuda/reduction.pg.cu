// How perfgate shapes, launches and checks the kernel of reduction.cu.
#include "perfgate.h"
#include "reduction.h"

namespace {

// In float64; blocks add to what the others have summed.
__global__ void reference(int64_t n, const double *x, double *result) {
  __shared__ double parts[1024];
  double total = 0;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) total += x[i];
  parts[threadIdx.x] = total;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(result, parts[0]);
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[1] = PG_TENSOR("parts", PG_F32, PG_SCRATCH, kMaxParts);
  t[2] = PG_TENSOR("sum", PG_F32, PG_OUT);
  return 3;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  sum(pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<float *>(data[1]), static_cast<float *>(data[2]),
      static_cast<cudaStream_t>(stream));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const cudaStream_t s = static_cast<cudaStream_t>(stream);
  const int64_t n = pg_param(c, "n"), blocks = n < 256 * 1024 ? (n + 1023) / 1024 : 256;
  cudaMemsetAsync(data[2], 0, sizeof *data[2], s);
  reference<<<static_cast<unsigned>(blocks), 1024, 0, s>>>(n, data[0], data[2]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  *flops = double(pg_param(c, "n"));
  *bytes = *flops * sizeof(float);
}
