// The judgement over one element of an output, and what is kept of a whole tensor's. Compiles for the device as well.
#ifndef PERFGATE_HARNESS_COMPARE_H
#define PERFGATE_HARNESS_COMPARE_H

#include "bound.h"
#include "dtype.h"
#include "fill.h"

namespace perfgate {

struct Tolerance {
  double atol = 0, rtol = 0;
};

// What an output should be, and how far each element may be off: atol + rtol * |want| + slack. Arrays hold one entry an element, and null
// where there is nothing to say.
struct Wanted {
  const double *want = nullptr;
  Tolerance tolerance;
  const uint8_t *written = nullptr;  // a pg_element each: what is not PG_WRITTEN is not compared
  const double *slack = nullptr;
  const uint8_t *exact = nullptr;     // kExact: nothing is allowed but the rounding of `want`
  const uint8_t *admitted = nullptr;  // 1: right, whatever the error is
};

// How far floating outputs are off, in units in the last place: exact, 1, 2, up to 4, 16, 256, more, and NaN or an infinity on one
// side alone. Integers are right or wrong.
const int kUlpBuckets = 8;

struct Comparison {
  int64_t elements = 0;
  int64_t failed = 0;
  int64_t unwritten = 0;  // of the failed: still hold the poison
  int64_t nan = 0;        // of the failed: NaN where none belongs
  int64_t index = -1;     // the worst element; the first of several
  double got = 0, want = 0, error = 0, tolerance = 0;
  double ratio = 0;       // error over tolerance; above 1 fails
  uint64_t digest = 0;    // of `want`, whatever the order in which elements were seen
  int64_t ulps = 0;       // of the worst element; -1 where there is no such distance
  double lean = 0;        // sum of error times `want`, with its sign, over finite elements
  double weight = 0;      // sum of `want` squared, over the same
  int64_t ulp[kUlpBuckets] = {};  // elements of floating dtypes
};

// Values of a dtype in order: neighbours are 1 apart, and both zeros are one.
template <class T>
PG_HD inline int64_t ordered(typename T::Word word) {
  if constexpr (T::kInteger) return static_cast<int64_t>(T::get(word));
  const uint64_t top = 1ull << (8 * sizeof(word) - 1), w = word;
  return (w & top) ? -static_cast<int64_t>(w & (top - 1)) : static_cast<int64_t>(w);
}

// The distance of a word from what it should be, rounded to its dtype; -1 where one of the two is no finite number.
template <class T>
PG_HD inline int64_t ulp_distance(typename T::Word word, double want) {
  const typename T::Word right = T::put(want);
  if (word == right) return 0;
  const double got = T::get(word), near = T::get(right);
  if (!(got - got == 0) || !(near - near == 0)) return (got != got && near != near) ? 0 : -1;
  const int64_t a = ordered<T>(word), b = ordered<T>(right);
  const uint64_t far = a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                             : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
  return far > 0x7FFFFFFFFFFFFFFFull ? 0x7FFFFFFFFFFFFFFFll : static_cast<int64_t>(far);
}

PG_HD inline int ulp_bucket(int64_t ulps) {
  if (ulps < 0) return 7;
  if (ulps <= 2) return static_cast<int>(ulps);
  return ulps <= 4 ? 3 : ulps <= 16 ? 4 : ulps <= 256 ? 5 : 6;
}

struct Judgement {
  double error, tolerance, ratio;
};

// The largest value of E4M3, which is the one floating dtype without an infinity.
const double kMaxWithoutInfinity = 448;

// |got - want| against atol + rtol * |want|. NaN passes only against NaN, an infinity only against the same one; where
// `want` is finite, and it or what it may be taken for is beyond what the dtype can hold (`max`), infinity and the largest value of
// that sign are both right. A dtype without an infinity has its largest value for that too.
PG_HD inline Judgement judge(double got, double want, const Tolerance &t, double max) {
  const double infinity = bits_as<double>(static_cast<uint64_t>(0x7FF0000000000000ull));
  const bool got_nan = !(got == got), want_nan = !(want == want);
  if (got_nan || want_nan) {
    if (got_nan && want_nan) return {0, 0, 0};
    return {bits_as<double>(static_cast<uint64_t>(0x7FF8000000000000ull)), t.atol, infinity};
  }
  if (got == want) return {0, t.atol + t.rtol * fabs(want), 0};
  const double reach = fabs(want) + t.atol + t.rtol * fabs(want);
  const bool beyond = (fabs(want) > max || reach > max) && (fabs(want) < infinity || max == kMaxWithoutInfinity);
  if (beyond && fabs(got) >= max && (got > 0) == (want > 0)) return {0, t.atol, 0};
  if (fabs(got) == infinity || fabs(want) == infinity) return {infinity, t.atol, infinity};
  Judgement j;
  j.error = fabs(got - want);
  j.tolerance = t.atol + t.rtol * fabs(want);
  j.ratio = j.tolerance > 0 ? j.error / j.tolerance : infinity;
  return j;
}

// Adds what is known of other elements of the same tensor.
PG_HD inline void merge(Comparison *into, const Comparison &c) {
  into->elements += c.elements;
  into->failed += c.failed;
  into->unwritten += c.unwritten;
  into->nan += c.nan;
  into->digest += c.digest;
  into->lean += c.lean;
  into->weight += c.weight;
  for (int i = 0; i < kUlpBuckets; i++) into->ulp[i] += c.ulp[i];
  const bool first = into->index < 0 || c.index < into->index;
  if (c.index < 0 || (into->index >= 0 && (c.ratio < into->ratio || (c.ratio == into->ratio && !first)))) return;
  into->index = c.index;
  into->got = c.got;
  into->want = c.want;
  into->error = c.error;
  into->tolerance = c.tolerance;
  into->ratio = c.ratio;
  into->ulps = c.ulps;
}

// Whether element i is to be compared; `written` is a pg_element for each, or null for all of them.
PG_HD inline bool is_written(const uint8_t *written, int64_t i) { return !written || written[i] == PG_WRITTEN; }

// A sum of integers that misses an addend is off by one at least. Transforms (a convolution by FFT or Winograd's) round even those.
const double kExactShare = 0.25;

// Element i, which holds `word`, against what it should be. `max`: the largest value of the dtype.
template <class T>
PG_HD inline Judgement judge_element(int64_t i, typename T::Word word, int64_t ulps, const Wanted &w, double max) {
  const double got = T::get(word), want = w.want[i];
  if (w.admitted && w.admitted[i]) return {0, 0, 0};
  Tolerance t = w.tolerance;
  if (w.slack) t.atol += w.slack[i];
  if (w.exact && w.exact[i] == kExact) {
    if (ulps == 0) return {0, 0, 0};
    const double bound = t.atol + t.rtol * fabs(want);
    t = Tolerance();
    t.atol = bound < kExactShare ? bound : kExactShare;
  }
  return judge(got, want, t, max);
}

template <class T>
PG_HD inline double ratio_of(int64_t i, typename T::Word word, const Wanted &w, double max) {
  if (!is_written(w.written, i)) return 0;
  return judge_element<T>(i, word, ulp_distance<T>(word, w.want[i]), w, max).ratio;
}

// Adds element i, unless it is not to be compared, to what is known of its tensor.
template <class T>
PG_HD inline void compare_element(Comparison *c, int64_t i, typename T::Word word, const Wanted &w, double max) {
  if (!is_written(w.written, i)) return;
  const double got = T::get(word), want = w.want[i];
  c->elements++;
  c->digest += mix(bits_as<uint64_t>(want) ^ mix(static_cast<uint64_t>(i)));
  const int64_t ulps = T::kInteger ? -1 : ulp_distance<T>(word, want);
  const Judgement j = judge_element<T>(i, word, ulps, w, max);
  if constexpr (!T::kInteger) c->ulp[ulp_bucket(ulps)]++;
  if (ulps >= 0 && got == got) {
    c->lean += (got - want) * want;
    c->weight += want * want;
  }
  if (j.ratio > 1) {
    c->failed++;
    if (word == T::kPoison) {
      c->unwritten++;
    } else if (!(got == got)) {
      c->nan++;
    }
  }
  if (c->index < 0 || j.ratio > c->ratio) {
    c->index = i;
    c->got = got;
    c->want = want;
    c->error = j.error;
    c->tolerance = j.tolerance;
    c->ratio = j.ratio;
    c->ulps = ulps;
  }
}

}  // namespace perfgate

#endif
