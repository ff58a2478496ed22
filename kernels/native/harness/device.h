// The device: all that the rest of the harness knows about where kernels run. Memory that it hands out is opaque to
// everyone else (on CUDA it cannot be touched from the host), so filling, comparing and looking for damage happen here.
//
// Exactly one implementation is linked: device_cpu*.cc, or one built by nvcc.
#ifndef PERFGATE_HARNESS_DEVICE_H
#define PERFGATE_HARNESS_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <string>

#include "bound.h"
#include "compare.h"
#include "fill.h"
#include "guard.h"

namespace perfgate {

class JsonWriter;

enum class Clock { kThread, kWall, kEvent, kHost };  // kHost: what the call that launches takes, on any device

// A callable that outlives the call it is passed to; std::function without its header and its allocation.
class Work {
 public:
  template <class F>
  Work(F &f) : object_(&f), call_([](void *o) { (*static_cast<F *>(o))(); }) {}  // NOLINT: implicit by design
  void operator()() const { call_(object_); }

 private:
  void *object_;
  void (*call_)(void *);
};

// One launch, seen by every clock there is.
struct Glance {
  double launch_ns = 0;   // what the device's own clock would see: method `thread`, on a GPU `event`
  double wall_ns = 0;     // until the device is done
  double others_ns = 0;   // CPU time of the other threads of the process
  int64_t waits = 0;      // how often the launching thread gave up its core by itself: to sleep, for a lock, a thread, a file
};

// Fixed pieces of work, whose times tell how the machine feels.
struct Canaries {
  double compute_ns = 0, compute_flops = 0;
  double memory_ns = 0, memory_bytes = 0;  // 0 where the device has none
  double tensor_ns = 0, tensor_flops = 0;  // 0 where there are no tensor cores
  double clock_mhz = 0;                    // counted inside a kernel; 0 where nobody can
};

// Work that the clock did not see.
struct Outside {
  bool found = false;
  double clock_ns = 0;  // what the clock saw
  double host_ns = 0;   // what really happened
  const char *how = "";
};

class Device {
 public:
  virtual ~Device() {}
  virtual const char *name() const = 0;
  virtual void describe(JsonWriter *) const {}  // members of hello that say which device this is
  virtual bool alive() { return true; }         // false after an error that the process cannot recover from
  // Gets ready to work: memory and kernels of the harness's own. Called before each command that needs them, and not before the
  // first: a process that only waits has opened the device and leaves it to others.
  virtual void wake() {}
  // Puts back what an adapter may have set for the whole process, before another adapter's turn.
  virtual void forget_adapter() {}
  virtual Clock clock() const = 0;              // the one to use unless there is a reason for another
  virtual bool has(Clock clock) const = 0;
  virtual void *stream() const = 0;  // what adapters get as `stream`

  // Memory. allocate() throws Failure("out-of-memory"); its result is aligned to 4096 bytes and may hold anything.
  virtual void *allocate(size_t bytes) = 0;
  // From now on each buffer is an allocation of its very size, without guard zones and poison, for a tool that watches every
  // access itself: to it, zones are memory that may be touched, and poison is a value like any other. False where the device
  // does not know how.
  virtual bool separate_buffers() { return false; }
  virtual bool separate() const { return false; }
  virtual void release(void *p, size_t bytes) = 0;
  virtual size_t available() const = 0;  // bytes that may still be allocated
  virtual void copy(void *to, const void *from, size_t bytes) = 0;
  virtual void from_host(void *to, const void *host, size_t bytes) = 0;
  virtual void to_host(void *host, const void *from, size_t bytes) = 0;
  virtual void set_bytes(void *p, uint8_t byte, size_t bytes) = 0;
  virtual bool same(const void *a, const void *b, size_t bytes) = 0;

  // `count` elements of a guard, of which the first is element `first` of its tensor. guard_damage is the index, from `p`, of
  // the first (from_end: the last) that differs, -1 for none.
  virtual void guard(void *p, const Guard &g, int dtype, int64_t first, int64_t count) = 0;
  virtual int64_t guard_damage(const void *p, const Guard &g, int dtype, int64_t first, int64_t count, bool from_end) = 0;

