#include "buffers.h"

#include "failure.h"
#include "json.h"

namespace perfgate {

namespace {

const size_t kPage = 4096;

size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

size_t Buffer::footprint(size_t bytes) { return kPage + whole_pages(bytes + kPage); }

Buffer::Buffer(Device *device, size_t bytes)
    : device_(device), bytes_(bytes), total_(device->separate() ? bytes : footprint(bytes)), zones_(!device->separate()) {
  base_ = static_cast<char *>(device_->allocate(total_));
  data_ = base_ + (zones_ ? kPage : 0);
  if (!zones_) return;
  device_->guard(base_, kPage);
  device_->guard(data_ + bytes_, total_ - kPage - bytes_);
}

Buffer::~Buffer() {
  if (base_) device_->release(base_, total_);
}

Buffer::Buffer(Buffer &&other) noexcept
    : device_(other.device_),
      bytes_(other.bytes_),
      total_(other.total_),
      zones_(other.zones_),
      base_(other.base_),
      data_(other.data_) {
  other.base_ = nullptr;
}

bool Buffer::broken(int64_t *offset) const {
  if (!zones_) return false;
  int64_t at = device_->guard_damage(data_ + bytes_, total_ - kPage - bytes_, false);
  if (at >= 0) {
    *offset = at;
    return true;
  }
  at = device_->guard_damage(base_, kPage, true);
  if (at < 0) return false;
  *offset = at - static_cast<int64_t>(kPage);
  return true;
}

size_t Set::footprint(const Spec &spec) {
  size_t bytes = 0;
  for (const auto &t : spec.tensors) bytes += Buffer::footprint(t.bytes) * (t.raw.role == PG_INOUT ? 2 : 1);
  return bytes;
}

Set::Set(Device *device, const Spec *spec)
    : device_(device), spec_(spec), fills_(spec->tensors.size()), digests_(spec->tensors.size()) {
  for (const auto &t : spec->tensors) {
    buffers_.emplace_back(device, t.bytes);
    data_.push_back(buffers_.back().data());
    original_of_.push_back(-1);
    if (t.raw.role == PG_INOUT) {
      original_of_.back() = static_cast<int>(originals_.size());
      originals_.emplace_back(device, t.bytes);
    }
  }
}

const void *Set::input(size_t i) const {
  return original_of_[i] < 0 ? buffers_[i].data() : originals_[static_cast<size_t>(original_of_[i])].data();
}

void Set::fill(uint64_t seed, Values values) {
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role != PG_IN && t.raw.role != PG_INOUT) continue;
    fills_[i] = make_fill(t.raw, static_cast<int>(i), seed, values);
    device_->fill(const_cast<void *>(input(i)), fills_[i], t.count);
    digests_[i] = device_->digest(input(i), t.bytes);
  }
}

void Set::prepare() {
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role == PG_INOUT) device_->copy(tensor(i), input(i), t.bytes);
    if ((t.raw.role == PG_OUT || t.raw.role == PG_SCRATCH) && !device_->separate()) device_->poison(tensor(i), t.raw.dtype, t.count);
  }
}

void Set::copy_inputs(const Set &from) {
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role != PG_IN && t.raw.role != PG_INOUT) continue;
    fills_[i] = from.fills_[i];
    digests_[i] = from.digests_[i];
    device_->copy(const_cast<void *>(input(i)), from.input(i), t.bytes);
  }
}

void Set::mark_outputs(uint8_t byte) {
  for (size_t i = 0; i < buffers_.size(); i++) {
    if (spec_->tensors[i].raw.role == PG_OUT) device_->set_bytes(tensor(i), byte, buffers_[i].bytes());
  }
}

uint64_t Set::digest() const {
  uint64_t all = 0;
  for (uint64_t d : digests_) all = mix(all ^ d);
  return all;
}

void Set::check_guards() const {
  for (size_t i = 0; i < buffers_.size(); i++) {
    int64_t offset = 0;
    if (!buffers_[i].broken(&offset)) continue;
    const std::string &name = spec_->tensors[i].name;
    JsonWriter members;
    members.member("tensor", name).member("offset", offset);
    const std::string where = offset < 0 ? "byte " + std::to_string(-offset) + " before its start"
                                         : "byte " + std::to_string(offset + 1) + " past its end";
    throw Failure("guard-broken", "the kernel wrote outside of tensor \"" + name + "\": " + where, members.str());
  }
}

void Set::check_inputs() const {
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role != PG_IN || device_->digest(tensor(i), t.bytes) == digests_[i]) continue;
    const int64_t at = device_->find_change(tensor(i), fills_[i], t.count);
    if (at < 0) continue;
    JsonWriter members;
    members.member("tensor", t.name).member("index", at);
    throw Failure("input-changed",
                  "the kernel changed element " + std::to_string(at) + " of tensor \"" + t.name + "\", which has role in",
                  members.str());
  }
}

}  // namespace perfgate
