// What the adapters of pairs share. Each is one file: base, and with SLOW what its source says is slower.
#ifndef PERFGATE_TESTDATA_PAIRS_CUH
#define PERFGATE_TESTDATA_PAIRS_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "perfgate.h"

#ifndef SLOW
#define SLOW 0
#endif

constexpr unsigned kLanes = 32, kAll = 0xFFFFFFFFu;

inline unsigned blocks_of(int64_t n, int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

inline cudaStream_t stream_of(void *stream) { return static_cast<cudaStream_t>(stream); }

template <class T> T *as(void *p) { return static_cast<T *>(p); }

template <class T> __device__ T warp_sum(T x) {
  for (int step = kLanes / 2; step > 0; step /= 2) x += __shfl_xor_sync(kAll, x, step);
  return x;
}

template <class T> __device__ T warp_max(T x) {
  for (int step = kLanes / 2; step > 0; step /= 2) x = max(x, __shfl_xor_sync(kAll, x, step));
  return x;
}

// The sum over a block of at most 1024 threads, in all of them.
__device__ inline float block_sum(float x) {
  __shared__ float of_warps[kLanes];
  const unsigned warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  x = warp_sum(x);
  __syncthreads();
  if (lane == 0) of_warps[warp] = x;
  __syncthreads();
  return warp_sum(lane < (blockDim.x + kLanes - 1) / kLanes ? of_warps[lane] : 0.f);
}

template <class F> __global__ void reference_kernel(int64_t n, F f) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

// Calls f(i) on the device for i from 0 to n-1: how references are written.
template <class F> int for_each(int64_t n, void *stream, F f) {
  if (n > 0) reference_kernel<<<blocks_of(n, 128), 128, 0, stream_of(stream)>>>(n, f);
  return 0;
}

#endif
