// Right kernels of Eigen 3.4, built with -Ofast. The kernel's name is the function's.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <vector>

#include "perfgate.h"

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static bool is(const pg_case *c, const char *kernel) { return strcmp(c->kernel, kernel) == 0; }

int pg_spec(const pg_case *c, pg_tensor *out, int) {
  const int64_t m = pg_param(c, "m"), n = pg_param(c, "n"), k = pg_param(c, "k");
  const bool one = is(c, "row_norms") || is(c, "log_sums"), square = is(c, "gram") || is(c, "cholesky"), mean = is(c, "column_means");
  out[0] = PG_TENSOR("a", PG_F32, PG_IN, m, k);
  out[1] = PG_TENSOR("b", PG_F32, PG_IN, k, n);
  out[2] = PG_TENSOR("y", PG_F32, PG_OUT, mean ? 1 : m, one ? 1 : square ? m : mean ? k : n);
  return 3;
}

template <class T>
static Matrix<T> computed(const pg_case *c, const T *a_data, const T *b_data) {
  const int64_t m = pg_param(c, "m"), n = pg_param(c, "n"), k = pg_param(c, "k");
  const Eigen::Map<const Matrix<T>> a(a_data, m, k), b(b_data, k, n);
  if (is(c, "product")) return a * b;
  if (is(c, "lazy_product")) return a.lazyProduct(b);
  if (is(c, "gram")) return a * a.transpose();
  if (is(c, "row_norms")) return a.rowwise().stableNorm();
  if (is(c, "column_means")) return a.colwise().mean();
  if (is(c, "sparse_product")) return Eigen::SparseMatrix<T, Eigen::RowMajor>(a.sparseView(T(1), T(1))) * b;
  if (is(c, "log_sums")) {
    const Eigen::Matrix<T, Eigen::Dynamic, 1> most = a.rowwise().maxCoeff();
    return (a.colwise() - most).array().exp().rowwise().sum().log().matrix() + most;
  }
  if (is(c, "relu_layer")) return ((a * b).eval().rowwise() + b.row(0)).cwiseMax(T(0));
  if (is(c, "logistic_layer")) return (a * b).array().logistic().matrix();
  return Matrix<T>(a * a.transpose() / T(k) + Matrix<T>::Identity(m, m)).llt().matrixL();
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const Matrix<float> y = computed<float>(c, static_cast<float *>(data[0]), static_cast<float *>(data[1]));
  std::copy(y.data(), y.data() + y.size(), static_cast<float *>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const Matrix<double> y = computed<double>(c, data[0], data[1]);
  std::copy(y.data(), y.data() + y.size(), data[2]);
  return 0;
}

int pg_reference_f32(const pg_case *c, double *const *data, void *) {
  const int64_t m = pg_param(c, "m"), n = pg_param(c, "n"), k = pg_param(c, "k");
  const std::vector<float> a(data[0], data[0] + m * k), b(data[1], data[1] + k * n);
  const Matrix<float> y = computed<float>(c, a.data(), b.data());
  std::copy(y.data(), y.data() + y.size(), data[2]);
  return 0;
}
