// As much of CUDA as the example kernels use, on one CPU thread: a block's threads are coroutines that take turns at
// barriers, blocks run one after the other. It shows whether a kernel computes the right thing, on machines without a GPU;
// it finds no races, and says nothing about time.
#ifndef EMULATED_CUDA_RUNTIME_H
#define EMULATED_CUDA_RUNTIME_H

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#define __global__ static
#define __device__
#define __host__
#define __shared__ static  // one block at a time
#define __launch_bounds__(...)

using std::max;
using std::min;

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

namespace emulated {

constexpr unsigned kWarp = 32;
constexpr size_t kStack = 128 << 10;

// Lets go when all that are still running have come.
struct Barrier {
  unsigned members = 0, arrived = 0, times = 0;
};

struct Thread {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  dim3 index;
  unsigned number = 0;
  bool done = false;
};

struct Block {
  std::vector<Thread> threads;
  std::vector<Barrier> warps;
  Barrier all;
  ucontext_t scheduler;
  Thread *current = nullptr;
  dim3 index, size, grid;
  std::function<void()> kernel;
  double exchanged[32][kWarp];  // of shuffles, by warp and lane
  alignas(64) char dynamic[64 << 10];
};

inline Block *block() {
  static Block b;
  return &b;
}

inline void release(Barrier *b) {
  if (b->arrived < b->members || b->members == 0) return;
  b->arrived = 0;
  b->times++;
}

inline void wait(Barrier *b) {
  const unsigned times = b->times;
  b->arrived++;
  release(b);
  Thread *me = block()->current;
  while (b->times == times) swapcontext(&me->context, &block()->scheduler);
}

inline void begin() {
  Block *b = block();
  b->kernel();
  Thread *me = b->current;
  me->done = true;
  for (Barrier *barrier : {&b->all, &b->warps[me->number / kWarp]}) {
    barrier->members--;
    release(barrier);
  }
  swapcontext(&me->context, &b->scheduler);
}

inline void start(Thread *t, unsigned number) {
  Block *b = block();
  t->number = number;
  t->index = dim3(number % b->size.x, number / b->size.x % b->size.y, number / b->size.x / b->size.y);
  t->done = false;
  if (!t->stack) t->stack.reset(new char[kStack]);
  getcontext(&t->context);
  t->context.uc_stack.ss_sp = t->stack.get();
  t->context.uc_stack.ss_size = kStack;
  t->context.uc_link = &b->scheduler;
  makecontext(&t->context, begin, 0);
}

inline void run_block() {
  Block *b = block();
  const unsigned count = b->size.x * b->size.y * b->size.z;
  b->threads.resize(std::max<size_t>(b->threads.size(), count));
  b->warps.assign((count + kWarp - 1) / kWarp, Barrier());
  b->all = Barrier();
  b->all.members = count;
  for (unsigned i = 0; i < count; i++) b->warps[i / kWarp].members++;
  for (unsigned i = 0; i < count; i++) start(&b->threads[i], i);
  for (unsigned left = count; left > 0;) {
    left = 0;
    for (unsigned i = 0; i < count; i++) {
      Thread *t = &b->threads[i];
      if (t->done) continue;
      b->current = t;
      swapcontext(&b->scheduler, &t->context);
      left += !t->done;
    }
  }
}

// What kernel<<<grid, threads, …>>>(…) becomes.
inline void launch(dim3 grid, dim3 threads, std::function<void()> kernel) {
  Block *b = block();
  b->grid = grid;
  b->size = threads;
  b->kernel = kernel;
  for (unsigned y = 0; y < grid.y; y++) {
    for (unsigned x = 0; x < grid.x; x++) {
      b->index = dim3(x, y);
      run_block();
    }
  }
}

template <class T> T exchange(T x, int lanes) {
  Block *b = block();
  const unsigned number = b->current->number, warp = number / kWarp, lane = number % kWarp;
  b->exchanged[warp][lane] = x;
  wait(&b->warps[warp]);
  const T other = static_cast<T>(b->exchanged[warp][lane ^ static_cast<unsigned>(lanes)]);
  wait(&b->warps[warp]);
  return other;
}

}  // namespace emulated

#define threadIdx (emulated::block()->current->index)
#define blockIdx (emulated::block()->index)
#define blockDim (emulated::block()->size)
#define gridDim (emulated::block()->grid)

inline void __syncthreads() { emulated::wait(&emulated::block()->all); }
inline void __syncwarp() { emulated::wait(&emulated::block()->warps[emulated::block()->current->number / emulated::kWarp]); }
inline float __shfl_xor_sync(unsigned, float x, int lanes) { return emulated::exchange(x, lanes); }
inline double __shfl_xor_sync(unsigned, double x, int lanes) { return emulated::exchange(x, lanes); }
inline double atomicAdd(double *p, double x) {
  const double before = *p;
  *p += x;
  return before;
}
inline float __expf(float x) { return std::exp(x); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline float __fmaf_rz(float x, float y, float z) { return std::fma(x, y, z); }  // to nearest: how it rounds is not looked at
inline void __threadfence() {}

typedef void *cudaStream_t;
enum { cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMultiProcessorCount, cudaFuncAttributeMaxDynamicSharedMemorySize };

inline int cudaDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? 4 : static_cast<int>(sizeof emulated::block()->dynamic);
  return 0;
}
template <class Kernel> int cudaFuncSetAttribute(Kernel, int, int) { return 0; }
template <class Kernel> int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel, unsigned, size_t) {
  *blocks = 2;
  return 0;
}
enum { cudaSuccess };
inline int cudaMalloc(void **p, size_t bytes) {
  *p = malloc(bytes);
  return *p ? cudaSuccess : 1;
}
inline int cudaMemset(void *p, int value, size_t bytes) {
  memset(p, value, bytes);
  return cudaSuccess;
}
inline int cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t) {
  memset(p, value, bytes);
  return 0;
}

#endif
