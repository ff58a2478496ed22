// How perfgate shapes, launches and checks the kernel of softmax.cu.
#include "perfgate.h"
#include "softmax.h"

namespace {

// One block a row, in float64.
__global__ void reference(int64_t rows, int64_t columns, const double *x, double *y) {
  const int64_t row = static_cast<int64_t>(blockIdx.x);
  if (row >= rows) return;
  x += row * columns;
  y += row * columns;
  __shared__ double part[128];
  double top = -INFINITY, sum = 0;
  for (int64_t i = 0; i < columns; i++) top = fmax(top, x[i]);
  for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) sum += exp(x[i] - top);
  part[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (unsigned i = 0; i < blockDim.x; i++) sum += part[i];
  for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) y[i] = exp(x[i] - top) / sum;
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns");
  if (columns > kMaxColumns) return -1;
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, columns), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, rows, columns), "row,column");
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  softmax(pg_param(c, "rows"), pg_param(c, "columns"), static_cast<const float *>(data[0]), static_cast<float *>(data[1]),
          static_cast<cudaStream_t>(stream));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows");
  reference<<<static_cast<unsigned>(rows), 128, 0, static_cast<cudaStream_t>(stream)>>>(rows, pg_param(c, "columns"), data[0], data[1]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const double n = double(pg_param(c, "rows")) * double(pg_param(c, "columns"));
  *flops = 5 * n;  // maximum, difference, exponential, sum, division
  *bytes = 2 * n * sizeof(float);
}
