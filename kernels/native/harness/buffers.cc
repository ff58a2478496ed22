#include "buffers.h"

#include <string.h>

#include <algorithm>

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

Set::Set(Device *device, const Spec *spec, Guard::Kind kind, HostSide *host)
    : device_(device), spec_(spec), kind_(kind), host_(host), fills_(spec->tensors.size()), digests_(spec->tensors.size()) {
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

std::vector<const void *> Set::inputs() const {
  std::vector<const void *> all;
  for (size_t i = 0; i < buffers_.size(); i++) all.push_back(input(i));
  return all;
}

void Set::fill(uint64_t seed, Values values) {
  guard(seed);
  values_ = values;
  inputs_seed_ = seed;
  inputs_changed();
  int place = 0;  // without scratch: implementations of the same tensors get the same inputs
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role != PG_SCRATCH) place++;
    if (!t.input()) continue;
    fills_[i] = make_fill(t.raw, place - 1, seed, values);
    device_->fill(const_cast<void *>(input(i)), fills_[i], t.count);
  }
  fill_custom();
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.input()) digests_[i] = device_->digest(input(i), t.bytes);
  }
}

// Digests of what a fill writes stay as they were: find_change knows it.
bool Set::refresh(uint64_t seed, bool made_too) {
  for (const TensorSpec &t : spec_->tensors) {
    if (t.custom() && !made_too) return false;  // what it makes takes the host's time
  }
  inputs_seed_ = seed;
  inputs_changed();
  int place = 0;
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role != PG_SCRATCH) place++;
    if (!t.input() || t.raw.fill == PG_FILL_CONSTANT || t.raw.fill == PG_FILL_SEQUENCE) continue;
    fills_[i] = make_fill(t.raw, place - 1, seed, values_);
    device_->fill(const_cast<void *>(input(i)), fills_[i], t.count);
  }
  fill_custom();
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.custom()) digests_[i] = device_->digest(input(i), t.bytes);
  }
  return true;
}

namespace {

uint64_t custom_seed(uint64_t seed) { return derive(seed, 1ull << 45); }

}  // namespace

void Set::fill_custom() {
  if (host_->in_place()) {
    std::vector<void *> data;
    for (size_t i = 0; i < buffers_.size(); i++) data.push_back(const_cast<void *>(input(i)));
    return host_->make(data, values_name(values_), custom_seed(inputs_seed_));
  }
  const HostTensors made = host_->inputs(inputs(), values_name(values_), custom_seed(inputs_seed_));
  for (size_t i = 0; i < made.size(); i++) {
    if (made[i] && made[i]->bytes()) device_->from_host(const_cast<void *>(input(i)), made[i]->data(), made[i]->bytes());
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
  values_ = from.values_;
  inputs_seed_ = from.inputs_seed_;
  inputs_changed();
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (!t.input()) continue;
    fills_[i] = from.fills_[i];
    digests_[i] = from.digests_[i];
    device_->copy(const_cast<void *>(input(i)), from.input(i), t.bytes);
  }
}

