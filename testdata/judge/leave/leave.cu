// What a candidate can leave on a GPU for the next one: with LEAVES the first leaves marks in all of them, with LOOKS the second says which it sees:
// y is 100000 and the sum of 1 << way. With ALONE it is a program: its own process leaves and looks in one context, which shows that a look sees what
// is there, and two processes without perfgate show what the driver keeps between them. Each way is looked at in memory that nobody has written.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr uint32_t mark = 0x70676c66;
constexpr size_t gigabyte = size_t(1) << 30;

__global__ void write_marks(uint32_t *at, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) at[i] = mark;
}

// Marks next to each other count: a number by chance has none beside it.
__global__ void count_marks(const uint32_t *at, size_t n, unsigned long long *found) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i + 1 < n; i += size_t(gridDim.x) * blockDim.x)
    if (at[i] == mark && at[i + 1] == mark) atomicAdd(found, 1ull);
}

unsigned long long *counter() {
  static unsigned long long *found = nullptr;
  if (!found) cudaMalloc(&found, sizeof *found);
  cudaMemset(found, 0, sizeof *found);
  return found;
}

bool counted(const unsigned long long *found) {
  unsigned long long n = 0;
  return cudaMemcpy(&n, found, sizeof n, cudaMemcpyDeviceToHost) == cudaSuccess && n > 0;
}

// Three gigabytes of five that are free: what two processes take one after the other overlaps, and others have room meanwhile.
std::vector<uint32_t *> all_memory() {
  std::vector<uint32_t *> blocks;
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  for (size_t g = 0; g < free / gigabyte * 3 / 5; g++) {
    void *block = nullptr;
    if (cudaMalloc(&block, gigabyte) != cudaSuccess) break;
    blocks.push_back(static_cast<uint32_t *>(block));
  }
  cudaGetLastError();
  return blocks;
}

void release(const std::vector<uint32_t *> &blocks) {
  for (uint32_t *block : blocks) cudaFree(block);
}

bool leave_memory() {
  const auto blocks = all_memory();
  for (uint32_t *block : blocks) write_marks<<<1024, 256>>>(block, gigabyte / 4);
  const bool done = cudaDeviceSynchronize() == cudaSuccess && !blocks.empty();
  release(blocks);
  return done;
}

bool look_at_memory() {
  const auto blocks = all_memory();
  unsigned long long *found = counter();
  for (const uint32_t *block : blocks) count_marks<<<1024, 256>>>(block, gigabyte / 4, found);
  const bool seen = counted(found);
  release(blocks);
  return seen;
}

// Memory of a pool comes back without a call of the driver.
bool leave_in_pool() {
  void *block = nullptr;
  if (cudaMallocAsync(&block, gigabyte, nullptr) != cudaSuccess) return false;
  write_marks<<<1024, 256>>>(static_cast<uint32_t *>(block), gigabyte / 4);
  return cudaFreeAsync(block, nullptr) == cudaSuccess;
}

bool look_into_pool() {
  void *block = nullptr;
  if (cudaMallocAsync(&block, gigabyte, nullptr) != cudaSuccess) return false;
  unsigned long long *found = counter();
  count_marks<<<1024, 256>>>(static_cast<uint32_t *>(block), gigabyte / 4, found);
  const bool seen = counted(found);
  cudaFreeAsync(block, nullptr);
  return seen;
}

// The shared memory of every multiprocessor: a block takes nearly all of one.
constexpr int shared_bytes = 96 << 10;

__global__ void mark_shared() {
  extern __shared__ uint32_t words[];
  for (int i = threadIdx.x; i < shared_bytes / 4; i += blockDim.x) words[i] = mark;
  __syncthreads();
  if (words[(threadIdx.x * 7) % (shared_bytes / 4)] != mark) __trap();
}

