// How perfgate shapes, launches and checks the kernel of attention.cu.
#include "attention.h"
#include "perfgate.h"

namespace {

Attention shape_of(const pg_case *c) {
  return {pg_param(c, "B"), pg_param(c, "H"), pg_param(c, "S"), pg_param(c, "D"), pg_param(c, "causal") != 0};
}

// One block a query: scores in shared memory, then the weighted sum, all in float64.
__global__ void reference(Attention a, const double *q, const double *k, const double *v, double *out) {
  __shared__ double scores[kMaxSequence];
  const int64_t row = blockIdx.x, head = row / a.S, query = row % a.S, visible = a.causal ? query + 1 : a.S;
  q += row * a.D;
  k += head * a.S * a.D;
  v += head * a.S * a.D;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    double dot = 0;
    for (int64_t d = 0; d < a.D; d++) dot += q[d] * k[j * a.D + d];
    scores[j] = dot / sqrt(static_cast<double>(a.D));
  }
  __syncthreads();
  double top = -INFINITY, sum = 0;  // the same in every thread
  for (int64_t j = 0; j < visible; j++) top = fmax(top, scores[j]);
  for (int64_t j = 0; j < visible; j++) sum += exp(scores[j] - top);
  for (int64_t d = threadIdx.x; d < a.D; d += blockDim.x) {
    double o = 0;
    for (int64_t j = 0; j < visible; j++) o += exp(scores[j] - top) * v[j * a.D + d];
    out[row * a.D + d] = o / sum;
  }
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const Attention a = shape_of(c);
  if (a.S > kMaxSequence || a.D > kMaxHeadDim) return -1;
  const char *names[] = {"q", "k", "v", "out"};
  for (int i = 0; i < 4; i++) {
    t[i] = pg_dims_named(PG_TENSOR(names[i], PG_F16, i < 3 ? PG_IN : PG_OUT, a.B, a.H, a.S, a.D), "b,h,s,d");
  }
  return 4;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  attention_naive(shape_of(c), static_cast<const __half *>(data[0]), static_cast<const __half *>(data[1]),
                  static_cast<const __half *>(data[2]), static_cast<__half *>(data[3]), static_cast<cudaStream_t>(stream));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const Attention a = shape_of(c);
  const unsigned rows = static_cast<unsigned>(a.B * a.H * a.S);
  reference<<<rows, 128, 0, static_cast<cudaStream_t>(stream)>>>(a, data[0], data[1], data[2], data[3]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const Attention a = shape_of(c);
  const double pairs = double(a.B * a.H) * double(a.S) * double(a.causal ? a.S + 1 : 2 * a.S) / 2;
  *flops = 4 * pairs * double(a.D);  // two products, a multiplication and an addition each
  *bytes = 4 * double(a.B * a.H * a.S * a.D) * sizeof(__half);
}
