#include "sensitivity.h"

#include <math.h>

#include <algorithm>

#include "commands.h"

namespace perfgate {

namespace {

// How many changes of each kind are known at each stage. What fails with few may be an element whose response they happened to miss, so
// it is asked about again; with forty, chance is no excuse.
const struct {
  int signs, tails, narrow;
} kPlan[kStages] = {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {12, 8, 8}, {40, 16, 16}};
const int kReachStage = 2, kLengthStage = 3;  // from where on both are known

const double kHopeless = 64;  // times the bound: no more changes would make that right
const double kMostNs = 10e9;  // of work, for asking the reference about other inputs
const int kAdmitting = 24;
const uint64_t kSteps = 6;  // the mean of three integers is an integer one time in three, and no sum of them

const double kCoarsest = 1.0 / 256;  // what eight bits lose is lost in storage: nobody computes in them
const double kFinest = 1.0 / (1 << 30);  // changes by signs below this drown in the float64 of the reference
const double kFinestTail = kFinest / 64;
const double kNearby = 1.0 / (1 << 12);  // changes after which no f32 rounds as before
const double kUnitF32 = 1.0 / (1 << 24);

// Half a unit in the last place, relative: 2^-p with p bits of precision.
double unit_roundoff(int dtype) {
  switch (dtype) {
    case PG_F64: return kUnitF32 / (1 << 29);
    case PG_F32: return kUnitF32;
    case PG_F16: return 1.0 / (1 << 11);
    case PG_BF16: return 1.0 / (1 << 8);
    case PG_F8E4M3: return 1.0 / (1 << 4);
    case PG_F8E5M2: return 1.0 / (1 << 3);
    default: return 0;
  }
}

// Half the smallest positive value.
double least_half(int dtype) { return dtype_min_normal(dtype) * unit_roundoff(dtype); }

double sums_unit(const std::string &accumulate, int output) {
  if (accumulate == "f16") return unit_roundoff(PG_F16);
  if (accumulate == "bf16") return unit_roundoff(PG_BF16);
  return unit_roundoff(accumulate.empty() && output == PG_F64 ? PG_F64 : PG_F32);
}

// How many units inputs may be taken to be off. In f32 every step of a computation rounds in that unit; where inputs are coarser, few
// steps round to their dtype, and most in f32.
double units(double unit) { return unit > kUnitF32 ? 2.5 : 4; }

uint8_t *bytes(const std::unique_ptr<Doubles> &d) { return d ? reinterpret_cast<uint8_t *>(d->data()) : nullptr; }

bool is_floating(const TensorSpec &t) { return !dtype_is_integer(t.raw.dtype); }

// How many units of its dtype a result may be off whatever its inputs say. Libraries round an intermediate of the result's size to 16 bits, such
// as the logarithm in log_softmax, before the result itself. A dtype that is computed in loses more where an intermediate cancels that the
// exact result does not show, such as the mean of two elements in a norm; no fault is as small.
double least_units(int dtype) {
  switch (dtype) {
    case PG_F64: case PG_F32: return 128;
    case PG_F16: case PG_BF16: return 2;
    default: return 1;
  }
}

// Whether hardly an element of an input has another sign than the others: by its own fill, or by the kind of values.
bool has_one_sign(const pg_tensor &t) { return t.fill == PG_FILL_CONSTANT || (t.fill == PG_FILL_UNIFORM && (t.a >= 0 || t.b <= 0)); }

bool has_one_sign(const pg_tensor &t, Values values) {
  const int64_t kShort = 8;  // elements of a row which the one large one of it outweighs
  if (values == Values::kDominant) return t.rank > 0 && t.shape[t.rank - 1] <= kShort;
  return values == Values::kUniform || values == Values::kConstant;
}

Pools pools_of(const TensorSpec &t) { return Pools(t.count, t.raw.rank > 0 ? t.raw.shape[t.raw.rank - 1] : 0); }

std::unique_ptr<Doubles> zeros(Device *device, int64_t count) {
  std::unique_ptr<Doubles> d(new Doubles(device, count));
  device->set_bytes(d->data(), 0, static_cast<size_t>(count) * sizeof(double));
  return d;
}

std::unique_ptr<Doubles> marks(Device *device, int64_t count, uint8_t byte) {
  std::unique_ptr<Doubles> d(new Doubles(device, (count + 7) / 8));
  device->set_bytes(d->data(), byte, static_cast<size_t>((count + 7) / 8) * sizeof(double));
  return d;
}

}  // namespace

bool is_accumulator(const std::string &word) { return word == "f32" || word == "f16" || word == "bf16" || word == "tf32"; }

Neighbourhood::Neighbourhood(Session *s, const Set *inputs, const Expected *expected, uint64_t key)
    : s_(s), inputs_(inputs), expected_(expected), key_(key), sums_(s->spec().tensors.size()) {}

const Expected *Neighbourhood::changed(const Perturbation &p, int only) {
  return reference_of_changed(*s_, *inputs_, &p, only, &moved_) ? &moved_ : nullptr;
}

bool Neighbourhood::ask(int signs, int tails, int narrow, double size, double stored) {
  for (size_t i = 0; i < sums_.size(); i++) {
    const TensorSpec &t = s_->spec().tensors[i];
    if (!t.output() || !is_floating(t) || sums_[i].squares) continue;
    for (std::unique_ptr<Doubles> *d : {&sums_[i].squares, &sums_[i].most, &sums_[i].logs, &sums_[i].losses, &sums_[i].stored}) *d = zeros(s_->device(), t.count);
  }
  if (!change(Perturbation::kSigns, signs, std::max(size, kFinest), &signs_) || !change(Perturbation::kTails, tails, kFinestTail, &tails_)) return false;
  ask_narrow(narrow, stored);
  return true;
}

bool Neighbourhood::change(Perturbation::Kind kind, int until, double size, int *done) {
  Perturbation p;
  p.kind = kind;
  p.size = size;
  for (; *done < until; ++*done) {
    p.key = derive(key_, static_cast<uint64_t>(kind) << 32 | static_cast<uint64_t>(*done));
    const Expected *moved = changed(p, kAllInputs);
    if (!moved) return false;
    for (size_t i = 0; i < sums_.size(); i++) {
      if (!sums_[i].squares) continue;
      s_->device()->respond(responses(i), (*expected_)[i]->data(), (*moved)[i]->data(), p, s_->spec().tensors[i].count);
    }
  }
  return true;
}

// What the reference loses in f32, and with intermediates in 16 bits, at inputs nearby, whose roundings have nothing to do with each other.
void Neighbourhood::ask_narrow(int until, double stored) {
  Perturbation p;
  p.size = kNearby;
  Expected moved;
  for (; narrow_ < until; narrow_++) {
    p.key = derive(key_, 1ull << 40 | static_cast<uint64_t>(narrow_));
    p.kind = Perturbation::kSigns;
    const Expected *exact = changed(p, kAllInputs);
    if (!exact) return;
    p.kind = Perturbation::kNarrow;
    bool any = reference_of_changed(*s_, *inputs_, &p, kAllInputs, &moved);
    if (any) lose({Perturbation::kNarrow, kUnitF32}, *exact, moved);
    p.kind = Perturbation::kStored;
    p.unit = stored;
    if (stored > 0 && reference_of_changed(*s_, *inputs_, &p, kAllInputs, &moved)) {
      lose({Perturbation::kStored, stored}, *exact, moved);
      any = true;
    }
    if (!any) return;
  }
}

void Neighbourhood::lose(const Perturbation &loss, const Expected &exact, const Expected &moved) {
  for (size_t i = 0; i < sums_.size(); i++) {
    const TensorSpec &t = s_->spec().tensors[i];
    if (sums_[i].squares && t.raw.dtype != PG_F64) s_->device()->respond(responses(i), exact[i]->data(), moved[i]->data(), loss, t.count);
  }
}

Responses Neighbourhood::responses(size_t i) const {
  Responses r;
  if (!sums_[i].squares) return r;
  r.squares = sums_[i].squares->data();
  r.most = sums_[i].most->data();
  r.logs = sums_[i].logs->data();
  r.losses = sums_[i].losses->data();
  r.stored = sums_[i].stored->data();
  return r;
}

Sensitivity::Sensitivity(Session *s, const Set *inputs, const Expected *expected, const Rules *rules, Values values, uint64_t seed)
    : s_(s), inputs_(inputs), expected_(expected), rules_(rules), values_(values), seed_(seed), outputs_(s->spec().tensors.size()),
      here_(s, inputs, expected, derive(seed, 1ull << 44)) {
  bool constant = true;
  for (size_t i = 0; i < outputs_.size(); i++) {
    const TensorSpec &t = s->spec().tensors[i];
    if (t.output() && bounded(i) && is_floating(t)) outputs_[i].largest = s->device()->largest((*expected)[i]->data(), t.count);
    if (!t.input() || !is_floating(t)) continue;
    inputs_unit_ = std::max(inputs_unit_, std::min(unit_roundoff(t.raw.dtype), kCoarsest));
    most_ = std::max(most_, static_cast<double>(t.count));
    for (int d = 0; d < t.raw.rank; d++) widest_ = std::max(widest_, static_cast<double>(t.raw.shape[d]));
    const bool own = values == Values::kSpec || (t.raw.flags & PG_FILL_FIXED);
    constant = constant && (own ? t.raw.fill == PG_FILL_CONSTANT : values == Values::kConstant);
    one_sign_ = one_sign_ && (own ? has_one_sign(t.raw) : has_one_sign(t.raw, values));
  }
  one_way_ = constant || values == Values::kIntegers || values == Values::kCancel;
}

// Whether the bound holds for output i: not where the adapter gives it a tolerance.
bool Sensitivity::bounded(size_t i) const {
  const TensorSpec &t = s_->spec().tensors[i];
  return t.output() && t.raw.atol <= 0 && t.raw.rtol <= 0;
}

double Sensitivity::unit(const TensorSpec &output, const std::string &accumulate) const {
  double u = std::max(inputs_unit_, std::min(unit_roundoff(output.raw.dtype), kCoarsest));
  if (accumulate == "tf32") u = std::max(u, 1.0 / (1 << 11));
  return u;
}

// What libraries keep intermediates in where inputs and outputs have 16 bits; 0 where inputs are finer.
double Sensitivity::stored_unit() const { return inputs_unit_ > kUnitF32 ? inputs_unit_ : 0; }

Bound Sensitivity::bound_of(size_t i, const std::string &accumulate) const {
  const TensorSpec &t = s_->spec().tensors[i];
  Bound b;
  b.signs = here_.signs();
  b.tails = here_.tails();
  b.narrow = here_.narrow();
  const double u = unit(t, accumulate);
  b.size = units(u) * u;
  b.sums = sums_unit(accumulate, t.raw.dtype);
  if (unit_roundoff(t.raw.dtype) > kUnitF32) b.stored = stored_unit();
  b.longest = std::max(widest_, most_ / static_cast<double>(std::max<int64_t>(t.count, 1)));
  b.one_way = one_way_;
  b.one_sign = one_sign_;
  b.flat = rules_->of(t).tolerance.rtol;
  b.reach = outputs_[i].reach ? outputs_[i].reach->data() : nullptr;
  return b;
}

// What is allowed whatever the responses are: the rounding of the result, what an f32 result of the largest element's size loses (an intermediate
// may be as large, and cancel; the loss of one row may be all that is left of it), and denormals of f32 taken for zero, once a term.
Tolerance Sensitivity::least(size_t i, const std::string &accumulate) const {
  const int dtype = s_->spec().tensors[i].raw.dtype;
  Tolerance r;
  r.rtol = least_units(dtype) * unit_roundoff(dtype);
  r.atol = least_units(dtype) * least_half(dtype) + kAccumulator * sums_unit(accumulate, dtype) * std::max(outputs_[i].largest, outputs_[i].usual);
  if (dtype != PG_F64) r.atol += dtype_min_normal(PG_F32) * most_;
  return r;
}

Wanted Sensitivity::wanted(size_t i) const {
  const TensorSpec &t = s_->spec().tensors[i];
  const Output &o = outputs_[i];
  Wanted w;
  w.want = (*expected_)[i]->data();
  w.tolerance = rules_->of(t).tolerance;
  if (!bounded(i)) return w;
  w.admitted = bytes(o.admitted);
  w.exact = bytes(o.exact);
  if (!is_floating(t)) return w;
  w.tolerance = least(i, rules_->bound().accumulate);
  w.slack = o.slack ? o.slack->data() : nullptr;
  return w;
}

Wanted Sensitivity::wanted_with(size_t i, const std::string &accumulate) {
  Wanted w = wanted(i);
  if (!w.slack) return w;
  const int64_t count = s_->spec().tensors[i].count;
  other_.reset(new Doubles(s_->device(), count));
  s_->device()->settle(other_->data(), here_.responses(i), w.want, bound_of(i, accumulate), pools_of(s_->spec().tensors[i]));
  w.slack = other_->data();
  w.tolerance = least(i, accumulate);
  return w;
}

double Sensitivity::length(size_t i, int64_t element) const {
  const Responses all = here_.responses(i);
  if (!all.squares || here_.tails() == 0 || element < 0) return 0;
  const Pools pools = pools_of(s_->spec().tensors[i]);
  const int64_t first = pools.first(pools.of(element)), n = pools.size(pools.of(element));
  double squares[kPool], logs[kPool];
  s_->device()->to_host(squares, all.squares + first, static_cast<size_t>(n) * sizeof(double));
  s_->device()->to_host(logs, all.logs + first, static_cast<size_t>(n) * sizeof(double));
  Responses r;
  r.squares = squares;
  r.logs = logs;
  return pool_length(r, bound_of(i, rules_->bound().accumulate), 0, n);
}

bool Sensitivity::doubts(const Verdict &v) const {
  if (v.passed() || v.total.failed == 0 || v.total.nan > 0 || v.total.unwritten > 0) return false;
  return stage_ < kLengthStage || v.max_ratio <= kHopeless;
}

bool Sensitivity::refine(const Set &judged) {
  if (stage_ + 1 >= kStages || inputs_unit_ == 0 || spent_ns_ > kMostNs) return false;
  const double start = now_ns(), used = process_ns();
  const bool learnt = advance(judged);
  spent_ns_ += std::min(now_ns() - start, process_ns() - used);  // a busy machine leaves no question unasked
  return learnt;
}

bool Sensitivity::advance(const Set &judged) {
  stage_++;
  if (stage_ == 1 && !admit(judged)) return false;
  if (!here_.ask(kPlan[stage_].signs, kPlan[stage_].tails, kPlan[stage_].narrow, units(inputs_unit_) * inputs_unit_, stored_unit())) return false;
  if (stage_ == 1 && values_ == Values::kIntegers && !sift()) return false;
  if (stage_ == kReachStage && !find_reach()) return false;
  settle();
  return true;
}

// How many inputs each element depends on, by changing ever fewer of them. Of inputs of one small magnitude, where none is lost beside
// another.
bool Sensitivity::find_reach() {
  const std::unique_ptr<Set> plain = s_->fresh_set();
  plain->fill(seed_, Values::kTiny);
  Expected expected;
  if (!reference_outputs(*s_, *plain, &expected)) return false;
  for (size_t i = 0; i < outputs_.size(); i++) {
    const TensorSpec &t = s_->spec().tensors[i];
    if (!bounded(i) || !is_floating(t)) continue;
    outputs_[i].reach = zeros(s_->device(), t.count);
    outputs_[i].usual = std::min(1.0, s_->device()->largest(expected[i]->data(), t.count));
  }
  Neighbourhood there(s_, plain.get(), &expected, 0);
  Perturbation p;
  p.kind = Perturbation::kSome;
  for (p.size = 0.5; p.size * most_ > 0.5; p.size /= 4) {
    p.key = derive(seed_, (1ull << 45) + static_cast<uint64_t>(1 / p.size));
    const Expected *moved = there.changed(p, kAllInputs);
    if (!moved) return false;
    for (size_t i = 0; i < outputs_.size(); i++) {
      if (!outputs_[i].reach) continue;
      s_->device()->reach(outputs_[i].reach->data(), expected[i]->data(), (*moved)[i]->data(), p.size, pools_of(s_->spec().tensors[i]));
    }
  }
  return true;
}

// Finds the elements that are sums of integers in which every input counts evenly: their sums are exact in every order.
bool Sensitivity::sift() {
  const Spec &spec = s_->spec();
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    if (bounded(i) && is_floating(spec.tensors[i])) outputs_[i].exact = marks(s_->device(), spec.tensors[i].count, kEven);
  }
  Neighbourhood further(s_, inputs_, expected_, 0);
  for (size_t in = 0; in < spec.tensors.size(); in++) {
    if (!spec.tensors[in].input() || !is_floating(spec.tensors[in])) continue;
    for (uint64_t k = 0; k < kSteps; k++) {
      Perturbation step;
      step.kind = Perturbation::kStep;
      step.key = derive(seed_, (1ull << 46) + in * kSteps + k);
      step.size = 1;
      const Expected *once = here_.changed(step, static_cast<int>(in));
      step.size = 2;
      const Expected *twice = further.changed(step, static_cast<int>(in));
      if (!once || !twice) return false;
      for (size_t i = 0; i < spec.tensors.size(); i++) {
        if (!outputs_[i].exact) continue;
        s_->device()->sift(bytes(outputs_[i].exact), (*expected_)[i]->data(), (*once)[i]->data(), (*twice)[i]->data(), spec.tensors[i].count);
      }
    }
  }
  return true;
}

