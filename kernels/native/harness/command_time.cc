// Timing: samples over rotated buffers, some of them checked.
#include <algorithm>

#include "commands.h"
#include "exchange.h"
#include "failure.h"
#include "oracle.h"
#include "phases.h"

namespace perfgate {

namespace {

struct Method {
  Clock clock;
  size_t launches, pool, samples;
  bool cold, pin, block, graph;
};

Clock read_clock(const std::string &name, const Device &device) {
  if (name == "host") return Clock::kHost;
  if (name != "thread" && name != "wall" && name != "event") {
    throw Failure("bad-command", "\"clock\" is none of thread, wall, event and host");
  }
  const Clock clock = name == "thread" ? Clock::kThread : name == "wall" ? Clock::kWall : Clock::kEvent;
  if (!device.has(clock)) throw Failure("bad-command", std::string("a ") + device.name() + " has no clock " + name);
  return clock;
}

Method read_method(const Json &json, const Device &device) {
  Arguments args(json);
  Method m;
  const std::string clock = args.string("clock"), cache = args.string("cache"), how = args.string("how", "loop");
  m.launches = static_cast<size_t>(args.integer("launches", 1, 1000000));
  m.pool = static_cast<size_t>(args.integer("pool", 1, 65536));
  m.samples = static_cast<size_t>(args.integer("samples", 1, 100000));
  m.pin = args.boolean("pin", clock == "thread");
  m.block = args.boolean("block", false);
  args.finish();
  if (how != "single" && how != "loop" && how != "graph") {
    throw Failure("bad-command", "\"how\" is none of single, loop and graph");
  }
  if (how == "single" && m.launches != 1) throw Failure("bad-command", "a single launch is one launch");
  if (cache != "cold" && cache != "hot") throw Failure("bad-command", "\"cache\" is neither cold nor hot");
  m.clock = read_clock(clock, device);
  m.graph = how == "graph";
  if (m.graph && m.clock != Clock::kEvent) throw Failure("bad-command", "graphs are timed with clock event");
  m.cold = cache == "cold";
  m.pin = m.pin && clock == "thread";  // a threaded kernel on one core would be another kernel
  return m;
}

const int kCanaries = 5;

struct Check {
  size_t sample, launch;
};

// Keeps this thread on its core for as long as it lives.
class Pinned {
 public:
  Pinned(Device *device, bool wanted) : device_(device) {
    if (wanted) device_->pin();
  }
  ~Pinned() { device_->unpin(); }
  Pinned(const Pinned &) = delete;
  Pinned &operator=(const Pinned &) = delete;

 private:
  Device *device_;
};

// The marks of an external timing check, at which another process reads its own clock while this one stands still: around each sample, or around all
// between two checks of outputs.
struct TimingCheck {
  std::function<void()> mark;
  std::string around;  // samples, series, or "" for no marks

  void sample() const {
    if (around == "samples") mark();
  }
  void series() const {
    if (around == "series") mark();
  }
};

class Timing {
 public:
  Timing(Session &s, const Method &m, uint64_t seed, int checks, const std::string &oracle, const std::string &deliver,
         const Rules &rules, double limit, bool canaries, bool made_too, const TimingCheck &external, Phases *phases)
      : s_(s), device_(s.device()), m_(m), seed_(seed), oracle_(oracle), deliver_(deliver), rules_(rules), limit_(limit), canaries_(canaries), made_too_(made_too), external_(external), phases_(phases) {
    for (const auto &tensor : s.spec().tensors) {
      if (tensor.raw.role == PG_INOUT && m.launches > m.pool) {
        throw Failure("bad-command",
                      "tensor \"" + tensor.name + "\" has role inout: it needs a pool of at least \"launches\" sets");
      }
    }
    draw_checks(checks);
  }

