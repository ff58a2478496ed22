// Wrong kernels on a CPU. A kernel's name is OPERATION-FAULT; "right" is no fault.
#include <math.h>

#include <algorithm>

#include "perfgate.h"

struct Shape {
  int64_t rows, n;
};

static Shape shape(const pg_case *c) { return {pg_param(c, "rows"), pg_param(c, "n")}; }

static bool is(const pg_case *c, const char *operation) {
  const size_t n = strlen(operation);
  return strncmp(c->kernel, operation, n) == 0 && c->kernel[n] == '-';
}

static bool has(const pg_case *c, const char *fault) { return strcmp(strchr(c->kernel, '-') + 1, fault) == 0; }

static float half(float x) { return static_cast<float>(static_cast<_Float16>(x)); }

static float bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u;
  memcpy(&x, &bits, 4);
  return x;
}

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t r = shape(c).rows, n = shape(c).n;
  t[0] = PG_TENSOR("x", is(c, "dot8") || is(c, "dequantise") ? PG_I8 : PG_F32, PG_IN, r, n);
  if (is(c, "argmax")) {
    t[1] = PG_TENSOR("y", PG_I32, PG_OUT, r);
    return 2;
  }
  if (is(c, "scan") || is(c, "sort") || is(c, "softmax")) {
    t[1] = PG_TENSOR("y", PG_F32, PG_OUT, r, n);
    return 2;
  }
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, r, n);
  if (is(c, "dot8")) t[1] = PG_TENSOR("w", PG_I8, PG_IN, n), t[2] = PG_TENSOR("y", PG_I32, PG_OUT, r);
  if (is(c, "dequantise")) t[1] = pg_fill_with(PG_TENSOR("scale", PG_F32, PG_IN, r), PG_FILL_UNIFORM, 0.5, 2);
  if (is(c, "conv")) t[1] = PG_TENSOR("w", PG_F32, PG_IN, 5);
  if (is(c, "ragged")) t[1] = pg_fill_with(PG_TENSOR("length", PG_I32, PG_IN, r), PG_FILL_CUSTOM, 0, 0);
  if (is(c, "groupnorm")) {
    t[0] = PG_TENSOR("x", PG_F32, PG_IN, r, 4, n);
    t[1] = PG_TENSOR("gain", PG_F32, PG_IN, 4);
    t[2] = PG_TENSOR("y", PG_F32, PG_OUT, r, 4, n);
  }
  return 3;
}

int pg_fill(const pg_case *c, const char *, uint64_t seed, void *const *data) {
  const Shape s = shape(c);
  for (int64_t i = 0; i < s.rows; i++) static_cast<int32_t *>(data[1])[i] = static_cast<int32_t>(pg_random(seed, i) % (s.n + 1));
  return 0;
}

int pg_written(const pg_case *c, const void *const *data, uint8_t *const *written) {
  const Shape s = shape(c);
  if (!is(c, "ragged")) return 0;
  for (int64_t i = 0; i < s.rows; i++) {
    const int64_t length = static_cast<const int32_t *>(data[1])[i];
    std::fill(written[2] + i * s.n + length, written[2] + (i + 1) * s.n, PG_KEPT);
  }
  return 0;
}

static void dot8(const pg_case *c, const int8_t *x, const int8_t *w, int32_t *y) {
  const Shape s = shape(c);
  const int64_t end = has(c, "last_block") && s.n > 32 ? s.n - s.n % 32 : s.n;
  for (int64_t i = 0; i < s.rows; i++) {
    int32_t sum = 0;
    for (int64_t j = 0; j < end; j++) {
      const int8_t value = x[i * s.n + j];
      sum += (has(c, "unsigned") ? static_cast<uint8_t>(value) : value) * w[j];
      if (has(c, "saturated")) sum = std::min(32767, std::max(-32768, sum));
    }
    y[i] = sum;
  }
}

static void dequantise(const pg_case *c, const int8_t *x, const float *scale, float *y) {
  const Shape s = shape(c);
  for (int64_t i = 0; i < s.rows * s.n; i++) {
    const int64_t row = i / s.n;
    const bool next = has(c, "next_scale") && i % s.n == s.n - 1 && row + 1 < s.rows && s.n > 100;
    y[i] = x[i] * (has(c, "half_scale") ? half(scale[row]) : scale[row + next]);
  }
}

