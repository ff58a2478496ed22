// cuBLAS for the tensors of kernels/examples/gemm_cuda: float16 into float32, row-major.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "perfgate.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
  t[0] = pg_dims_named(PG_TENSOR("A", PG_F16, PG_IN, M, K), "m,k");
  t[1] = pg_dims_named(PG_TENSOR("B", PG_F16, PG_IN, K, N), "k,n");
  t[2] = pg_dims_named(PG_TENSOR("C", PG_F32, PG_OUT, M, N), "m,n");
  return 3;
}

int pg_setup(const pg_case *, void *const *, void *, void **state) {
  cublasHandle_t handle;
  const int failed = cublasCreate(&handle);
  *state = handle;
  return failed;
}

// Its matrices are column-major, so it computes the transpose of C.
int pg_launch(const pg_case *c, void *const *data, void *stream, void *state) {
  const cublasHandle_t handle = static_cast<cublasHandle_t>(state);
  const int M = int(pg_param(c, "M")), N = int(pg_param(c, "N")), K = int(pg_param(c, "K"));
  const float one = 1, zero = 0;
  cublasSetStream(handle, static_cast<cudaStream_t>(stream));
  return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, data[1], CUDA_R_16F, N, data[0], CUDA_R_16F, K, &zero, data[2], CUDA_R_32F, N, CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT);
}

void pg_teardown(void *state) { cublasDestroy(static_cast<cublasHandle_t>(state)); }
