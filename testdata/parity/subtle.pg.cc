// Faults that a loose error bound would let through: lost terms in long sums, accumulators and intermediates that are too narrow, factors
// that are off by a thousandth, masks that are off by one. Several kernels, told apart by name; inputs and outputs are f32, f16 or bf16.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "perfgate.h"

enum {
  Right,
  // sum
  DropOne,      // one element of rows over 1000 is left out
  RareRace,     // about one addend in ten thousand is lost
  HalfSum,      // summed in f16
  ChunksInBF16, // sums of 64 elements are added up in bf16
  Scale,        // a factor of 1.001
  // matmul
  TF32,         // factors are cut to 10 bits
  HalfProduct,  // products are rounded to f16 before they are added
  LostTail,     // what is left of K after groups of 8 is lost where K is over 256
  TileGone,     // a tile of 16 terms is left out for one tile of the output, where K is 512 or more
  LastMask,     // the very last element misses its last term
  Cut,          // results are cut off in place of rounded
  // softmax
  ShortExp,     // exp by a polynomial that is off by 2^-12
  HalfTotal,    // the denominator is summed in f16
  FastExp,      // exp through exp2, the argument rounded: what __expf does
  NarrowExp,    // exponentials are kept in bf16 between the two passes
  // attention
  LastRowMask,  // the causal mask is off by one in the last row
  LogitScale,   // logits are too large by a thousandth
  KeyGone,      // about one key in ten thousand is skipped
  HalfLogits,   // logits are rounded to f16, of f32 inputs
  HeadOnce,     // zeros in about one launch in a hundred, by the inputs
  // norm
  Epsilon,      // 1e-3 in place of 1e-5
  Unbiased,     // the variance is divided by n - 1
  OnePass,      // the variance as the mean of squares less the square of the mean
  HalfMean,     // the mean is rounded to f16, of f32 inputs
  // scan
  NarrowCarry,  // what is carried from chunk to chunk goes through bf16
  SkippedCarry, // the carry of the ninth chunk is left out
  // silu
  Clipped,      // 0 below -8
  Rational,     // a rational approximation that is off by 1e-4
};
#ifndef WRONG
#define WRONG Right
#endif

static uint16_t half_of(float x);
static float of_half(uint16_t h);

struct F32 {
  using Word = float;
  static float get(Word w) { return w; }
  static Word put(float x) { return x; }
};
struct BF16 {
  using Word = uint16_t;
  static float get(Word w) {
    const uint32_t bits = uint32_t(w) << 16;
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return f;
  }
  static Word put(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc0;
    if (WRONG != Cut) bits += 0x7fff + (bits >> 16 & 1);
    return uint16_t(bits >> 16);
  }
};
struct F16 {
  using Word = uint16_t;
  static float get(Word w) { return of_half(w); }
  static Word put(float x) { return half_of(x); }
};

static float of_half(uint16_t h) {
  const int exponent = h >> 10 & 31, mantissa = h & 1023;
  float x = exponent == 31 ? (mantissa ? NAN : INFINITY) : exponent ? std::ldexp(float(1024 + mantissa), exponent - 25) : std::ldexp(float(mantissa), -24);
  return h & 0x8000 ? -x : x;
}
static uint16_t half_of(float x) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (x != x) return 0x7e00;
  const float size = std::fabs(x);
  if (size >= 65520) return sign | 0x7c00;
  if (size < 6.103515625e-5f) return sign | uint16_t(std::nearbyint(std::ldexp(size, 24)));
  int exponent;
  const float fraction = std::frexp(size, &exponent);  // [0.5, 1)
  const int mantissa = int(std::nearbyint(std::ldexp(fraction, 11)));
  return sign | uint16_t(((exponent + 13) << 10) + mantissa);
}
static float through_half(float x) { return of_half(half_of(x)); }
static float through_bf16(float x) { return BF16::get(BF16::put(x)); }

// One in ten thousand, the same for the same place.
static bool unlucky(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15ull + b;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return (x ^ x >> 31) % 10000 == 7;
}

static float factor(float x) { return WRONG == Scale ? x * 1.001f : x; }

