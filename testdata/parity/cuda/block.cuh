// What the kernels of this zoo share: right reductions over a block, and the defaults of an adapter file.
#ifndef PERFGATE_TESTDATA_BLOCK_CUH
#define PERFGATE_TESTDATA_BLOCK_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "perfgate.h"

#ifndef WRONG
#define WRONG Right
#endif

constexpr unsigned kAll = 0xFFFFFFFFu;

struct Max {
  template <class T> static __device__ T of(T a, T b) { return a > b ? a : b; }
};

struct Sum {
  template <class T> static __device__ T of(T a, T b) { return a + b; }
};

template <class Op, class T> __device__ T over_warp(T x) {
  for (int step = 16; step > 0; step /= 2) x = Op::of(x, __shfl_xor_sync(kAll, x, step));
  return x;
}

// The same in every thread; `room` has one element a warp and is free for other use on return.
template <class Op, class T> __device__ T over_block(T x, T *room) {
  x = over_warp<Op>(x);
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  T all = room[0];
  for (unsigned w = 1; w < blockDim.x / 32; w++) all = Op::of(all, room[w]);
  __syncthreads();
  return all;
}

inline unsigned blocks_of(int64_t n, int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

inline cudaStream_t stream_of(void *stream) { return static_cast<cudaStream_t>(stream); }

#endif
