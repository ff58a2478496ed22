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

// Chains of dependent multiply-adds, enough of them to fill every multiprocessor: nothing but the clock decides how long
// they take. One thread a block counts that clock against the time.
__global__ void pg_multiply_add(float x, float y, ClockReading *readings) {
  const bool counts = threadIdx.x == 0;
  long long cycles = 0;
  unsigned long long ns = 0;
  if (counts) {
    ns = globaltimer_ns();
    cycles = clock64();
  }
  float chain[kCanaryChains];
#pragma unroll
  for (int k = 0; k < kCanaryChains; k++) chain[k] = static_cast<float>(threadIdx.x + k);
  for (int i = 0; i < kCanarySteps; i++) {
#pragma unroll
    for (int k = 0; k < kCanaryChains; k++) chain[k] = fmaf(chain[k], x, y);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kCanaryChains; k++) sum += chain[k];
  if (!counts && sum != INFINITY) return;  // it never is: this only keeps the work from being left out
  cycles = clock64() - cycles;
  readings[blockIdx.x].ns = globaltimer_ns() - ns;
  readings[blockIdx.x].cycles = cycles;
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
  g.process_ns = g.wall_ns;
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

// Of the last canary: the median of its blocks.
double CudaDevice::clock_mhz() {
  std::vector<ClockReading> readings(static_cast<size_t>(kCanaryBlocksPerSm * sms_));
  to_host(readings.data(), readings_, readings.size() * sizeof(ClockReading));
  std::vector<double> mhz;
  for (const ClockReading &r : readings) {
    if (r.ns > 0) mhz.push_back(static_cast<double>(r.cycles) * 1e3 / static_cast<double>(r.ns));
  }
  return median(mhz);
}

double CudaDevice::memory_canary_ns() {
  auto copy_it = [&] {
    pg_stream_copy<<<8 * sms_, 256, 0, stream_>>>(reinterpret_cast<const uint4 *>(canary_buffer_),
                                                  reinterpret_cast<uint4 *>(canary_buffer_ + canary_bytes_),
                                                  canary_bytes_ / sizeof(uint4));
  };
  return timed(Clock::kEvent, true, copy_it);
}

Canaries CudaDevice::canaries(int count) {
  Canaries c;
  std::vector<double> compute, memory, mhz;
  for (int i = 0; i < count; i++) {
    compute.push_back(canary_ns());
    mhz.push_back(clock_mhz());
    memory.push_back(memory_canary_ns());
  }
  c.compute_ns = median(compute);
  c.memory_ns = median(memory);
  c.clock_mhz = median(mhz);
  c.compute_flops = 2.0 * kCanaryChains * kCanarySteps * kCanaryThreads * kCanaryBlocksPerSm * sms_;
  c.memory_bytes = 2.0 * static_cast<double>(canary_bytes_);
  return c;
}

}  // namespace perfgate
