#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "commands.h"
#include "failure.h"
#include "json.h"
#include "sensitivity.h"

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
  if (!s.adapter()->reference(s.current(), raw.data(), device->stream())) return false;
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

namespace {

int floating_dtype(const std::string &name) {
  for (int dtype : {PG_F64, PG_F32, PG_F16, PG_BF16, PG_F8E4M3, PG_F8E5M2}) {
    if (name == dtype_name(dtype)) return dtype;
  }
  throw Failure("bad-command", "\"tolerances\" has \"" + name + "\", which is no floating dtype");
}

Tolerance read_tolerance(Arguments &args) {
  Tolerance t;
  t.atol = args.number("atol", 0, 1e300);
  t.rtol = args.number("rtol", 0, 1e300);
  return t;
}

bool passes(const Comparison &c, const Rule &r) {
  if (c.failed == 0) return true;
  return c.nan == 0 && c.unwritten == 0 && c.ratio <= kMatchedRatio &&
         static_cast<double>(c.failed) <= (1 - r.matched) * static_cast<double>(c.elements);
}

BoundRule read_bound(Arguments &args) {
  BoundRule b;
  const Json *given = args.object_if_given("bound");
  if (!given) return b;
  Arguments own(*given);
  b.on = true;
  b.accumulate = own.string("accumulate", "");
  b.stage = own.integer("stage", 0, kStages - 1);
  own.finish();
  if (!b.accumulate.empty() && !is_accumulator(b.accumulate)) {
    throw Failure("bad-command", "\"accumulate\" is none of f32, f16, bf16 and tf32");
  }
  return b;
}

}  // namespace

Rules::Rules(Arguments &args) : floats_(read_tolerance(args)), bound_(read_bound(args)) {
  const Json *own = args.object_if_given("tolerances");
  if (!own) return;
  for (const auto &member : own->members) {
    if (member.second.kind != Json::kObject) throw Failure("bad-command", "\"tolerances\" holds what is no object");
    Arguments of_dtype(member.second);
    Rule r;
    r.tolerance = read_tolerance(of_dtype);
    r.matched = of_dtype.number("matched", 0, 1, 1);
    of_dtype.finish();
    by_dtype_[floating_dtype(member.first)] = r;
  }
}

Rule Rules::of(const TensorSpec &t) const {
  Rule r;
  const auto own = by_dtype_.find(t.raw.dtype);
  if (own != by_dtype_.end()) {
    r = own->second;
  } else if (!dtype_is_integer(t.raw.dtype)) {
    r.tolerance = floats_;
  }
  if (t.raw.atol > 0) r.tolerance.atol = t.raw.atol;
  if (t.raw.rtol > 0) r.tolerance.rtol = t.raw.rtol;
  return r;
}

void Verdict::add(const TensorSpec &t, const Comparison &c, bool right) {
  total.elements += c.elements;
  total.digest = mix(total.digest ^ c.digest);
  for (int k = 0; k < kUlpBuckets; k++) total.ulp[k] += c.ulp[k];
  const double mean = c.lean / c.weight;
  if (!dtype_is_integer(t.raw.dtype) && mean - mean == 0) mean_errors.emplace_back(&t, mean);
  if (!right) {
    total.failed += c.failed;
    total.unwritten += c.unwritten;
    total.nan += c.nan;
  }
  // What an output may be off must not stand in front of what another one may not.
  const bool worse = !tensor || (failing == !right ? c.ratio > total.ratio : !right);
  failing = failing || !right;
  if (c.index < 0) return;
  max_ratio = std::max(max_ratio, c.ratio);
  if (!worse) return;
  tensor = &t;
  total.index = c.index;
  total.got = c.got;
  total.want = c.want;
  total.error = c.error;
  total.tolerance = c.tolerance;
  total.ratio = c.ratio;
  total.ulps = c.ulps;
}

void Verdict::add(const TensorSpec &t, const Trespass &found) {
  if (found.count == 0) return;
  failing = true;
  if (trespassed) return;
  trespassed = &t;
  trespass = found;
}

