#include "perfgate.h"
#include "reduction.h"

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  const int dtype = int(pg_param(c, "dtype"));
  if (dtype != PG_F32 && dtype != PG_F64) return -1;
  t[0] = pg_dims_named(PG_TENSOR("x", dtype, PG_IN, rows, n), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", dtype, PG_OUT, rows), "row");
  return 2;
}

template <class T> static int launch(const pg_case *c, void *const *data, void *stream) {
  sum_rows(pg_param(c, "rows"), pg_param(c, "n"), static_cast<const T *>(data[0]), static_cast<T *>(data[1]), stream);
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  return pg_param(c, "dtype") == PG_F64 ? launch<double>(c, data, stream) : launch<float>(c, data, stream);
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += data[0][r * n + i];
    data[1][r] = sum;
  }
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double rows = double(pg_param(c, "rows")), n = double(pg_param(c, "n"));
  *flops = rows * (n - 1);
  *bytes = rows * (n + 1) * double(pg_dtype_size(int(pg_param(c, "dtype"))));
}
