// Element types: how each is stored, and its conversion to and from float64.
//
// Conversions round to nearest, ties to even. f16 and bf16 overflow to infinity, as IEEE says. Both fp8 kinds saturate
// to their largest finite value, infinity included (CUDA's __NV_SATFINITE); NaN stays NaN. Integers saturate too, and
// NaN becomes 0. Everything here also compiles for the device, so that a CUDA half fills and compares with the same code.
#ifndef PERFGATE_HARNESS_DTYPE_H
#define PERFGATE_HARNESS_DTYPE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../perfgate.h"

#if defined(__CUDACC__)
#define PG_HD __host__ __device__
#else
#define PG_HD
#endif

namespace perfgate {

template <class To, class From>
PG_HD inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

// A binary floating format of at most 16 bits. Ieee: the highest exponent holds infinity and NaN; otherwise only the
// code with all bits set is NaN (E4M3FN).
template <int ExpBits, int ManBits, bool Ieee, bool Saturate>
struct SmallFloat {
  static constexpr int kBias = (1 << (ExpBits - 1)) - 1;
  static constexpr uint32_t kSign = 1u << (ExpBits + ManBits);
  static constexpr uint32_t kAll = kSign - 1;
  static constexpr uint32_t kInf = ((1u << ExpBits) - 1) << ManBits;  // where Ieee
  static constexpr uint32_t kNan = Ieee ? kInf | (1u << (ManBits - 1)) : kAll;
  static constexpr uint32_t kMax = Ieee ? kInf - 1 : kAll - 1;

  PG_HD static double decode(uint32_t code) {
    const uint32_t mag = code & kAll, exp = mag >> ManBits, man = mag & ((1u << ManBits) - 1);
    const uint64_t sign = (code & kSign) ? 1ull << 63 : 0;
    if (Ieee && mag >= kInf) {
      return bits_as<double>(sign | 0x7FF0000000000000ull | (static_cast<uint64_t>(man) << (52 - ManBits)));
    }
    if (!Ieee && mag == kAll) return bits_as<double>(sign | 0x7FF8000000000000ull);
    if (exp == 0) {  // subnormal: man * 2^(1 - bias - ManBits), exact in float64
      const double unit = bits_as<double>(static_cast<uint64_t>(1 - kBias - ManBits + 1023) << 52);
      const double v = man * unit;
      return sign ? -v : v;
    }
    return bits_as<double>(sign | (static_cast<uint64_t>(exp) + (1023 - kBias)) << 52 |
                           (static_cast<uint64_t>(man) << (52 - ManBits)));
  }