namespace {

Wanted wanted_of(const Expected &expected, const Rules &rules, const Sensitivity *bound, const TensorSpec &t, size_t i) {
  if (bound) return bound->wanted(i);
  Wanted w;
  w.want = expected[i]->data();
  w.tolerance = rules.of(t).tolerance;
  return w;
}

Comparison compare_output(Session &s, const Set &set, size_t i, Wanted w) {
  const TensorSpec &t = s.spec().tensors[i];
  w.written = set.written_on_device(i);
  return s.device()->compare(set.tensor(i), t.raw.dtype, w, t.count);
}

Verdict compare_outputs(Session &s, const Set &set, const Expected &expected, const Rules &rules, const Sensitivity *bound) {
  Verdict v;
  const Spec &spec = s.spec();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    const Comparison c = compare_output(s, set, i, wanted_of(expected, rules, bound, t, i));
    v.add(t, c, passes(c, rules.of(t)));
  }
  add_trespass(s, set, &v);
  return v;
}

}  // namespace

void add_trespass(Session &s, const Set &set, Verdict *v) {
  const Spec &spec = s.spec();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    if (spec.tensors[i].output()) v->add(spec.tensors[i], set.trespass(i));
  }
}

void check_compared(Session &s, const Verdict &v) {
  bool elements = false;
  for (const auto &t : s.spec().tensors) elements = elements || (t.output() && t.count > 0);
  if (elements && v.total.elements == 0) throw Failure("adapter-failed", "pg_written says that a launch of " + s.current().text() + " writes nothing, so none can be checked");
}

namespace {

// Refines the bound until it says whether what fails is wrong.
Verdict judge_set(Session &s, const Set &set, const Expected &expected, const Rules &rules, Sensitivity *bound) {
  while (bound && bound->stage() < rules.bound().stage && bound->refine(set)) continue;
  Verdict v = compare_outputs(s, set, expected, rules, bound);
  while (bound && bound->doubts(v) && bound->refine(set)) v = compare_outputs(s, set, expected, rules, bound);
  return v;
}

const int64_t kHostPiece = 1 << 16;  // elements handled on the host at a time

// Whether `name` is one of the words of `list`, which commas join.
bool listed(const std::string &list, const std::string &name) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

// Doubles floating elements; exact, unless they overflow or are integers.
void double_elements(Session &s, void *p, const TensorSpec &t) {
  with_dtype(t.raw.dtype, [&](auto kind) {
    using T = decltype(kind);
    using Word = typename T::Word;
    std::vector<Word> piece(static_cast<size_t>(kHostPiece));
    for (int64_t at = 0; at < t.count; at += kHostPiece) {
      const int64_t n = std::min(kHostPiece, t.count - at);
      s.device()->to_host(piece.data(), static_cast<Word *>(p) + at, static_cast<size_t>(n) * sizeof(Word));
      for (int64_t i = 0; i < n; i++) piece[static_cast<size_t>(i)] = T::put(2 * T::get(piece[static_cast<size_t>(i)]));
      s.device()->from_host(static_cast<Word *>(p) + at, piece.data(), static_cast<size_t>(n) * sizeof(Word));
    }
    return F32();
  });
}

// Moves the first slice of dimension 0 behind the last.
void roll(Device *device, void *to, const void *from, const TensorSpec &t, size_t bytes) {
  const size_t slice = bytes / static_cast<size_t>(std::max<int64_t>(t.raw.shape[0], 1));
  device->copy(to, static_cast<const char *>(from) + slice, bytes - slice);
  device->copy(static_cast<char *>(to) + (bytes - slice), from, slice);
}

// What the relation makes of an input, in `to`, out of the same input in `from`.
void relate_input(Session &s, const Relation &r, const TensorSpec &t, const void *from, void *to) {
  if (!t.input() || (r.kind == "scale" ? dtype_is_integer(t.raw.dtype) : t.raw.rank == 0)) {
    throw Failure("bad-command", "relation " + r.kind + " does not fit tensor \"" + t.name + "\"");
  }
  if (r.kind == "scale") return double_elements(s, to, t);
  roll(s.device(), to, from, t, t.bytes);
}

}  // namespace

