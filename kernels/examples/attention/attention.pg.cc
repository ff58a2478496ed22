// How perfgate shapes, launches and checks the two kernels of attention.cc.
#include <cmath>
#include <vector>

#include "attention.h"
#include "perfgate.h"

namespace {

Attention shape_of(const pg_case *c) {
  return {pg_param(c, "B"), pg_param(c, "H"), pg_param(c, "S"), pg_param(c, "D"), pg_param(c, "causal") != 0};
}

bool is_naive(const pg_case *c) { return strcmp(c->kernel, "attention_naive") == 0; }

template <class T> int launch(const pg_case *c, void *const *data, void *stream) {
  const auto q = static_cast<const T *>(data[0]), k = static_cast<const T *>(data[1]), v = static_cast<const T *>(data[2]);
  const auto out = static_cast<T *>(data[3]);
  if (is_naive(c)) {
    attention_naive(shape_of(c), q, k, v, out, static_cast<float *>(data[4]), stream);
  } else {
    attention_tiled(shape_of(c), q, k, v, out, stream);
  }
  return 0;
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const Attention a = shape_of(c);
  const int dtype = int(pg_param(c, "dtype"));
  if (a.D > kMaxHeadDim || (dtype != PG_F32 && dtype != PG_F16 && dtype != PG_BF16)) return -1;

  const char *names[] = {"q", "k", "v", "out"};
  for (int i = 0; i < 4; i++) {
    t[i] = pg_dims_named(PG_TENSOR(names[i], dtype, i < 3 ? PG_IN : PG_OUT, a.B, a.H, a.S, a.D), "b,h,s,d");
  }
  if (!is_naive(c)) return 4;
  t[4] = PG_TENSOR("scores", PG_F32, PG_SCRATCH, a.S, a.S);
  return 5;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  switch (pg_param(c, "dtype")) {
    case PG_F32: return launch<float>(c, data, stream);
    case PG_F16: return launch<f16>(c, data, stream);
    case PG_BF16: return launch<bf16>(c, data, stream);
    default: return -1;
  }
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const Attention a = shape_of(c);
  std::vector<double> p(a.S);
  for (int64_t head = 0; head < a.B * a.H; head++) {
    const int64_t at = head * a.S * a.D;
    const double *q = data[0] + at, *k = data[1] + at, *v = data[2] + at;
    double *out = data[3] + at;
    for (int64_t i = 0; i < a.S; i++) {
      const int64_t visible = a.causal ? i + 1 : a.S;
      double max = -INFINITY, sum = 0;
      for (int64_t j = 0; j < visible; j++) {
        double dot = 0;
        for (int64_t d = 0; d < a.D; d++) dot += q[i * a.D + d] * k[j * a.D + d];
        p[j] = dot / std::sqrt(double(a.D));
        max = std::fmax(max, p[j]);
      }
      for (int64_t j = 0; j < visible; j++) sum += p[j] = std::exp(p[j] - max);
      for (int64_t d = 0; d < a.D; d++) {
        double o = 0;
        for (int64_t j = 0; j < visible; j++) o += p[j] * v[j * a.D + d];
        out[i * a.D + d] = o / sum;
      }
    }
  }
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const Attention a = shape_of(c);
  const double pairs = double(a.B * a.H) * double(a.S) * double(a.causal ? a.S + 1 : 2 * a.S) / 2;
  *flops = 4 * pairs * double(a.D);  // two products, a multiplication and an addition each
  *bytes = 4 * double(a.B * a.H * a.S * a.D) * double(pg_dtype_size(int(pg_param(c, "dtype"))));
}
