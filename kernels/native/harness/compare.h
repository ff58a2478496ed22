// The judgement over one element of an output, and what is kept of a whole tensor's. Compiles for the device as well.
#ifndef PERFGATE_HARNESS_COMPARE_H
#define PERFGATE_HARNESS_COMPARE_H

#include "dtype.h"
#include "fill.h"

namespace perfgate {

struct Tolerance {
  double atol = 0, rtol = 0;
};

struct Comparison {
  int64_t elements = 0;
  int64_t failed = 0;
  int64_t unwritten = 0;  // of the failed: still hold the poison
  int64_t nan = 0;        // of the failed: NaN where none belongs
  int64_t index = -1;     // the worst element; the first of several
  double got = 0, want = 0, error = 0, tolerance = 0;
  double ratio = 0;       // error over tolerance; above 1 fails
  uint64_t digest = 0;    // of `want`, whatever the order in which elements were seen
};

struct Judgement {
  double error, tolerance, ratio;
};

// |got - want| against atol + rtol * |want|. NaN passes only against NaN, an infinity only against the same one; where
// `want` is beyond what the dtype can hold (`max`), infinity and the largest value of that sign are both right.
PG_HD inline Judgement judge(double got, double want, const Tolerance &t, double max) {
  const double infinity = bits_as<double>(static_cast<uint64_t>(0x7FF0000000000000ull));
  const bool got_nan = !(got == got), want_nan = !(want == want);
  if (got_nan || want_nan) {
    if (got_nan && want_nan) return {0, 0, 0};
    return {bits_as<double>(static_cast<uint64_t>(0x7FF8000000000000ull)), t.atol, infinity};
  }
  if (got == want) return {0, t.atol + t.rtol * fabs(want), 0};
  if (fabs(want) > max && fabs(got) >= max && (got > 0) == (want > 0)) return {0, t.atol, 0};
  if (fabs(got) == infinity || fabs(want) == infinity) return {infinity, t.atol, infinity};
  Judgement j;
  j.error = fabs(got - want);
  j.tolerance = t.atol + t.rtol * fabs(want);
  j.ratio = j.tolerance > 0 ? j.error / j.tolerance : infinity;
  return j;
}

// Adds element i to what is known of its tensor.
template <class T>
PG_HD inline void compare_element(Comparison *c, int64_t i, typename T::Word word, double want, const Tolerance &t,
                                  double max) {
  const double got = T::get(word);
  c->digest += mix(bits_as<uint64_t>(want) ^ mix(static_cast<uint64_t>(i)));
  const Judgement j = judge(got, want, t, max);
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
  }
}

}  // namespace perfgate

#endif