Relation read_relation(Arguments &args) {
  Relation r;
  r.kind = args.string("relation", "");
  r.tensors = args.string("tensors", "");
  if (!r.kind.empty() && r.kind != "scale" && r.kind != "permute-batch") {
    throw Failure("bad-command", "\"relation\" is neither scale nor permute-batch");
  }
  return r;
}

void relate_inputs(Session &s, const Relation &r, const Set &set, Set *fresh) {
  const Spec &spec = s.spec();
  int64_t found = 0;
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    if (!listed(r.tensors, spec.tensors[i].name)) continue;
    // Of an inout tensor what it held before the launch; what it holds after it is an output.
    relate_input(s, r, spec.tensors[i], set.input(i), const_cast<void *>(fresh->input(i)));
    found++;
  }
  fresh->inputs_changed();
  if (found != 1 + std::count(r.tensors.begin(), r.tensors.end(), ',')) {
    throw Failure("bad-command", "relation " + r.kind + " names a tensor that " + s.current().text() + " does not have");
  }
}

Expected related_outputs(Session &s, const Set &set, const Relation &r) {
  const Spec &spec = s.spec();
  Expected out = widen_outputs(s, set);
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    const TensorSpec &t = spec.tensors[i];
    if (!t.output()) continue;
    if (r.kind == "permute-batch" && t.raw.rank > 0) {
      std::unique_ptr<Doubles> moved(new Doubles(s.device(), t.count));
      roll(s.device(), moved->data(), out[i]->data(), t, static_cast<size_t>(t.count) * sizeof(double));
      out[i] = std::move(moved);
    } else if (r.kind == "scale") {
      TensorSpec wide = t;
      wide.raw.dtype = PG_F64;
      double_elements(s, out[i]->data(), wide);
    }
  }
  return out;
}

namespace {

// Coordinates of wrong elements in one dimension.
struct Extent {
  std::vector<bool> hit;
  int64_t first = -1, last = -1, count = 0;
  void add(int64_t at) {
    if (hit[static_cast<size_t>(at)]) return;
    hit[static_cast<size_t>(at)] = true;
    first = first < 0 ? at : std::min(first, at);
    last = std::max(last, at);
    count++;
  }
};

void write_pattern(Session &s, const Set &set, Wanted wanted, const TensorSpec &t, JsonWriter *out) {
  const int64_t kMost = 1 << 22;  // a pattern shows in less, and a coordinate an element is slow
  const size_t index = static_cast<size_t>(&t - s.spec().tensors.data());
  const int64_t count = std::min(t.count, kMost);
  std::vector<double> ratios(static_cast<size_t>(count));
  wanted.written = set.written_on_device(index);
  Doubles all(s.device(), count);
  s.device()->ratios(all.data(), set.tensor(index), t.raw.dtype, wanted, count);
  s.device()->to_host(ratios.data(), all.data(), ratios.size() * sizeof(double));

  std::vector<Extent> extents(static_cast<size_t>(t.raw.rank));
  for (size_t d = 0; d < extents.size(); d++) extents[d].hit.resize(static_cast<size_t>(t.raw.shape[d]));
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; i++) {
    if (!(ratios[static_cast<size_t>(i)] > 1)) continue;
    wrong++;
    const std::vector<int64_t> at = coordinates(t, i);
    for (size_t d = 0; d < extents.size(); d++) extents[d].add(at[d]);
  }
  out->open_object().member("wrong", wrong).member("looked", count).key("extents").open_array();
  for (size_t d = 0; d < extents.size(); d++) {
    out->open_object().member("size", t.raw.shape[d]).member("first", extents[d].first);
    out->member("last", extents[d].last).member("count", extents[d].count).close_object();
  }
  out->close_array().close_object();
}