  PG_HD static uint32_t encode(double v) {
    const uint64_t u = bits_as<uint64_t>(v), mag = u & 0x7FFFFFFFFFFFFFFFull;
    const uint32_t sign = (u >> 63) ? kSign : 0;
    if (mag > 0x7FF0000000000000ull) return sign | kNan;
    uint64_t code;
    if (mag < static_cast<uint64_t>(1024 - kBias) << 52) {
      // Below the smallest normal value: adding 2^52 units makes the sum's last bit the unit, so the addition rounds.
      const double magic = bits_as<double>(static_cast<uint64_t>(1 - kBias - ManBits + 52 + 1023) << 52);
      code = bits_as<uint64_t>(bits_as<double>(mag) + magic) - bits_as<uint64_t>(magic);
    } else {
      // Half a unit is added, less one where the bit above is even already: ties go to even. A carry out of the mantissa
      // runs into the exponent, which is the right result.
      const int shift = 52 - ManBits;
      code = (mag + ((1ull << (shift - 1)) - 1) + ((mag >> shift) & 1)) >> shift;
      code -= static_cast<uint64_t>(1023 - kBias) << ManBits;
    }
    if (code > kMax) return sign | (Saturate ? kMax : kInf);
    return sign | static_cast<uint32_t>(code);
  }
};

// One struct per dtype: Word is how an element lies in memory, kPoison what an output holds before a launch. Poison is a
// NaN with an unusual payload for every floating kind (E4M3 has only two NaNs), so that a kernel that reads what it
// should have written yields NaN; integers get an unusual value.
struct F64 {
  using Word = uint64_t;
  static constexpr Word kPoison = 0xFFF5A5A5A5A5A5A5ull;
  static constexpr bool kInteger = false;
  PG_HD static double get(Word w) { return bits_as<double>(w); }
  PG_HD static Word put(double v) { return bits_as<Word>(v); }
};
struct F32 {
  using Word = uint32_t;
  static constexpr Word kPoison = 0xFFA5A5A5u;
  static constexpr bool kInteger = false;
  PG_HD static double get(Word w) { return bits_as<float>(w); }
  PG_HD static Word put(double v) { return bits_as<Word>(static_cast<float>(v)); }
};
template <class WordT, WordT Poison, int E, int M, bool Ieee, bool Saturate>
struct Small {
  using Word = WordT;
  using Format = SmallFloat<E, M, Ieee, Saturate>;
  static constexpr Word kPoison = Poison;
  static constexpr bool kInteger = false;
  PG_HD static double get(Word w) { return Format::decode(w); }
  PG_HD static Word put(double v) { return static_cast<Word>(Format::encode(v)); }
};
using F16 = Small<uint16_t, 0xFDA5, 5, 10, true, false>;
using BF16 = Small<uint16_t, 0xFFA5, 8, 7, true, false>;
using F8E4M3 = Small<uint8_t, 0xFF, 4, 3, false, true>;
using F8E5M2 = Small<uint8_t, 0xFD, 5, 2, true, true>;

template <class Signed, class WordT, WordT Poison>
struct Integer {
  using Word = WordT;
  static constexpr Word kPoison = Poison;
  static constexpr bool kInteger = true;
  static constexpr int kBits = 8 * sizeof(Word);
  static constexpr bool kUnsigned = static_cast<Signed>(-1) > 0;
  static constexpr int64_t kLow = kUnsigned ? 0 : -(1ll << (kBits - 2)) * 2;
  static constexpr int64_t kHigh = kUnsigned ? (1ll << (kBits % 64)) - 1 : (1ll << (kBits - 2)) - 1 + (1ll << (kBits - 2));
  PG_HD static double get(Word w) { return static_cast<double>(static_cast<Signed>(w)); }
  PG_HD static Word put_integer(int64_t v) {
    return static_cast<Word>(static_cast<Signed>(v < kLow ? kLow : v > kHigh ? kHigh : v));
  }
  PG_HD static Word put(double v) {
    if (!(v == v)) return 0;
    const double r = rint(v);
    if (r <= static_cast<double>(kLow)) return put_integer(kLow);
    if (r >= static_cast<double>(kHigh)) return put_integer(kHigh);  // for i64 2^63 - 1 reads as 2^63: still out of range
    return put_integer(static_cast<int64_t>(r));
  }
};
using I64 = Integer<int64_t, uint64_t, 0xA5A5A5A5A5A5A5A5ull>;
using I32 = Integer<int32_t, uint32_t, 0xA5A5A5A5u>;
using I8 = Integer<int8_t, uint8_t, 0xA5>;
using U8 = Integer<uint8_t, uint8_t, 0xA5>;

// Calls f with the struct of `dtype`, which must be valid: with_dtype(t, [&](auto kind) { using T = decltype(kind); ... }).
template <class F>
inline auto with_dtype(int dtype, F &&f) -> decltype(f(F32())) {
  switch (dtype) {
    case PG_F64: return f(F64());
    case PG_F16: return f(F16());
    case PG_BF16: return f(BF16());
    case PG_F8E4M3: return f(F8E4M3());
    case PG_F8E5M2: return f(F8E5M2());
    case PG_I64: return f(I64());
    case PG_I32: return f(I32());
    case PG_I8: return f(I8());
    case PG_U8: return f(U8());
    default: return f(F32());
  }
}

const char *dtype_name(int dtype);    // "f16"; "?" for an unknown one
bool dtype_is_integer(int dtype);
double dtype_max(int dtype);          // largest finite value
double dtype_min_normal(int dtype);   // smallest positive normal value; 1 for integers

}  // namespace perfgate

#endif
