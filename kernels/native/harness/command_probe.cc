// One look at a case, so that perfgate can choose how to time it.
#include <algorithm>

#include "commands.h"
#include "failure.h"
#include "oracle.h"

namespace perfgate {

void run_probe(Session &s, Arguments &args, JsonWriter *reply) {
  const Case c = args.test_case();
  const uint64_t seed = args.seed();
  const std::string cache = args.string("cache");
  args.finish();
  if (cache != "cold" && cache != "hot") throw Failure("bad-command", "\"cache\" is neither cold nor hot");
  const bool cold = cache == "cold";
  Device *device = s.device();

  s.use(c, 1);
  Set &set = s.set(0);
  set.fill(seed, Values::kSpec);
  set.prepare();
  s.setup();

  const double kEnough = 50e6;   // no more launches once this much time went into them...
  const double kLong = 3e9;      // ...and a single one where even that takes this long
  const double start = now_ns();
  s.launch(set);  // warm-up: first touches, lazy loading
  const double first = now_ns() - start;
  const size_t least = first > kLong ? 1 : 3;

  std::vector<double> launch, wall, process, flush;
  while (launch.size() < least || (launch.size() < 9 && now_ns() - start < kEnough)) {
    set.prepare();
    if (cold) flush.push_back(device->flush());
    auto work = [&] { s.launch(set); };
    const Glance g = device->glance(work);
    launch.push_back(g.launch_ns);
    wall.push_back(g.wall_ns);
    process.push_back(g.process_ns);
  }
  set.check_guards();
  if (flush.empty()) flush.push_back(device->flush());

  double reference_ns = 0;
  {
    Expected expected;
    const double before = now_ns();
    if (reference_outputs(s, set, &expected)) reference_ns = now_ns() - before;
  }
  const double launch_ns = median(launch), process_ns = median(process);
  reply->member("launchNs", launch_ns).member("wallNs", median(wall)).member("processNs", process_ns);
  const bool threaded = process_ns > 1.2 * launch_ns && process_ns > launch_ns + 20e3;
  reply->member("threaded", threaded).member("batchable", true);
  reply->member("flushNs", median(flush)).member("flushBytes", static_cast<int64_t>(device->flush_bytes()));
  reply->member("setupNs", s.setup_ns()).member("referenceNs", reference_ns);
  const Clock clock = threaded ? Clock::kWall : Clock::kThread;
  reply->member("setBytes", static_cast<int64_t>(s.spec().bytes)).member("quantumNs", device->quantum_ns(clock));
  reply->member("poolLimit", static_cast<int64_t>(s.pool_limit()));
}

}  // namespace perfgate
