// Operations along rows, in f32 and bf16.
#include <immintrin.h>

#include "unseen.h"

static int64_t rows(const pg_case *c) { return pg_param(c, "rows"); }
static int64_t columns(const pg_case *c) { return pg_param(c, "n"); }

static int map_spec(const pg_case *c, pg_tensor *t) {
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c)), "row,n");
  t[1] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, rows(c), columns(c)), "row,n");
  return 2;
}

static int reduce_spec(const pg_case *c, pg_tensor *t) {
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c)), "row,n");
  t[1] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, rows(c)), "row");
  return 2;
}

// exp within 2 ulp: 2^k times a polynomial of degree 6 on [-ln 2 / 2, ln 2 / 2].
static float polynomial_exp(float x) {
  if (x < -103.9f) return 0;
  const float k = rintf(x * 1.44269504f), r = fmaf(k, -0.693145752f, x) - k * 1.42860677e-6f;
  float p = 1.3888889e-3f;
  for (float a : {8.3333333e-3f, 4.1666667e-2f, 0.16666667f, 0.5f, 1.0f, 1.0f}) p = fmaf(p, r, a);
  return ldexpf(p, static_cast<int>(k));
}

static float pairwise(const float *x, int64_t n) {
  if (n <= 8) {
    float sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    return sum;
  }
  return pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}

// The maximum and the sum of exponentials of a row, in one pass over blocks.
static void online(const float *x, int64_t n, int64_t block, bool forget, float *most, float *sum) {
  *most = -INFINITY, *sum = 0;
  for (int64_t from = 0; from < n; from += block) {
    const int64_t to = std::min(n, from + block);
    const float high = std::max(*most, *std::max_element(x + from, x + to));
    if (!(forget && to == n && from > 0)) *sum *= *most == -INFINITY ? 0 : expf(*most - high);
    for (int64_t j = from; j < to; j++) *sum += expf(x[j] - high);
    *most = high;
  }
}

static void softmax(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  float before = 0;
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = at<float>(d, 0) + i * n;
    float *y = at<float>(d, 1) + i * n, most = 0, sum = 0;
    online(x, n, has(c, "online") ? 1 : has(c, "blocked") ? 64 : 256, has(c, "forgets_rescale"), &most, &sum);
    if (has(c, "no_maximum")) {
      most = sum = 0;
      for (int64_t j = 0; j < n; j++) sum += expf(x[j]);
    }
    if (has(c, "polynomial")) {
      sum = 0;
      for (int64_t j = 0; j < n; j++) sum += polynomial_exp(x[j] - most);
    }
    if (has(c, "tail7") && n % 8 == 7) sum -= expf(x[n - 1] - most);
    if (has(c, "earlier_maximum") && i > 0) {
      most = before, sum = 0;
      for (int64_t j = 0; j < n; j++) sum += expf(x[j] - most);
    }
    before = most;
    for (int64_t j = 0; j < n; j++) y[j] = (has(c, "polynomial") ? polynomial_exp(x[j] - most) : expf(x[j] - most)) / sum;
    if (has(c, "last_mask") && i == rows(c) - 1 && n > 1) y[n - 1] = 0;
  }
}

static void softmax_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const double *x = d[0] + i * n, most = *std::max_element(x, x + n);
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += exp(x[j] - most);
    for (int64_t j = 0; j < n; j++) d[1][i * n + j] = exp(x[j] - most) / sum;
  }
}

static void variance(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = at<float>(d, 0) + i * n;
    float result = 0;
    if (has(c, "welford")) {
      float mean = 0, squares = 0;
      for (int64_t j = 0; j < n; j++) {
        const float delta = x[j] - mean;
        mean += delta / static_cast<float>(j + 1);
        squares += delta * (x[j] - mean);
      }
      result = squares / static_cast<float>(n);
    } else if (has(c, "double") || has(c, "one_pass")) {
      double sum = 0, squares = 0;
      float sum32 = 0, squares32 = 0;
      for (int64_t j = 0; j < n; j++) sum += x[j], squares += double(x[j]) * x[j], sum32 += x[j], squares32 += x[j] * x[j];
      result = static_cast<float>(squares / double(n) - sum / double(n) * (sum / double(n)));
      if (has(c, "one_pass")) result = squares32 / static_cast<float>(n) - sum32 / static_cast<float>(n) * (sum32 / static_cast<float>(n));
    } else {
      std::vector<float> squares(static_cast<size_t>(n));
      const float mean = pairwise(x, n) / static_cast<float>(n);
      for (int64_t j = 0; j < n; j++) squares[static_cast<size_t>(j)] = (x[j] - mean) * (x[j] - mean);
      result = pairwise(squares.data(), n) / static_cast<float>(has(c, "unbiased") && n > 1 ? n - 1 : n);
      if (has(c, "nan_of_one") && n == 1) result = NAN;
    }
    at<float>(d, 1)[i] = result;
  }
}

