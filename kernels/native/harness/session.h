// What lives between commands: the device, the adapter, and the case at hand with its buffers and its state.
#ifndef PERFGATE_HARNESS_SESSION_H
#define PERFGATE_HARNESS_SESSION_H

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapter.h"
#include "buffers.h"
#include "device.h"

namespace perfgate {

// Loads the adapter of a path, or throws what that throws.
using Loader = std::function<AdapterFunctions(const std::string &)>;

class Session {
 public:
  Session(Device *device, Loader loader) : device_(device), loader_(std::move(loader)) {}
  ~Session();

  // Makes the adapter of a path the one at hand; it stays loaded. Throws what loading it throws, and then the one before stays.
  void load(const std::string &path);

  Device *device() const { return device_; }
  const Adapter *adapter() const { return adapter_; }

  // Makes `c` the case at hand, with at least `sets` sets of buffers. Another case than before is torn down first.
  void use(const Case &c, size_t sets);
  const Case &current() const { return case_; }
  const Spec &spec() const { return *spec_; }
  Set &set(size_t i) { return *sets_[i]; }

  // Calls pg_setup with the first set, whose inputs must have been filled; once for a case. Its state serves all sets.
  void setup();
  double setup_ns() const { return setup_ns_; }
  void *state() const { return state_; }

  void enqueue(Set &set);                           // one launch, which a GPU may not have begun on return
  void launch(Set &set);                            // one launch, its synchronisation, and what it returned in the outputs
  void collect(Set &set);                           // what the latest launch into the set returned goes into its outputs
  bool capture(const Work &work, std::string *why); // Device::capture, of launches
  // Buffers that the adapter has never seen. Their outputs hold no poison: what neither a launch in another set nor one in
  // these wrote would be equal, and pass.
  std::unique_ptr<Set> fresh_set(Guard::Kind kind = Guard::kLarge);
  void reset();                                     // tears the case down and frees its buffers
  void distrust() { distrusted_ = true; }           // after a failure: the next use starts with new buffers
  void abandon();                                   // threads of the adapter may still write to the buffers: never free them
  size_t pool_limit() const;                        // sets of this case that fit into memory

 private:
  Device *device_;
  Loader loader_;
  const Adapter *adapter_ = nullptr;
  std::map<std::string, std::unique_ptr<Adapter>> adapters_;  // by path
  bool active_ = false, set_up_ = false, distrusted_ = false;
  Case case_;
  std::unique_ptr<Spec> spec_;
  std::unique_ptr<HostSide> host_;
  std::vector<std::unique_ptr<Set>> sets_;
  void *state_ = nullptr;
  double setup_ns_ = 0;
};

}  // namespace perfgate

#endif
