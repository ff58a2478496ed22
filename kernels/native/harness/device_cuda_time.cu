// Clocks, graphs, caches and canaries of the CUDA device.
#include <algorithm>
#include <vector>

#include "commands.h"
#include "device_cuda.h"
#include "failure.h"

namespace perfgate {

namespace {

const double kGateLimit = 20e6;   // ns; a stream that is held back for longer goes on by itself
const int kCanaryThreads = 256, kCanaryChains = 8, kCanarySteps = 8192;
const int kCountThreads = 128, kCountSteps = 1024;
const double kCountNs = 2e6;  // see pg_count_clock
const int kTensorChains = 8, kTensorSteps = 512;
const double kTensorFlops = 2.0 * 16 * 8 * 16;  // of one instruction of a warp

__device__ inline unsigned long long globaltimer_ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

}  // namespace

// Keeps its stream waiting until the host says go. It gives up after a while: an adapter that waits for the device in
// pg_launch would otherwise wait for ever.
__global__ void pg_wait(Signal *s, unsigned ticket, unsigned long long limit_ns) {
  const unsigned long long start = globaltimer_ns();
  while (static_cast<int>(s->go - ticket) < 0) {
    if (globaltimer_ns() - start > limit_ns) {
      s->expired = 1;
      break;
    }
#if __CUDA_ARCH__ >= 700
    __nanosleep(100);
#endif
  }
  __threadfence_system();
}

// 16 bytes a thread, other ones each time.
__global__ void pg_flush(uint4 *p, size_t count, unsigned value) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    p[i] = make_uint4(value, static_cast<unsigned>(i), value, value);
  }
}

__global__ void pg_stream_copy(const uint4 *from, uint4 *to, size_t count) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) to[i] = from[i];
}

// Dependent multiply-adds, in as many chains as keep a scheduler busy.
struct Chains {
  float value[kCanaryChains];
  __device__ Chains() {
#pragma unroll
    for (int k = 0; k < kCanaryChains; k++) value[k] = static_cast<float>(threadIdx.x + k);
  }
  __device__ void run(int steps, float x, float y) {
    for (int i = 0; i < steps; i++) {
#pragma unroll
      for (int k = 0; k < kCanaryChains; k++) value[k] = fmaf(value[k], x, y);
    }
  }
  __device__ float sum() const {
    float all = 0;
#pragma unroll
    for (int k = 0; k < kCanaryChains; k++) all += value[k];
    return all;
  }
};

// Enough chains to fill every multiprocessor: nothing but the clock decides how long they take.
__global__ void pg_multiply_add(float x, float y, ClockReading *readings) {
  Chains chains;
  chains.run(kCanarySteps, x, y);
  if (chains.sum() == INFINITY) readings[blockIdx.x].ns = 0;  // it never is: this only keeps the work from being left out
}

// The time at its next step, and the clock right after it.
__device__ ClockReading read_clock() {
  ClockReading r;
  const unsigned long long before = globaltimer_ns();
  do {
    r.ns = globaltimer_ns();
  } while (r.ns == before);
  r.cycles = clock64();
  return r;
}

// Counts the clock of a multiprocessor against the time for at least limit_ns. One warp a scheduler, so that the thread which
// reads both never waits for its turn: among eight warps it does, and reads up to 5 % too much or too little in that time.
// Launches of 1.5 ms agree to 0.002 % on an H200, its multiprocessors to 0.2 % (docs/measurements/cuda-harness/clock.cu).
__global__ void pg_count_clock(float x, float y, unsigned long long limit_ns, ClockReading *readings) {
  const ClockReading from = read_clock();
  Chains chains;
  do {
    chains.run(kCountSteps, x, y);
  } while (globaltimer_ns() - from.ns < limit_ns);
  if (threadIdx.x != 0 && chains.sum() != INFINITY) return;
  const ClockReading to = read_clock();
  readings[blockIdx.x].ns = to.ns - from.ns;
  readings[blockIdx.x].cycles = to.cycles - from.cycles;
}

