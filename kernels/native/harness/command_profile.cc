// Launches for a profiler that was told to wait: nothing but them runs between start and stop. What it returned is not collected: that is no
// work of the kernel's, and it would be profiled, or counted with the launches before.
#include "commands.h"
#include "failure.h"

namespace perfgate {

void run_profile(Session &s, Arguments &args, JsonWriter *reply) {
  const Case c = args.test_case();
  const uint64_t seed = args.seed();
  const std::string cache = args.string("cache");
  const int64_t warm = args.integer("warm", 0, 1000);
  const int64_t times = args.integer("times", 1, 100);
  args.finish();
  if (cache != "cold" && cache != "hot") throw Failure("bad-command", "\"cache\" is neither cold nor hot");
  s.use(c, 1);
  Set &set = s.set(0);
  set.fill(seed, Values::kSpec);
  set.prepare();
  s.setup();
  auto launch = [&] {
    s.enqueue(set);
    s.device()->synchronize();
  };
  for (int64_t i = 0; i < warm; i++) {
    set.prepare();
    launch();
  }
  double ns = 0;
  for (int64_t i = 0; i < times; i++) {
    set.prepare();
    if (cache == "cold") s.device()->flush();
    s.device()->synchronize();
    s.device()->profile(true);
    const double start = now_ns();
    launch();
    ns += now_ns() - start;
    s.device()->profile(false);
  }
  set.check_guards();
  reply->member("wallNs", ns);
}

}  // namespace perfgate
