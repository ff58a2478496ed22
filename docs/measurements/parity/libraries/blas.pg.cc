// Functions of a BLAS as kernels, against loops in float64. Row-major; the kernel's name is the function's, dtype f32 or f64 its first letter.
#include <cblas.h>

#include <algorithm>

#include "perfgate.h"

static bool is(const pg_case *c, const char *kernel) { return strcmp(c->kernel, kernel) == 0; }

// Sizes of a case: c is m by n, sums run over k.
struct Sizes {
  int64_t m, n, k;
};

static Sizes sizes(const pg_case *c) {
  int found = 0;
  Sizes s = {pg_param(c, "m"), pg_param_find(c, "n", &found), pg_param_find(c, "k", &found)};
  return s;
}

// The tensors of a function, of dtype t: what it reads, and last what it writes.
static int tensors(const pg_case *c, int t, pg_tensor *out) {
  const Sizes s = sizes(c);
  if (is(c, "sgemm") || is(c, "dgemm") || is(c, "sgemm_transposed")) {
    out[0] = PG_TENSOR("a", t, PG_IN, s.m, s.k);
    out[1] = is(c, "sgemm_transposed") ? PG_TENSOR("b", t, PG_IN, s.n, s.k) : PG_TENSOR("b", t, PG_IN, s.k, s.n);
    out[2] = PG_TENSOR("c", t, PG_OUT, s.m, s.n);
    return 3;
  }
  if (is(c, "sgemv") || is(c, "dgemv")) {
    out[0] = PG_TENSOR("a", t, PG_IN, s.m, s.k);
    out[1] = PG_TENSOR("x", t, PG_IN, s.k);
    out[2] = PG_TENSOR("y", t, PG_OUT, s.m);
    return 3;
  }
  if (is(c, "sger")) {
    out[0] = PG_TENSOR("x", t, PG_IN, s.m);
    out[1] = PG_TENSOR("y", t, PG_IN, s.n);
    out[2] = PG_TENSOR("a", t, PG_INOUT, s.m, s.n);
    return 3;
  }
  if (is(c, "ssyrk")) {
    out[0] = PG_TENSOR("a", t, PG_IN, s.m, s.k);
    out[1] = PG_TENSOR("c", t, PG_INOUT, s.m, s.m);
    return 2;
  }
  if (is(c, "strmm") || is(c, "strsm")) {
    out[0] = PG_TENSOR("a", t, PG_IN, s.m, s.m);
    if (is(c, "strsm")) out[0] = pg_fill_with(out[0], PG_FILL_CUSTOM, 0, 0);
    out[1] = PG_TENSOR("b", t, PG_INOUT, s.m, s.n);
    return 2;
  }
  out[0] = PG_TENSOR("x", t, PG_IN, s.m);
  if (is(c, "sdot") || is(c, "ddot")) {
    out[1] = PG_TENSOR("y", t, PG_IN, s.m);
    out[2] = PG_TENSOR("sum", t, PG_OUT, 1);
    return 3;
  }
  out[1] = is(c, "saxpy") ? PG_TENSOR("y", t, PG_INOUT, s.m) : PG_TENSOR("sum", t, PG_OUT, 1);
  return 2;
}

int pg_spec(const pg_case *c, pg_tensor *out, int) { return tensors(c, c->kernel[0] == 'd' ? PG_F64 : PG_F32, out); }

// A triangular system that can be solved: rows whose diagonal outweighs the rest of them.
int pg_fill(const pg_case *c, const char *, uint64_t, void *const *data) {
  const int64_t m = sizes(c).m;
  float *a = static_cast<float *>(data[0]);
  for (int64_t i = 0; i < m; i++) {
    float sum = 1;
    for (int64_t j = 0; j < i; j++) sum += a[i * m + j] < 0 ? -a[i * m + j] : a[i * m + j];
    a[i * m + i] = sum;
  }
  return 0;
}