uint64_t Set::digest() const {
  uint64_t all = 0;
  for (size_t i = 0; i < digests_.size(); i++) {
    if (spec_->tensors[i].input()) all = mix(all ^ digests_[i]);
  }
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

int64_t Set::find_change(size_t i) const {
  const TensorSpec &t = spec_->tensors[i];
  if (!t.custom()) return device_->find_change(tensor(i), fills_[i], t.count);
  // Made once more, from what the fills gave before.
  std::vector<std::unique_ptr<Buffer>> before;
  std::vector<void *> data;
  for (size_t k = 0; k < buffers_.size(); k++) {
    const TensorSpec &other = spec_->tensors[k];
    before.emplace_back(other.custom() ? new Buffer(device_, other.bytes) : nullptr);
    data.push_back(before.back() ? before.back()->data() : nullptr);
    if (before.back()) device_->fill(before.back()->data(), fills_[k], other.count);
  }
  HostBytes now(t.bytes), wanted(t.bytes);
  device_->to_host(now.data(), tensor(i), t.bytes);
  if (host_->in_place()) {
    host_->make(data, values_name(values_), custom_seed(inputs_seed_));
    device_->to_host(wanted.data(), data[i], t.bytes);
  } else {
    wanted = *host_->inputs({data.begin(), data.end()}, values_name(values_), custom_seed(inputs_seed_))[i];
  }
  const char *a = static_cast<const char *>(now.data()), *b = static_cast<const char *>(wanted.data());
  const size_t width = pg_dtype_size(t.raw.dtype);
  for (int64_t at = 0; at < t.count; at++) {
    if (memcmp(a + static_cast<size_t>(at) * width, b + static_cast<size_t>(at) * width, width) != 0) return at;
  }
  throw Failure("adapter-failed", "pg_fill made other values of tensor \"" + t.name + "\" when it was asked again");
}

void Set::check_inputs() const {
  for (size_t i = 0; i < buffers_.size(); i++) {
    const TensorSpec &t = spec_->tensors[i];
    if (t.raw.role != PG_IN || device_->digest(tensor(i), t.bytes) == digests_[i]) continue;
    const int64_t at = find_change(i);
    if (at < 0) continue;
    JsonWriter members;
    members.member("tensor", t.name).member("index", at);
    throw Failure("input-changed",
                  "the kernel changed element " + std::to_string(at) + " of tensor \"" + t.name + "\", which has role in",
                  members.str());
  }
}

void Set::inputs_changed() {
  asked_ = false;
  written_.clear();
  written_on_device_.clear();
}

void Set::ask_written() const {
  if (asked_) return;
  asked_ = true;
  written_.resize(buffers_.size());
  written_on_device_.resize(buffers_.size());
  if (!host_->partial()) return;
  written_ = host_->written(inputs());
  for (size_t i = 0; i < written_.size(); i++) {
    if (!written_[i]) continue;
    const uint8_t *first = static_cast<const uint8_t *>(written_[i]->data()), *last = first + written_[i]->bytes();
    if (std::all_of(first, last, [](uint8_t e) { return e == PG_WRITTEN; })) {
      written_[i].reset();
      continue;
    }
    written_on_device_[i].reset(new Buffer(device_, written_[i]->bytes()));
    device_->from_host(written_on_device_[i]->data(), first, written_[i]->bytes());
  }
}

const uint8_t *Set::written(size_t i) const {
  ask_written();
  return written_[i] ? static_cast<const uint8_t *>(written_[i]->data()) : nullptr;
}

const uint8_t *Set::written_on_device(size_t i) const {
  ask_written();
  return written_on_device_[i] ? static_cast<const uint8_t *>(written_on_device_[i]->data()) : nullptr;
}

Trespass Set::trespass(size_t i) const {
  Trespass found;
  const uint8_t *elements = written(i);
  const TensorSpec &t = spec_->tensors[i];
  if (!elements || (t.raw.role == PG_OUT && device_->separate())) return found;  // without poison nobody can tell
  HostBytes now(t.bytes), before(t.raw.role == PG_INOUT ? t.bytes : 0);
  device_->to_host(now.data(), tensor(i), now.bytes());
  if (before.bytes()) device_->to_host(before.data(), input(i), before.bytes());
  const Guard poison = make_guard(seed_, i, kind_);
  with_dtype(t.raw.dtype, [&](auto kind) {
    using T = decltype(kind);
    using Word = typename T::Word;
    const Word *got = static_cast<const Word *>(now.data()), *old = static_cast<const Word *>(before.data());
    for (int64_t k = 0; k < t.count; k++) {
      if (elements[k] != PG_KEPT) continue;
      const Word want = before.bytes() ? old[k] : kind_ == Guard::kLarge ? guard_word<T>(poison, k) : T::kPoison;
      if (got[k] == want) continue;
      if (found.count++ > 0) continue;
      found.index = k;
      found.got = T::get(got[k]);
    }
  });
  return found;
}

}  // namespace perfgate