  void run() {
    phases_->begin("inputs");
    fill_all();
    s_.set(0).prepare();
    device_->synchronize();  // each phase has its own time
    phases_->begin("setup");
    s_.setup();
    phases_->begin("first");
    const double once = launch_once();
    const bool kernel = m_.clock != Clock::kHost;  // where the host's time is asked for, it convicts nobody
    phases_->begin("outside");
    if (kernel) check_outside(s_, m_.clock, 0, once, m_.graph);
    phases_->begin("host");
    if (m_.clock == Clock::kEvent) host_ns_ = host_time();
    phases_->begin("record");
    if (m_.graph) record();
    phases_->begin("canaries");
    if (canaries_) before_ = settle(device_, kCanaries);
    phases_->begin("samples");
    measure();
    phases_->begin("canaries");
    if (canaries_) after_ = device_->canaries(kCanaries);
    phases_->begin("outside");
    if (kernel && once < 500e6) check_outside(s_, m_.clock, m_.pool - 1, once, m_.graph);  // two looks at a slow kernel would cost too much
    phases_->begin("guards");
    for (size_t i = 0; i < m_.pool; i++) {
      s_.set(i).check_guards();
      s_.set(i).check_inputs();
    }
  }

  void write(JsonWriter *reply) const {
    reply->key("samples").open_array();
    for (double ns : samples_) reply->value(ns);
    reply->close_array().member("planned", static_cast<int64_t>(m_.samples)).member("stopped", stopped_ ? "limit" : "");
    const double launches = static_cast<double>(std::max<size_t>(samples_.size() * m_.launches, 1));
    reply->member("spentNs", spent_).member("hostNs", host_ns_).member("waitedNs", waited_ns_ / launches).key("checks").open_array();
    for (const Check &c : done_) {
      reply->open_object().member("sample", static_cast<int64_t>(c.sample));
      reply->member("launch", static_cast<int64_t>(c.launch)).member("oracle", oracle_).close_object();
    }
    reply->close_array();
    Canaries c = before_;
    c.compute_ns = (before_.compute_ns + after_.compute_ns) / 2;
    c.memory_ns = c.memory_bytes > 0 ? (before_.memory_ns + after_.memory_ns) / 2 : median(flushes_);
    c.tensor_ns = (before_.tensor_ns + after_.tensor_ns) / 2;
    c.clock_mhz = (before_.clock_mhz + after_.clock_mhz) / 2;
    write_canaries(c, reply);
  }

 private:
  // Inputs that an adapter makes in place, and quickly, are renewed for each sample of one launch. In a graph nothing can be remembered, and
  // other samples have so many launches that it would take too long.
  void fill_all() {
    const double kRenewing = 300e6;  // for all samples of a process
    double quickest = 0;
    for (size_t i = 0; i < m_.pool; i++) {
      const double start = now_ns();
      s_.set(i).fill(derive(seed_, i), Values::kSpec);
      quickest = i < 2 ? now_ns() - start : std::min(quickest, now_ns() - start);  // the first one is filled twice
    }
    renews_made_ = made_too_ || (s_.adapter()->fills_in_place() && m_.launches == 1 && quickest * static_cast<double>(m_.samples) <= kRenewing);
  }

  // About what a launch takes. The first one is for first touches and lazy loading, and enough of one that takes long.
  double launch_once() {
    double start = now_ns();
    s_.launch(s_.set(0));
    if (now_ns() - start > 3e9) return now_ns() - start;
    s_.set(0).prepare();
    device_->synchronize();
    start = now_ns();
    s_.launch(s_.set(0));
    return now_ns() - start;
  }

  // What a launch costs the host, which a GPU's clock does not show where the launch is recorded or held back.
  double host_time() {
    const int kLaunches = 15;
    std::vector<double> spent;
    for (int i = 0; i < kLaunches; i++) {
      const double start = now_ns();
      s_.enqueue(s_.set(0));
      spent.push_back(now_ns() - start);
      device_->synchronize();
    }
    s_.set(0).prepare();
    return median(spent);
  }

