// What an adapter says on the host about the memory of a case: inputs that it makes itself (pg_fill), and which elements of the
// outputs a launch writes (pg_written).
#ifndef PERFGATE_HARNESS_HOST_SIDE_H
#define PERFGATE_HARNESS_HOST_SIDE_H

#include <memory>
#include <string>
#include <vector>

#include "adapter.h"
#include "device.h"
#include "spec.h"

namespace perfgate {

// Memory of the host with a zone around it that shows what was written outside.
class HostBytes {
 public:
  explicit HostBytes(size_t bytes, uint8_t content = 0);
  void *data() { return words_.data() + kZone; }
  const void *data() const { return words_.data() + kZone; }
  size_t bytes() const { return bytes_; }
  bool broken() const;

 private:
  static constexpr size_t kZone = 64;
  static constexpr uint8_t kMark = 0xC3;
  size_t bytes_;
  std::vector<uint8_t> words_;
};

// By tensor; null for those that the adapter has nothing to do with.
using HostTensors = std::vector<std::unique_ptr<HostBytes>>;

class HostSide {
 public:
  HostSide(Device *device, const Adapter *adapter, const Case &c, const Spec *spec)
      : device_(device), adapter_(adapter), case_(c), spec_(spec) {}

  bool partial() const { return adapter_->has_written(); }  // pg_written has a say

  bool in_place() const { return adapter_->fills_in_place(); }  // pg_fill writes to the device itself: make is for it, else inputs

  // Makes the custom inputs out of what `data`, by tensor, holds on the device. Throws adapter-failed.
  void make(const std::vector<void *> &data, const char *values, uint64_t seed);
  HostTensors inputs(const std::vector<const void *> &data, const char *values, uint64_t seed);
  // A pg_element for each element of each output. `data`, by tensor: inputs on the device, as they were before the launch.
  HostTensors written(const std::vector<const void *> &data) const;

 private:
  std::unique_ptr<HostBytes> copy(size_t tensor, const void *from) const;
  HostTensors filled(const HostTensors &before, const char *values, uint64_t seed) const;
  std::vector<uint64_t> filled_in_place(const std::vector<void *> &data, const char *values, uint64_t seed) const;
  [[noreturn]] void made_other_values(size_t tensor) const;
  void check_zones(const HostTensors &all, const char *function) const;

  Device *device_;
  const Adapter *adapter_;
  const Case case_;
  const Spec *spec_;
  bool repeats_ = false;  // pg_fill was seen to make the same twice
};

}  // namespace perfgate

#endif
