#include "oracle.h"

#include <math.h>
#include <stdio.h>

#include "failure.h"
#include "json.h"

namespace perfgate {

Doubles::Doubles(Device *device, int64_t count)
    : device_(device), count_(count), bytes_(static_cast<size_t>(count) * sizeof(double)),
      data_(device->allocate(bytes_)) {}

Doubles::~Doubles() { device_->release(data_, bytes_); }

bool reference_outputs(Session &s, const Set &set, Expected *out) {
  const Spec &spec = s.spec();
  Device *device = s.device();
  Expected all;
  std::vector<double *> data;
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (t.raw.role == PG_SCRATCH) {  // an oracle has no use for the kernel's workspace
      all.emplace_back();
      data.push_back(nullptr);
      continue;
    }
    all.emplace_back(new Doubles(device, t.count));
    data.push_back(all.back()->data());
    if (t.raw.role == PG_OUT) {
      device->poison(data.back(), PG_F64, t.count);
    } else {
      device->widen(data.back(), set.input(i), t.raw.dtype, t.count);
    }
  }
  if (!s.adapter()->reference(s.current(), data.data(), device->stream())) return false;
  device->synchronize();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (t.raw.role == PG_IN) all[i].reset();
    if (t.raw.role != PG_OUT) continue;
    // What the oracle left out would be NaN, and match the NaN of a kernel that left it out as well.
    const int64_t at = device->find_poison(data[i], PG_F64, t.count);
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
  // Not the poison of the timed launch: what neither launch wrote would be equal, and pass.
  fresh->mark_outputs(0x5A);
  s.launch(*fresh);
  fresh->check_guards();
  *out = widen_outputs(s, *fresh);
}

bool same_outputs(Session &s, const Set &a, const Set &b) {
  const Spec &spec = s.spec();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (t.output() && !s.device()->same(a.tensor(i), b.tensor(i), t.bytes)) return false;
  }
  return true;
}

Verdict judge_outputs(Session &s, const Set &set, const Expected &expected, const Tolerance &tolerance) {
  Verdict v;
  const Spec &spec = s.spec();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    Tolerance own = tolerance;  // the adapter's word on its tensor wins
    if (t.raw.atol > 0) own.atol = t.raw.atol;
    if (t.raw.rtol > 0) own.rtol = t.raw.rtol;
    const Comparison c = s.device()->compare(set.tensor(i), t.raw.dtype, expected[i]->data(), t.count, own);
    v.total.elements += c.elements;
    v.total.failed += c.failed;
    v.total.unwritten += c.unwritten;
    v.total.nan += c.nan;
    v.total.digest = mix(v.total.digest ^ c.digest);
    if (c.index < 0 || (v.tensor && c.ratio <= v.max_ratio)) continue;
    v.tensor = &t;
    v.max_ratio = c.ratio;
    v.total.index = c.index;
    v.total.got = c.got;
    v.total.want = c.want;
    v.total.error = c.error;
    v.total.tolerance = c.tolerance;
    v.total.ratio = c.ratio;
  }
  return v;
}

void Verdict::write_worst(JsonWriter *out) const {
  out->open_object().member("tensor", tensor->name).member("index", total.index).key("coords").open_array();
  for (int64_t c : coordinates(*tensor, total.index)) out->value(c);
  out->close_array().member("dims", tensor->dims).member("got", total.got).member("want", total.want);
  out->member("absError", total.error).member("tolerance", total.tolerance).member("ratio", total.ratio).close_object();
}

std::string Verdict::words() const {
  if (!tensor) return "no element";
  std::string at;
  for (int64_t c : coordinates(*tensor, total.index)) at += (at.empty() ? "" : ",") + std::to_string(c);
  char text[96];
  if (isnan(total.got)) {  // printf would tell the sign of a NaN
    snprintf(text, sizeof text, " is NaN, should be %.9g", total.want);
  } else {
    snprintf(text, sizeof text, " is %.9g, should be %.9g", total.got, total.want);
  }
  return tensor->name + "[" + at + "]" + text;
}

}  // namespace perfgate
