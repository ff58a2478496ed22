// C = A B for A of [M, K], B of [K, N] and C of [M, N], row-major: in float32, and in float16 on tensor cores.
#ifndef GEMM_H
#define GEMM_H

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

struct Gemm {
  int64_t M, N, K;
};

// Tiles of 128 by 128 in shared memory, 8 by 8 results a thread.
void gemm(const Gemm &g, const float *a, const float *b, float *c, cudaStream_t stream);

// Tiles of 128 by 128 in shared memory, 32 by 64 results a warp, float16 in and float32 out. Needs compute capability 7.0.
void gemm_tensor(const Gemm &g, const __half *a, const __half *b, float *c, cudaStream_t stream);

#endif
