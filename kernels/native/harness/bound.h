// How far a right kernel may be off, found out by asking the reference about slightly other inputs. Compiles for the device as well;
// docs/measurements/parity/README.md has the formula and what it was adjusted on.
//
// Three things are learnt about an element of an output. R: the root mean square of its change when each input moves by one unit up or
// down, which is how far an exact result for inputs within that unit may be (Higham, "Accuracy and Stability of Numerical Algorithms",
// 1.5: the backward error). Its reach: how many inputs it depends on, which bounds the length of its sums. And its effective length:
// changes by Cauchy variables have A, the sum of |df/dx x|, as their scale, and (A / R)^2 is the number of equal terms that would give
// both A and R. It is far below the reach where few terms rule. A fourth is asked for where these do not excuse an element: what the
// reference itself loses when it is computed in f32. Intermediates that cancel whatever the inputs are (a value less the mean of one, the
// gradient of a saturated softmax) lose what no change of an input shows. A fifth, in 16 bits: what it loses where intermediates are kept in them.
#ifndef PERFGATE_HARNESS_BOUND_H
#define PERFGATE_HARNESS_BOUND_H

#include "dtype.h"
#include "fill.h"

namespace perfgate {

// A change of inputs in float64. Infinities and NaN stay what they are.
struct Perturbation {
  enum Kind {
    kSigns,   // relative, by `size` up or down
    kNarrow,  // the same, for a reference that computes in f32; as a response, its error in units of f32, which `size` is
    kStored,  // the same, for a reference whose intermediates are moved by a unit of 16 bits; as a response, its error in that unit
    kTails,   // relative, zeros as if they were 1, by `size` times a Cauchy variable
    kValues,  // relative, by up to `size`, the same for equal values, so that ties stay ties
    kStep,    // by up to kFarthest times size, up or down
    kSome     // by half, but only a share of `size` of all elements
  };
  int32_t kind = kSigns;
  double size = 0;
  uint64_t key = 0;
  double unit = 0;  // kStored: how far intermediates are moved, relative
};

const double kLongestTail = 4096;  // a change stays small
const uint64_t kFarthest = 4096;  // steps so far apart are hardly ever equal

PG_HD inline double perturbed(double x, const Perturbation &p, int64_t i) {
  if (p.kind == Perturbation::kValues) {
    return x * (1 + p.size * (2 * uniform_value(mix(p.key ^ mix(bits_as<uint64_t>(x)))) - 1));
  }
  const uint64_t bits = draw(p.key, i);
  if (p.kind == Perturbation::kSigns || p.kind == Perturbation::kNarrow || p.kind == Perturbation::kStored) return x * (1 + ((bits >> 63) ? p.size : -p.size));
  if (p.kind == Perturbation::kSome) return uniform_value(bits) < p.size ? 1.5 * x : x;
  if (p.kind == Perturbation::kStep) return x + p.size * (static_cast<double>(bits % (2 * kFarthest + 1)) - static_cast<double>(kFarthest));
  double t = tan(3.141592653589793 * (uniform_value(bits) - 0.5));
  t = t > kLongestTail ? kLongestTail : t < -kLongestTail ? -kLongestTail : t;
  return x == 0 ? p.size * t : x * (1 + p.size * t);
}

// What is known of each element of an output.
struct Responses {
  double *squares = nullptr;  // sum over changes by signs of (change / size)^2
  double *most = nullptr;     // the largest |change / size| of those
  double *logs = nullptr;     // sum over changes by tails of ln |change / size|
  double *losses = nullptr;   // the largest |error / size| of a narrow reference
  double *stored = nullptr;   // the largest |error / size| of one whose intermediates are moved
};

PG_HD inline void add_response(const Responses &to, double want, double moved, const Perturbation &p, int64_t i) {
  const double change = fabs(moved - want) / p.size;
  if (!(change - change == 0)) return;  // beyond float64 on one side: says nothing
  if (p.kind == Perturbation::kTails) {
    to.logs[i] += log(change > 1e-300 ? change : 1e-300);
    return;
  }
  if (p.kind == Perturbation::kNarrow) {
    to.losses[i] = to.losses[i] > change ? to.losses[i] : change;
    return;
  }
  if (p.kind == Perturbation::kStored) {
    to.stored[i] = to.stored[i] > change ? to.stored[i] : change;
    return;
  }
  to.squares[i] += change * change;
  to.most[i] = to.most[i] > change ? to.most[i] : change;
}

// What turns responses into slack, for one output.
struct Bound {
  int32_t signs = 0, tails = 0, narrow = 0;  // changes that were tried
  double size = 0;     // how far inputs may be taken to be off, relative
  double sums = 0;     // unit roundoff of the accumulator
  double stored = 0;   // of what intermediates may be kept in besides f32; 0 where that says nothing
  double longest = 1;  // most terms that a sum can have, as far as shapes say
  int32_t one_way = 0;  // 1: terms have few different values, or cancel so that partial sums are far above the result
  int32_t one_sign = 0;  // 1: no input changes sign, so that partial sums grow with every term, whatever is left of them
  const double *reach = nullptr;  // inputs that an element depends on; null where it is not known
  double flat = 0;  // of a result that hardly answers to its inputs: how far it may be off, relative
};

const double kAccumulator = 4;
const double kLosses = 16;  // other formulas and orders than those of the reference lose more than it does; a right f32 result may be off by 128 units anyway
const double kKept = 4;     // of a product little more than changed inputs allow
const double kSwamped = 32;  // a sum of so many times more terms than count is ruled by a few large ones, beside which small ones get lost
const int kPool = 16;  // neighbours that share what is known: few changes alone say little about one element

// How the elements of a tensor are shared out into pools. None reaches over the end of a row: the last element of a running sum depends on
// all of its row, and the first of the next on one input.
struct Pools {
  int64_t row;   // elements of a row, or of the whole where rows are short
  int64_t each;  // pools of a row
  int64_t number;

