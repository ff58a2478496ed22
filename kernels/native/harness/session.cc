#include "session.h"

#include <algorithm>

#include "commands.h"
#include "failure.h"

namespace perfgate {

Session::~Session() {
  try {
    reset();
  } catch (const Failure &) {  // nobody is left to hear it
  }
}

void Session::load(const std::string &path) {
  std::unique_ptr<Adapter> &known = adapters_[path];
  if (!known) known.reset(new Adapter(loader_(path)));
  if (known.get() == adapter_) return;
  if (adapter_) {
    reset();
    device_->forget_adapter();
  }
  adapter_ = known.get();
}

void Session::use(const Case &c, size_t sets) {
  if (!active_ || distrusted_ || c.text() != case_.text()) {
    reset();
    std::unique_ptr<Spec> spec(new Spec(adapter_->spec(c)));
    case_ = c;
    spec_ = std::move(spec);
    host_.reset(new HostSide(device_, adapter_, case_, spec_.get()));
    active_ = true;
  }
  if (sets > sets_.size()) {
    const size_t each = Set::footprint(*spec_), more = sets - sets_.size(), left = device_->available();
    if (each > left / more) {
      throw Failure("out-of-memory", std::to_string(sets) + " sets of buffers of " + std::to_string(each) +
                                         " bytes were asked for, and " + std::to_string(left) + " bytes are left");
    }
    while (sets_.size() < sets) sets_.push_back(fresh_set(Guard::kSignalling));
  }
}

void Session::setup() {
  if (set_up_) return;
  void *state = nullptr;
  auto work = [&] {
    adapter_->setup(case_, sets_[0]->data(), device_->stream(), &state);
    device_->synchronize();
  };
  const double start = now_ns();
  work();
  setup_ns_ = now_ns() - start;
  state_ = state;  // pg_teardown never gets the state of a pg_setup that failed
  set_up_ = true;
}

void Session::enqueue(Set &set) { adapter_->launch(case_, set.data(), device_->stream(), state_); }

void Session::launch(Set &set) {
  enqueue(set);
  device_->synchronize();
  collect(set);
}

void Session::collect(Set &set) {
  if (!adapter_->has_collect()) return;
  adapter_->collect(case_, set.data(), device_->stream(), state_);
  device_->synchronize();
}

bool Session::capture(const Work &work, std::string *why) {
  adapter_->record_begin(case_, device_->stream(), state_);
  const bool captured = device_->capture(work, why);
  adapter_->record_end(case_, device_->stream(), state_);
  return captured;
}

std::unique_ptr<Set> Session::fresh_set(Guard::Kind kind) {
  return std::unique_ptr<Set>(new Set(device_, spec_.get(), kind, host_.get()));
}

void Session::reset() {
  const bool tear_down = set_up_;
  void *state = state_;
  set_up_ = active_ = distrusted_ = false;
  state_ = nullptr;
  setup_ns_ = 0;
  // The adapter may still look at its buffers while it tears down.
  std::vector<std::unique_ptr<Set>> sets;
  sets.swap(sets_);
  if (tear_down) adapter_->teardown(state);
}

void Session::abandon() {
  for (auto &set : sets_) set.release();
  sets_.clear();
  distrust();
}

size_t Session::pool_limit() const {
  // Half of what is left, less the flush buffer and what the checks need: float64 copies of all tensors, two fresh sets.
  size_t doubles = 0;
  for (const auto &t : spec_->tensors) doubles += static_cast<size_t>(t.count) * sizeof(double) * 2;
  const size_t each = Set::footprint(*spec_);
  const size_t budget = device_->available() / 2 + sets_.size() * each;
  const size_t checks = device_->flush_bytes() + doubles + 2 * each;
  const size_t sets = budget > checks ? (budget - checks) / each : 0;
  return std::min(std::max<size_t>(sets, 1), static_cast<size_t>(1024));
}

}  // namespace perfgate
