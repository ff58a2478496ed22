// The tensors of a case in memory: one buffer with its guard zones, and a set, which is one buffer for each tensor.
#ifndef PERFGATE_HARNESS_BUFFERS_H
#define PERFGATE_HARNESS_BUFFERS_H

#include <string>
#include <vector>

#include "device.h"
#include "spec.h"

namespace perfgate {

// Memory of the device that starts on a page and is surrounded by guard zones; the one behind starts with the first byte
// past the end.
class Buffer {
 public:
  Buffer(Device *device, size_t bytes);
  ~Buffer();
  Buffer(Buffer &&other) noexcept;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  void *data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // Whether a guard zone was written to, and where, nearest to the data: negative before the start, from 0 past the end.
  bool broken(int64_t *offset) const;

  static size_t footprint(size_t bytes);  // what a buffer takes with its guards

 private:
  Device *device_;
  size_t bytes_, total_;
  bool zones_;
  char *base_ = nullptr, *data_ = nullptr;
};

class Set {
 public:
  Set(Device *device, const Spec *spec);

  void *const *data() const { return data_.data(); }  // as adapters get it
  void *tensor(size_t i) const { return buffers_[i].data(); }
  const void *input(size_t i) const;  // tensor i as it was before any launch

  void fill(uint64_t seed, Values values);  // in and inout
  void prepare();                           // before a launch: inout restored, out and scratch poisoned
  void copy_inputs(const Set &from);        // the same inputs as another set of the same case
  void mark_outputs(uint8_t byte);          // outputs hold this byte in place of poison

  uint64_t digest() const;  // of all inputs, as they were filled

  void check_guards() const;  // throws guard-broken
  void check_inputs() const;  // throws input-changed

  static size_t footprint(const Spec &spec);

 private:
  Device *device_;
  const Spec *spec_;
  std::vector<Buffer> buffers_;
  std::vector<Buffer> originals_;  // of the inout tensors, in their order
  std::vector<int> original_of_;   // tensor -> index into originals_, or -1
  std::vector<Fill> fills_;
  std::vector<uint64_t> digests_;  // of the inputs, as they were filled
  std::vector<void *> data_;
};

}  // namespace perfgate

#endif