// The same on tensor cores: chains of products of float16 that are added up in float32, for compute capability 8.0 and later.
__global__ void pg_multiply_tensors(unsigned a, unsigned b, ClockReading *readings) {
  float chain[kTensorChains][4];
#pragma unroll
  for (int k = 0; k < kTensorChains; k++) chain[k][0] = chain[k][1] = chain[k][2] = chain[k][3] = static_cast<float>(k);
#if __CUDA_ARCH__ >= 800
  for (int i = 0; i < kTensorSteps; i++) {
#pragma unroll
    for (int k = 0; k < kTensorChains; k++) {
      float *c = chain[k];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a), "r"(b));
    }
  }
#endif
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kTensorChains; k++) sum += chain[k][0] + chain[k][1] + chain[k][2] + chain[k][3];
  if (sum == INFINITY) readings[blockIdx.x].ns = 0;  // it never is: this only keeps the work from being left out
}

StreamGate::StreamGate(CudaDevice *device, bool wanted, double limit_ns) : device_(device), wanted_(wanted) {
  if (!wanted_) return;
  device_->ticket_++;
  pg_wait<<<1, 1, 0, device_->stream_>>>(device_->signal_, device_->ticket_, static_cast<unsigned long long>(limit_ns));
  PG_CUDA(cudaGetLastError());
}

void StreamGate::open() {
  if (wanted_) device_->signal_->go = device_->ticket_;
}

bool CudaDevice::blocked() {
  const bool all = signal_->expired == 0;
  signal_->expired = 0;
  return all;
}

double CudaDevice::elapsed_ns() {
  float ms = 0;
  PG_CUDA(cudaEventElapsedTime(&ms, start_, stop_));
  return static_cast<double>(ms) * 1e6;
}

double CudaDevice::timed(Clock, bool block, const Work &work) {
  {
    StreamGate gate(this, block, kGateLimit);
    PG_CUDA(cudaEventRecord(start_, stream_));
    work();
    PG_CUDA(cudaEventRecord(stop_, stream_));
  }
  synchronize();
  return elapsed_ns();
}

Glance CudaDevice::glance(bool block, const Work &work) {
  Glance g;
  synchronize();
  double from = now_ns();
  auto inner = [&] {
    work();
    if (block) from = now_ns();  // what the host did before the device could begin is no part of it
  };
  g.launch_ns = timed(Clock::kEvent, block, inner);
  g.wall_ns = now_ns() - from;
  return g;
}

// Events are stamped on a grid: the smallest step between different times of one short kernel.
double CudaDevice::quantum_ns(Clock) {
  if (quantum_ns_ > 0) return quantum_ns_;
  std::vector<double> times;
  for (int i = 0; i < 100; i++) {
    auto nothing = [&] { pg_flush<<<1, 32 * (1 + i % 4), 0, stream_>>>(reinterpret_cast<uint4 *>(partial_), 512, 0); };
    times.push_back(timed(Clock::kEvent, true, nothing));
  }
  std::sort(times.begin(), times.end());
  double step = 1000;
  for (size_t i = 1; i < times.size(); i++) {
    const double d = times[i] - times[i - 1];
    if (d > 0.9) step = std::min(step, d);  // less is how a float of milliseconds is rounded
  }
  quantum_ns_ = step;
  return step;
}

double CudaDevice::flush() {
  PG_CUDA(cudaEventRecord(start_, stream_));
  pg_flush<<<8 * sms_, 256, 0, stream_>>>(reinterpret_cast<uint4 *>(flush_buffer_), flush_bytes_ / sizeof(uint4), ++flushes_);
  PG_CUDA(cudaEventRecord(stop_, stream_));
  synchronize();
  return elapsed_ns();
}