  PG_HD Pools(int64_t count, int64_t last_dimension = 0)
      : row(last_dimension >= kPool && last_dimension < count ? last_dimension : count > 0 ? count : 1), each((row + kPool - 1) / kPool),
        number(count / row * each) {}
  PG_HD int64_t of(int64_t element) const { return element / row * each + element % row / kPool; }
  PG_HD int64_t first(int64_t pool) const { return pool / each * row + pool % each * kPool; }
  PG_HD int64_t size(int64_t pool) const {
    const int64_t rest = row - pool % each * kPool;
    return rest < kPool ? rest : kPool;
  }
};

// The effective length of reduction of the elements [first, first + n) of one pool; 1 where it is not known.
PG_HD inline double pool_length(const Responses &r, const Bound &b, int64_t first, int64_t n) {
  double logs = 0;
  int moving = 0;
  for (int64_t i = first; i < first + n && b.tails; i++) {
    if (!(r.squares[i] > 0)) continue;
    logs += 2 * (r.logs[i] / b.tails) - log(r.squares[i] / b.signs);
    moving++;
  }
  const double length = moving ? exp(logs / moving) : 1;
  return length < 1 ? 1 : length > b.longest ? b.longest : length;
}

// How much of the accumulator's roundoff a sum may lose. The roundings of many terms alike are independent of each other, so that their
// number counts by its root. Those of equal terms, and of terms that are lost beside a few large ones, go one way, and where large terms cancel
// partial sums are larger than the result by that root.
PG_HD inline double roundings(const Bound &b, double length, int64_t i) {
  double terms = b.reach ? b.reach[i] : 1;
  terms = terms < length ? length : terms > b.longest ? b.longest : terms;
  const bool one_way = b.one_way || (b.tails > 0 && length * kSwamped < terms);
  return b.sums * kAccumulator * (one_way ? terms : sqrt(terms));
}

// What one more change has shown of the elements of one pool, of which about `share` inputs were changed: an element that depends on n
// inputs changes with a chance of 1 - (1 - share)^n.
PG_HD inline void reach_pool(double *reach, const double *want, const double *moved, double share, int64_t first, int64_t n) {
  int changed = 0;
  for (int64_t i = first; i < first + n; i++) changed += fabs(moved[i] - want[i]) > 0;
  for (int64_t i = first; i < first + n && 2 * changed > n; i++) reach[i] = 2 / share;
}

// Whether an element hardly answers to any input although its size says that it should: a norm over one or two columns, a saturated
// softmax. Inputs do not show then what an intermediate loses that cancels in the exact result. A sum answers by at least its size over the root
// of its length. Few changes may have missed a response, so nothing is flat before eight.
PG_HD inline bool is_flat(const Bound &b, double want, double most) {
  return b.signs >= 8 && most * 8 * sqrt(b.longest) < fabs(want);
}

// How large partial sums may be. Where terms have signs of their own that is the result, or what independent terms add up to. Where they have one
// sign but for that which the formula gives them, as in the difference of two sums of squares, each half of them is added up first.
PG_HD inline double largest_partial(const Bound &b, double length, double want, double rms) {
  const double all = b.one_sign ? (sqrt(length) * rms + want) / 2 : 0;
  return all > want + rms ? all : want + rms;
}

// Slack of the elements [first, first + n) of one pool.
PG_HD inline void settle_pool(double *slack, const Responses &r, const double *want, const Bound &b, int64_t first, int64_t n) {
  double mean = 0, lost = 0, kept = 0;
  for (int64_t i = first; i < first + n; i++) {
    mean += r.squares[i] / static_cast<double>(b.signs * n);
    if (b.narrow && r.losses[i] > lost) lost = r.losses[i];
    if (b.stored > 0 && r.stored[i] > kept) kept = r.stored[i];
  }
  const double length = pool_length(r, b, first, n);
  for (int64_t i = first; i < first + n; i++) {
    const double own = r.squares[i] / b.signs, rms = sqrt(own > mean ? own : mean);
    const double sums = roundings(b, length, i) * largest_partial(b, length, fabs(want[i]), rms);
    const double flat = is_flat(b, want[i], r.most[i]) ? b.flat * fabs(want[i]) : 0;
    const double inputs = b.size * (rms + r.most[i]), stored = b.stored * kKept * kept;
    slack[i] = (stored > inputs ? stored : inputs) + flat + (sums - sums == 0 ? sums : 0) + b.sums * kLosses * lost;
  }
}

// Whether a sum that gives `want` is exact in every order: an integer, and so are its changes, which grow evenly with the steps.
PG_HD inline bool steps_evenly(double want, double once, double twice) {
  return want == rint(want) && once == rint(once) && twice - once == once - want;
}

// What steps of the inputs, one input tensor after the other, have shown of an element.
const uint8_t kEven = 1;     // until now: it is a sum of integers
const uint8_t kStirred = 2;  // one of the steps changed it
const uint8_t kExact = kEven | kStirred;

PG_HD inline uint8_t sifted(uint8_t mark, double want, double once, double twice) {
  if (!steps_evenly(want, once, twice)) mark &= static_cast<uint8_t>(~kEven);
  return once != want ? static_cast<uint8_t>(mark | kStirred) : mark;
}

PG_HD inline double finite_magnitude(double x) { return x - x == 0 ? fabs(x) : 0; }

}  // namespace perfgate

#endif
