// Products, convolutions and transforms.
#include <complex>

#include "unseen.h"

static int64_t M(const pg_case *c) { return pg_param(c, "m"); }
static int64_t N(const pg_case *c) { return pg_param(c, "n"); }
static int64_t K(const pg_case *c) { return pg_param(c, "k"); }

static int product_of(const pg_case *c, pg_tensor *t, int dtype, int result) {
  t[0] = pg_dims_named(PG_TENSOR("a", dtype, PG_IN, M(c), K(c)), "m,k");
  t[1] = pg_dims_named(PG_TENSOR("b", dtype, PG_IN, K(c), N(c)), "k,n");
  t[2] = pg_dims_named(PG_TENSOR("c", result, PG_OUT, M(c), N(c)), "m,n");
  return 3;
}

static int gemm_spec(const pg_case *c, pg_tensor *t) { return product_of(c, t, PG_F32, PG_F32); }
static int gemm16_spec(const pg_case *c, pg_tensor *t) {
  return product_of(c, t, has(c, "f16_storage") ? PG_F16 : PG_BF16, has(c, "f16_storage") ? PG_F16 : PG_BF16);
}

template <class T> static void multiply(const T *a, const T *b, T *out, int64_t m, int64_t n, int64_t k) {
  std::fill(out, out + m * n, T());
  for (int64_t i = 0; i < m; i++) {
    for (int64_t l = 0; l < k; l++) {
      for (int64_t j = 0; j < n; j++) out[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
}

static void product_reference(const pg_case *c, double *const *d) { multiply(d[0], d[1], d[2], M(c), N(c), K(c)); }

static float pairwise_dot(const float *a, const float *b, int64_t k, int64_t stride) {
  if (k > 4) return pairwise_dot(a, b, k / 2, stride) + pairwise_dot(a + k / 2, b + k / 2 * stride, k - k / 2, stride);
  float sum = 0;
  for (int64_t l = 0; l < k; l++) sum += a[l] * b[l * stride];
  return sum;
}

static float kahan_dot(const float *a, const float *b, int64_t k, int64_t stride) {
  float sum = 0, lost = 0;
  for (int64_t l = 0; l < k; l++) {
    const float y = a[l] * b[l * stride] - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
  return sum;
}

// One element of the product, with what a variant gets wrong.
static float dot(const pg_case *c, const float *a, const float *b, int64_t i, int64_t j) {
  const int64_t k = K(c), n = N(c);
  const float *row = a + i * k, *column = b + j;
  if (has(c, "pairwise")) return pairwise_dot(row, column, k, n);
  if (has(c, "kahan")) return kahan_dot(row, column, k, n);
  float sum = 0, block = 0;
  const int64_t end = has(c, "tail7") && k % 8 == 7 ? k - 1 : has(c, "last_row_short") && i == M(c) - 1 && k > 1 ? k - 1 : k;
  for (int64_t l = 0; l < end; l++) {
    int64_t from = i * k + l;
    if (has(c, "index16")) from = static_cast<int16_t>(from) < 0 ? 0 : from;
    if (has(c, "unaligned") && k % 4 && l / 4 == k / 4) from = std::max<int64_t>(0, from - 1);
    const float other = has(c, "transposed_square") && n == k ? b[j * n + l] : column[l * n];
    block += a[from] * other;
    if (has(c, "half_sums")) block = half(block);
    if (l % 32 == 31) sum += block, block = 0;
  }
  return sum + block;
}

// One level of Strassen's algorithm where all sizes are even, else plain blocks.
static void strassen(const float *a, const float *b, float *out, int64_t m, int64_t n, int64_t k) {
  if (m % 2 || n % 2 || k % 2) return multiply(a, b, out, m, n, k);
  const int64_t m2 = m / 2, n2 = n / 2, k2 = k / 2;
  auto part = [](const float *x, int64_t rows, int64_t width, int64_t p, float sign, int64_t q) {
    std::vector<float> out(static_cast<size_t>(rows * width / 2));
    for (int64_t i = 0; i < rows; i++) {
      for (int64_t j = 0; j < width / 2; j++) {
        auto value = [&](int64_t quarter) { return x[(i + quarter / 2 * rows) * width + j + quarter % 2 * (width / 2)]; };
        out[size_t(i * (width / 2) + j)] = value(p) + (sign != 0 ? sign * value(q) : 0);
      }
    }
    return out;
  };
  struct Term { int64_t p; float s; int64_t q; int64_t r; float t; int64_t u; };
  const Term terms[7] = {{0, 1, 3, 0, 1, 3}, {2, 1, 3, 0, 0, 0}, {0, 0, 0, 1, -1, 3}, {3, 0, 0, 2, -1, 0}, {0, 1, 1, 3, 0, 0}, {2, -1, 0, 0, 1, 1}, {1, -1, 3, 2, 1, 3}};
  const float into[7][4] = {{1, 0, 0, 1}, {0, 0, 1, -1}, {0, 1, 0, 1}, {1, 0, 1, 0}, {-1, 1, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}};
  std::fill(out, out + m * n, 0.0f);
  std::vector<float> product(static_cast<size_t>(m2 * n2));
  for (int s = 0; s < 7; s++) {
    const Term &t = terms[s];
    multiply(part(a, m2, k, t.p, t.s, t.q).data(), part(b, k2, n, t.r, t.t, t.u).data(), product.data(), m2, n2, k2);
    for (int q = 0; q < 4; q++) {
      for (int64_t i = 0; i < m2 && into[s][q] != 0; i++) {
        for (int64_t j = 0; j < n2; j++) out[(i + q / 2 * m2) * n + j + q % 2 * n2] += into[s][q] * product[size_t(i * n2 + j)];
      }
    }
  }
}

static void gemm(const pg_case *c, void *const *d) {
  const float *a = at<float>(d, 0), *b = at<float>(d, 1);
  float *out = at<float>(d, 2);
  if (has(c, "strassen")) return strassen(a, b, out, M(c), N(c), K(c));
  if (has(c, "ijk")) return multiply(a, b, out, M(c), N(c), K(c));
  for (int64_t i = 0; i < M(c); i++) {
    for (int64_t j = 0; j < N(c); j++) out[i * N(c) + j] = dot(c, a, b, i, j);
  }
}

// Products of 16 bits with sums in f32.
static void gemm16(const pg_case *c, void *const *d) {
  const bool f16 = has(c, "f16_storage");
  auto load = [&](int tensor, int64_t i) { return f16 ? static_cast<float>(at<_Float16>(d, tensor)[i]) : from_bf16(at<uint16_t>(d, tensor)[i]); };
  for (int64_t i = 0; i < M(c); i++) {
    for (int64_t j = 0; j < N(c); j++) {
      float sum = 0;
      for (int64_t l = 0; l < K(c); l++) {
        sum += load(0, i * K(c) + l) * load(1, l * N(c) + j);
        if (has(c, "half_sums")) sum = half(sum);
      }
      if (f16) at<_Float16>(d, 2)[i * N(c) + j] = static_cast<_Float16>(sum);
      if (!f16) at<uint16_t>(d, 2)[i * N(c) + j] = to_bf16(sum);
      uint32_t bits;
      memcpy(&bits, &sum, 4);
      if (has(c, "cut_off")) at<uint16_t>(d, 2)[i * N(c) + j] = static_cast<uint16_t>(bits >> 16);
    }
  }
}

// int8 with a scale for each row of a and each column of b.
static int quantised_spec(const pg_case *c, pg_tensor *t) {
  product_of(c, t, PG_I8, PG_F32);
  t[3] = t[2];
  t[2] = pg_fill_with(PG_TENSOR("sa", PG_F32, PG_IN, M(c)), PG_FILL_UNIFORM, 0.001, 0.1);
  t[4] = t[3];
  t[3] = pg_fill_with(PG_TENSOR("sb", PG_F32, PG_IN, N(c)), PG_FILL_UNIFORM, 0.001, 0.1);
  return 5;
}

static void quantised(const pg_case *c, void *const *d) {
  for (int64_t i = 0; i < M(c); i++) {
    for (int64_t j = 0; j < N(c); j++) {
      int32_t sum = 0;
      float sum32 = 0;
      for (int64_t l = 0; l < K(c); l++) {
        const int32_t term = at<int8_t>(d, 0)[i * K(c) + l] * at<int8_t>(d, 1)[l * N(c) + j];
        sum += term, sum32 += static_cast<float>(term);
        if (has(c, "wraps16")) sum = static_cast<int16_t>(sum);
      }
      const bool swapped = has(c, "scales_swapped") && M(c) == N(c);
      const float scale = at<float>(d, 2)[swapped ? j : i] * at<float>(d, 3)[swapped ? i : j];
      at<float>(d, 4)[i * N(c) + j] = has(c, "float_sums") ? sum32 * scale : static_cast<float>(sum) * (has(c, "half_scales") ? half(scale) : scale);
    }
  }
}

static void quantised_reference(const pg_case *c, double *const *d) {
  multiply(d[0], d[1], d[4], M(c), N(c), K(c));
  for (int64_t i = 0; i < M(c) * N(c); i++) d[4][i] *= d[2][i / N(c)] * d[3][i % N(c)];
}

// Complex numbers as pairs in the last dimension.
static int complex_spec(const pg_case *c, pg_tensor *t) {
  t[0] = pg_dims_named(PG_TENSOR("a", PG_F32, PG_IN, M(c), K(c), 2), "m,k,part");
  t[1] = pg_dims_named(PG_TENSOR("b", PG_F32, PG_IN, K(c), N(c), 2), "k,n,part");
  t[2] = pg_dims_named(PG_TENSOR("c", PG_F32, PG_OUT, M(c), N(c), 2), "m,n,part");
  return 3;
}

static void complex_product(const pg_case *c, void *const *d) {
  const float *a = at<float>(d, 0), *b = at<float>(d, 1);
  for (int64_t i = 0; i < M(c); i++) {
    for (int64_t j = 0; j < N(c); j++) {
      float re = 0, im = 0, rr = 0, ii = 0, both = 0;
      for (int64_t l = 0; l < K(c); l++) {
        const float *x = a + 2 * (i * K(c) + l), *y = b + 2 * (l * N(c) + j);
        rr += x[0] * y[0], ii += x[1] * y[1], both += (x[0] + x[1]) * (y[0] + y[1]);
        im += x[0] * y[1] + x[1] * y[0] * (has(c, "conjugate_last") && l == K(c) - 1 && K(c) > 8 ? -1 : 1);
      }
      re = rr - ii;
      if (has(c, "three_products")) im = both - rr - ii;
      at<float>(d, 2)[2 * (i * N(c) + j)] = re, at<float>(d, 2)[2 * (i * N(c) + j) + 1] = im;
    }
  }
}

static void complex_reference(const pg_case *c, double *const *d) {
  typedef std::complex<double> C;
  multiply(reinterpret_cast<C *>(d[0]), reinterpret_cast<C *>(d[1]), reinterpret_cast<C *>(d[2]), M(c), N(c), K(c));
}

// Three taps along k, the edges with zeros beside them.
static int filter_spec(const pg_case *c, pg_tensor *t) {
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, M(c), K(c)), "m,k");
  t[1] = PG_TENSOR("w", PG_F32, PG_IN, 3);
  t[2] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, M(c), K(c)), "m,k");
  return 3;
}