bool CudaDevice::capture(const Work &work, std::string *why) {
  if (graph_) PG_CUDA(cudaGraphExecDestroy(graph_));
  graph_ = nullptr;
  why->clear();
  synchronize();
  // Thread-local: threads that the adapter started may go on with what they do.
  PG_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  try {
    work();
  } catch (const Failure &f) {
    *why = f.message;
  }
  cudaGraph_t graph = nullptr;
  cudaError_t e = cudaStreamEndCapture(stream_, &graph);
  if (why->empty() && e != cudaSuccess) *why = cuda_words(e, "cudaStreamEndCapture");
  if (why->empty()) {
    e = cudaGraphInstantiateWithFlags(&graph_, graph, 0);
    if (e == cudaSuccess) e = cudaGraphUpload(graph_, stream_);
    if (e != cudaSuccess) *why = cuda_words(e, "cudaGraphInstantiateWithFlags");
  }
  if (graph) cudaGraphDestroy(graph);
  cudaGetLastError();
  synchronize();
  return why->empty();
}

void CudaDevice::replay() { PG_CUDA(cudaGraphLaunch(graph_, stream_)); }

double CudaDevice::canary_ns() {
  auto chunk = [&] { pg_multiply_add<<<kCanaryBlocksPerSm * sms_, kCanaryThreads, 0, stream_>>>(0.999f, 1e-3f, readings_); };
  return timed(Clock::kEvent, true, chunk);
}

// The median of all multiprocessors. What ran before decides which clock they have.
double CudaDevice::clock_mhz() {
  pg_count_clock<<<sms_, kCountThreads, 0, stream_>>>(0.999f, 1e-3f, static_cast<unsigned long long>(kCountNs), readings_);
  PG_CUDA(cudaGetLastError());
  std::vector<ClockReading> readings(static_cast<size_t>(sms_));
  to_host(readings.data(), readings_, readings.size() * sizeof(ClockReading));
  std::vector<double> mhz;
  for (const ClockReading &r : readings) {
    if (r.ns > 0) mhz.push_back(static_cast<double>(r.cycles) * 1e3 / static_cast<double>(r.ns));
  }
  return median(mhz);
}

// The clock that the multiprocessors have after all of them were busy for as long as it is counted.
double CudaDevice::pace() {
  for (double busy = 0; busy < kCountNs;) busy += canary_ns();
  return clock_mhz();
}

double CudaDevice::memory_canary_ns() {
  auto copy_it = [&] {
    pg_stream_copy<<<8 * sms_, 256, 0, stream_>>>(reinterpret_cast<const uint4 *>(canary_buffer_),
                                                  reinterpret_cast<uint4 *>(canary_buffer_ + canary_bytes_),
                                                  canary_bytes_ / sizeof(uint4));
  };
  return timed(Clock::kEvent, true, copy_it);
}

double CudaDevice::tensor_canary_ns() {
  const unsigned halves = 0x1400'1400;  // two of 2^-10: their products stay small
  auto chunk = [&] { pg_multiply_tensors<<<kCanaryBlocksPerSm * sms_, kCanaryThreads, 0, stream_>>>(halves, halves, readings_); };
  return timed(Clock::kEvent, true, chunk);
}

Canaries CudaDevice::canaries(int count) {
  Canaries c;
  std::vector<double> compute, memory, tensor;
  for (int i = 0; i < count; i++) {
    compute.push_back(canary_ns());
    memory.push_back(memory_canary_ns());
    if (tensor_) tensor.push_back(tensor_canary_ns());
  }
  c.compute_ns = median(compute);
  c.memory_ns = median(memory);
  c.tensor_ns = median(tensor);
  c.clock_mhz = pace();
  c.compute_flops = 2.0 * kCanaryChains * kCanarySteps * kCanaryThreads * kCanaryBlocksPerSm * sms_;
  if (tensor_) c.tensor_flops = kTensorFlops * kTensorChains * kTensorSteps * kCanaryThreads / 32 * kCanaryBlocksPerSm * sms_;
  c.memory_bytes = 2.0 * static_cast<double>(canary_bytes_);
  return c;
}

}  // namespace perfgate
