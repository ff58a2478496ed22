// The CPU as a device. Memory and elements are in device_cpu.cc, clocks and caches in device_cpu_time.cc.
#ifndef PERFGATE_HARNESS_DEVICE_CPU_H
#define PERFGATE_HARNESS_DEVICE_CPU_H

#include <sched.h>

#include "device.h"

namespace perfgate {

class CpuDevice : public Device {
 public:
  ~CpuDevice() override;
  const char *name() const override { return "cpu"; }
  void describe(JsonWriter *hello) const override;
  Clock clock() const override { return Clock::kThread; }
  bool has(Clock clock) const override { return clock != Clock::kEvent; }
  void *stream() const override { return nullptr; }

  void *allocate(size_t bytes) override;
  void release(void *p, size_t bytes) override;
  size_t available() const override;
  void copy(void *to, const void *from, size_t bytes) override;
  void from_host(void *to, const void *host, size_t bytes) override { copy(to, host, bytes); }
  void to_host(void *host, const void *from, size_t bytes) override { copy(host, from, bytes); }
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

  void synchronize() override {}  // a CPU kernel is done when it returns, or `outside` finds out
  size_t flush_bytes() override;
  double flush() override;
  double quantum_ns(Clock clock) override;
  void pin() override;
  void unpin() override;
  double timed(Clock clock, bool block, const Work &work) override;
  double waited_ns() const override { return waited_ns_; }
  Glance glance(bool block, const Work &work) override;
  bool capture(const Work &work, std::string *why) override;
  void replay() override {}
  Outside outside(Clock clock, bool spins, const Work &work, const Work &snapshot, bool (*changed)(void *),
                  void *context) override;
  double canary_ns() override;
  Canaries canaries(int count) override;

 private:
  size_t unasked_ = 0;  // bytes to hand out before the system is asked again what is left
  void *flush_buffer_ = nullptr;
  size_t flush_bytes_ = 0;
  // ns that this thread has stood in the queue for a core; 0 where Linux does not say.
  double queued_ns();
  double timed_by_thread(const Work &work);

  bool asked_for_schedstat_ = false;
  int schedstat_ = -1;
  double waited_ns_ = 0;
  bool pinned_ = false;
  cpu_set_t mask_;  // where this thread was allowed before pin()
};

// Bytes that this process may take without being killed for it: what its limits, its control group and the machine
// leave, whichever is least.
size_t memory_left();

}  // namespace perfgate

#endif
