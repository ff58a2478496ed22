// softmax(Q K^T / sqrt(D)) V, forward, for q, k, v and out of shape [B, H, S, D] in float16; three ways to compute it.
#ifndef ATTENTION_H
#define ATTENTION_H

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

struct Attention {
  int64_t B, H, S, D;
  bool causal;
};

constexpr int64_t kMaxSequence = 4096, kMaxHeadDim = 128;
constexpr int64_t kMaxNaiveSequence = 1024;  // its rows of scores lie in shared memory

// One warp a query, its row of scores in shared memory. S up to kMaxNaiveSequence.
void attention_naive(const Attention &a, const __half *q, const __half *k, const __half *v, __half *out, cudaStream_t stream);

// Tiles of keys and values in shared memory, softmax on the way, multiply-adds in float32. D is 32 or 64.
void attention_tiled(const Attention &a, const __half *q, const __half *k, const __half *v, __half *out, cudaStream_t stream);

// The same with both products on tensor cores. D is 32 or 64; needs compute capability 8.0.
void attention_tensor(const Attention &a, const __half *q, const __half *k, const __half *v, __half *out, cudaStream_t stream);

#endif
