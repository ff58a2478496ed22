// What the kernels of this folder share: each is one file, and one mistake that people make in it, by a flag.
#ifndef PERFGATE_TESTDATA_UNSEEN_CUH
#define PERFGATE_TESTDATA_UNSEEN_CUH

#include <cuda_runtime.h>

#include "perfgate.h"

constexpr unsigned kThreads = 256, kLanes = 32, kAll = 0xFFFFFFFFu;

inline unsigned blocks_of(int64_t n, int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

inline cudaStream_t stream_of(void *stream) { return static_cast<cudaStream_t>(stream); }

__device__ inline int64_t thread_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

template <class T> __device__ T over_warp(T x) {
  for (int step = kLanes / 2; step > 0; step /= 2) x += __shfl_xor_sync(kAll, x, step);
  return x;
}

#endif
