// A tensor of four dimensions copied into another order of them. SLOW: coordinates by / and % of sizes that are known at run time
// only, instead of by a multiplication and a shift that the host worked out.
#include "common.cuh"

struct Divider {
  unsigned by, magic, shift;
  explicit Divider(unsigned d) : by(d), magic(0), shift(0) {
    while ((1ull << shift) < d) shift++;
    magic = static_cast<unsigned>((1ull << 32) * ((1ull << shift) - d) / d + 1);
  }
  __device__ unsigned of(unsigned n) const { return SLOW ? n / by : (__umulhi(n, magic) + n) >> shift; }
};

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t a = pg_param(c, "a"), b = pg_param(c, "b"), h = pg_param(c, "h"), w = pg_param(c, "w");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, a, b, h, w);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, b, a, h, w);
  return 2;
}

__global__ void strided_copy(unsigned n, Divider w, Divider h, Divider a, unsigned b, const float *x, float *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned rows = w.of(i), column = i - rows * w.by, planes = h.of(rows), row = rows - planes * h.by;
  const unsigned second = a.of(planes), first = planes - second * a.by;
  y[i] = x[((first * b + second) * h.by + row) * w.by + column];
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t a = pg_param(c, "a"), b = pg_param(c, "b"), h = pg_param(c, "h"), w = pg_param(c, "w"), n = a * b * h * w;
  strided_copy<<<blocks_of(n, 256), 256, 0, stream_of(stream)>>>(unsigned(n), Divider(unsigned(w)), Divider(unsigned(h)), Divider(unsigned(a)), unsigned(b), as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t a = pg_param(c, "a"), b = pg_param(c, "b"), plane = pg_param(c, "h") * pg_param(c, "w");
  const double *x = data[0];
  double *y = data[1];
  return for_each(a * b * plane, stream, [=] __device__(int64_t i) { y[i] = x[(i / plane % a * b + i / plane / a) * plane + i % plane]; });
}