static void variance_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    double mean = 0, sum = 0;
    for (int64_t j = 0; j < n; j++) mean += d[0][i * n + j] / double(n);
    for (int64_t j = 0; j < n; j++) sum += (d[0][i * n + j] - mean) * (d[0][i * n + j] - mean);
    d[1][i] = sum / double(n);
  }
}

static float fast_rsqrt(float x, int steps) {
  float y = _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x)));
  for (int i = 0; i < steps; i++) y *= 1.5f - 0.5f * x * y * y;
  return y;
}

static void layernorm(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = at<float>(d, 0) + i * n;
    float *y = at<float>(d, 1) + i * n;
    double sum = 0, squares = 0;
    for (int64_t j = 0; j < n; j++) sum += x[j], squares += double(x[j]) * x[j];
    const double mean = sum / double(n);
    float variance = static_cast<float>(std::max(0.0, squares / double(n) - mean * mean));
    if (!has(c, "double")) {
      float total = 0;
      for (int64_t j = 0; j < n; j++) total += (x[j] - static_cast<float>(mean)) * (x[j] - static_cast<float>(mean));
      variance = total / static_cast<float>(n);
    }
    if (!has(c, "no_epsilon")) variance += 1e-5f;
    const float scale = has(c, "newton") ? fast_rsqrt(variance, 1) : has(c, "no_newton") ? fast_rsqrt(variance, 0) : 1 / sqrtf(variance);
    // A copy by vectors of four that begins at the last multiple of 16 bytes.
    const int64_t first = has(c, "unaligned") && i == rows(c) - 1 ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(x) % 16 / 4) : 0;
    for (int64_t j = 0; j < n; j++) y[j] = (x[j < first && n > 4 ? first : j] - static_cast<float>(mean)) * scale;
  }
}

static void layernorm_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  variance_reference(c, d);
  std::vector<double> variances(d[1], d[1] + rows(c));
  for (int64_t i = 0; i < rows(c); i++) {
    double mean = 0;
    for (int64_t j = 0; j < n; j++) mean += d[0][i * n + j] / double(n);
    for (int64_t j = 0; j < n; j++) d[1][i * n + j] = (d[0][i * n + j] - mean) / sqrt(variances[static_cast<size_t>(i)] + 1e-5);
  }
}

static void cumsum(const pg_case *c, void *const *d) {
  const int64_t n = columns(c), block = 256;
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = at<float>(d, 0) + i * n;
    float *y = at<float>(d, 1) + i * n;
    if (has(c, "hillis")) {
      std::vector<float> now(x, x + n), next(now);
      for (int64_t step = 1; step < n; step *= 2, now = next) {
        for (int64_t j = step; j < n; j++) next[size_t(j)] = now[size_t(j)] + now[size_t(j - step)];
      }
      std::copy(now.begin(), now.end(), y);
      continue;
    }
    float carry = 0;
    for (int64_t from = 0; from < n; from += block) {
      float sum = 0;
      for (int64_t j = from; j < std::min(n, from + block); j++) y[j] = carry + (sum += x[j]);
      carry += sum;
      if (has(c, "ends_at_4096") && from + block == 4096) carry = 0;
      if (has(c, "exclusive_block") && from > 0 && from + block >= n) y[n - 1] -= x[n - 1];
    }
  }
}

static void cumsum_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) d[1][i * n + j] = sum += d[0][i * n + j];
  }
}

static void normalise(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  static std::mt19937 luck(12345);
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = at<float>(d, 0) + i * n;
    float lanes[8] = {}, sum = 0;
    const int64_t end = has(c, "ends_at_4096") ? std::min<int64_t>(n, 4096) : has(c, "tail7") && n % 8 == 7 ? n - 1 : n;
    for (int64_t j = 0; j < end; j++) {
      if (has(c, "race") && luck() % 10000 == 0) continue;
      lanes[j % 8] += x[j] * x[j];
    }
    for (float lane : lanes) sum = has(c, "half_sums") ? half(sum + half(lane)) : sum + lane;
    const float scale = 1 / sqrtf(sum + (has(c, "no_epsilon") ? 0 : 1e-12f));
    for (int64_t j = 0; j < n; j++) at<float>(d, 1)[i * n + j] = x[j] * scale;
  }
}

static void normalise_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    double sum = 1e-12;
    for (int64_t j = 0; j < n; j++) sum += d[0][i * n + j] * d[0][i * n + j];
    for (int64_t j = 0; j < n; j++) d[1][i * n + j] = d[0][i * n + j] / sqrt(sum);
  }
}

static int cosine_spec(const pg_case *c, pg_tensor *t) {
  t[0] = pg_dims_named(PG_TENSOR("a", PG_F32, PG_IN, rows(c), columns(c)), "row,n");
  t[1] = pg_dims_named(PG_TENSOR("b", PG_F32, PG_IN, rows(c), columns(c)), "row,n");
  t[2] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, rows(c)), "row");
  return 3;
}

template <class T> static T cosine_of(const T *a, const T *b, int64_t n, bool other) {
  T ab = 0, aa = 0, bb = 0;
  for (int64_t j = 0; j < n; j++) ab += a[j] * b[j], aa += a[j] * a[j], bb += b[j] * b[j];
  return ab / std::max(other ? aa : std::sqrt(aa) * std::sqrt(bb), T(1e-8));
}

