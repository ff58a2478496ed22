// A copy of bytes by a grid that strides. SLOW: an int at a time instead of four.
#include "common.cuh"

#if SLOW
typedef int Piece;
#else
typedef int4 Piece;
#endif
constexpr int64_t kEach = sizeof(int4) / sizeof(Piece);

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_I32, PG_IN, pg_param(c, "n") * 4);
  t[1] = PG_TENSOR("y", PG_I32, PG_OUT, pg_param(c, "n") * 4);
  return 2;
}

__global__ void copy(int64_t n, const Piece *x, Piece *y) {
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += static_cast<int64_t>(gridDim.x) * blockDim.x) y[i] = x[i];
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n") * kEach;
  copy<<<min(blocks_of(n, 256), 1056u), 256, 0, stream_of(stream)>>>(n, as<Piece>(data[0]), as<Piece>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "n") * 4, stream, [=] __device__(int64_t i) { y[i] = x[i]; });
}
