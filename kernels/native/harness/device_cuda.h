// An NVIDIA GPU as a device. Memory and errors are in device_cuda.cu, elements in device_cuda_elements.cu, comparing in
// device_cuda_bound.cu, clocks, graphs and caches in device_cuda_time.cu, the search for work elsewhere in device_cuda_outside.cu,
// what a launch consists of in device_cuda_launches.cu.
#ifndef PERFGATE_HARNESS_DEVICE_CUDA_H
#define PERFGATE_HARNESS_DEVICE_CUDA_H

#include <cuda_runtime.h>

#include <map>
#include <vector>

#include "device.h"

namespace perfgate {

// Throws launch-failed with the name of the call and CUDA's words. Only functions of the runtime go through it.
void check_cuda(cudaError_t e, const char *call);
std::string cuda_words(cudaError_t e, const char *call);
#define PG_CUDA(call) check_cuda((call), #call)

// What host and a waiting kernel tell each other, in memory of the host that both see.
struct Signal {
  volatile unsigned go;       // the host: kernels with a ticket up to this one may go
  volatile unsigned expired;  // a kernel: waited in vain
};

// The clock of a multiprocessor and the time, or how far both went.
struct ClockReading {
  long long cycles;
  unsigned long long ns;
};

// Memory for the many small buffers of a case, out of large pieces that are filled from their start: where a buffer lies
// does not depend on what was freed before it, so a case does not feel which case came before it in its process.
class Arena {
 public:
  void *allocate(size_t bytes);  // null where the device has no more
  bool release(void *p);  // false for what is not from here
  void close();  // nothing more goes into the pieces that there are

 private:
  struct Piece {
    char *raw, *start;
    size_t size, used, live;  // live: buffers
  };
  Piece *piece_for(size_t bytes);
  std::vector<Piece> pieces_;
  std::map<void *, size_t> owner_;  // index of a buffer's piece
};

const int kCanaryBlocksPerSm = 4;

// Kernels over elements: threads of a block, the element that a thread begins with, and how far it is to its next.
const int kThreads = 256;
__device__ inline int64_t first_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline int64_t stride() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

class CudaDevice : public Device {
 public:
  CudaDevice();
  const char *name() const override { return "cuda"; }
  void describe(JsonWriter *hello) const override;
  bool alive() override;
  Clock clock() const override { return Clock::kEvent; }
  void wake() override;
  void forget_adapter() override;
  bool has(Clock clock) const override { return clock == Clock::kEvent; }
  void *stream() const override { return stream_; }

  void *allocate(size_t bytes) override;
  bool separate_buffers() override { return separate_ = true; }
  bool separate() const override { return separate_; }
  void release(void *p, size_t bytes) override;
  size_t available() const override;
  void copy(void *to, const void *from, size_t bytes) override;
  void from_host(void *to, const void *host, size_t bytes) override;
  void to_host(void *host, const void *from, size_t bytes) override;
  void set_bytes(void *p, uint8_t byte, size_t bytes) override;
  bool same(const void *a, const void *b, size_t bytes) override;
  void guard(void *p, const Guard &g, int dtype, int64_t first, int64_t count) override;
  int64_t guard_damage(const void *p, const Guard &g, int dtype, int64_t first, int64_t count, bool from_end) override;
  void poison(void *p, int dtype, int64_t count) override;
  int64_t find_poison(const void *p, int dtype, int64_t count, const uint8_t *written = nullptr) override;
  void fill(void *p, const Fill &f, int64_t count) override;
  uint64_t digest(const void *p, size_t bytes) override;
  int64_t find_change(const void *p, const Fill &f, int64_t count) override;
  void widen(double *to, const void *from, int dtype, int64_t count) override;
  Comparison compare(const void *got, int dtype, const Wanted &wanted, int64_t count) override;
  void ratios(double *to, const void *got, int dtype, const Wanted &wanted, int64_t count) override;
  void perturb(double *x, const Perturbation &p, int64_t count) override;
  void respond(const Responses &to, const double *want, const double *moved, const Perturbation &p, int64_t count) override;
  void settle(double *slack, const Responses &from, const double *want, const Bound &bound, const Pools &pools) override;
  void reach(double *to, const double *want, const double *moved, double share, const Pools &pools) override;
  double largest(const double *want, int64_t count) override;
  void admit(uint8_t *admitted, const void *got, int dtype, const double *moved, int64_t count) override;
  void sift(uint8_t *marks, const double *want, const double *once, const double *twice, int64_t count) override;

  void synchronize() override;
  size_t flush_bytes() override { return flush_bytes_; }
  double flush() override;
  double quantum_ns(Clock clock) override;
  void pin() override {}
  void unpin() override {}
  double timed(Clock clock, bool block, const Work &work) override;
  bool blocked() override;
  Glance glance(bool block, const Work &work) override;
  bool capture(const Work &work, std::string *why) override;
  void replay() override;
  Outside outside(Clock clock, bool spins, const Work &work, const Work &snapshot, bool (*changed)(void *),
                  void *context) override;
  Outside host_work(const Work &one, bool interpreted) override;
  void write_launches(const Work &one, JsonWriter *reply) override;
  double canary_ns() override;
  double pace() override;
  double settling_ns() override { return 250e6; }  // an idle GPU stays at its idle clock for a while, and steadily so
  Canaries canaries(int count) override;
  void profile(bool on) override;

 private:
  friend class StreamGate;
  int blocks(int64_t threads) const;  // of 256 threads, enough to fill the device
  void start_result(int byte);
  uint64_t result();
  double elapsed_ns();
  double clock_mhz();
  double memory_canary_ns();
  double tensor_canary_ns();
  Outside unseen_time(const Work &work);
  size_t count_nodes(const Work &one);
  cudaGraph_t recorded(const Work &one);
  bool looks_ahead_ = false;  // same() only enqueues its look; result() says later whether all of them were the same
  bool moves_while_blocked(double wait_ns, const Work &work, const Work &snapshot, bool (*changed)(void *), void *context);

  bool separate_ = false, awake_ = false;
  size_t stack_bytes_ = 0;  // of a thread, as the driver has it
  int sms_ = 0;
  bool tensor_ = false;  // whether pg_multiply_tensors can be run
  size_t flush_bytes_ = 0, canary_bytes_ = 0;
  // What adapters get, and all that happens here is in it: a second stream would be a second hardware queue, and with two
  // in use a GPU was seen to take 0.3 us longer from kernel to kernel. The legacy default stream waits for it, and it for
  // that one.
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  Signal *signal_ = nullptr;
  unsigned ticket_ = 0;
  unsigned long long *result_ = nullptr, *result_host_ = nullptr;
  Comparison *partial_ = nullptr;
  Arena arena_;
  NormalSegment *table_ = nullptr;
  char *flush_buffer_ = nullptr, *canary_buffer_ = nullptr;
  ClockReading *readings_ = nullptr;
  unsigned flushes_ = 0;
  double quantum_ns_ = 0;
  bool waits_ = false;  // the adapter was seen to wait for the device, so that blocking the stream leads nowhere
};

// Holds the stream back until it is opened, or for `limit_ns` at most.
class StreamGate {
 public:
  StreamGate(CudaDevice *device, bool wanted, double limit_ns);
  ~StreamGate() { open(); }
  StreamGate(const StreamGate &) = delete;
  StreamGate &operator=(const StreamGate &) = delete;
  void open();

 private:
  CudaDevice *device_;
  bool wanted_;
};

}  // namespace perfgate

#endif
