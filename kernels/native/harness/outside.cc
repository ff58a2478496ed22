// Work where the clock does not look: in other threads, or after pg_launch has returned.
#include <algorithm>

#include "commands.h"
#include "failure.h"

namespace perfgate {

namespace {

struct Watched {
  Session *session;
  Set *set;
  std::vector<Buffer> copies;  // of the outputs, as they were when pg_launch returned

  bool changed() const {
    size_t k = 0;
    const Spec &spec = session->spec();
    for (size_t i = 0; i < spec.tensors.size(); i++) {
      if (!spec.tensors[i].output()) continue;
      const Buffer &copy = copies[k++];
      if (!session->device()->same(copy.data(), set->tensor(i), copy.bytes())) return true;
    }
    return false;
  }
};

const double kLongLaunch = 100e6;  // ns; what the host does beside it is no more than a few per cent

[[noreturn]] void convict(Session &s, const Outside &o) {
  s.abandon();
  JsonWriter members;
  members.member("clockNs", o.clock_ns).member("hostNs", o.host_ns);
  throw Failure("outside-work", std::string(o.how) + ", where the clock does not see it", members.str());
}

}  // namespace

void check_outside(Session &s, Clock clock, size_t index, double launch_ns, bool recorded) {
  const Spec &spec = s.spec();
  Device *device = s.device();
  Watched watched{&s, &s.set(index), {}};
  for (const auto &t : spec.tensors) {
    if (t.output() && clock != Clock::kThread) watched.copies.emplace_back(device, t.bytes);
  }
  // Short kernels many times, or their work would hide in what scheduling costs.
  const int launches = static_cast<int>(std::min(std::max(500e3 / std::max(launch_ns, 1.0), 1.0), 256.0));
  auto launch = [&] {
    for (int i = 0; i < launches; i++) s.enqueue(*watched.set);
  };
  auto snapshot = [&] {
    if (clock == Clock::kEvent) watched.set->prepare();  // taken before a launch there, after it on a CPU
    size_t k = 0;
    for (size_t i = 0; i < spec.tensors.size(); i++) {
      if (!spec.tensors[i].output()) continue;
      device->copy(watched.copies[k].data(), watched.set->tensor(i), watched.copies[k].bytes());
      k++;
    }
  };
  auto changed = [](void *w) { return static_cast<Watched *>(w)->changed(); };
  auto one = [&] { s.enqueue(*watched.set); };
  watched.set->prepare();
  // What the host does while a graph is recorded is not done again when it is replayed: there is nothing to hide in it.
  const bool host_counts = clock == Clock::kEvent && launch_ns < kLongLaunch && !recorded;
  const Outside host = host_counts ? device->host_work(one, s.adapter()->interpreted()) : Outside();
  if (host.found) convict(s, host);
  // Two findings in three looks convict: a runtime that starts up may burn time in a stray thread once, and spinning
  // threads may burn enough of their own to look honest once. A slow kernel is past both: one look without a finding will do.
  const int pardons = launch_ns > kLongLaunch ? 1 : 2;
  int found = 0, clean = 0;
  Outside last;
  while (found < 2) {
    watched.set->prepare();
    const Outside o = device->outside(clock, s.adapter()->spins(), launch, snapshot, changed, &watched);
    if (o.found) {
      found++;
      last = o;
    } else if (++clean == pardons) {
      return;
    }
  }
  convict(s, last);
}

}  // namespace perfgate