// Integers that follow from floats, as an index of the largest or a quantised value does, may be what the reference says about inputs
// that are off by a few units of f32. Equal inputs stay equal, so that the rule for ties is kept.
bool Sensitivity::admit(const Set &judged) {
  const Spec &spec = s_->spec();
  bool any = false;
  for (size_t i = 0; i < spec.tensors.size(); i++) {
    if (!bounded(i) || is_floating(spec.tensors[i])) continue;
    outputs_[i].admitted = marks(s_->device(), spec.tensors[i].count, 0);
    any = true;
  }
  Perturbation p;
  p.kind = Perturbation::kValues;
  p.size = 8 * kUnitF32;
  for (int k = 0; k < kAdmitting && any; k++) {
    p.key = derive(seed_, (1ull << 47) + static_cast<uint64_t>(k));
    const Expected *moved = here_.changed(p, kAllInputs);
    if (!moved) return false;
    for (size_t i = 0; i < spec.tensors.size(); i++) {
      if (!outputs_[i].admitted) continue;
      s_->device()->admit(bytes(outputs_[i].admitted), judged.tensor(i), spec.tensors[i].raw.dtype, (*moved)[i]->data(), spec.tensors[i].count);
    }
  }
  return true;
}

void Sensitivity::settle() {
  for (size_t i = 0; i < outputs_.size(); i++) {
    const TensorSpec &t = s_->spec().tensors[i];
    if (!bounded(i) || !is_floating(t)) continue;
    if (!outputs_[i].slack) outputs_[i].slack.reset(new Doubles(s_->device(), t.count));
    s_->device()->settle(outputs_[i].slack->data(), here_.responses(i), (*expected_)[i]->data(), bound_of(i, rules_->bound().accumulate), pools_of(t));
  }
}

}  // namespace perfgate