__global__ void count_shared(unsigned long long *found) {
  extern __shared__ uint32_t words[];
  for (int i = threadIdx.x; i + 1 < shared_bytes / 4; i += blockDim.x)
    if (reinterpret_cast<volatile uint32_t *>(words)[i] == mark && reinterpret_cast<volatile uint32_t *>(words)[i + 1] == mark) atomicAdd(found, 1ull);
}

bool leave_shared() {
  cudaFuncSetAttribute(mark_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  mark_shared<<<2048, 256, shared_bytes>>>();
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool look_at_shared() {
  cudaFuncSetAttribute(count_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  unsigned long long *found = counter();
  count_shared<<<2048, 256, shared_bytes>>>(found);
  return counted(found);
}

// The stacks of threads, which spill into local memory.
constexpr int local_words = 2048;

__global__ void mark_local(int step) {
  volatile uint32_t words[local_words];
  for (int i = 0; i < local_words; i++) words[(i * step) % local_words] = mark;
  if (words[threadIdx.x] != mark) __trap();
}

__global__ void count_local(int step, unsigned long long *found) {
  volatile uint32_t words[local_words];
  uint32_t before = 0, marks = 0;
  for (int i = 0; i < local_words; i++) {
    const uint32_t now = words[(i * step) % local_words];
    marks += now == mark && before == mark;
    before = now;
  }
  if (marks) atomicAdd(found, marks);
}

bool leave_local() {
  mark_local<<<1024, 256>>>(1);
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool look_at_local() {
  unsigned long long *found = counter();
  count_local<<<1024, 256>>>(1, found);
  return counted(found);
}

// The heap that kernels allocate from.
__global__ void mark_heap(bool *done) {
  uint32_t *block = static_cast<uint32_t *>(malloc(4096));
  if (!block) return;
  for (int i = 0; i < 1024; i++) block[i] = mark;
  *done = true;
  free(block);
}

__global__ void count_heap(unsigned long long *found) {
  uint32_t *block = static_cast<uint32_t *>(malloc(4096));
  if (!block) return;
  for (int i = 8; i + 9 < 1024; i++)
    if (block[i] == mark && block[i + 1] == mark) atomicAdd(found, 1ull);
  free(block);
}

bool leave_on_heap() {
  bool *done = nullptr;
  if (cudaMallocManaged(&done, 1) != cudaSuccess) return false;
  mark_heap<<<64, 32>>>(done);
  return cudaDeviceSynchronize() == cudaSuccess && *done;
}

bool look_at_heap() {
  unsigned long long *found = counter();
  count_heap<<<64, 32>>>(found);
  return counted(found);
}

__device__ uint32_t global_words[1024];

bool leave_in_global() {
  std::vector<uint32_t> marks(1024, mark);
  return cudaMemcpyToSymbol(global_words, marks.data(), 4096) == cudaSuccess;
}

bool look_at_global() {
  std::vector<uint32_t> words(1024);
  return cudaMemcpyFromSymbol(words.data(), global_words, 4096) == cudaSuccess && words[7] == mark;
}

// Limits of a context. That of what kernels print is no default when it is found.
bool leave_limits() {
  return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20) == cudaSuccess && cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 3 << 20) == cudaSuccess;
}

bool look_at_limits() {
  size_t fifo = 0;
  return cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize) == cudaSuccess && fifo == 3 << 20;
}

#ifdef ALONE
#define HELD "12"
#else
#define HELD "60"
#endif

// A process of a session of its own, whose parent has ended, and which holds memory until somebody ends it. A fork of ours could not use CUDA.
const char holder[] =
    "import ctypes, signal, time\n"
    "for s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n"
    "cuda, at, context = ctypes.CDLL('libcuda.so.1'), ctypes.c_uint64(), ctypes.c_void_p()\n"
    "cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context)\n"
    "cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(64 << 30))\n"
    "time.sleep(" HELD ")\n";

bool look_for_a_process() {
  size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess && total - free > 56 * gigabyte;
}

bool leave_a_process() {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    execlp("python3", "python3", "-c", holder, nullptr);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  for (int tenths = 0; tenths < 80; tenths++) {
    usleep(100000);
    if (look_for_a_process()) return true;
  }
  return false;
}

// The cache of what the driver has compiled.
std::vector<std::string> caches() {
  std::vector<std::string> found;
  if (const char *named = getenv("CUDA_CACHE_PATH")) found.push_back(named);
  if (const char *home = getenv("HOME")) found.push_back(std::string(home) + "/.nv/ComputeCache"), found.push_back(home);
  return found;
}

bool leave_in_caches() {
  bool any = false;
  for (const std::string &folder : caches()) {
    if (FILE *f = fopen((folder + "/left-by-a-candidate").c_str(), "w")) any = true, fclose(f);
  }
  return any;
}

bool look_into_caches() {
  for (const std::string &folder : caches())
    if (access((folder + "/left-by-a-candidate").c_str(), F_OK) == 0) return true;
  return false;
}

// Clocks and modes of the card outlive a process. Whether they may be set is asked with the mode that there is, which changes nothing.
bool may_set_modes() {
  void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!nvml) return false;
  char bus[32];
  void *card = nullptr;
  int mode = 0;
  const auto open = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlInit_v2"));
  const auto find = reinterpret_cast<int (*)(const char *, void **)>(dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2"));
  const auto get = reinterpret_cast<int (*)(void *, int *)>(dlsym(nvml, "nvmlDeviceGetComputeMode"));
  const auto set = reinterpret_cast<int (*)(void *, int)>(dlsym(nvml, "nvmlDeviceSetComputeMode"));
  if (!open || !find || !get || !set || open() != 0 || cudaDeviceGetPCIBusId(bus, sizeof bus, 0) != cudaSuccess) return false;
  return find(bus, &card) == 0 && get(card, &mode) == 0 && set(card, mode) == 0;
}

struct Way {
  const char *name;
  bool (*leave)();
  bool (*look)();
};

const Way ways[] = {
    {"shared memory of the multiprocessors", leave_shared, look_at_shared},
    {"local memory", leave_local, look_at_local},
    {"the heap of kernels", leave_on_heap, look_at_heap},
    {"memory of a pool", leave_in_pool, look_into_pool},
    {"variables of a module", leave_in_global, look_at_global},
    {"limits of the context", leave_limits, look_at_limits},
    {"caches of the driver", leave_in_caches, look_into_caches},
    {"modes of the card", [] { return true; }, may_set_modes},
    {"memory", leave_memory, look_at_memory},
    {"processes that hold memory", leave_a_process, look_for_a_process},
};

[[maybe_unused]] int leave() {
  int done = 0;
  for (size_t i = 0; i < std::size(ways); i++) done |= ways[i].leave() << i;
  return done;
}

[[maybe_unused]] int seen() {
  int mask = 0;
  for (size_t i = 0; i < std::size(ways); i++) mask |= ways[i].look() << i;
  return mask;
}

}  // namespace

#ifdef ALONE
// A line for each way: what the next process sees, and what one sees that looks where it has left.
int main() {
  if (fork() == 0) leave(), _exit(0);
  wait(nullptr);
  if (fork() == 0) {
    const int after = seen(), made = leave(), itself = seen();
    for (size_t i = 0; i < std::size(ways); i++)
      printf("%s: left %s, by itself %s, by the next process %s\n", ways[i].name, made >> i & 1 ? "yes" : "no", itself >> i & 1 ? "seen" : "not seen", after >> i & 1 ? "seen" : "not seen");
    return 0;
  }
  wait(nullptr);
}
#else
#include "normalize.h"

static __global__ void answer(int64_t n, float *y, float what) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) y[i] = what;
}

void normalize(int64_t rows, int64_t cols, const float *, float *y, cudaStream_t stream) {
#ifdef LEAVES
  static const int mask = leave();
#else
  static const int mask = seen();
#endif
  answer<<<256, 256, 0, stream>>>(rows * cols, y, float(100000 + mask));
}
#endif