static void argmax(const pg_case *c, const float *x, int32_t *y) {
  const Shape s = shape(c);
  const bool lanes = has(c, "lanes") && s.n > 8;
  for (int64_t i = 0; i < s.rows; i++) {
    int64_t best = 0;
    for (int64_t j = 1; j < (lanes ? s.n - s.n % 8 : s.n); j++) {
      float a = x[i * s.n + j], b = x[i * s.n + best];
      if (has(c, "half")) a = half(a), b = half(b);
      if (has(c, "ties") ? a >= b : a > b) best = j;
    }
    y[i] = static_cast<int32_t>(best);
  }
}

static void conv(const pg_case *c, const float *x, const float *w, float *y) {
  const Shape s = shape(c);
  for (int64_t i = 0; i < s.rows; i++) {
    for (int64_t j = 0; j < s.n; j++) {
      float sum = 0;
      for (int64_t k = has(c, "clipped") && j == s.n - 1 && s.n > 8; k < 5; k++) {
        int64_t at = j + k - 2;
        if (has(c, "repeats_edge") && at < 0) at = 0;
        const bool inside = at >= 0 && (at < s.n || (has(c, "next_row") && i + 1 < s.rows));
        if (inside) sum += (has(c, "bf16_weights") ? bf16(w[k]) : w[k]) * x[i * s.n + at];
      }
      y[i * s.n + j] = sum;
    }
  }
}

template <class T>
static void groupnorm(const pg_case *c, const T *x, const T *gain, T *y, bool right) {
  const Shape s = shape(c);
  const int64_t m = 2 * s.n;
  for (int64_t g = 0; g < 2 * s.rows; g++) {
    T mean = 0, variance = 0;
    for (int64_t j = 0; j < m; j++) mean += x[g * m + j];
    mean /= static_cast<T>(!right && has(c, "mean") && m > 64 ? m - 1 : m);
    for (int64_t j = 0; j < m; j++) variance += (x[g * m + j] - mean) * (x[g * m + j] - mean);
    variance /= static_cast<T>(!right && has(c, "unbiased") ? m - 1 : m);
    const T scale = 1 / std::sqrt(variance + static_cast<T>(!right && has(c, "epsilon") ? 1e-6 : 1e-5));
    for (int64_t j = 0; j < m; j++) y[g * m + j] = (x[g * m + j] - mean) * scale * gain[g % 2 * 2 + (!right && has(c, "first_gain") ? 0 : j / s.n)];
  }
}

static void ragged(const pg_case *c, const float *x, const int32_t *lengths, float *y) {
  const Shape s = shape(c);
  for (int64_t i = 0; i < s.rows; i++) {
    const int64_t length = lengths[i];
    int64_t end = length;
    if (has(c, "one_more")) end = std::min(s.n, end + 1);
    if (has(c, "one_less") && end > 16) end--;
    if (has(c, "padded")) end = std::min(s.n, (end + 7) / 8 * 8);
    float squares = 0;
    for (int64_t j = 0; j < length; j++) squares += x[i * s.n + j] * x[i * s.n + j];
    for (int64_t j = 0; j < end; j++) y[i * s.n + j] = j < length ? x[i * s.n + j] / (1 + sqrtf(squares)) : 0;
  }
}

static void scan(const pg_case *c, const float *x, float *y) {
  const Shape s = shape(c);
  for (int64_t i = 0; i < s.rows; i++) {
    float sum = 0, carry = 0;
    for (int64_t j = 0; j < s.n; j++) {
      if (has(c, "half_carry") && j % 64 == 0) carry = half(carry + sum), sum = 0;
      if (has(c, "reset") && j == 1024) sum = 0;
      sum += x[i * s.n + j];
      y[i * s.n + j] = (carry + sum) * (has(c, "last_scaled") && j == s.n - 1 && s.n > 300 ? 1.0005f : 1);
    }
  }
}

static void sort(const pg_case *c, const float *x, float *y) {
  const Shape s = shape(c);
  for (int64_t i = 0; i < s.rows; i++) {
    float *row = y + i * s.n;
    std::copy(x + i * s.n, x + (i + 1) * s.n, row);
    std::sort(row, row + s.n);
    if (has(c, "swapped") && s.n > 50) std::swap(row[s.n / 2], row[s.n / 2 + 1]);
    if (has(c, "repeated") && s.n > 20) row[7] = row[8];
    if (has(c, "half")) std::transform(row, row + s.n, row, half);
  }
}