  // All launches of a sample in a graph, over the sets that every sample begins with.
  void record() {
    std::string why;
    auto work = [&] {
      for (size_t k = 0; k < m_.launches; k++) s_.enqueue(set_of(k));
    };
    if (!s_.capture(work, &why)) throw Failure("launch-failed", "its launches cannot be recorded in a graph: " + why);
  }

  // The last sample and others, all different, from the seed. One alone is the last in every second process only, so that none is
  // sure not to be checked.
  void draw_checks(int checks) {
    if (checks <= 0) return;
    checked_.assign(m_.samples, false);
    size_t left = std::min(static_cast<size_t>(checks), m_.samples);
    if (checks > 1 || draw(derive(seed_, 1ull << 45), 0) % 2 == 0) {
      checked_.back() = true;
      left--;
    }
    for (int64_t i = 0; left > 0; i++) {
      const size_t k = static_cast<size_t>(draw(derive(seed_, 1ull << 40), i) % m_.samples);
      if (checked_[k]) continue;
      checked_[k] = true;
      left--;
    }
  }

  void measure() {
    Pinned pinned(device_, m_.pin);
    bool last = false;  // the limit is reached, and one more sample is taken for its check
    external_.series();
    for (size_t i = 0; i < m_.samples; i++) {
      const bool check = !checked_.empty() && (checked_[i] || last);
      sample(i, check);
      if (last) break;
      if (i + 1 < 5 || i + 1 == m_.samples || spent_ <= limit_) continue;
      stopped_ = last = true;
      if (check || checked_.empty()) break;
    }
    external_.series();
  }

  // Inputs that no launch has seen: what was worked out for others is worth nothing, whether a kernel knows them by their place, by a part of
  // their values or by all of them. Those of the launch that is drawn come from a seed that a checker knows, whether it is checked or not: what is
  // done before a launch, and how long that takes, must not tell the two apart. A series without canaries leaves this out: nothing is decided by
  // what it says of the time that a launch takes.
  void renew_inputs(size_t index, size_t drawn, bool check) {
    const double start = now_ns();
    const uint64_t known = derive(seed_, (1ull << 42) + index);
    bool renewed = canaries_;
    for (size_t k = 0; canaries_ && k < std::min(m_.launches, m_.pool); k++) {
      const bool is_drawn = k == drawn % m_.pool;
      renewed = set_of(k).refresh(is_drawn ? known : derive(seed_, (1ull << 48) + index * m_.pool + k), renews_made_) && renewed;
    }
    if (made_too_) spent_ += now_ns() - start;  // pg_fill may take far longer than a launch
    if (check && !renewed) set_of(drawn).fill(known, Values::kSpec);
  }

  void sample(size_t index, bool check) {
    const Check c{index, checked_launch(index)};
    renew_inputs(index, c.launch, check);
    Set *watched = check ? &set_of(c.launch) : nullptr;
    const double start = now_ns();
    std::vector<void *const *> data(m_.launches);
    for (size_t k = 0; k < m_.launches; k++) data[k] = set_of(k).data();
    for (size_t k = 0; k < std::min(m_.launches, m_.pool); k++) set_of(k).prepare();
    const double ns = batch(data);
    samples_.push_back(ns / static_cast<double>(m_.launches));
    spent_ += now_ns() - start;
    if (check) {
      external_.series();
      phases_->begin("checks");
      device_->unpin();  // an oracle may use all cores
      verify(c, *watched);
      phases_->begin("samples");
      if (m_.pin) device_->pin();
      external_.series();
    }
    if (!m_.graph) next_ = (next_ + m_.launches) % m_.pool;
  }

  // Which launch of a sample is checked, by lot. In a graph it is the first in every second sample: something was launched on its set before the
  // recording, and a kernel that remembers results by address would leave that launch out of the graph.
  size_t checked_launch(size_t sample) const {
    const int64_t i = static_cast<int64_t>(sample);
    if (m_.graph && draw(derive(seed_, 1ull << 46), i) % 2 == 0) return 0;
    return static_cast<size_t>(draw(derive(seed_, 1ull << 41), i) % m_.launches);
  }