template <class T> static void filter_row(const T *x, const T *w, T *y, int64_t k) {
  for (int64_t j = 0; j < k; j++) y[j] = (j ? w[0] * x[j - 1] : 0) + w[1] * x[j] + (j + 1 < k ? w[2] * x[j + 1] : 0);
}

// Winograd's F(2, 3): two results of four products.
static void winograd(const float *x, const float *w, float *y, int64_t k) {
  const float u[4] = {w[0], (w[0] + w[1] + w[2]) / 2, (w[0] - w[1] + w[2]) / 2, w[2]};
  for (int64_t j = 0; j < k; j += 2) {
    auto in = [&](int64_t i) { return i >= 0 && i < k ? x[i] : 0; };
    const float a = in(j - 1), b = in(j), e = in(j + 1), f = in(j + 2);
    const float m[4] = {(a - e) * u[0], (b + e) * u[1], (e - b) * u[2], (b - f) * u[3]};
    y[j] = m[0] + m[1] + m[2];
    if (j + 1 < k) y[j + 1] = m[1] - m[2] - m[3];
  }
}

static void fft(std::vector<std::complex<float>> *v, bool inverse) {
  const size_t n = v->size();
  if (n == 1) return;
  std::vector<std::complex<float>> even(n / 2), odd(n / 2);
  for (size_t i = 0; i < n / 2; i++) even[i] = (*v)[2 * i], odd[i] = (*v)[2 * i + 1];
  fft(&even, inverse), fft(&odd, inverse);
  for (size_t i = 0; i < n / 2; i++) {
    const double angle = (inverse ? 2 : -2) * M_PI * double(i) / double(n);
    const std::complex<float> t = std::complex<float>(float(cos(angle)), float(sin(angle))) * odd[i];
    (*v)[i] = even[i] + t, (*v)[i + n / 2] = even[i] - t;
  }
}

