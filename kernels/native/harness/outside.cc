// Work where the clock does not look: in other threads, or after pg_launch has returned.
#include <stdio.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "commands.h"
#include "failure.h"

namespace perfgate {

namespace {

const std::chrono::milliseconds kLater(5);  // what a thread of the launch has to do its work, once the device is idle

// Whether a launch is still at work when the device has done all that it was given. The outputs are made anew and looked at twice.
bool goes_on(Session &s, const KeptOutputs &kept, const Work &launch, const Work &snapshot) {
  launch();
  s.device()->synchronize();
  snapshot();
  s.device()->synchronize();
  std::this_thread::sleep_for(kLater);
  s.device()->synchronize();
  return kept.changed();
}

const double kLongLaunch = 100e6;  // ns; what the host does beside it is no more than a few per cent

[[noreturn]] void convict(Session &s, const Outside &o) {
  s.abandon();
  JsonWriter members;
  members.member("clockNs", o.clock_ns).member("hostNs", o.host_ns);
  char figures[100] = "";
  if (o.host_ns > 0) snprintf(figures, sizeof figures, " (%.2f ms until all was done, and the clock has %.2f ms)", o.host_ns / 1e6, o.clock_ns / 1e6);
  throw Failure("outside-work", std::string(o.how) + ", where the clock does not see it" + figures, members.str());
}

}  // namespace

void KeptOutputs::keep() {
  const Spec &spec = session_->spec();
  size_t k = 0;
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    if (k == copies_.size()) copies_.emplace_back(session_->device(), t.bytes);
    session_->device()->copy(copies_[k++].data(), set_->tensor(i), t.bytes);
  }
}

bool KeptOutputs::changed() const {
  const Spec &spec = session_->spec();
  size_t k = 0;
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    if (!spec.tensors[i].output()) continue;
    const Buffer &copy = copies_[k++];
    if (!session_->device()->same(copy.data(), set_->tensor(i), copy.bytes())) return true;
  }
  return false;
}

void check_outside(Session &s, Clock clock, size_t index, double launch_ns, bool recorded) {
  Device *device = s.device();
  Set &set = s.set(index);
  KeptOutputs kept(&s, &set);
  // Short kernels many times, or their work would hide in what scheduling costs.
  const int launches = static_cast<int>(std::min(std::max(500e3 / std::max(launch_ns, 1.0), 1.0), 256.0));
  auto launch = [&] {
    for (int i = 0; i < launches; i++) s.enqueue(set);
  };
  auto snapshot = [&] {
    if (clock == Clock::kEvent) set.prepare();  // taken before a launch there, after it on a CPU
    kept.keep();
  };
  auto changed = [](void *k) { return static_cast<KeptOutputs *>(k)->changed(); };
  auto one = [&] { s.enqueue(set); };
  set.prepare();
  // What the host does while a graph is recorded is not done again when it is replayed: there is nothing to hide in it.
  const bool host_counts = clock == Clock::kEvent && launch_ns < kLongLaunch && !recorded;
  const Outside host = host_counts ? device->host_work(one, s.adapter()->interpreted()) : Outside();
  if (host.found) convict(s, host);
  // Two findings in three looks convict: a runtime that starts up may burn time in a stray thread once, and spinning
  // threads may burn enough of their own to look honest once. A slow kernel is past both: one look without a finding will do.
  // What is outside of a stream is there in every look, and a host that was interrupted looks like that now and then: on a GPU it takes three
  // findings, with time between them for the interruption to pass.
  const int pardons = launch_ns > kLongLaunch ? 1 : 2, enough = clock == Clock::kEvent ? 3 : 2;
  int found = 0, clean = 0;
  Outside last;
  while (found < enough) {
    set.prepare();
    const Outside o = device->outside(clock, s.adapter()->spins(), launch, snapshot, changed, &kept);
    if (o.found) {
      if (clock == Clock::kEvent && found + 1 < enough) std::this_thread::sleep_for(kLater * (1 << (2 * found)));
      found++;
      last = o;
    } else if (++clean == pardons) {
      break;
    }
  }
  if (found < enough && (clock != Clock::kEvent || !goes_on(s, kept, launch, snapshot))) return;
  if (found < enough) last.how = "an output was written after pg_launch had returned and the device was idle";
  convict(s, last);
}

}  // namespace perfgate
