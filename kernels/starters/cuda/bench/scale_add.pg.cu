// The adapter: tells perfgate how to shape, launch and check the kernel. perfgate.h, next to this file for your editor,
// describes every function; perfgate builds with its own copy. All data is in the memory of the GPU.
#include <cuda_runtime.h>

#include <cstdint>

#include "perfgate.h"

void scale_add_f32(float a, const float *x, float *y, int64_t n, cudaStream_t stream);
void scale_add_f64(double a, const double *x, double *y, int64_t n, cudaStream_t stream);

namespace {

constexpr double kScale = 1.5;

__global__ void scale_add_reference(const double *x, double *y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] += kScale * x[i];
}

}  // namespace

// The tensors of a case: what goes in, what comes out, how they are filled.
int pg_spec(const pg_case *c, pg_tensor *out, int) {
  const int64_t n = pg_param(c, "n");
  const int dtype = int(pg_param(c, "dtype"));
  out[0] = PG_TENSOR("x", dtype, PG_IN, n);
  out[1] = PG_TENSOR("y", dtype, PG_INOUT, n);
  return 2;
}

// The work under test; this call is what is timed. Launch on the stream, and do not wait for it.
int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  const cudaStream_t s = static_cast<cudaStream_t>(stream);
  switch (pg_param(c, "dtype")) {
    case PG_F32: scale_add_f32(float(kScale), static_cast<const float *>(data[0]), static_cast<float *>(data[1]), n, s); return 0;
    case PG_F64: scale_add_f64(kScale, static_cast<const double *>(data[0]), static_cast<double *>(data[1]), n, s); return 0;
    default: return -1;
  }
}

// The same in float64, as simply as possible: what parity compares with.
int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  scale_add_reference<<<unsigned((n + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(data[0], data[1], n);
  return 0;
}

// Operations and bytes that any implementation needs: gives GFLOP/s and GB/s in the report.
void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "n"));
  *flops = 2 * n;
  *bytes = 3 * n * double(pg_dtype_size(int(pg_param(c, "dtype"))));
}