  Set &set_of(size_t launch) { return s_.set((next_ + launch) % m_.pool); }

  double batch(const std::vector<void *const *> &data) {
    const Adapter::LaunchFunction launch = s_.adapter()->launch_function();
    const pg_case *c = s_.current().c();
    void *const stream = device_->stream(), *const state = s_.state();
    double ns = 0;
    if (m_.cold) flushes_.push_back(device_->flush());
    if (m_.clock == Clock::kHost) return host_batch(data);
    if (m_.graph) {
      auto replay = [&] { device_->replay(); };
      return timed(replay);
    }
    s_.adapter()->launches([&] {
      int result = 0;
      auto work = [&] {
        for (void *const *d : data) {
          result = launch(c, d, stream, state);
          if (result) break;
        }
      };
      ns = timed(work);
      return result;
    });
    device_->synchronize();
    return ns;
  }

  // The work of a sample, by this process's clock. While the device is held back nothing of it has begun, so the first mark is then behind the
  // host's part, which this clock does not see either.
  double timed(const Work &work) {
    auto held_back = [&] {
      work();
      if (m_.block) external_.sample();
    };
    if (!m_.block) external_.sample();
    const double ns = device_->timed(m_.clock, m_.block, held_back);
    waited_ns_ += device_->waited_ns();
    device_->synchronize();
    external_.sample();
    return ns;
  }

  // What launching costs the host, each time with an idle device: a full queue would make the host wait.
  double host_batch(const std::vector<void *const *> &data) {
    const Adapter::LaunchFunction launch = s_.adapter()->launch_function();
    double ns = 0;
    for (void *const *d : data) {
      device_->synchronize();
      s_.adapter()->launches([&] {
        const double start = now_ns();
        const int result = launch(s_.current().c(), d, device_->stream(), s_.state());
        ns += now_ns() - start;
        return result;
      });
    }
    device_->synchronize();
    return ns;
  }

  // What changes while the outputs are compared was not there when the clock stopped.
  void verify(const Check &c, Set &set) {
    s_.collect(set);
    KeptOutputs kept(&s_, &set);
    kept.keep();
    compare(c, set);
    if (kept.changed()) throw Failure("outside-work", "an output of a timed launch was written after the device was idle, where the clock does not see it");
  }

  void compare(const Check &c, Set &set) {
    set.check_guards();
    set.check_inputs();
    if (!deliver_.empty()) return hand_over(c, set);
    Expected expected;
    if (oracle_ == "reference") {
      if (!reference_outputs(s_, set, &expected)) {
        throw Failure("no-reference", "oracle \"reference\" was asked for, and pg_reference has none for this case");
      }
    } else {
      fresh_.push_back(s_.fresh_set());  // kept, so that the next one has addresses of its own
      relaunch_outputs(s_, set, fresh_.back().get(), &expected);
    }
    Launched l{&set, &set};
    l.seed = seed_;
    l.bounded = oracle_ == "reference";
    const Verdict v = judge_outputs(s_, l, expected, rules_, nullptr);
    check_compared(s_, v);
    done_.push_back(c);
    if (!v.passed()) fail(c, v);
    if (oracle_ == "relaunch" && done_.size() == 1) check_variation(set);
  }

  void hand_over(const Check &c, const Set &set) {
    Delivery delivery(&s_, deliver_ + std::to_string(done_.size()));
    delivery.add(set);
    delivery.finish();
    done_.push_back(c);
  }

  [[noreturn]] void fail(const Check &c, const Verdict &v) const {
    JsonWriter worst, members;
    v.write_worst(&worst);
    members.key("check").open_object().member("sample", static_cast<int64_t>(c.sample));
    members.member("launch", static_cast<int64_t>(c.launch)).member("oracle", oracle_);
    members.member("elements", v.total.elements).member("failed", v.total.failed);
    members.member("unwritten", v.total.unwritten).member("nan", v.total.nan);
    members.key("worst").raw(worst.str()).close_object();
    std::string message = "a timed launch computed something else than its " + oracle_ + ": ";
    message += std::to_string(v.total.failed) + " of " + std::to_string(v.total.elements) + " elements differ";
    if (v.total.unwritten) message += ", " + std::to_string(v.total.unwritten) + " of them never written";
    throw Failure("wrong-output", message + "; worst: " + v.words(), members.str());
  }

