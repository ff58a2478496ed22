// What memory holds that a kernel has no business with: guard zones, and outputs and scratch in a second launch. Compiles for
// the device as well.
#ifndef PERFGATE_HARNESS_GUARD_H
#define PERFGATE_HARNESS_GUARD_H

#include "dtype.h"
#include "fill.h"

namespace perfgate {

// Words of a tensor's dtype that differ by seed, tensor and position. At one position any two tensors differ, so copying one
// guard onto another shows. kSignalling: floating words are signalling NaNs. What is computed from one is NaN, and no arithmetic
// returns one, so it shows even where x + y or 2y is written back. kLarge: finite, from 256 to 4096, of both signs: a maximum or
// a comparison that is blind to NaN is not to these. Integers and eight-bit floats are any number, the latter any finite one.
struct Guard {
  enum Kind { kSignalling, kLarge };
  uint64_t key = 0;  // of the seed
  int32_t tensor = 0;
  int32_t kind = kSignalling;
};

Guard make_guard(uint64_t seed, size_t tensor, Guard::Kind kind);

// The code of infinity of an IEEE dtype, 0 of others.
template <class T>
struct Infinity {
  static constexpr typename T::Word kWord = 0;
};
template <>
struct Infinity<F64> {
  static constexpr uint64_t kWord = 0x7FF0000000000000ull;
};
template <>
struct Infinity<F32> {
  static constexpr uint32_t kWord = 0x7F800000u;
};
template <>
struct Infinity<F16> {
  static constexpr uint16_t kWord = F16::Format::kInf;
};
template <>
struct Infinity<BF16> {
  static constexpr uint16_t kWord = BF16::Format::kInf;
};

// Of `count` choices one that the bits draw, another one for each tensor: the steps have no divisor in common with any count
// that guard_word uses for fewer than 2^16 choices.
PG_HD inline uint64_t guard_choice(uint64_t bits, int32_t tensor, uint64_t count) {
  const uint64_t steps = 0x1D1913110D0B0501ull;  // 1, 5, 11, 13, 17, 19, 25 and 29
  const uint64_t step = (steps >> (8 * (bits & 7))) & 0xFF;
  return ((bits >> 4) % count + static_cast<uint64_t>(tensor) * step) % count;
}

// Element i from the start of a tensor; negative before it.
template <class T>
PG_HD inline typename T::Word guard_word(const Guard &g, int64_t i) {
  using Word = typename T::Word;
  constexpr Word kTop = static_cast<Word>(static_cast<Word>(1) << (8 * sizeof(Word) - 1));
  constexpr uint64_t kInfinity = Infinity<T>::kWord;
  const uint64_t bits = draw(g.key, i);
  if constexpr (T::kInteger) {
    // No poison: of an output it must be told from what was never written.
    constexpr uint64_t kCount = sizeof(Word) == 1 ? 254 : (1ull << (8 * sizeof(Word) - 1)) * 2 - 1;
    const uint64_t choice = guard_choice(bits, g.tensor, kCount);
    return static_cast<Word>(choice < T::kPoison ? choice : choice + 1);
  } else if constexpr (kInfinity == 0) {
    constexpr uint64_t kFinite = T::Format::kMax + 1;  // codes without a sign
    const uint64_t choice = guard_choice(bits, g.tensor, 2 * kFinite);
    return static_cast<Word>((choice & 1 ? kTop : 0) | choice >> 1);
  } else {
    constexpr uint64_t kUnit = kInfinity & (~kInfinity + 1);  // one step of the exponent
    constexpr uint64_t kQuiet = kUnit / 2;
    const bool large = g.kind == Guard::kLarge;
    const uint64_t choice = guard_choice(bits, g.tensor, large ? 8 * kUnit : 2 * (kQuiet - 1));
    const uint64_t lowest = large ? static_cast<uint64_t>(T::put(256)) : kInfinity + 1;
    return static_cast<Word>((choice & 1 ? kTop : 0) | (lowest + choice / 2));
  }
}

}  // namespace perfgate

#endif