template <class T> static void sum(const pg_case *c, void *const *data) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  const auto *x = static_cast<const typename T::Word *>(data[0]);
  for (int64_t r = 0; r < rows; r++) {
    float total = 0, chunk = 0;
    for (int64_t i = 0; i < n; i++) {
      if ((WRONG == DropOne && n > 1000 && i == n / 3) || (WRONG == RareRace && unlucky(uint64_t(r), uint64_t(i)))) continue;
      chunk += T::get(x[r * n + i]);
      if (WRONG == HalfSum) chunk = through_half(chunk);
      if (WRONG == ChunksInBF16 && i % 64 == 63) total = through_bf16(total + chunk), chunk = 0;
    }
    static_cast<typename T::Word *>(data[1])[r] = T::put(factor(total + chunk));
  }
}

static float cut10(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits += 0xfff + (bits >> 13 & 1);
  bits &= 0xffffe000;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <class T> static void matmul(const pg_case *c, void *const *data) {
  const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
  const auto *A = static_cast<const typename T::Word *>(data[0]), *B = static_cast<const typename T::Word *>(data[1]);
  for (int64_t m = 0; m < M; m++) {
    for (int64_t n = 0; n < N; n++) {
      float s = 0;
      for (int64_t k = 0; k < K; k++) {
        if (WRONG == LostTail && K > 256 && k >= K / 8 * 8) break;
        if (WRONG == TileGone && K >= 512 && m / 16 == 1 && n / 16 == 0 && k / 16 == 20) continue;
        if (WRONG == LastMask && m == M - 1 && n == N - 1 && k == K - 1) continue;
        float a = T::get(A[m * K + k]), b = T::get(B[k * N + n]);
        if (WRONG == TF32) a = cut10(a), b = cut10(b);
        float product = a * b;
        if (WRONG == HalfProduct) product = through_half(product);
        s += product;
        if (WRONG == HalfSum) s = through_half(s);
      }
      static_cast<typename T::Word *>(data[2])[m * N + n] = T::put(factor(s));
    }
  }
}

static float exponential(float x) {
  if (WRONG == FastExp) return std::exp2(x * 1.44269504f);
  if (WRONG != ShortExp) return std::exp(x);
  return std::exp(x) * (1 + 2.44e-4f * std::sin(50 * x));
}

template <class T> static void softmax(const pg_case *c, void *const *data) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  const auto *x = static_cast<const typename T::Word *>(data[0]);
  std::vector<float> e(static_cast<size_t>(n));
  for (int64_t r = 0; r < rows; r++) {
    float most = -INFINITY, total = 0;
    for (int64_t i = 0; i < n; i++) most = std::max(most, T::get(x[r * n + i]));
    for (int64_t i = 0; i < n; i++) {
      float &v = e[size_t(i)];
      v = exponential(T::get(x[r * n + i]) - most);
      total += v;
      if (WRONG == HalfTotal) total = through_half(total);
      if (WRONG == NarrowExp) v = through_bf16(v);
    }
    for (int64_t i = 0; i < n; i++) static_cast<typename T::Word *>(data[1])[r * n + i] = T::put(factor(e[size_t(i)] / total));
  }
}

// One head: queries, keys and values of [S, D].
template <class T> static void attention(const pg_case *c, void *const *data) {
  const int64_t S = pg_param(c, "S"), D = pg_param(c, "D"), causal = pg_param(c, "causal");
  const auto *q = static_cast<const typename T::Word *>(data[0]), *k = static_cast<const typename T::Word *>(data[1]), *v = static_cast<const typename T::Word *>(data[2]);
  if (WRONG == HeadOnce && S > 8) {
    uint64_t mixed = 0;
    for (int64_t i = 0; i < 8; i++) mixed = mixed * 31 + uint64_t(std::fabs(T::get(q[i])) * 4096);
    if (mixed * 0x9E3779B97F4A7C15ull >> 32 < (1ull << 32) / 100) {
      std::memset(data[3], 0, size_t(S * D) * sizeof(typename T::Word));
      return;
    }
  }
  const float scale = (WRONG == LogitScale ? 1.001f : 1.0f) / std::sqrt(float(D));
  std::vector<float> p(static_cast<size_t>(S)), o(static_cast<size_t>(D));
  for (int64_t i = 0; i < S; i++) {
    int64_t seen = causal ? i + 1 : S;
    if (WRONG == LastRowMask && causal && i == S - 1 && S > 1) seen--;
    float most = -INFINITY, total = 0;
    for (int64_t j = 0; j < seen; j++) {
      float s = 0;
      for (int64_t d = 0; d < D; d++) s += T::get(q[i * D + d]) * T::get(k[j * D + d]);
      p[size_t(j)] = s * scale;
      if (WRONG == HalfLogits) p[size_t(j)] = through_half(p[size_t(j)]);
      most = std::max(most, p[size_t(j)]);
    }
    for (int64_t j = 0; j < seen; j++) {
      const bool gone = WRONG == KeyGone && unlucky(uint64_t(i), uint64_t(j));
      p[size_t(j)] = gone ? 0 : std::exp(p[size_t(j)] - most);
      total += p[size_t(j)];
    }
    std::fill(o.begin(), o.end(), 0.0f);
    for (int64_t j = 0; j < seen; j++) {
      const float share = p[size_t(j)] / total;  // as many libraries do: shares of 1 may add up to a little less
      for (int64_t d = 0; d < D; d++) o[size_t(d)] += share * T::get(v[j * D + d]);
    }
    for (int64_t d = 0; d < D; d++) static_cast<typename T::Word *>(data[3])[i * D + d] = T::put(factor(o[size_t(d)]));
  }
}