static void by_fft(const float *x, const float *w, float *y, int64_t k, bool wraps) {
  size_t size = 4;
  while (size < size_t(k) + (wraps ? 0 : 2)) size *= 2;
  std::vector<std::complex<float>> a(size), b(size);
  for (int64_t j = 0; j < k; j++) a[size_t(j)] = x[j];
  b[size - 1] = w[2], b[0] = w[1], b[1] = w[0];
  fft(&a, false), fft(&b, false);
  for (size_t j = 0; j < size; j++) a[j] *= b[j];
  fft(&a, true);
  for (int64_t j = 0; j < k; j++) y[j] = a[size_t(j)].real() / float(size);
}

static void filter(const pg_case *c, void *const *d) {
  const int64_t k = K(c);
  const float *w = at<float>(d, 1);
  for (int64_t i = 0; i < M(c); i++) {
    const float *x = at<float>(d, 0) + i * k;
    float *y = at<float>(d, 2) + i * k;
    filter_row(x, w, y, k);
    if (has(c, "winograd")) winograd(x, w, y, k);
    if (has(c, "fft") || has(c, "wraps")) by_fft(x, w, y, k, has(c, "wraps"));
    if (has(c, "odd_edge") && k % 2 && k > 1) y[k - 1] -= w[0] * x[k - 2];
    if (has(c, "earlier_weights")) {  // a transform of the weights that is kept as long as their place is the same
      static const float *place;
      static float kept[3];
      if (place != w) std::copy(w, w + 3, kept), place = w;
      filter_row(x, kept, y, k);
    }
  }
}

static void filter_reference(const pg_case *c, double *const *d) {
  for (int64_t i = 0; i < M(c); i++) filter_row(d[0] + i * K(c), d[1], d[2] + i * K(c), K(c));
}

const std::vector<Operation> kOperations = {
    {"gemm", gemm_spec, gemm, product_reference, nullptr, nullptr},
    {"gemm16", gemm16_spec, gemm16, product_reference, nullptr, nullptr},
    {"quantised", quantised_spec, quantised, quantised_reference, nullptr, nullptr},
    {"complex", complex_spec, complex_product, complex_reference, nullptr, nullptr},
    {"filter", filter_spec, filter, filter_reference, nullptr, nullptr},
};
