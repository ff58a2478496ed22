// How perfgate shapes, launches and checks the kernels attention, attention_tiled and attention_tensor.
#include "attention.h"
#include "perfgate.h"

namespace {

Attention shape_of(const pg_case *c) {
  return {pg_param(c, "B"), pg_param(c, "H"), pg_param(c, "S"), pg_param(c, "D"), pg_param(c, "causal") != 0};
}

bool is(const pg_case *c, const char *kernel) { return strcmp(c->kernel, kernel) == 0; }

constexpr int kReferenceThreads = 256;

struct Max {
  __device__ static double of(double a, double b) { return fmax(a, b); }
};

struct Sum {
  __device__ static double of(double a, double b) { return a + b; }
};

// The same in every thread of the block.
template <class Op> __device__ double over_block(double x) {
  __shared__ double warps[kReferenceThreads / 32];
  for (int lane = 16; lane > 0; lane /= 2) x = Op::of(x, __shfl_xor_sync(0xFFFFFFFFu, x, lane));
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
  for (int w = 1; w < kReferenceThreads / 32; w++) x = Op::of(x, warps[w]);
  return x;
}

// One block a query: scores in shared memory, then the weighted sum, all in float64. A warp takes the keys of a part and
// the parts are added up, so that all threads have something to do.
__global__ void reference(Attention a, const double *q, const double *k, const double *v, double *out) {
  __shared__ double scores[kMaxSequence], parts[kReferenceThreads / 32][kMaxHeadDim];
  const int64_t row = blockIdx.x, head = row / a.S, query = row % a.S, visible = a.causal ? query + 1 : a.S;
  q += row * a.D;
  k += head * a.S * a.D;
  v += head * a.S * a.D;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    double dot = 0;
    for (int64_t d = 0; d < a.D; d++) dot += q[d] * k[j * a.D + d];
    scores[j] = dot / sqrt(static_cast<double>(a.D));
  }
  double top = -INFINITY, sum = 0;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) top = fmax(top, scores[j]);
  top = over_block<Max>(top);
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) sum += scores[j] = exp(scores[j] - top);
  sum = over_block<Sum>(sum);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int64_t d = lane; d < a.D; d += 32) {
    double o = 0;
    for (int64_t j = warp; j < visible; j += kReferenceThreads / 32) o += scores[j] * v[j * a.D + d];
    parts[warp][d] = o;
  }
  __syncthreads();
  for (int64_t d = threadIdx.x; d < a.D; d += blockDim.x) {
    double o = 0;
    for (int w = 0; w < kReferenceThreads / 32; w++) o += parts[w][d];
    out[row * a.D + d] = o / sum;
  }
}

}  // namespace

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const Attention a = shape_of(c);
  if (is(c, "attention") ? a.S > kMaxNaiveSequence || a.D > kMaxHeadDim : a.S > kMaxSequence || (a.D != 32 && a.D != 64)) return -1;
  const char *names[] = {"q", "k", "v", "out"};
  for (int i = 0; i < 4; i++) {
    t[i] = pg_dims_named(PG_TENSOR(names[i], PG_F16, i < 3 ? PG_IN : PG_OUT, a.B, a.H, a.S, a.D), "b,h,s,d");
  }
  return 4;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const auto attention = is(c, "attention_tensor") ? attention_tensor : is(c, "attention_tiled") ? attention_tiled : attention_naive;
  attention(shape_of(c), static_cast<const __half *>(data[0]), static_cast<const __half *>(data[1]),
            static_cast<const __half *>(data[2]), static_cast<__half *>(data[3]), static_cast<cudaStream_t>(stream));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const Attention a = shape_of(c);
  const unsigned rows = static_cast<unsigned>(a.B * a.H * a.S);
  reference<<<rows, kReferenceThreads, 0, static_cast<cudaStream_t>(stream)>>>(a, data[0], data[1], data[2], data[3]);
  return 0;
}

void pg_work(const pg_case *c, double *flops, double *bytes) {
  const Attention a = shape_of(c);
  const double pairs = double(a.B * a.H) * double(a.S) * double(a.causal ? a.S + 1 : 2 * a.S) / 2;
  *flops = 4 * pairs * double(a.D);  // two products, a multiplication and an addition each
  *bytes = 4 * double(a.B * a.H * a.S * a.D) * sizeof(__half);
}
