#include <math.h>
#include <stdio.h>

#include <algorithm>

#include "failure.h"
#include "json.h"
#include "oracle.h"
#include "sensitivity.h"

namespace perfgate {

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

bool passes(const Comparison &c, const Rule &r) {
  if (c.failed == 0) return true;
  return c.nan == 0 && c.unwritten == 0 && c.ratio <= kMatchedRatio &&
         static_cast<double>(c.failed) <= (1 - r.matched) * static_cast<double>(c.elements);
}

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

// A coarse picture of where a tensor is wrong: two of its dimensions, cut into at most 24 by 48 parts, each a digit from 0 (right) to 9
// (every element of it is wrong).
class Map {
 public:
  Map(const TensorSpec &t, const std::vector<Extent> &extents) {
    // What is wrong only in places shows most; of others the last dimensions, which lie together in memory.
    std::vector<size_t> dims;
    for (const bool localised : {true, false}) {
      for (size_t d = extents.size(); d-- > 0;) {
        if (t.raw.shape[d] > 1 && (extents[d].count < t.raw.shape[d]) == localised) dims.push_back(d);
      }
    }
    dims.resize(std::min<size_t>(dims.size(), 2));
    std::sort(dims.begin(), dims.end());
    if (!dims.empty()) columns_ = axis_of(t, dims.back(), 48);
    if (dims.size() == 2) rows_ = axis_of(t, dims.front(), 24);
    wrong_.resize(static_cast<size_t>(rows_.parts * columns_.parts));
    all_.resize(wrong_.size());
  }

  void add(int64_t i, bool wrong) {
    const size_t cell = static_cast<size_t>(rows_.part(i) * columns_.parts + columns_.part(i));
    all_[cell]++;
    wrong_[cell] += wrong;
  }

  void write(JsonWriter *out) const {
    out->open_object().member("rows", rows_.dim).member("columns", columns_.dim).key("levels").open_array();
    for (int64_t r = 0; r < rows_.parts; r++) {
      std::string line;
      for (int64_t c = 0; c < columns_.parts; c++) line += digit(static_cast<size_t>(r * columns_.parts + c));
      out->value(line);
    }
    out->close_array().close_object();
  }

 private:
  struct Axis {
    int64_t dim = -1, size = 1, stride = 1, parts = 1;  // dim -1: the tensor has no such dimension
    int64_t part(int64_t i) const { return i / stride % size * parts / size; }
  };

  static Axis axis_of(const TensorSpec &t, size_t d, int64_t most) {
    Axis a;
    a.dim = static_cast<int64_t>(d);
    a.size = t.raw.shape[d];
    a.parts = std::min(a.size, most);
    for (size_t k = d + 1; k < static_cast<size_t>(t.raw.rank); k++) a.stride *= t.raw.shape[k];
    return a;
  }

  char digit(size_t cell) const {
    if (wrong_[cell] == 0) return '0';
    return static_cast<char>('1' + 8 * wrong_[cell] / all_[cell]);  // never right where one element is wrong, 9 only where all are
  }

  Axis rows_, columns_;
  std::vector<int64_t> wrong_, all_;
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
  out->close_array();
  Map map(t, extents);
  for (int64_t i = 0; i < count; i++) map.add(i, ratios[static_cast<size_t>(i)] > 1);
  out->key("map");
  map.write(out);
  out->close_object();
}

const double kSmallShare = 0.25, kLikelyShare = 0.5;

// The first word for an accumulator under which all outputs would pass, from the finest to the coarsest; "" for none. Kernels that do sum in it stay far
// below what it allows, and what comes near has lost more than roundings: an addend of seven.
std::string forgiving(Session &s, const Set &set, const Rules &rules, Sensitivity *bound) {
  const Spec &spec = s.spec();
  for (const char *word : {"tf32", "f16", "bf16"}) {
    bool all = true;
    double most = 0;
    for (size_t i = 0; i < spec.tensors.size() && all; i++) {
      const TensorSpec &t = spec.tensors[i];
      if (!t.output()) continue;
      const Comparison c = compare_output(s, set, i, bound->wanted_with(i, word));
      all = passes(c, rules.of(t));
      most = std::max(most, c.ratio);
    }
    if (all) return most <= kLikelyShare ? word : "";
  }
  return "";
}

void write_bound(Session &s, const Set &set, const Rules &rules, Sensitivity *bound, const Verdict &v, JsonWriter *reply) {
  reply->member("stage", bound->stage());
  if (v.total.failed == 0 || v.passed() || v.trespassed) return;
  const size_t index = static_cast<size_t>(v.tensor - s.spec().tensors.data());
  // An error of the size of the results is no rounding, though a coarse accumulator may lose as much of a long sum.
  const bool small = v.total.error <= kSmallShare * bound->largest(index) || bound->largest(index) == 0;
  reply->member("length", bound->length(index, v.total.index)).member("passesWith", small ? forgiving(s, set, rules, bound) : std::string())
      .member("narrowReference", s.adapter()->has_narrow_reference());
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
