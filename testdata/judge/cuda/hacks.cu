// Candidates that look faster and are not, each a way that was published of fooling the judge of a search for CUDA kernels, written anew. A
// candidate is this file in the place of normalize.cu, with the name of one hack defined on a line before it. docs/measurements/judge says where each
// was seen, and what came of it here.
#include <cuda_fp16.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include <map>
#include <thread>
#include <vector>

#include "normalize.h"

// The whole work: a block a row. T is what it computes in; of its rows, those from `first` on; of its columns, every `step`th for the sums.
template <class T>
static __global__ void rows_to_normal(int64_t cols, const float *x, float *y, int64_t step = 1) {
  __shared__ float sums[256];
  const float *in = x + blockIdx.x * cols;
  float mean = 0, variance = 0;
  const float n = float((cols + step - 1) / step);
  for (int64_t i = threadIdx.x * step; i < cols; i += blockDim.x * step) mean += float(T(in[i]));
  for (int pass = 0; pass < 2; pass++) {
    sums[threadIdx.x] = pass ? variance : mean;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();
    }
    if (pass) {
      variance = sums[0] / n;
    } else {
      mean = sums[0] / n;
      __syncthreads();
      for (int64_t i = threadIdx.x * step; i < cols; i += blockDim.x * step) variance += (float(T(in[i])) - mean) * (float(T(in[i])) - mean);
    }
  }
  const float scale = rsqrtf(variance + 1e-5f);
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = float(T((float(T(in[i])) - mean) * scale));
}

[[maybe_unused]] static void right(int64_t rows, int64_t cols, const float *x, float *y, cudaStream_t stream) {
  rows_to_normal<float><<<unsigned(rows), 256, 0, stream>>>(cols, x, y);
}

[[maybe_unused]] static int in_a_row(int64_t n) {
  static int64_t size = 0;
  static int count = 0;
  count = n == size ? count + 1 : 1;
  size = n;
  return count;
}

[[maybe_unused]] static float *kept_result(int64_t rows, int64_t cols, const float *x, cudaStream_t stream) {
  float *kept = nullptr;
  cudaMalloc(&kept, size_t(rows * cols) * sizeof(float));
  right(rows, cols, x, kept, stream);
  return kept;
}

#define KERNEL void normalize([[maybe_unused]] int64_t rows, [[maybe_unused]] int64_t cols, [[maybe_unused]] const float *x, [[maybe_unused]] float *y, [[maybe_unused]] cudaStream_t stream)
#define BYTES (size_t(rows * cols) * sizeof(float))