static void softmax(const pg_case *c, const float *x, float *y) {
  const Shape s = shape(c);
  for (int64_t i = 0; i < s.rows; i++) {
    const float *row = x + i * s.n;
    float most = has(c, "most_from_zero") ? 0 : -INFINITY, sum = 0;
    for (int64_t j = 0; j < s.n; j++) most = std::max(most, row[j]);
    for (int64_t j = 0; j < s.n - (has(c, "dropped") && s.n > 500); j++) sum += has(c, "short_constant") ? exp2f((row[j] - most) * 1.4427f) : expf(row[j] - most);
    for (int64_t j = 0; j < s.n; j++) y[i * s.n + j] = expf(row[j] - most) / sum * (has(c, "scaled") ? 1.0001f : 1);
  }
}

int pg_launch(const pg_case *c, void *const *d, void *, void *) {
  const float *x = static_cast<float *>(d[0]);
  const int8_t *bytes = static_cast<int8_t *>(d[0]);
  if (is(c, "dot8")) dot8(c, bytes, static_cast<int8_t *>(d[1]), static_cast<int32_t *>(d[2]));
  if (is(c, "dequantise")) dequantise(c, bytes, static_cast<float *>(d[1]), static_cast<float *>(d[2]));
  if (is(c, "argmax")) argmax(c, x, static_cast<int32_t *>(d[1]));
  if (is(c, "conv")) conv(c, x, static_cast<float *>(d[1]), static_cast<float *>(d[2]));
  if (is(c, "groupnorm")) groupnorm(c, x, static_cast<float *>(d[1]), static_cast<float *>(d[2]), false);
  if (is(c, "ragged")) ragged(c, x, static_cast<int32_t *>(d[1]), static_cast<float *>(d[2]));
  if (is(c, "scan")) scan(c, x, static_cast<float *>(d[1]));
  if (is(c, "sort")) sort(c, x, static_cast<float *>(d[1]));
  if (is(c, "softmax")) softmax(c, x, static_cast<float *>(d[1]));
  return 0;
}

// One row, or one element of the row, of each operation in float64.
static void right_row(const pg_case *c, const double *x, const double *other, int64_t i, double *y) {
  const int64_t n = shape(c).n;
  double sum = 0, most = -INFINITY;
  for (int64_t j = 0; j < n; j++) most = std::max(most, x[j]);
  if (is(c, "dot8")) {
    for (int64_t j = 0; j < n; j++) sum += x[j] * other[j];
    y[i] = sum;
  } else if (is(c, "argmax")) {
    y[i] = static_cast<double>(std::max_element(x, x + n) - x);
  } else if (is(c, "dequantise")) {
    for (int64_t j = 0; j < n; j++) y[i * n + j] = x[j] * other[i];
  } else if (is(c, "conv")) {
    for (int64_t j = 0; j < n; j++) {
      y[i * n + j] = 0;
      for (int64_t at = std::max<int64_t>(0, j - 2); at <= std::min(n - 1, j + 2); at++) y[i * n + j] += other[at - j + 2] * x[at];
    }
  } else if (is(c, "ragged")) {
    const int64_t length = static_cast<int64_t>(other[i]);
    for (int64_t j = 0; j < length; j++) sum += x[j] * x[j];
    for (int64_t j = 0; j < length; j++) y[i * n + j] = x[j] / (1 + sqrt(sum));
  } else if (is(c, "scan")) {
    for (int64_t j = 0; j < n; j++) y[i * n + j] = sum += x[j];
  } else if (is(c, "sort")) {
    std::copy(x, x + n, y + i * n);
    std::sort(y + i * n, y + (i + 1) * n);
  } else {
    for (int64_t j = 0; j < n; j++) sum += exp(x[j] - most);
    for (int64_t j = 0; j < n; j++) y[i * n + j] = exp(x[j] - most) / sum;
  }
}

int pg_reference(const pg_case *c, double *const *d, void *) {
  const Shape s = shape(c);
  if (is(c, "groupnorm")) {
    groupnorm(c, d[0], d[1], d[2], true);
    return 0;
  }
  const bool one = is(c, "argmax") || is(c, "scan") || is(c, "sort") || is(c, "softmax");
  for (int64_t i = 0; i < s.rows; i++) right_row(c, d[0] + i * s.n, one ? nullptr : d[1], i, one ? d[1] : d[2]);
  return 0;
}
