#include "oracle.h"

#include <string.h>

#include "failure.h"

namespace perfgate {

Doubles::Doubles(Device *device, int64_t count)
    : device_(device), count_(count), bytes_(static_cast<size_t>(count) * sizeof(double)),
      data_(device->allocate(bytes_)) {}

Doubles::~Doubles() { device_->release(data_, bytes_); }

namespace {

bool fits(Session &s, size_t sets, size_t *need) {
  *need = Set::footprint(s.spec()) * sets;
  for (const auto &t : s.spec().tensors) *need += static_cast<size_t>(t.count) * sizeof(double) * (t.output() ? 2 : 1);
  return *need <= s.device()->available() / 10 * 9;
}

}  // namespace

bool check_memory(Session &s, size_t sets) {
  size_t need = 0;
  if (sets > 1 && fits(s, sets, &need)) return true;
  if (!fits(s, 1, &need)) {
    throw Failure("out-of-memory", s.current().text() + " and its oracle take " + std::to_string(need) + " bytes, and " +
                                       std::to_string(s.device()->available()) + " are left");
  }
  return sets == 1;
}

bool reference_of_changed(Session &s, const Set &set, const Perturbation *change, int only, Expected *data) {
  const Spec &spec = s.spec();
  Device *device = s.device();
  const bool fresh = data->empty();
  if (fresh) data->resize(spec.tensors.size());
  std::vector<double *> raw(spec.tensors.size());
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (t.raw.role == PG_SCRATCH) continue;  // an oracle has no use for the kernel's workspace
    if (fresh) (*data)[i].reset(new Doubles(device, t.count));
    raw[i] = (*data)[i]->data();
    if (t.raw.role == PG_OUT) {
      device->poison(raw[i], PG_F64, t.count);
      continue;
    }
    device->widen(raw[i], set.input(i), t.raw.dtype, t.count);
    const bool meant = only == kAllInputs || only == static_cast<int>(i);
    if (!change || !meant || dtype_is_integer(t.raw.dtype)) continue;
    Perturbation own = *change;
    own.key = derive(change->key, i);
    device->perturb(raw[i], own, t.count);
  }
  const Adapter &adapter = *s.adapter();
  const bool narrow = change && change->kind == Perturbation::kNarrow, stored = change && change->kind == Perturbation::kStored;
  if (!(narrow   ? adapter.narrow_reference(s.current(), raw.data(), device->stream())
        : stored ? adapter.stored_reference(s.current(), raw.data(), device->stream(), change->unit)
                 : adapter.reference(s.current(), raw.data(), device->stream()))) {
    return false;
  }
  device->synchronize();
  return true;
}

bool reference_outputs(Session &s, const Set &set, Expected *out) {
  Expected all;
  if (!reference_of_changed(s, set, nullptr, kAllInputs, &all)) return false;
  const Spec &spec = s.spec();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (t.raw.role == PG_IN) all[i].reset();
    if (t.raw.role != PG_OUT) continue;
    // What the oracle left out would be NaN, and match the NaN of a kernel that left it out as well.
    const int64_t at = s.device()->find_poison(all[i]->data(), PG_F64, t.count, set.written_on_device(i));
    if (at >= 0) {
      throw Failure("reference-failed",
                    "pg_reference did not write element " + std::to_string(at) + " of tensor \"" + t.name + "\"");
    }
  }
  *out = std::move(all);
  return true;
}

Expected widen_outputs(Session &s, const Set &set) {
  const Spec &spec = s.spec();
  Expected out(spec.tensors.size());
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    out[i].reset(new Doubles(s.device(), t.count));
    s.device()->widen(out[i]->data(), set.tensor(i), t.raw.dtype, t.count);
  }
  return out;
}

void relaunch_outputs(Session &s, const Set &set, Set *fresh, Expected *out) {
  fresh->copy_inputs(set);
  fresh->prepare();
  s.launch(*fresh);
  fresh->check_guards();
  *out = widen_outputs(s, *fresh);
}

namespace {

// Whether the elements that a launch writes are the same in both sets, byte for byte.
bool same_elements(Session &s, const Set &a, const Set &b, size_t i) {
  const TensorSpec &t = s.spec().tensors[i];
  const uint8_t *written = a.written(i), *other = b.written(i);
  if (!written && !other) return s.device()->same(a.tensor(i), b.tensor(i), t.bytes);
  HostBytes x(t.bytes), y(t.bytes);
  s.device()->to_host(x.data(), a.tensor(i), t.bytes);
  s.device()->to_host(y.data(), b.tensor(i), t.bytes);
  const char *p = static_cast<const char *>(x.data()), *q = static_cast<const char *>(y.data());
  const size_t width = pg_dtype_size(t.raw.dtype);
  for (int64_t k = 0; k < t.count; k++) {
    const size_t at = static_cast<size_t>(k) * width;
    if (is_written(written, k) != is_written(other, k)) return false;
    if (is_written(written, k) && memcmp(p + at, q + at, width) != 0) return false;
  }
  return true;
}

}  // namespace

bool same_outputs(Session &s, const Set &a, const Set &b) {
  const Spec &spec = s.spec();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    if (spec.tensors[i].output() && !same_elements(s, a, b, i)) return false;
  }
  return true;
}

}  // namespace perfgate