  // A relaunch agrees with a kernel that always gives one remembered result. Other inputs must give other outputs, at
  // least once in sixteen tries.
  void check_variation(const Set &set) {
    bool random = false;
    for (const auto &t : s_.spec().tensors) {
      const bool drawn = t.raw.fill != PG_FILL_CONSTANT && t.raw.fill != PG_FILL_SEQUENCE;
      random = random || (t.input() && drawn && t.count > 0);
    }
    bool output = false;
    for (const auto &t : s_.spec().tensors) output = output || (t.output() && t.count > 0);
    if (!random || !output) return;
    Set &other = *fresh_.back();
    for (uint64_t i = 0; i < 16; i++) {
      other.fill(derive(seed_, (1ull << 43) + i), Values::kSpec);
      other.prepare();
      s_.launch(other);
      if (!same_outputs(s_, set, other)) return;
    }
    throw Failure("wrong-output",
                  "the outputs are the same for 17 different inputs; a kernel of which that is true needs a pg_reference",
                  "\"check\":{\"oracle\":\"relaunch\"}");
  }

  Session &s_;
  Device *device_;
  const Method m_;
  const uint64_t seed_;
  const std::string oracle_, deliver_;  // deliver_: the beginning of names of files; "" compares here
  const Rules rules_;
  const double limit_;
  const bool canaries_, made_too_;
  bool renews_made_ = false;
  const TimingCheck external_;
  Phases *const phases_;
  std::vector<bool> checked_;
  size_t next_ = 0;  // set of the next launch
  bool stopped_ = false;
  double spent_ = 0, host_ns_ = 0, waited_ns_ = 0;
  std::vector<double> samples_, flushes_;
  Canaries before_, after_;
  std::vector<Check> done_;
  std::vector<std::unique_ptr<Set>> fresh_;
};

}  // namespace

void run_time(Session &s, Arguments &args, const std::function<void()> &mark, JsonWriter *reply) {
  const Case c = args.test_case();
  const uint64_t seed = args.seed();
  const Method m = read_method(args.object("method"), *s.device());
  const int checks = static_cast<int>(args.integer("checks", 0, 1000));
  const std::string oracle = args.string("oracle"), deliver = args.string("deliver", "");
  const Rules rules(args);
  const double limit = args.number("limitNs", 0, 1e15);
  const bool canaries = !args.boolean("noCanaries", false), renew_made = args.boolean("renewMade", false);
  const TimingCheck external{mark, args.string("timingCheck", "")};
  args.finish();
  if (!external.around.empty() && external.around != "samples" && external.around != "series") {
    throw Failure("bad-command", "\"timingCheck\" is neither samples nor series");
  }
  if (oracle != "reference" && oracle != "relaunch" && oracle != "deliver") {
    throw Failure("bad-command", "\"oracle\" is none of reference, relaunch and deliver");
  }
  if ((oracle == "deliver") == deliver.empty()) throw Failure("bad-command", "oracle \"deliver\" and \"deliver\" go together");
  Phases phases("buffers");
  s.use(c, m.pool);
  const auto &tensors = s.spec().tensors;
  const bool made_too = renew_made && std::any_of(tensors.begin(), tensors.end(), [](const TensorSpec &t) { return t.custom(); });
  Timing timing(s, m, seed, checks, oracle, deliver, rules, limit, canaries, made_too, external, &phases);
  timing.run();
  timing.write(reply);
  phases.begin("chosen");
  const std::string chosen = s.adapter()->chosen();
  if (!chosen.empty()) reply->member("chosen", chosen);
  phases.write(reply);
}

}  // namespace perfgate
