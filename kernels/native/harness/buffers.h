// The tensors of a case in memory: one buffer with its guard zones, and a set, which is one buffer for each tensor.
#ifndef PERFGATE_HARNESS_BUFFERS_H
#define PERFGATE_HARNESS_BUFFERS_H

#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "host_side.h"
#include "spec.h"

namespace perfgate {

// Memory of the device that starts on a page and has room for guard zones around it; the one behind starts with the first byte
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
  void guard(const Guard &guard, int dtype);  // writes the zones; `bytes` is a multiple of the dtype's
  // Whether a guard zone was written to, and where, nearest to the data: negative before the start, from 0 past the end.
  bool broken(int64_t *offset) const;

  static size_t footprint(size_t bytes);  // what a buffer takes with its guards

 private:
  bool damaged(int64_t first, int64_t count, bool from_end, int64_t *offset) const;
  int64_t width() const { return static_cast<int64_t>(pg_dtype_size(dtype_)); }

  Device *device_;
  size_t bytes_, total_;
  bool zones_;
  Guard guard_;
  int dtype_ = 0;  // of the guards; 0 where there are none
  char *base_ = nullptr, *data_ = nullptr;
};

// An element of an output that a launch should have left alone.
struct Trespass {
  int64_t count = 0;   // of them
  int64_t index = -1;  // the first
  double got = 0;      // what it holds
};

class Set {
 public:
  // `kind` is what a launch finds where it must not look: outside of tensors, and in kLarge sets also in outputs and scratch.
  Set(Device *device, const Spec *spec, Guard::Kind kind, HostSide *host);

  void *const *data() const { return data_.data(); }  // as adapters get it
  void *tensor(size_t i) const { return buffers_[i].data(); }
  const void *input(size_t i) const;  // tensor i as it was before any launch

  void fill(uint64_t seed, Values values);  // in and inout, and guard zones of that seed; throws guard-broken
  // The inputs of a fill, the guard zones stay. False, and nothing done, where pg_fill makes any of them and is not to be asked again.
  bool refresh(uint64_t seed, bool made_too);
  void prepare();                           // before a launch: inout restored, out and scratch poisoned, or large
  void copy_inputs(const Set &from);        // the same inputs and seed as another set of the same case

  uint64_t digest() const;  // of all inputs, as they were filled

  // A pg_element for each element of output i, for these inputs: on the host, and a copy in memory of the device; null where all
  // are written. pg_written is asked once, and again when relate_inputs has changed the inputs.
  const uint8_t *written(size_t i) const;
  const uint8_t *written_on_device(size_t i) const;
  void inputs_changed();  // by someone else than fill and copy_inputs
  Trespass trespass(size_t i) const;  // of output i, after a launch

  void check_guards() const;  // throws guard-broken, with the tensor whose nearest broken byte is nearest to its data
  void check_inputs() const;  // throws input-changed

  static size_t footprint(const Spec &spec);

 private:
  void guard(uint64_t seed);  // throws guard-broken
  void fill_custom();
  std::vector<const void *> inputs() const;  // by tensor
  int64_t find_change(size_t i) const;       // index, -1 for none
  void ask_written() const;

  Device *device_;
  const Spec *spec_;
  const Guard::Kind kind_;
  HostSide *host_;
  Values values_ = Values::kSpec;
  uint64_t seed_ = 0, inputs_seed_ = 0;  // of the guard zones, and of what pg_fill made: a refresh changes only that
  bool guarded_ = false, used_ = false;  // used_: prepared for a launch since the guards were written
  std::vector<Buffer> buffers_;
  std::vector<Buffer> originals_;  // of the inout tensors, in their order
  std::vector<int> original_of_;   // tensor -> index into originals_, or -1
  std::vector<Fill> fills_;
  std::vector<uint64_t> digests_;  // of the inputs, as they were filled
  std::vector<void *> data_;
  mutable bool asked_ = false;  // for what the next two hold, by tensor
  mutable HostTensors written_;
  mutable std::vector<std::unique_ptr<Buffer>> written_on_device_;
};

}  // namespace perfgate

#endif