static void cosine(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const bool last = i == rows(c) - 1;
    const int64_t b = has(c, "last_row") && last && i > 0 ? i - 1 : i;
    at<float>(d, 2)[i] = cosine_of(at<float>(d, 0) + i * n, at<float>(d, 1) + b * n, n, has(c, "first_norm_twice"));
  }
}

static void cosine_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) d[2][i] = cosine_of(d[0] + i * n, d[1] + i * n, n, false);
}

static int entropy_spec(const pg_case *c, pg_tensor *t) {
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c)), "row,n");
  t[1] = pg_fill_with(PG_TENSOR("label", PG_I32, PG_IN, rows(c)), PG_FILL_UNIFORM, 0, double(columns(c) - 1));
  t[2] = pg_dims_named(PG_TENSOR("loss", PG_F32, PG_OUT, rows(c)), "row");
  return 3;
}

static void entropy(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = at<float>(d, 0) + i * n;
    float most, sum;
    online(x, n, has(c, "online") ? 1 : 128, false, &most, &sum);
    const int64_t label = at<int32_t>(d, 1)[i], shift = has(c, "last_label") && i == rows(c) - 1 && label > 0;
    at<float>(d, 2)[i] = has(c, "log_of_share") ? -logf(expf(x[label] - most) / sum) : logf(sum) + most - x[label - shift];
    if (has(c, "padding_zero") && label == 0) at<float>(d, 2)[i] = 0;
  }
}

static void entropy_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const double *x = d[0] + i * n, most = *std::max_element(x, x + n);
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += exp(x[j] - most);
    d[2][i] = log(sum) + most - x[static_cast<int64_t>(d[1][i])];
  }
}

// A norm of bf16 values with sums in f32.
static int rms_spec(const pg_case *c, pg_tensor *t) {
  t[0] = pg_dims_named(PG_TENSOR("x", PG_BF16, PG_IN, rows(c), columns(c)), "row,n");
  t[1] = PG_TENSOR("gain", PG_BF16, PG_IN, columns(c));
  t[2] = pg_dims_named(PG_TENSOR("y", PG_BF16, PG_OUT, rows(c), columns(c)), "row,n");
  return 3;
}

static void rms(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const uint16_t *x = at<uint16_t>(d, 0) + i * n;
    float sum = 0;
    for (int64_t j = 0; j < n; j++) {
      sum += from_bf16(x[j]) * from_bf16(x[j]);
      if (has(c, "half_sums")) sum = half(sum);
    }
    const float scale = 1 / sqrtf(sum / static_cast<float>(n) + (has(c, "small_epsilon") ? 1e-8f : 1e-5f));
    for (int64_t j = 0; j < n; j++) {
      const float gain = from_bf16(at<uint16_t>(d, 1)[j]) + (has(c, "gain_and_one") ? 1 : 0), y = from_bf16(x[j]) * scale;
      at<uint16_t>(d, 2)[i * n + j] = to_bf16((has(c, "rounds_twice") ? bf16(y) : y) * gain);
    }
  }
}

static void rms_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += d[0][i * n + j] * d[0][i * n + j];
    for (int64_t j = 0; j < n; j++) d[2][i * n + j] = d[0][i * n + j] / sqrt(sum / double(n) + 1e-5) * d[1][j];
  }
}

static void sigmoid(const pg_case *c, void *const *d) {
  for (int64_t i = 0; i < rows(c) * columns(c); i++) {
    const float x = at<float>(d, 0)[i], e = polynomial_exp(-fabsf(x));
    float y = x >= 0 ? 1 / (1 + e) : e / (1 + e);
    if (has(c, "overflows")) y = expf(x) / (1 + expf(x));
    if (has(c, "clipped")) y = x < -30 ? 0 : y;
    at<float>(d, 1)[i] = y;
  }
}

static void sigmoid_reference(const pg_case *c, double *const *d) {
  for (int64_t i = 0; i < rows(c) * columns(c); i++) d[1][i] = 1 / (1 + exp(-d[0][i]));
}

const std::vector<Operation> kOperations = {
    {"softmax", map_spec, softmax, softmax_reference, nullptr, nullptr},
    {"variance", reduce_spec, variance, variance_reference, nullptr, nullptr},
    {"layernorm", map_spec, layernorm, layernorm_reference, nullptr, nullptr},
    {"cumsum", map_spec, cumsum, cumsum_reference, nullptr, nullptr},
    {"normalise", map_spec, normalise, normalise_reference, nullptr, nullptr},
    {"cosine", cosine_spec, cosine, cosine_reference, nullptr, nullptr},
    {"entropy", entropy_spec, entropy, entropy_reference, nullptr, nullptr},
    {"rms", rms_spec, rms, rms_reference, nullptr, nullptr},
    {"sigmoid", map_spec, sigmoid, sigmoid_reference, nullptr, nullptr},
};
