// The adapter: tells perfgate how to shape, launch and check the kernel. perfgate.h, next to this file for your editor,
// describes every function; perfgate builds with its own copy.
#include <cstddef>

#include "perfgate.h"

void scale_add_f32(float a, const float *x, float *y, std::size_t n);
void scale_add_f64(double a, const double *x, double *y, std::size_t n);

static const double kScale = 1.5;

// The tensors of a case: what goes in, what comes out, how they are filled.
int pg_spec(const pg_case *c, pg_tensor *out, int) {
  const int64_t n = pg_param(c, "n");
  const int dtype = int(pg_param(c, "dtype"));
  out[0] = PG_TENSOR("x", dtype, PG_IN, n);
  out[1] = PG_TENSOR("y", dtype, PG_INOUT, n);
  return 2;
}

// The work under test; this call is what is timed.
int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const std::size_t n = std::size_t(pg_param(c, "n"));
  switch (pg_param(c, "dtype")) {
    case PG_F32: scale_add_f32(float(kScale), static_cast<const float *>(data[0]), static_cast<float *>(data[1]), n); return 0;
    case PG_F64: scale_add_f64(kScale, static_cast<const double *>(data[0]), static_cast<double *>(data[1]), n); return 0;
    default: return -1;
  }
}

// The same in float64, as simply as possible: what parity compares with.
int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t n = pg_param(c, "n");
  for (int64_t i = 0; i < n; i++) data[1][i] += kScale * data[0][i];
  return 0;
}

// Operations and bytes that any implementation needs: gives GFLOP/s and GB/s in the report.
void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "n"));
  *flops = 2 * n;
  *bytes = 3 * n * double(pg_dtype_size(int(pg_param(c, "dtype"))));
}
