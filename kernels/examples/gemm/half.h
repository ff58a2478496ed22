// f16 and bf16 as storage formats of a CPU kernel: the arithmetic is float, and whole rows are converted on the way in
// and out (widen, narrow), so that a conversion costs a fraction of an instruction per element instead of a call.
//
// No compiler flag is needed: on x86 the F16C instructions are chosen at run time where the processor has them, on
// arm64 they are part of the architecture, and elsewhere integer arithmetic does it.
#ifndef HALF_H
#define HALF_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

struct f16 { uint16_t bits; };   // IEEE binary16
struct bf16 { uint16_t bits; };  // the upper half of a float

inline float float_of(uint32_t bits) { float f; memcpy(&f, &bits, sizeof f); return f; }
inline uint32_t bits_of(float f) { uint32_t bits; memcpy(&bits, &f, sizeof bits); return bits; }

inline float to_float(float x) { return x; }
inline float to_float(bf16 x) { return float_of(uint32_t(x.bits) << 16); }
inline float to_float(f16 x) {
  const uint32_t magnitude = (x.bits & 0x7fffu) << 13;            // exponent and fraction in the places of a float's
  const uint32_t finite = bits_of(float_of(magnitude) * 0x1p112f); // the other bias; exact, subnormals included
  return float_of((magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : finite) | (x.bits & 0x8000u) << 16);
}

// Round to nearest, ties to even; NaN stays NaN.
inline void from_float(float x, float *out) { *out = x; }
inline void from_float(float x, bf16 *out) {
  const uint32_t u = bits_of(x), rounded = u + 0x7fffu + (u >> 16 & 1);
  out->bits = uint16_t(((u & 0x7fffffffu) > 0x7f800000u ? u | 0x400000u : rounded) >> 16);
}
inline void from_float(float x, f16 *out) {
  const uint32_t u = bits_of(x), magnitude = u & 0x7fffffffu;
  const uint32_t normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1)) >> 13;  // rebias, round, shift
  const uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;     // the adder rounds at 2^-24
  const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;             // NaN, or too large
  const uint32_t value = magnitude < 0x38800000u ? subnormal : magnitude < 0x47800000u ? normal : special;
  out->bits = uint16_t(value | (u >> 16 & 0x8000u));
}

template <class T> inline void widen(const T *in, float *out, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = to_float(in[i]);
}
template <class T> inline void narrow(const float *in, T *out, size_t n) {
  for (size_t i = 0; i < n; i++) from_float(in[i], out + i);
}

#if defined(__aarch64__)

inline void widen(const f16 *in, float *out, size_t n) {
  for (size_t i = 0; i < n; i++) { __fp16 h; memcpy(&h, in + i, sizeof h); out[i] = h; }
}
inline void narrow(const float *in, f16 *out, size_t n) {
  for (size_t i = 0; i < n; i++) { const __fp16 h = in[i]; memcpy(out + i, &h, sizeof h); }
}

#elif defined(__x86_64__)

__attribute__((target("avx,f16c"))) inline size_t widen_f16c(const f16 *in, float *out, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(in + i))));
  }
  return i;
}
__attribute__((target("avx,f16c"))) inline size_t narrow_f16c(const float *in, f16 *out, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), _mm256_cvtps_ph(_mm256_loadu_ps(in + i), 0));
  }
  return i;
}
inline bool has_f16c() { return __builtin_cpu_supports("avx2"); }  // which came after F16C; every compiler knows its name

inline void widen(const f16 *in, float *out, size_t n) {
  for (size_t i = has_f16c() ? widen_f16c(in, out, n) : 0; i < n; i++) out[i] = to_float(in[i]);
}
inline void narrow(const float *in, f16 *out, size_t n) {
  for (size_t i = has_f16c() ? narrow_f16c(in, out, n) : 0; i < n; i++) from_float(in[i], out + i);
}

#endif

// A row to compute with: itself where it is float already, else converted into `buffer`.
inline const float *as_float(const float *row, float *, size_t) { return row; }
template <class T> inline const float *as_float(const T *row, float *buffer, size_t n) {
  widen(row, buffer, n);
  return buffer;
}

#endif