// The first word for an accumulator under which all outputs would pass, from the finest to the coarsest; "" for none.
std::string forgiving(Session &s, const Set &set, const Rules &rules, Sensitivity *bound) {
  const Spec &spec = s.spec();
  for (const char *word : {"tf32", "f16", "bf16"}) {
    bool all = true;
    for (size_t i = 0; i < spec.tensors.size() && all; i++) {
      const TensorSpec &t = spec.tensors[i];
      if (!t.output()) continue;
      all = passes(compare_output(s, set, i, bound->wanted_with(i, word)), rules.of(t));
    }
    if (all) return word;
  }
  return "";
}

void write_bound(Session &s, const Set &set, const Rules &rules, Sensitivity *bound, const Verdict &v, JsonWriter *reply) {
  reply->member("stage", bound->stage());
  if (v.total.failed == 0 || v.passed() || v.trespassed) return;
  const size_t index = static_cast<size_t>(v.tensor - s.spec().tensors.data());
  reply->member("length", bound->length(index, v.total.index)).member("passesWith", forgiving(s, set, rules, bound));
}

void write_comparison(Session &s, const Set &set, const Expected &expected, const Rules &rules, Sensitivity *bound, const Verdict &v,
                      JsonWriter *reply) {
  reply->member("passed", v.passed()).member("elements", v.total.elements);
  v.write(reply);
  reply->key("ulp").open_array();
  for (int64_t n : v.total.ulp) reply->value(n);
  reply->close_array().member("oracleDigest", std::to_string(v.total.digest)).key("meanErrors").open_array();
  for (const auto &m : v.mean_errors) {
    reply->open_object().member("tensor", m.first->name).member("dtype", dtype_name(m.first->raw.dtype));
    reply->member("value", m.second).close_object();
  }
  reply->close_array();
  if (bound) write_bound(s, set, rules, bound, v, reply);
  if (v.passed() || !v.tensor) return;
  const size_t index = static_cast<size_t>(v.tensor - s.spec().tensors.data());
  JsonWriter pattern;
  write_pattern(s, set, wanted_of(expected, rules, bound, *v.tensor, index), *v.tensor, &pattern);
  reply->key("pattern").raw(pattern.str());
}

}  // namespace

Verdict judge_outputs(Session &s, const Launched &l, const Expected &expected, const Rules &rules, JsonWriter *reply) {
  const Set *set = l.first;
  std::unique_ptr<Sensitivity> bound;
  Verdict v;
  auto judge = [&] {
    bound.reset(l.bounded && rules.bound().on ? new Sensitivity(&s, l.inputs, &expected, &rules, l.values, l.seed) : nullptr);
    v = judge_set(s, *set, expected, rules, bound.get());
  };
  judge();
  if (!l.same && v.passed()) {
    set = l.second;
    judge();
  }
  if (l.second && set != l.second) add_trespass(s, *l.second, &v);
  if (reply) write_comparison(s, *set, expected, rules, bound.get(), v, reply);
  return v;
}

void Verdict::write(JsonWriter *reply) const {
  reply->member("failed", total.failed);
  if (tensor) {
    JsonWriter worst;
    write_worst(&worst);
    reply->key("worst").raw(worst.str());
  }
  reply->member("maxRatio", max_ratio).member("unwritten", total.unwritten).member("nan", total.nan);
  if (!trespassed) return;
  reply->key("trespass").open_object().member("tensor", trespassed->name).member("count", trespass.count).member("index", trespass.index);
  reply->key("coords").open_array();
  for (int64_t c : coordinates(*trespassed, trespass.index)) reply->value(c);
  reply->close_array().member("dims", trespassed->dims).member("got", trespass.got).close_object();
}

void Verdict::write_worst(JsonWriter *out) const {
  out->open_object().member("tensor", tensor->name).member("index", total.index).key("coords").open_array();
  for (int64_t c : coordinates(*tensor, total.index)) out->value(c);
  out->close_array().member("dims", tensor->dims).member("got", total.got).member("want", total.want);
  out->member("absError", total.error).member("tolerance", total.tolerance).member("ratio", total.ratio);
  out->member("ulps", total.ulps).close_object();
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
