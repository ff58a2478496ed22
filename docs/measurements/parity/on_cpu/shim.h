// As much of CUDA as the kernels of testdata/parity/cuda use, on a CPU: blocks one after the other, the threads of a block as coroutines that
// give way at barriers and shuffles, shared memory as static variables, which keep what the block before left there. Races between blocks
// and inside of a warp do not happen here; a missing barrier shows at once, since a thread runs on to its next one.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static

typedef void *cudaStream_t;

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

static dim3 threadIdx, blockIdx, blockDim, gridDim;

using std::isfinite;
using std::isinf;
template <class T> static T min(T a, T b) { return a < b ? a : b; }
template <class T> static T max(T a, T b) { return a > b ? a : b; }

struct float4 {
  float x, y, z, w;
};

// Saves the registers that a call must keep on the stack, changes stacks, and takes back what the other one saved.
extern "C" void shim_switch(void **from, void *to) __attribute__((visibility("hidden")));
asm(".text\n"
    ".globl shim_switch\n"
    ".hidden shim_switch\n"
    "shim_switch:\n"
    " push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    " mov %rsp,(%rdi)\n mov %rsi,%rsp\n"
    " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");

struct Fiber {
  std::vector<char> stack;
  void *sp;
  dim3 idx;
  bool done;
};

static void *shim_scheduler;
static Fiber *shim_now;
static std::function<void()> *shim_body;
static float shim_floats[1024];
static double shim_doubles[1024];

static void shim_yield() {
  Fiber *me = shim_now;
  shim_switch(&me->sp, shim_scheduler);
  threadIdx = me->idx;
}

static void shim_entry() {
  (*shim_body)();
  shim_now->done = true;
  shim_yield();
}

// The scheduler goes round: when a thread runs again, all others have come to this barrier or to their end.
static void __syncthreads() { shim_yield(); }
static void __nanosleep(unsigned) {}

static float *shim_slots(float) { return shim_floats; }
static double *shim_slots(double) { return shim_doubles; }

template <class T> static T __shfl_xor_sync(unsigned, T x, int lane) {
  T *slots = shim_slots(x);
  const unsigned me = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  slots[me] = x;
  __syncthreads();
  const T got = slots[me ^ static_cast<unsigned>(lane)];
  __syncthreads();
  return got;
}

template <class T> static T atomicAdd(T *p, T v) {
  const T old = *p;
  *p += v;
  return old;
}

static int cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t) {
  memset(p, v, n);
  return 0;
}

// k<<<grid, block, shared, stream>>>(args) becomes Launcher(grid, block, shared, stream).run([&] { k(args); }).
struct Launcher {
  dim3 grid, block;
  Launcher(dim3 g, dim3 b, size_t, cudaStream_t) : grid(g), block(b) {}

  void run(std::function<void()> body) {
    static std::vector<Fiber> fibers;
    shim_body = &body;
    gridDim = grid;
    blockDim = block;
    fibers.resize(std::max<size_t>(fibers.size(), static_cast<size_t>(block.x) * block.y * block.z));
    for (unsigned z = 0; z < grid.z; z++) {
      for (unsigned y = 0; y < grid.y; y++) {
        for (unsigned x = 0; x < grid.x; x++) {
          blockIdx = dim3(x, y, z);
          run_block(fibers);
        }
      }
    }
  }

  void run_block(std::vector<Fiber> &fibers) {
    const size_t threads = static_cast<size_t>(block.x) * block.y * block.z;
    for (size_t i = 0; i < threads; i++) start(&fibers[i], i);
    for (bool left = true; left;) {
      left = false;
      for (size_t i = 0; i < threads; i++) {
        Fiber *f = &fibers[i];
        if (f->done) continue;
        shim_now = f;
        threadIdx = f->idx;
        shim_switch(&shim_scheduler, f->sp);
        left = left || !f->done;
      }
    }
  }

  void start(Fiber *f, size_t i) {
    if (f->stack.empty()) f->stack.resize(32 << 10);
    f->idx = dim3(static_cast<unsigned>(i % block.x), static_cast<unsigned>(i / block.x % block.y), static_cast<unsigned>(i / block.x / block.y));
    f->done = false;
    void **sp = reinterpret_cast<void **>((reinterpret_cast<uintptr_t>(f->stack.data()) + f->stack.size()) & ~uintptr_t(63));
    *--sp = nullptr;
    *--sp = reinterpret_cast<void *>(shim_entry);
    for (int k = 0; k < 6; k++) *--sp = nullptr;  // the registers
    f->sp = sp;
  }
};

typedef _Float16 __half;

struct __half2 {
  __half a, b;
};

static float __half2float(__half h) { return static_cast<float>(h); }
static __half __float2half(float f) { return static_cast<__half>(f); }
static __half __hadd(__half a, __half b) { return static_cast<__half>(static_cast<float>(a) + static_cast<float>(b)); }
static __half hexp(__half h) { return static_cast<__half>(std::exp(static_cast<float>(h))); }
static __half2 __halves2half2(__half a, __half b) { return {a, b}; }
static __half __low2half(__half2 t) { return t.a; }
static __half __high2half(__half2 t) { return t.b; }
