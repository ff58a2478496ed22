// Inputs out of a counter: element i of a tensor depends on (seed, the tensor's place, i) and nothing else. So any tensor can
// be written again, or checked against what was written, without keeping a copy of it.
#ifndef PERFGATE_HARNESS_FILL_H
#define PERFGATE_HARNESS_FILL_H

#include <stdint.h>

#include <string>

#include "dtype.h"

namespace perfgate {

// What parity asks for in place of the adapter's own fill.
enum class Values { kSpec, kNormal, kUniform, kLarge, kTiny, kDenormal, kConstant, kZeros, kOutlier, kMixed, kDominant, kCancel, kIntegers };

bool values_from_name(const std::string &name, Values *out);
const char *values_name(Values values);

// The inverse of the normal distribution function between two tail masses that share their leading float bits.
struct NormalSegment {
  float start, slope;  // slope: for one step of the bits that are not shared
};
const int kNormalShift = 17;                                // the bits that are not shared
const uint32_t kNormalFirst = (127u - 33) << (23 - kNormalShift);  // of 2^-33, the smallest tail mass that is drawn
const NormalSegment *normal_table();                        // for the CPU; a device with memory of its own keeps a copy
uint32_t normal_table_size();                               // in segments

// A fill with everything decided. A plain value: it goes to a device as it is, but for the table.
struct Fill {
  enum Mode { kNormal, kUniform, kConstant, kSequence, kOutlier, kMixed, kIntegers };
  int32_t mode = kConstant;
  int32_t dtype = PG_F32;
  enum Shape { kPlain, kDominant, kCancel };
  int32_t shape = kPlain;  // kOutlier: how a row is made ill-conditioned
  int64_t row = 1;         // kOutlier: elements in a row, the last dimension
  int32_t nonfinite = 0;   // kMixed: some elements are Inf or NaN
  double a = 0, b = 0;     // as in pg_fill_kind; kIntegers: a is the share of elements that are not 0
  int64_t low = 0, high = 0;  // kUniform of integers, both included
  double subnormal = 0;    // kMixed: bound of the subnormal range
  uint64_t key = 0;        // of the seed and the tensor's place among those that are not scratch
  const NormalSegment *table = nullptr;
};

// Decides the fill of tensor `index`. `values` other than kSpec replaces the adapter's fill of floating tensors that are
// not PG_FILL_FIXED.
Fill make_fill(const pg_tensor &t, int index, uint64_t seed, Values values);

// A seed for a purpose, derived from another one.
PG_HD inline uint64_t mix(uint64_t x) {  // the output function of splitmix64
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
PG_HD inline uint64_t derive(uint64_t seed, uint64_t purpose) {
  return mix(mix(seed + 0x9E3779B97F4A7C15ull) + (purpose + 1) * 0x9E3779B97F4A7C15ull);
}

PG_HD inline uint64_t draw(uint64_t key, int64_t i) {
  return mix(key + (static_cast<uint64_t>(i) + 1) * 0x9E3779B97F4A7C15ull);
}

// A standard normal value from 64 random bits, by linear interpolation in a table of the inverse distribution function
// that has 64 segments for each power of two of the tail mass (off by 2e-5 at most). The low bits fill the mantissa up, so
// that an f64 kernel that secretly works in f32 is off by what f32 loses.
PG_HD inline double normal_value(uint64_t bits, const NormalSegment *table) {
  const float k = static_cast<float>(static_cast<int32_t>(bits >> 33));           // 31 bits
  const uint32_t p = bits_as<uint32_t>((k + 0.5f) * 2.3283064365386963e-10f);     // tail mass, over 0 up to 1/2
  const NormalSegment s = table[(p >> kNormalShift) - kNormalFirst];
  const float z = s.start + s.slope * static_cast<float>(static_cast<int32_t>(p & ((1u << kNormalShift) - 1)));
  const double fine = static_cast<double>(static_cast<uint32_t>(bits)) * 2.7755575615628914e-17;  // under 2^-23
  const double signs[2] = {1, -1};
  return static_cast<double>(z) * (signs[(bits >> 32) & 1] + fine);
}

PG_HD inline double uniform_value(uint64_t bits) { return static_cast<double>(bits >> 11) * 1.1102230246251565e-16; }

PG_HD inline int64_t uniform_integer(uint64_t bits, int64_t low, int64_t high) {
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  if (span == 0) return static_cast<int64_t>(bits);  // all of int64
#if defined(__CUDA_ARCH__)
  const uint64_t offset = __umul64hi(bits, span);
#else
  __extension__ typedef unsigned __int128 Wide;
  const uint64_t offset = static_cast<uint64_t>((static_cast<Wide>(bits) * span) >> 64);
#endif
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

// Element i of a fill of mode kMixed: every kind of value next to every other.
PG_HD inline double mixed_value(const Fill &f, uint64_t bits) {
  const uint64_t choice = mix(bits ^ 0x2545F4914F6CDD1Dull);
  const double z = normal_value(bits, f.table);
  if (f.nonfinite && (choice >> 56) == 0) {
    const uint64_t infinity = 0x7FF0000000000000ull;
    const int which = static_cast<int>((choice >> 8) % 3);
    return bits_as<double>(which == 0 ? infinity : which == 1 ? infinity | 1ull << 63 : infinity | 1ull << 51);
  }
  switch (choice & 7) {
    case 0: return f.nonfinite && (choice >> 8 & 1) ? -0.0 : 0.0;  // its sign shows where a result for Inf does
    case 1: return 16.0 * z;
    case 2: return z / 1024.0;
    case 3: return (2.0 * uniform_value(bits) - 1.0) * f.subnormal;
    default: return z;
  }
}

// Element i of a fill of mode kOutlier. Two shapes make rows ill-conditioned: one element of each row far above all the
// others, as a logit that wins a softmax alone; and neighbours that cancel but for a small remainder, as sums fear it.
PG_HD inline double outlier_value(const Fill &f, uint64_t bits, int64_t i) {
  const double z = normal_value(bits, f.table);
  if (f.shape == Fill::kDominant) {
    const uint64_t row = static_cast<uint64_t>(i / f.row), at = static_cast<uint64_t>(i % f.row);
    return mix(f.key ^ mix(row)) % static_cast<uint64_t>(f.row) == at ? 24.0 + z : z;
  }
  if (f.shape == Fill::kCancel) {
    const double big = 16.0 * (1.0 + uniform_value(draw(~f.key, i >> 1)));
    return ((i & 1) ? -big : big) + z / 16.0;
  }
  return z * ((mix(bits) >> 56) == 0 ? 64.0 : 1.0);
}

// Element i. The kind of fill is a template parameter in the hot loops of the device.
PG_HD inline double float_element(const Fill &f, int mode, int64_t i) {
  const uint64_t bits = draw(f.key, i);
  switch (mode) {
    case Fill::kNormal: return f.a + f.b * normal_value(bits, f.table);
    case Fill::kUniform: return f.a + (f.b - f.a) * uniform_value(bits);
    case Fill::kSequence: return f.a + f.b * static_cast<double>(i);
    case Fill::kOutlier: return outlier_value(f, bits, i);
    case Fill::kMixed: return mixed_value(f, bits);
    case Fill::kIntegers: return uniform_value(bits) < f.a ? (mix(bits) & 1 ? 1.0 : -1.0) : 0.0;
    default: return f.a;
  }
}

template <class T>
PG_HD inline typename T::Word fill_word(const Fill &f, int mode, int64_t i) {
  if constexpr (T::kInteger) {
    if (mode == Fill::kUniform) return T::put_integer(uniform_integer(draw(f.key, i), f.low, f.high));
  }
  return T::put(float_element(f, mode, i));
}

}  // namespace perfgate

#endif
