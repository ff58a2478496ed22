// Rows divided by their Euclidean length, one block a row. A row of zeros stays zero; any other has length 1 afterwards, however small
// or large its numbers are, so it is scaled by its largest element before it is squared. Built with -ftz=true or -use_fast_math it is
// wrong for denormals: that is a fault of the zoo too.
#include "block.cuh"

enum {
  Right,
  NoScaling,   // squares underflow for small numbers
  ZeroRow,     // a row of zeros is divided by zero
  SignLost,    // the scale keeps its sign
};

constexpr int kThreads = 64;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, n), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, rows, n), "row,column");
  return 2;
}

struct Larger {
  static __device__ float of(float a, float b) { return fabsf(a) > fabsf(b) ? a : b; }
};

__global__ void normalize(int64_t n, const float *x, float *out) {
  __shared__ float room[32];
  x += blockIdx.x * n;
  out += blockIdx.x * n;
  float largest = 0;
  for (int64_t j = threadIdx.x; j < n; j += kThreads) largest = Larger::of(largest, x[j]);
  largest = over_block<Larger>(largest, room);
  if (WRONG != SignLost) largest = fabsf(largest);
  if (WRONG == NoScaling && largest != 0) largest = 1;
  const bool zero = largest == 0 && WRONG != ZeroRow;
  float squares = 0;
  for (int64_t j = threadIdx.x; j < n; j += kThreads) {
    const float scaled = zero ? 0 : x[j] / largest;
    squares += scaled * scaled;
  }
  const float length = sqrtf(over_block<Sum>(squares, room));
  for (int64_t j = threadIdx.x; j < n; j += kThreads) out[j] = zero ? 0 : x[j] / largest / length;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  normalize<<<static_cast<unsigned>(pg_param(c, "rows")), kThreads, 0, stream_of(stream)>>>(
      pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t n, const double *x, double *out) {
  x += blockIdx.x * n;
  out += blockIdx.x * n;
  double squares = 0;
  for (int64_t j = 0; j < n; j++) squares += x[j] * x[j];
  for (int64_t j = threadIdx.x; j < n; j += kThreads) out[j] = squares == 0 ? 0 : x[j] / sqrt(squares);
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  reference<<<static_cast<unsigned>(pg_param(c, "rows")), kThreads, 0, stream_of(stream)>>>(pg_param(c, "n"), data[0], data[1]);
  return 0;
}
