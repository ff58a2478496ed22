// The launchers of kernels/examples by C names, for do_bench.py.
#include "attention_cuda/attention.h"
#include "gemm_cuda/gemm.h"

extern "C" void plain_attention(int64_t B, int64_t H, int64_t S, int64_t D, const void *q, const void *k, const void *v, void *out, void *stream) {
  attention_tensor({B, H, S, D, false}, static_cast<const __half *>(q), static_cast<const __half *>(k), static_cast<const __half *>(v),
                   static_cast<__half *>(out), static_cast<cudaStream_t>(stream));
}

extern "C" void plain_gemm(int64_t M, int64_t N, int64_t K, const void *a, const void *b, void *c, void *stream) {
  gemm_tensor({M, N, K}, static_cast<const __half *>(a), static_cast<const __half *>(b), static_cast<float *>(c), static_cast<cudaStream_t>(stream));
}
