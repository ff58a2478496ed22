// softmax(Q K^T / sqrt(D)) V, forward, for q, k, v and out of shape [B, H, S, D] in float16.
#ifndef ATTENTION_H
#define ATTENTION_H

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

struct Attention {
  int64_t B, H, S, D;
  bool causal;
};

constexpr int64_t kMaxSequence = 1024, kMaxHeadDim = 128;

// One warp a query, its row of scores in shared memory.
void attention_naive(const Attention &a, const __half *q, const __half *k, const __half *v, __half *out, cudaStream_t stream);

#endif
