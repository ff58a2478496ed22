#include "buffers.h"

#include <string.h>

#include "failure.h"
#include "json.h"

namespace perfgate {

namespace {

const size_t kPage = 4096;

size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

// The two kinds are for two launches, and have nothing in common.
Guard make_guard(uint64_t seed, size_t tensor, Guard::Kind kind) {
  Guard g;
  g.key = derive(seed, (1ull << 44) + kind);
  g.tensor = static_cast<int32_t>(tensor);
  g.kind = kind;
  return g;
}

size_t Buffer::footprint(size_t bytes) { return kPage + whole_pages(bytes + kPage); }

Buffer::Buffer(Device *device, size_t bytes)
    : device_(device), bytes_(bytes), total_(device->separate() ? bytes : footprint(bytes)), zones_(!device->separate()) {
  base_ = static_cast<char *>(device_->allocate(total_));
  data_ = base_ + (zones_ ? kPage : 0);
}

Buffer::~Buffer() {
  if (base_) device_->release(base_, total_);
}

Buffer::Buffer(Buffer &&other) noexcept
    : device_(other.device_),
      bytes_(other.bytes_),
      total_(other.total_),
      zones_(other.zones_),
      guard_(other.guard_),
      dtype_(other.dtype_),
      base_(other.base_),
      data_(other.data_) {
  other.base_ = nullptr;
}

void Buffer::guard(const Guard &guard, int dtype) {
  if (!zones_) return;
  guard_ = guard;
  dtype_ = dtype;
  const int64_t page = static_cast<int64_t>(kPage) / width(), end = static_cast<int64_t>(bytes_) / width();
  device_->guard(base_, guard_, dtype_, -page, page);
  device_->guard(data_ + bytes_, guard_, dtype_, end, static_cast<int64_t>(total_ - kPage - bytes_) / width());
}

// Looks at elements [first, first + count) of the zones: where the first (from_end: the last) broken byte is, from the data.
bool Buffer::damaged(int64_t first, int64_t count, bool from_end, int64_t *offset) const {
  const char *zone = data_ + first * width();
  const int64_t at = device_->guard_damage(zone, guard_, dtype_, first, count, from_end);
  if (at < 0) return false;
  uint8_t seen[8], right[8];
  device_->to_host(seen, zone + at * width(), static_cast<size_t>(width()));
  with_dtype(dtype_, [&](auto kind) {
    const auto word = guard_word<decltype(kind)>(guard_, first + at);
    memcpy(right, &word, sizeof word);
  });
  int64_t byte = from_end ? width() - 1 : 0;
  while (byte >= 0 && byte < width() && seen[byte] == right[byte]) byte += from_end ? -1 : 1;
  *offset = (first + at) * width() + byte;
  return true;
}

bool Buffer::broken(int64_t *offset) const {
  if (dtype_ == 0) return false;
  const int64_t page = static_cast<int64_t>(kPage) / width(), end = static_cast<int64_t>(bytes_) / width();
  if (damaged(end, static_cast<int64_t>(total_ - kPage - bytes_) / width(), false, offset)) {
    *offset -= static_cast<int64_t>(bytes_);
    return true;
  }
  return damaged(-page, page, true, offset);
}

size_t Set::footprint(const Spec &spec) {
  size_t bytes = 0;
  for (const auto &t : spec.tensors) bytes += Buffer::footprint(t.bytes) * (t.raw.role == PG_INOUT ? 2 : 1);
  return bytes;
}

Set::Set(Device *device, const Spec *spec, Guard::Kind kind)
    : device_(device), spec_(spec), kind_(kind), fills_(spec->tensors.size()), digests_(spec->tensors.size()) {
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

void Set::guard(uint64_t seed) {
  if (used_) check_guards();  // nobody could tell afterwards
  seed_ = seed;
  guarded_ = true;
  used_ = false;
  for (size_t i = 0; i < buffers_.size(); i++) buffers_[i].guard(make_guard(seed, i, kind_), spec_->tensors[i].raw.dtype);
}

const void *Set::input(size_t i) const {
  return original_of_[i] < 0 ? buffers_[i].data() : originals_[static_cast<size_t>(original_of_[i])].data();
}

void Set::fill(uint64_t seed, Values values) {
  guard(seed);
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role != PG_IN && t.raw.role != PG_INOUT) continue;
    fills_[i] = make_fill(t.raw, static_cast<int>(i), seed, values);
    device_->fill(const_cast<void *>(input(i)), fills_[i], t.count);
    digests_[i] = device_->digest(input(i), t.bytes);
  }
}

void Set::prepare() {
  if (!guarded_) guard(0);
  used_ = true;
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role == PG_INOUT) device_->copy(tensor(i), input(i), t.bytes);
    if ((t.raw.role != PG_OUT && t.raw.role != PG_SCRATCH) || device_->separate()) continue;
    if (kind_ == Guard::kLarge) {
      device_->guard(tensor(i), make_guard(seed_, i, kind_), t.raw.dtype, 0, t.count);
    } else {
      device_->poison(tensor(i), t.raw.dtype, t.count);
    }
  }
}

void Set::copy_inputs(const Set &from) {
  guard(from.seed_);
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role != PG_IN && t.raw.role != PG_INOUT) continue;
    fills_[i] = from.fills_[i];
    digests_[i] = from.digests_[i];
    device_->copy(const_cast<void *>(input(i)), from.input(i), t.bytes);
  }
}

uint64_t Set::digest() const {
  uint64_t all = 0;
  for (uint64_t d : digests_) all = mix(all ^ d);
  return all;
}

void Set::check_guards() const {
  // What runs far past the end of one tensor also breaks the zone before the next one. It began where it is nearest, and, where
  // two are as near, at the tensor that a kernel may write to.
  int64_t nearest = -1, where = 0;
  const TensorSpec *blamed = nullptr;
  for (size_t i = 0; i < buffers_.size(); i++) {
    int64_t offset = 0;
    if (!buffers_[i].broken(&offset)) continue;
    const int64_t distance = 2 * (offset < 0 ? -offset - 1 : offset) + (spec_->tensors[i].raw.role == PG_IN ? 1 : 0);
    if (blamed && distance >= nearest) continue;
    blamed = &spec_->tensors[i];
    nearest = distance;
    where = offset;
  }
  if (!blamed) return;
  JsonWriter members;
  members.member("tensor", blamed->name).member("offset", where);
  const std::string place = where < 0 ? "byte " + std::to_string(-where) + " before its start"
                                      : "byte " + std::to_string(where + 1) + " past its end";
  throw Failure("guard-broken", "the kernel wrote outside of tensor \"" + blamed->name + "\": " + place, members.str());
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