  // Elements. Every count is of elements.
  virtual void poison(void *p, int dtype, int64_t count) = 0;
  // `written` of an output is a pg_element for each element, in memory of the device, and null where all are PG_WRITTEN. Others are
  // passed over.
  virtual int64_t find_poison(const void *p, int dtype, int64_t count, const uint8_t *written = nullptr) = 0;  // index, -1 for none
  virtual void fill(void *p, const Fill &f, int64_t count) = 0;
  virtual uint64_t digest(const void *p, size_t bytes) = 0;  // another one after any change of one element
  virtual int64_t find_change(const void *p, const Fill &f, int64_t count) = 0;  // first index that `fill` did not write
  virtual void widen(double *to, const void *from, int dtype, int64_t count) = 0;
  virtual Comparison compare(const void *got, int dtype, const Wanted &wanted, int64_t count) = 0;
  // What compare makes of each element: its error over what it may be off.
  virtual void ratios(double *to, const void *got, int dtype, const Wanted &wanted, int64_t count) = 0;

  // The error bound, see bound.h. All arrays have `count` elements.
  virtual void perturb(double *x, const Perturbation &p, int64_t count) = 0;
  virtual void respond(const Responses &to, const double *want, const double *moved, const Perturbation &p, int64_t count) = 0;
  virtual void settle(double *slack, const Responses &from, const double *want, const Bound &bound, const Pools &pools) = 0;
  virtual void reach(double *to, const double *want, const double *moved, double share, const Pools &pools) = 0;  // see reach_pool
  virtual double largest(const double *want, int64_t count) = 0;  // the largest finite magnitude, 0 for none
  // Sets admitted[i] where `got` is what `moved` rounds to.
  virtual void admit(uint8_t *admitted, const void *got, int dtype, const double *moved, int64_t count) = 0;
  // Marks each element by the outputs of inputs that are one and two steps away.
  virtual void sift(uint8_t *marks, const double *want, const double *once, const double *twice, int64_t count) = 0;

  // Time.
  virtual void synchronize() = 0;  // waits for the stream; throws what went wrong on it
  virtual size_t flush_bytes() = 0;
  virtual double flush() = 0;  // pushes everything out of the caches; ns
  virtual double quantum_ns(Clock clock) = 0;
  virtual void pin() = 0;      // this thread stays on the core that it is on...
  virtual void unpin() = 0;    // ...until here
  // ns of `work`, all of what it enqueued included. `block`: the device waits until all of it is enqueued, so that the host's
  // part of a launch is not timed.
  virtual double timed(Clock clock, bool block, const Work &work) = 0;
  // ns that the last work timed by this thread's CPU clock waited, which that clock does not see: it slept, or waited for a lock, a file, a
  // child. Not for a core that others had: that is the machine's, and not the kernel's.
  virtual double waited_ns() const { return 0; }
  // Whether everything that was timed with `block` since the last call really waited; not so where `work` itself waits for
  // the device.
  virtual bool blocked() { return false; }
  virtual Glance glance(bool block, const Work &work) = 0;
  // Records what `work` enqueues, in place of running it, for replay(). Says why when it cannot.
  virtual bool capture(const Work &work, std::string *why) = 0;
  virtual void replay() = 0;
  // Runs `work` untimed, and looks for work elsewhere. On a CPU also for work that goes on after it returned: `snapshot` is
  // called at once after the return, `changed` some time later and says whether outputs differ from the snapshot. On a GPU
  // for work that does not wait when its stream does: `snapshot` is called, then `work` while the stream is held back.
  // `spins`: the adapter uses a runtime whose idle threads keep spinning, so their CPU time says nothing.
  virtual Outside outside(Clock clock, bool spins, const Work &work, const Work &snapshot, bool (*changed)(void *),
                          void *context) = 0;
  // Where the host's part of a launch is left out of the time, whether it is more than launching takes. `one`: one launch;
  // `interpreted`: by an interpreter, which takes longer.
  virtual Outside host_work(const Work &one, bool interpreted) {
    (void)one;
    (void)interpreted;
    return Outside();
  }
  // Which kernels `one` launches and how large they are, as a member of `reply`; nothing where the device does not know.
  virtual void write_launches(const Work &one, JsonWriter *reply) {
    (void)one;
    (void)reply;
  }
  virtual double canary_ns() = 0;  // time of one chunk of dependent multiply-adds, about 0.3 ms
  // What tells whether the clock of the machine holds: that time, or the clock itself where a kernel can count it.
  virtual double pace() { return canary_ns(); }
  virtual double settling_ns() { return 0; }   // how long that must have been the same before the clock is said to hold
  virtual Canaries canaries(int count) = 0;    // medians of `count` of each
  double warm_mhz = 0;                         // the clock that warming up ended with; 0 before, or where nobody can count it
  virtual void profile(bool on) { (void)on; }  // a profiler that waits for it starts and stops here
};

std::unique_ptr<Device> make_device();
extern const char *const kDeviceName;  // of the device that make_device() will make

}  // namespace perfgate

#endif
