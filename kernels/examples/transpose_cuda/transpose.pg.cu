// How perfgate shapes, launches and checks the kernel of transpose.cu.
#include "perfgate.h"
#include "transpose.h"

namespace {

__global__ void reference(int64_t rows, int64_t columns, const double *x, double *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = x[i % rows * columns + i / rows];
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, columns), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, columns, rows), "column,row");
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  transpose(pg_param(c, "rows"), pg_param(c, "columns"), static_cast<const float *>(data[0]), static_cast<float *>(data[1]),
            static_cast<cudaStream_t>(stream));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns"), blocks = (rows * columns + 255) / 256;
  reference<<<static_cast<unsigned>(blocks), 256, 0, static_cast<cudaStream_t>(stream)>>>(rows, columns, data[0], data[1]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  *flops = 0;
  *bytes = 2.0 * double(pg_param(c, "rows")) * double(pg_param(c, "columns")) * sizeof(float);
}
