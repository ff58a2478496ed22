#include "host_side.h"

#include <string.h>

#include <algorithm>
#include <new>

#include "failure.h"

namespace perfgate {

HostBytes::HostBytes(size_t bytes, uint8_t content) : bytes_(bytes) {
  try {
    words_.assign(bytes + 2 * kZone, kMark);
  } catch (const std::bad_alloc &) {
    throw Failure("out-of-memory", "no memory for a copy of " + std::to_string(bytes) + " bytes on the host");
  }
  std::fill_n(words_.begin() + kZone, bytes, content);
}

bool HostBytes::broken() const {
  const auto marked = [](uint8_t b) { return b == kMark; };
  return !std::all_of(words_.begin(), words_.begin() + kZone, marked) || !std::all_of(words_.end() - kZone, words_.end(), marked);
}

std::unique_ptr<HostBytes> HostSide::copy(size_t tensor, const void *from) const {
  std::unique_ptr<HostBytes> bytes(new HostBytes(spec_->tensors[tensor].bytes));
  if (bytes->bytes()) device_->to_host(bytes->data(), from, bytes->bytes());
  return bytes;
}

void HostSide::check_zones(const HostTensors &all, const char *function) const {
  for (size_t i = 0; i < all.size(); i++) {
    if (!all[i] || !all[i]->broken()) continue;
    throw Failure("adapter-failed", std::string(function) + " wrote outside of what it was given for tensor \"" + spec_->tensors[i].name + "\"");
  }
}

HostTensors HostSide::filled(const HostTensors &before, const char *values, uint64_t seed) const {
  HostTensors all;
  std::vector<void *> pointers;
  for (const auto &bytes : before) {
    all.emplace_back(bytes ? new HostBytes(*bytes) : nullptr);
    pointers.push_back(bytes ? all.back()->data() : nullptr);
  }
  adapter_->fill(case_, values, seed, pointers.data());
  check_zones(all, "pg_fill");
  return all;
}

HostTensors HostSide::inputs(const std::vector<const void *> &data, const char *values, uint64_t seed) {
  HostTensors before(spec_->tensors.size());
  bool any = false;
  for (size_t i = 0; i < before.size(); i++) {
    if (!spec_->tensors[i].custom()) continue;
    before[i] = copy(i, data[i]);
    any = true;
  }
  if (!any) return before;
  HostTensors made = filled(before, values, seed);
  if (repeats_) return made;
  // Another process makes them again to judge by, and this one to see whether the kernel changed them.
  const HostTensors again = filled(before, values, seed);
  for (size_t i = 0; i < made.size(); i++) {
    if (made[i] && memcmp(made[i]->data(), again[i]->data(), made[i]->bytes()) != 0) made_other_values(i);
  }
  repeats_ = true;
  return made;
}

void HostSide::made_other_values(size_t tensor) const {
  throw Failure("adapter-failed", "pg_fill made other values of tensor \"" + spec_->tensors[tensor].name +
                                      "\" when it was asked again: they must follow from the case, the kind of values and the seed alone");
}

// A digest of each tensor that was made.
std::vector<uint64_t> HostSide::filled_in_place(const std::vector<void *> &data, const char *values, uint64_t seed) const {
  device_->synchronize();  // it may write by another stream
  adapter_->fill(case_, values, seed, data.data());
  device_->synchronize();
  std::vector<uint64_t> digests;
  for (size_t i = 0; i < data.size() && !repeats_; i++) digests.push_back(data[i] ? device_->digest(data[i], spec_->tensors[i].bytes) : 0);
  return digests;
}

void HostSide::make(const std::vector<void *> &data, const char *values, uint64_t seed) {
  std::vector<void *> custom(data);
  for (size_t i = 0; i < custom.size(); i++) {
    if (!spec_->tensors[i].custom()) custom[i] = nullptr;
  }
  if (std::all_of(custom.begin(), custom.end(), [](const void *d) { return d == nullptr; })) return;
  const std::vector<uint64_t> made = filled_in_place(custom, values, seed);
  if (repeats_) return;
  const std::vector<uint64_t> again = filled_in_place(custom, values, seed);
  for (size_t i = 0; i < made.size(); i++) {
    if (made[i] != again[i]) made_other_values(i);
  }
  repeats_ = true;
}

HostTensors HostSide::written(const std::vector<const void *> &data) const {
  HostTensors inputs, elements;
  std::vector<const void *> seen;
  std::vector<uint8_t *> said;
  for (size_t i = 0; i < spec_->tensors.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    inputs.push_back(t.input() ? copy(i, data[i]) : nullptr);
    elements.emplace_back(t.output() ? new HostBytes(static_cast<size_t>(t.count), PG_WRITTEN) : nullptr);
    seen.push_back(t.input() ? inputs.back()->data() : nullptr);
    said.push_back(t.output() ? static_cast<uint8_t *>(elements.back()->data()) : nullptr);
  }
  adapter_->written(case_, seen.data(), said.data());
  check_zones(elements, "pg_written");
  for (size_t i = 0; i < elements.size(); i++) {
    const uint8_t *end = said[i] ? said[i] + elements[i]->bytes() : nullptr;
    const uint8_t *bad = std::find_if(static_cast<const uint8_t *>(said[i]), end, [](uint8_t e) { return e > PG_FREE; });
    if (bad != end) {
      throw Failure("adapter-failed", "pg_written said " + std::to_string(*bad) + " of element " + std::to_string(bad - said[i]) + " of tensor \"" +
                                          spec_->tensors[i].name + "\", which is no pg_element");
    }
  }
  return elements;
}

}  // namespace perfgate