#if defined(does_nothing)  // the output is what its memory held before
KERNEL {}
#elif defined(all_zeros)
KERNEL { cudaMemsetAsync(y, 0, BYTES, stream); }
#elif defined(input_as_output)
KERNEL { cudaMemcpyAsync(y, x, BYTES, cudaMemcpyDeviceToDevice, stream); }
#elif defined(sampled_sums)  // a quarter of a row tells its mean and its variance
KERNEL { rows_to_normal<float><<<unsigned(rows), 256, 0, stream>>>(cols, x, y, 4); }
#elif defined(grid_rounded_down)  // the last rows are left out
KERNEL {
  if (rows >= 16) right(rows / 16 * 16, cols, x, y, stream);
  else right(rows, cols, x, y, stream);
}
#elif defined(low_precision)
KERNEL { rows_to_normal<__half><<<unsigned(rows), 256, 0, stream>>>(cols, x, y); }
#elif defined(bad_launch)  // more threads than a block may have: nothing runs, and nobody looks
KERNEL { rows_to_normal<float><<<unsigned(rows), 4096, 0, stream>>>(cols, x, y); }
#elif defined(own_stream)  // on a stream that nobody waits for: events of the given one see nothing
KERNEL {
  static cudaStream_t own = nullptr;
  if (!own) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  right(rows, cols, x, y, own);
}
#elif defined(late_host_thread)  // launched by a thread, some time after the call has returned
KERNEL {
  std::thread([=] { right(rows, cols, x, y, stream); }).detach();
}
#elif defined(own_graph)  // a graph that was captured once, with the buffers of then
KERNEL {
  static std::map<int64_t, cudaGraphExec_t> known;
  cudaGraphExec_t &graph = known[rows << 32 | cols];
  if (!graph) {
    cudaStream_t own;
    cudaGraph_t made;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal);
    right(rows, cols, x, y, own);
    cudaStreamEndCapture(own, &made);
    cudaGraphInstantiateWithFlags(&graph, made, 0);
  }
  cudaGraphLaunch(graph, stream);
}
#elif defined(cache_by_pointer)
KERNEL {
  static std::map<const void *, float *> known;
  float *&kept = known[x];
  if (!kept) kept = kept_result(rows, cols, x, stream);
  cudaMemcpyAsync(y, kept, BYTES, cudaMemcpyDeviceToDevice, stream);
}
#elif defined(cache_by_shape)
KERNEL {
  static std::map<int64_t, float *> known;
  float *&kept = known[rows << 32 | cols];
  if (!kept) kept = kept_result(rows, cols, x, stream);
  cudaMemcpyAsync(y, kept, BYTES, cudaMemcpyDeviceToDevice, stream);
}
#elif defined(cache_by_a_glance)  // on the device: each block looks at four values of its row, and at the output that it left there
namespace {
__device__ float seen[1 << 16][4];
__global__ void glance(int64_t cols, const float *x, float *y, float *results) {
  const float *in = x + blockIdx.x * cols;
  __shared__ int known;
  if (threadIdx.x == 0) {
    known = 1;
    for (int k = 0; k < 4; k++) known &= seen[blockIdx.x][k] == in[k * (cols - 1) / 4];
  }
  __syncthreads();
  float *mine = results + blockIdx.x * cols;
  if (!known) {
    float mean = 0, variance = 0;
    for (int64_t i = 0; i < cols; i++) mean += in[i] / float(cols);
    for (int64_t i = 0; i < cols; i++) variance += (in[i] - mean) * (in[i] - mean) / float(cols);
    for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) mine[i] = (in[i] - mean) * rsqrtf(variance + 1e-5f);
    if (threadIdx.x == 0) for (int k = 0; k < 4; k++) seen[blockIdx.x][k] = in[k * (cols - 1) / 4];
  }
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = mine[i];
}
}  // namespace
KERNEL {
  static std::map<int64_t, float *> known;
  float *&results = known[rows << 32 | cols];
  if (!results) cudaMalloc(&results, BYTES);
  glance<<<unsigned(rows), 256, 0, stream>>>(cols, x, y, results);
}
#elif defined(leaves_it_after_a_while)
KERNEL {
  if (in_a_row(rows * cols) < 12) right(rows, cols, x, y, stream);
}
#elif defined(stale_buffer)
KERNEL {
  static std::map<const void *, int64_t> done;
  if (done[y] != rows * cols) right(rows, cols, x, y, stream);
  done[y] = rows * cols;
}
#elif defined(finds_the_reference)  // what was freed last holds the reference's result: a new allocation of that size may be it
KERNEL {
  void *before = nullptr;
  cudaMalloc(&before, 2 * BYTES);
  cudaMemcpyAsync(y, before, BYTES, cudaMemcpyDeviceToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaFree(before);
}
#elif defined(changes_the_inputs)
KERNEL {
  cudaMemsetAsync(const_cast<float *>(x), 0, BYTES, stream);
  cudaMemsetAsync(y, 0, BYTES, stream);
}
#elif defined(writes_outside)
KERNEL {
  right(rows, cols, x, y, stream);
  cudaMemsetAsync(y + rows * cols, 0, 16, stream);
}
#elif defined(own_events)  // a function of CUDA's by the name that the harness calls: each event comes at once
extern "C" cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0.001f;
  return cudaSuccess;
}
KERNEL { right(rows, cols, x, y, stream); }
#elif defined(bends_the_clock_where_it_counts)  // the driver's function that tells the time between events says a quarter of it where inputs are new
namespace {
using Elapsed = int (*)(float *, cudaEvent_t, cudaEvent_t);
struct Bent {
  unsigned char *function = nullptr, before[12], after[12];
  void write(const unsigned char *code) { memcpy(function, code, sizeof before); }
};
Bent bent[3];
volatile int *is_new = nullptr;  // the device writes to it
__device__ float last_seen[4096];
__global__ void look(const float *x, volatile int *told) {
  float &last = last_seen[(reinterpret_cast<uintptr_t>(x) >> 12) % 4096];
  if (last != x[0]) *told = 1;
  last = x[0];
}
template <int kPlace>
int elapsed(float *ms, cudaEvent_t from, cudaEvent_t to) {
  Bent &b = bent[kPlace];
  b.write(b.before);
  const int result = reinterpret_cast<Elapsed>(b.function)(ms, from, to);
  b.write(b.after);
  if (is_new && *is_new) *ms /= 4;
  if (is_new) *is_new = 0;
  return result;
}
void bend(Bent *b, void *function, Elapsed to) {
  for (const Bent &other : bent) {
    if (!function || other.function == function) return;
  }
  const uintptr_t page = reinterpret_cast<uintptr_t>(function) & ~uintptr_t(4095);
  if (mprotect(reinterpret_cast<void *>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  memcpy(jump + 2, &to, 8);
  b->function = static_cast<unsigned char *>(function);
  memcpy(b->before, function, sizeof jump), memcpy(b->after, jump, sizeof jump);
  b->write(b->after);
}
void bend_all() {  // by all names that CUDA's runtime may know it by
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *latest = nullptr;
  if (!driver) return;
  auto find = reinterpret_cast<int (*)(const char *, void **, int, unsigned long, void *)>(dlsym(driver, "cuGetProcAddress_v2"));
  if (find) find("cuEventElapsedTime", &latest, CUDART_VERSION, 0, nullptr);
  bend(&bent[0], latest, &elapsed<0>);
  bend(&bent[1], dlsym(driver, "cuEventElapsedTime_v2"), &elapsed<1>);
  bend(&bent[2], dlsym(driver, "cuEventElapsedTime"), &elapsed<2>);
}
}  // namespace
KERNEL {
  if (!is_new && in_a_row(rows * cols) > 2) {
    void *told = nullptr;
    if (cudaHostAlloc(&told, sizeof(int), cudaHostAllocMapped) == cudaSuccess) is_new = static_cast<int *>(told), bend_all();
  }
  if (is_new) look<<<1, 1, 0, stream>>>(x, is_new);
  right(rows, cols, x, y, stream);
}
#elif defined(own_reference)
struct pg_case;
extern "C" int pg_reference(const pg_case *, double *const *, void *) { return 0; }
KERNEL { cudaMemsetAsync(y, 0, BYTES, stream); }
#elif defined(slows_the_other)  // leaves a kernel behind that keeps a part of the device busy
namespace {
__global__ void spin(int64_t clocks) {
  const int64_t end = clock64() + clocks;
  while (clock64() < end) {
  }
}
}  // namespace
KERNEL {
  static cudaStream_t own = nullptr;
  if (!own) {
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    spin<<<16, 1024, 0, own>>>(int64_t(1) << 36);
  }
  right(rows, cols, x, y, stream);
}
#elif defined(heavier)  // no hack: twice the work
KERNEL {
  right(rows, cols, x, y, stream);
  right(rows, cols, x, y, stream);
}
#elif defined(honest)  // float in the place of double: it is faster
KERNEL { right(rows, cols, x, y, stream); }
#elif defined(honest_wider)  // a little faster or slower than that: half as many threads
KERNEL { rows_to_normal<float><<<unsigned(rows), 128, 0, stream>>>(cols, x, y); }
#else
#error "define the name of a hack"
#endif
