// One look at a case, so that perfgate can choose how to time it.
#include <algorithm>

#include "commands.h"
#include "failure.h"
#include "oracle.h"

namespace perfgate {

namespace {

const double kShort = 100e3;      // launches below it may be batched, so whether they can be is found out
const int kGraphLaunches = 20;
const double kMuch = 0.2;         // from this share of its own CPU time on, what a thread's clock does not see counts

// What a launch has beside the work of the thread that launches.
struct Company {
  bool threaded = false;  // other threads work for it
  bool waits = false;     // the thread waits: it sleeps, or for a lock, another thread, a file
};

// Where the threads of others cannot be listed, their CPU time comes at ticks of the scheduler only, 4 ms apart, so a short launch
// alone may look as if none of them had worked. Launches that last several ticks together show it.
Company look_together(Session &s, Set &set, double wall_ns) {
  const double kSpan = 24e6, kTick = 5e6, kWaited = 50e3;
  const int launches = static_cast<int>(std::min(std::max(kSpan / std::max(wall_ns, 1.0), 1.0), 4096.0));
  set.prepare();
  auto work = [&] {
    for (int i = 0; i < launches; i++) s.enqueue(set);
  };
  const Glance g = s.device()->glance(false, work);
  Company c;
  c.threaded = g.others_ns > kMuch * g.launch_ns && g.others_ns > kTick;
  c.waits = 2 * g.waits >= launches && g.wall_ns > (1 + kMuch) * g.launch_ns + kWaited * launches;
  return c;
}

// Whether launches can be recorded in a graph, and what one of a batch takes, caches warm.
bool write_graph(Session &s, Set &set, bool block, JsonWriter *reply) {
  Device *device = s.device();
  std::string why;
  auto batch = [&] {
    for (int i = 0; i < kGraphLaunches; i++) s.enqueue(set);
  };
  const bool capturable = s.capture(batch, &why);
  reply->member("capturable", capturable).member("captureError", why);
  std::vector<double> times;
  auto replay = [&] { device->replay(); };
  for (int i = 0; capturable && i < 7; i++) {
    set.prepare();
    times.push_back(device->timed(Clock::kEvent, block, replay) / kGraphLaunches);
  }
  reply->member("graphNs", median(times));
  return capturable;
}

}  // namespace

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

  const bool event = device->has(Clock::kEvent);
  bool block = event && first < kLong;
  std::vector<double> launch, wall, others, flush;
  while (launch.size() < least || (launch.size() < 9 && now_ns() - start < kEnough)) {
    set.prepare();
    if (cold) flush.push_back(device->flush());
    auto work = [&] { s.enqueue(set); };
    const Glance g = device->glance(block, work);
    launch.push_back(g.launch_ns);
    wall.push_back(g.wall_ns);
    others.push_back(g.others_ns);
  }
  block = block && device->blocked();
  set.check_guards();
  if (flush.empty()) flush.push_back(device->flush());

  double reference_ns = 0;
  {
    Expected expected;
    const double before = now_ns();
    if (reference_outputs(s, set, &expected)) reference_ns = now_ns() - before;
  }
  const double launch_ns = median(launch), wall_ns = median(wall), others_ns = median(others);
  reply->member("clock", event ? "event" : "thread").member("launchNs", launch_ns).member("wallNs", wall_ns).member("othersNs", others_ns);
  Company company;
  if (!event) {
    company = look_together(s, set, wall_ns);
    // On a busy machine the launching thread spins for the others, so its shortest launch tells best what it does itself.
    const double own = *std::min_element(launch.begin(), launch.end());
    company.threaded = company.threaded || (others_ns > kMuch * own && others_ns > 20e3);
  }
  reply->member("threaded", company.threaded).member("waits", company.waits).member("batchable", true);
  reply->member("flushNs", median(flush)).member("flushBytes", static_cast<int64_t>(device->flush_bytes()));
  reply->member("setupNs", s.setup_ns()).member("referenceNs", reference_ns);
  const Clock clock = company.threaded || company.waits ? Clock::kWall : device->clock();
  if (event) reply->member("blockable", block);
  // An adapter that waits for the device must not be recorded: what it calls then fails, and it may do anything about that.
  const bool recordable = event && launch_ns < kShort ? write_graph(s, set, block, reply) : block;
  auto one = [&] { s.enqueue(set); };
  if (recordable) device->write_launches(one, reply);
  reply->member("setBytes", static_cast<int64_t>(s.spec().bytes)).member("quantumNs", device->quantum_ns(clock));
  reply->member("poolLimit", static_cast<int64_t>(s.pool_limit()));
}

}  // namespace perfgate