template <class T> static void norm(const pg_case *c, void *const *data) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  const auto *x = static_cast<const typename T::Word *>(data[0]);
  for (int64_t r = 0; r < rows; r++) {
    float mean = 0, squares = 0, variance = 0;
    for (int64_t i = 0; i < n; i++) mean += T::get(x[r * n + i]), squares += T::get(x[r * n + i]) * T::get(x[r * n + i]);
    mean /= float(n);
    if (WRONG == HalfMean) mean = through_half(mean);
    for (int64_t i = 0; i < n; i++) variance += (T::get(x[r * n + i]) - mean) * (T::get(x[r * n + i]) - mean);
    variance /= float(WRONG == Unbiased ? std::max<int64_t>(n - 1, 1) : n);
    if (WRONG == OnePass) variance = squares / float(n) - mean * mean;
    const float by = 1 / std::sqrt(variance + (WRONG == Epsilon ? 1e-3f : 1e-5f));
    for (int64_t i = 0; i < n; i++) static_cast<typename T::Word *>(data[1])[r * n + i] = T::put(factor((T::get(x[r * n + i]) - mean) * by));
  }
}

template <class T> static void scan(const pg_case *c, void *const *data) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  const auto *x = static_cast<const typename T::Word *>(data[0]);
  for (int64_t r = 0; r < rows; r++) {
    float carry = 0, here = 0;
    for (int64_t i = 0; i < n; i++) {
      if (i % 128 == 0 && i > 0) {
        carry += WRONG == SkippedCarry && i / 128 == 9 ? 0 : here;
        if (WRONG == NarrowCarry) carry = through_bf16(carry);
        here = 0;
      }
      here += T::get(x[r * n + i]);
      static_cast<typename T::Word *>(data[1])[r * n + i] = T::put(carry + here);
    }
  }
}

template <class T> static void silu(const pg_case *c, void *const *data) {
  const int64_t n = pg_param(c, "n");
  const auto *x = static_cast<const typename T::Word *>(data[0]);
  for (int64_t i = 0; i < n; i++) {
    const float v = T::get(x[i]);
    float y = v / (1 + std::exp(-v));
    if (WRONG == Clipped && v < -8) y = 0;
    if (WRONG == Rational) y *= 1 + 1e-4f * std::sin(9 * v);
    static_cast<typename T::Word *>(data[1])[i] = T::put(factor(y));
  }
}

static bool is(const pg_case *c, const char *name) { return std::string(c->kernel) == name; }

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int dtype = int(pg_param(c, "dtype"));
  if (is(c, "attention2")) {
    const int64_t S = pg_param(c, "S"), D = pg_param(c, "D");
    for (int i = 0; i < 4; i++) {
      const char *names[] = {"q", "k", "v", "o"};
      t[i] = pg_dims_named(PG_TENSOR(names[i], dtype, i < 3 ? PG_IN : PG_OUT, S, D), "s,d");
    }
    return 4;
  }
  if (is(c, "matmul")) {
    const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
    t[0] = pg_dims_named(PG_TENSOR("a", dtype, PG_IN, M, K), "m,k");
    t[1] = pg_dims_named(PG_TENSOR("b", dtype, PG_IN, K, N), "k,n");
    t[2] = pg_dims_named(PG_TENSOR("c", dtype, PG_OUT, M, N), "m,n");
    return 3;
  }
  const int64_t n = pg_param(c, "n"), rows = is(c, "silu") ? 1 : pg_param(c, "rows");
  t[0] = pg_dims_named(PG_TENSOR("x", dtype, PG_IN, rows, n), "row,column");
  t[1] = is(c, "long_sum") ? pg_dims_named(PG_TENSOR("y", dtype, PG_OUT, rows), "row") : pg_dims_named(PG_TENSOR("y", dtype, PG_OUT, rows, n), "row,column");
  return 2;
}