// The upper triangle of a symmetric update is the caller's.
int pg_written(const pg_case *c, const void *const *, uint8_t *const *written) {
  const int64_t m = sizes(c).m;
  for (int64_t i = 0; is(c, "ssyrk") && i < m; i++) std::fill(written[1] + i * m + i + 1, written[1] + (i + 1) * m, PG_KEPT);
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const Sizes s = sizes(c);
  const int m = int(s.m), n = int(s.n), k = int(s.k);
  auto f = [&](int i) { return static_cast<float *>(data[i]); };
  auto d = [&](int i) { return static_cast<double *>(data[i]); };
  const CBLAS_ORDER row = CblasRowMajor;
  if (is(c, "sgemm")) cblas_sgemm(row, CblasNoTrans, CblasNoTrans, m, n, k, 1, f(0), k, f(1), n, 0, f(2), n);
  if (is(c, "dgemm")) cblas_dgemm(row, CblasNoTrans, CblasNoTrans, m, n, k, 1, d(0), k, d(1), n, 0, d(2), n);
  if (is(c, "sgemm_transposed")) cblas_sgemm(row, CblasNoTrans, CblasTrans, m, n, k, 1, f(0), k, f(1), k, 0, f(2), n);
  if (is(c, "sgemv")) cblas_sgemv(row, CblasNoTrans, m, k, 1, f(0), k, f(1), 1, 0, f(2), 1);
  if (is(c, "dgemv")) cblas_dgemv(row, CblasNoTrans, m, k, 1, d(0), k, d(1), 1, 0, d(2), 1);
  if (is(c, "sger")) cblas_sger(row, m, n, 0.5f, f(0), 1, f(1), 1, f(2), n);
  if (is(c, "ssyrk")) cblas_ssyrk(row, CblasLower, CblasNoTrans, m, k, 1, f(0), k, 0.5f, f(1), m);
  if (is(c, "strmm")) cblas_strmm(row, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, n, 1, f(0), m, f(1), n);
  if (is(c, "strsm")) cblas_strsm(row, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, n, 1, f(0), m, f(1), n);
  if (is(c, "sdot")) *f(2) = cblas_sdot(m, f(0), 1, f(1), 1);
  if (is(c, "ddot")) *d(2) = cblas_ddot(m, d(0), 1, d(1), 1);
  if (is(c, "sasum")) *f(1) = cblas_sasum(m, f(0), 1);
  if (is(c, "snrm2")) *f(1) = cblas_snrm2(m, f(0), 1);
  if (is(c, "saxpy")) cblas_saxpy(m, 2.5f, f(0), 1, f(1), 1);
  return 0;
}

// c = alpha * sum_k a(i, k) b(k, j) + beta * c
template <class A, class B>
static void product(const Sizes &s, A &&a, B &&b, double *out) {
  for (int64_t i = 0; i < s.m; i++) {
    for (int64_t j = 0; j < s.n; j++) {
      double sum = 0;
      for (int64_t k = 0; k < s.k; k++) sum += a(i, k) * b(k, j);
      out[i * s.n + j] = sum;
    }
  }
}

static void triangular(const Sizes &s, const double *a, double *b, bool solve) {
  for (int64_t j = 0; j < s.n; j++) {
    for (int64_t at = 0; at < s.m; at++) {
      const int64_t i = solve ? at : s.m - 1 - at;  // in place: each needs those before it new, or old
      double sum = 0;
      for (int64_t k = 0; k < i; k++) sum += a[i * s.m + k] * b[k * s.n + j];
      b[i * s.n + j] = solve ? (b[i * s.n + j] - sum) / a[i * s.m + i] : sum + a[i * s.m + i] * b[i * s.n + j];
    }
  }
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  Sizes s = sizes(c);
  const double *x = data[0], *y = data[1];
  if (is(c, "sgemm") || is(c, "dgemm") || is(c, "sgemm_transposed") || is(c, "sgemv") || is(c, "dgemv")) {
    s.n = std::max<int64_t>(s.n, 1);
    const bool transposed = is(c, "sgemm_transposed");
    auto b = [&](int64_t k, int64_t j) { return transposed ? y[j * s.k + k] : y[k * s.n + j]; };
    product(s, [&](int64_t i, int64_t k) { return x[i * s.k + k]; }, b, data[2]);
  } else if (is(c, "sger")) {
    for (int64_t i = 0; i < s.m * s.n; i++) data[2][i] += 0.5 * x[i / s.n] * y[i % s.n];
  } else if (is(c, "ssyrk")) {
    for (int64_t i = 0; i < s.m; i++) {
      for (int64_t j = 0; j <= i; j++) {
        double sum = 0;
        for (int64_t k = 0; k < s.k; k++) sum += x[i * s.k + k] * x[j * s.k + k];
        data[1][i * s.m + j] = sum + 0.5 * data[1][i * s.m + j];
      }
    }
  } else if (is(c, "strmm") || is(c, "strsm")) {
    triangular(s, x, data[1], is(c, "strsm"));
  } else if (is(c, "saxpy")) {
    for (int64_t i = 0; i < s.m; i++) data[1][i] += 2.5 * x[i];
  } else {
    double sum = 0;
    for (int64_t i = 0; i < s.m; i++) sum += is(c, "sasum") ? (x[i] < 0 ? -x[i] : x[i]) : x[i] * (is(c, "snrm2") ? x[i] : y[i]);
    *(is(c, "sdot") || is(c, "ddot") ? data[2] : data[1]) = is(c, "snrm2") ? __builtin_sqrt(sum) : sum;
  }
  return 0;
}