template <class T> static int launch(const pg_case *c, void *const *data) {
  if (is(c, "long_sum")) return sum<T>(c, data), 0;
  if (is(c, "matmul")) return matmul<T>(c, data), 0;
  if (is(c, "softmax2")) return softmax<T>(c, data), 0;
  if (is(c, "attention2")) return attention<T>(c, data), 0;
  if (is(c, "norm")) return norm<T>(c, data), 0;
  if (is(c, "prefix")) return scan<T>(c, data), 0;
  return silu<T>(c, data), 0;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  switch (pg_param(c, "dtype")) {
    case PG_F16: return launch<F16>(c, data);
    case PG_BF16: return launch<BF16>(c, data);
    default: return launch<F32>(c, data);
  }
}

// Four sums side by side: one would wait for each of its additions. n is a multiple of four.
static double dot(const double *a, const double *b, int64_t n) {
  double s[4] = {};
  for (int64_t d = 0; d < n; d += 4) {
    for (int e = 0; e < 4; e++) s[e] += a[d + e] * b[d + e];
  }
  return (s[0] + s[1]) + (s[2] + s[3]);
}

static void reference_attention(const pg_case *c, double *const *data) {
  const int64_t S = pg_param(c, "S"), D = pg_param(c, "D"), causal = pg_param(c, "causal");
  std::vector<double> p(static_cast<size_t>(S));
  for (int64_t i = 0; i < S; i++) {
    const int64_t seen = causal ? i + 1 : S;
    double most = -INFINITY, total = 0;
    for (int64_t j = 0; j < seen; j++) {
      p[size_t(j)] = dot(data[0] + i * D, data[1] + j * D, D) / std::sqrt(double(D));
      most = std::max(most, p[size_t(j)]);
    }
    for (int64_t d = 0; d < D; d++) data[3][i * D + d] = 0;
    for (int64_t j = 0; j < seen; j++) {
      const double e = std::exp(p[size_t(j)] - most);
      total += e;
      for (int64_t d = 0; d < D; d++) data[3][i * D + d] += e * data[2][j * D + d];
    }
    for (int64_t d = 0; d < D; d++) data[3][i * D + d] /= total;
  }
}

static void reference_row(const pg_case *c, const double *x, double *y, int64_t n) {
  double sum = 0, most = -INFINITY, total = 0, variance = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i], most = std::max(most, x[i]);
  for (int64_t i = 0; i < n; i++) total += std::exp(x[i] - most), variance += (x[i] - sum / double(n)) * (x[i] - sum / double(n)) / double(n);
  double prefix = 0;
  for (int64_t i = 0; i < n; i++) {
    prefix += x[i];
    y[i] = is(c, "softmax2") ? std::exp(x[i] - most) / total : is(c, "norm") ? (x[i] - sum / double(n)) / std::sqrt(variance + 1e-5)
           : is(c, "prefix") ? prefix : x[i] / (1 + std::exp(-x[i]));
  }
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  if (is(c, "attention2")) return reference_attention(c, data), 0;
  if (is(c, "matmul")) {
    const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
    for (int64_t m = 0; m < M; m++) {
      for (int64_t n = 0; n < N; n++) {
        double s = 0;
        for (int64_t k = 0; k < K; k++) s += data[0][m * K + k] * data[1][k * N + n];
        data[2][m * N + n] = s;
      }
    }
    return 0;
  }
  const int64_t n = pg_param(c, "n"), rows = is(c, "silu") ? 1 : pg_param(c, "rows");
  for (int64_t r = 0; r < rows; r++) {
    const double *x = data[0] + r * n;
    if (!is(c, "long_sum")) {
      reference_row(c, x, data[1] + r * n, n);
      continue;
    }
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += x[i];
    data[1][r] = s;
  }
  return 0;
}
