// Faults that a loose error bound would let through, as CUDA kernels have them: lost terms in long sums, accumulators and intermediates that
// are too narrow, approximations of the hardware, factors that are off by a thousandth, masks that are off by one. Several kernels, told apart by
// name; inputs and outputs are f32, f16 or bf16. A block of 128 threads a row, or a thread an element.
#include <cuda_bf16.h>

#include <string>

#include "block.cuh"

enum {
  Right,
  Scale,         // a factor of 1.001, of any of these kernels
  // sums
  DropOne,       // one element of rows over 1000 is left out
  RareRace,      // about one addend in ten thousand is lost
  HalfSum,       // summed in f16
  HalfTree,      // each thread sums in f32, and the threads' sums are added in f16
  ChunksInBF16,  // sums of 64 elements are added up in bf16
  NoKahan,       // one thread adds all of a row, without the compensation
  // products
  TF32,          // factors are rounded to 10 bits, as tensor cores take f32
  HalfProduct,   // products are rounded to f16 before they are added
  LostTail,      // what is left of K after groups of 8 is lost where K is over 256
  TileGone,      // a tile of 16 terms is left out for one tile of the output, where K is 512 or more
  LastMask,      // the very last element misses its last term
  Cut,           // results are cut off in place of rounded
  // softmax
  FastExp,       // __expf
  HalfExp,       // exp of pairs in f16: ex2.approx.f16x2
  HalfTotal,     // the denominator is summed in f16
  NarrowExp,     // exponentials are kept in bf16 between the two passes
  // attention
  LastRowMask,   // the causal mask is off by one in the last row
  LogitScale,    // logits are too large by a thousandth
  KeyGone,       // about one key in ten thousand is skipped
  HalfLogits,    // logits are rounded to f16
  HeadOnce,      // zeros in about one launch in a hundred, by the inputs
  // norms
  Epsilon,       // 1e-3 in place of 1e-5
  Unbiased,      // the variance is divided by n - 1
  OnePass,       // the variance as the mean of squares less the square of the mean
  HalfMean,      // the mean is rounded to f16
  // running sums
  NarrowCarry,   // what is carried from chunk to chunk goes through bf16
  SkippedCarry,  // the carry of the ninth chunk is left out
  // silu
  Clipped,       // 0 below -8
  FastTanh,      // the sigmoid by tanh.approx.f32
};

constexpr int kThreads = 128, kMostKeys = 256;

template <class T> struct As;
template <> struct As<float> {
  static __device__ float wide(float x) { return x; }
  static __device__ float narrow(float x) { return x; }
};
template <> struct As<__half> {
  static __device__ float wide(__half x) { return __half2float(x); }
  static __device__ __half narrow(float x) { return WRONG == Cut ? __float2half_rz(x) : __float2half(x); }
};
template <> struct As<__nv_bfloat16> {
  static __device__ float wide(__nv_bfloat16 x) { return __bfloat162float(x); }
  static __device__ __nv_bfloat16 narrow(float x) { return WRONG == Cut ? __float2bfloat16_rz(x) : __float2bfloat16(x); }
};

__device__ float through_half(float x) { return __half2float(__float2half(x)); }
__device__ float through_bf16(float x) { return __bfloat162float(__float2bfloat16(x)); }
__device__ float factor(float x) { return WRONG == Scale ? x * 1.001f : x; }

// One in ten thousand, the same for the same place.
__device__ bool unlucky(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15ull + b;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return (x ^ x >> 31) % 10000 == 7;
}

__device__ bool lost(int64_t row, int64_t i, int64_t n) {
  return (WRONG == DropOne && n > 1000 && i == n / 3) || (WRONG == RareRace && unlucky(static_cast<uint64_t>(row), static_cast<uint64_t>(i)));
}

// A compensated sum (Kahan).
struct Kahan {
  float sum = 0, rest = 0;
  __device__ void add(float x) {
    if (WRONG == HalfSum) {
      sum = through_half(sum + x);
      return;
    }
    const float y = __fsub_rn(x, WRONG == NoKahan ? 0.f : rest), t = __fadd_rn(sum, y);
    rest = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
  }
};

template <class T> __global__ void sum_rows(int64_t n, const T *x, T *y) {
  __shared__ float room[32];
  const int64_t row = blockIdx.x, step = WRONG == NoKahan || WRONG == ChunksInBF16 ? 1 : kThreads;
  if (step == 1 && threadIdx.x > 0) return;
  Kahan mine;
  float total = 0;
  for (int64_t i = threadIdx.x; i < n; i += step) {
    if (lost(row, i, n)) continue;
    mine.add(As<T>::wide(x[row * n + i]));
    if (WRONG == ChunksInBF16 && i % 64 == 63) total = through_bf16(total + mine.sum), mine = Kahan();
  }
  if (WRONG == HalfTree) {
    __half narrow = __float2half(mine.sum);
    for (int far = 16; far > 0; far /= 2) narrow = __hadd(narrow, __shfl_xor_sync(kAll, narrow, far));
    mine.sum = __half2float(narrow) / 32;  // over_block adds it 32 times
  }
  total = step == 1 ? total + mine.sum : over_block<Sum>(mine.sum, room);
  if (threadIdx.x == 0) y[row] = As<T>::narrow(factor(total));
}

__device__ float tensor_core_factor(float x) {
  if (WRONG != TF32) return x;
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}

struct Product {
  int64_t M, N, K;
};

template <class T> __global__ void multiply(Product s, const T *a, const T *b, T *c) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x, m = at / s.N, n = at % s.N;
  if (m >= s.M) return;
  float sum = 0;
  __half narrow = __float2half(0.f);
  const int64_t K = WRONG == LostTail && s.K > 256 ? s.K / 8 * 8 : s.K;
  for (int64_t k = 0; k < K; k++) {
    if (WRONG == TileGone && s.K >= 512 && m / 16 == 1 && n / 16 == 0 && k / 16 == 20) continue;
    if (WRONG == LastMask && at == s.M * s.N - 1 && k == K - 1) continue;
    const float left = tensor_core_factor(As<T>::wide(a[m * s.K + k])), right = tensor_core_factor(As<T>::wide(b[k * s.N + n]));
    if (WRONG == HalfSum) narrow = __hfma(__float2half(left), __float2half(right), narrow);
    else if (WRONG == HalfProduct) sum += through_half(left * right);
    else sum = fmaf(left, right, sum);
  }
  c[at] = As<T>::narrow(factor(WRONG == HalfSum ? __half2float(narrow) : sum));
}

__device__ float exponential(float x) {
  if (WRONG == FastExp) return __expf(x);
  if (WRONG == HalfExp) return __half2float(__low2half(h2exp2(__float2half2_rn(x * 1.44269504f))));
  return expf(x);
}

template <class T> __global__ void softmax(int64_t n, const T *x, T *y) {
  __shared__ float room[32];
  x += blockIdx.x * n;
  y += blockIdx.x * n;
  float most = -INFINITY, total = 0;
  for (int64_t i = threadIdx.x; i < n; i += kThreads) most = fmaxf(most, As<T>::wide(x[i]));
  most = over_block<Max>(most, room);
  for (int64_t i = threadIdx.x; i < n; i += kThreads) {
    const float e = exponential(As<T>::wide(x[i]) - most);
    total = WRONG == HalfTotal ? through_half(total + e) : total + e;
  }
  total = over_block<Sum>(total, room);
  for (int64_t i = threadIdx.x; i < n; i += kThreads) {
    const float e = exponential(As<T>::wide(x[i]) - most);
    y[i] = As<T>::narrow(factor((WRONG == NarrowExp ? through_bf16(e) : e) / total));
  }
}

// One head: queries, keys and values of [S, D], a block a query.
template <class T> __global__ void attend(int64_t S, int64_t D, int64_t causal, const T *q, const T *k, const T *v, T *out) {
  __shared__ float room[32], p[kMostKeys];
  const int64_t i = blockIdx.x;
  if (WRONG == HeadOnce && S > 8) {
    uint64_t mixed = 0;
    for (int64_t j = 0; j < 8; j++) mixed = mixed * 31 + static_cast<uint64_t>(fabsf(As<T>::wide(q[j])) * 4096);
    if (mixed * 0x9E3779B97F4A7C15ull >> 32 < (1ull << 32) / 100) {
      for (int64_t d = threadIdx.x; d < D; d += kThreads) out[i * D + d] = As<T>::narrow(0);
      return;
    }
  }
  const float scale = (WRONG == LogitScale ? 1.001f : 1.0f) / sqrtf(static_cast<float>(D));
  int64_t seen = causal ? i + 1 : S;
  if (WRONG == LastRowMask && causal && i == S - 1 && S > 1) seen--;
  float most = -INFINITY, total = 0;
  for (int64_t j = threadIdx.x; j < seen; j += kThreads) {
    float logit = 0;
    for (int64_t d = 0; d < D; d++) logit = fmaf(As<T>::wide(q[i * D + d]), As<T>::wide(k[j * D + d]), logit);
    p[j] = WRONG == HalfLogits ? through_half(logit * scale) : logit * scale;
    most = fmaxf(most, p[j]);
  }
  most = over_block<Max>(most, room);
  for (int64_t j = threadIdx.x; j < seen; j += kThreads) {
    const bool gone = WRONG == KeyGone && unlucky(static_cast<uint64_t>(i), static_cast<uint64_t>(j));
    p[j] = gone ? 0 : expf(p[j] - most);
    total += p[j];
  }
  total = over_block<Sum>(total, room);
  for (int64_t d = threadIdx.x; d < D; d += kThreads) {
    float o = 0;
    for (int64_t j = 0; j < seen; j++) o = fmaf(p[j], As<T>::wide(v[j * D + d]), o);
    out[i * D + d] = As<T>::narrow(factor(o / total));
  }
}

template <class T> __global__ void normalise(int64_t n, const T *x, T *y) {
  __shared__ float room[32];
  x += blockIdx.x * n;
  y += blockIdx.x * n;
  float mean = 0, variance = 0;
  for (int64_t i = threadIdx.x; i < n; i += kThreads) mean += As<T>::wide(x[i]);
  mean = over_block<Sum>(mean, room) / static_cast<float>(n);
  if (WRONG == HalfMean) mean = through_half(mean);
  for (int64_t i = threadIdx.x; i < n; i += kThreads) {
    const float far = As<T>::wide(x[i]) - (WRONG == OnePass ? 0 : mean);
    variance += far * far;
  }
  variance = over_block<Sum>(variance, room) / static_cast<float>(WRONG == Unbiased && n > 1 ? n - 1 : n);
  if (WRONG == OnePass) variance -= mean * mean;
  const float by = rsqrtf(variance + (WRONG == Epsilon ? 1e-3f : 1e-5f));
  for (int64_t i = threadIdx.x; i < n; i += kThreads) y[i] = As<T>::narrow(factor((As<T>::wide(x[i]) - mean) * by));
}

// A warp a row, chunks of 32 elements, four to a step of the carry.
template <class T> __global__ void scan(int64_t n, const T *x, T *y) {
  x += blockIdx.x * n;
  y += blockIdx.x * n;
  float carry = 0, here = 0;
  for (int64_t first = 0; first < n; first += 32) {
    if (first % kThreads == 0 && first > 0) {
      carry += WRONG == SkippedCarry && first / kThreads == 9 ? 0 : here;
      if (WRONG == NarrowCarry) carry = through_bf16(carry);
      here = 0;
    }
    const int64_t i = first + threadIdx.x;
    float part = i < n ? As<T>::wide(x[i]) : 0;
    for (unsigned far = 1; far < 32; far *= 2) {
      const float before = __shfl_up_sync(kAll, part, far);
      if (threadIdx.x >= far) part += before;
    }
    if (i < n) y[i] = As<T>::narrow(factor(carry + (here + part)));
    here += __shfl_sync(kAll, part, 31);
  }
}

template <class T> __global__ void silu(int64_t n, const T *x, T *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  const float v = As<T>::wide(x[i]);
  float sigmoid = 1 / (1 + expf(-v));
  if (WRONG == FastTanh) {
    float half_tanh;
    asm("tanh.approx.f32 %0, %1;" : "=f"(half_tanh) : "f"(v / 2));
    sigmoid = 0.5f + half_tanh / 2;
  }
  y[i] = As<T>::narrow(factor(WRONG == Clipped && v < -8 ? 0 : v * sigmoid));
}

static bool is(const pg_case *c, const char *name) { return std::string(c->kernel) == name; }

static int64_t rows_of(const pg_case *c) { return is(c, "silu") ? 1 : pg_param(c, "rows"); }

static Product product_of(const pg_case *c) { return {pg_param(c, "M"), pg_param(c, "N"), pg_param(c, "K")}; }

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int dtype = static_cast<int>(pg_param(c, "dtype"));
  if (is(c, "attention2")) {
    const char *names[] = {"q", "k", "v", "o"};
    for (int i = 0; i < 4; i++) t[i] = pg_dims_named(PG_TENSOR(names[i], dtype, i < 3 ? PG_IN : PG_OUT, pg_param(c, "S"), pg_param(c, "D")), "s,d");
    return 4;
  }
  if (is(c, "matmul")) {
    const Product s = product_of(c);
    t[0] = pg_dims_named(PG_TENSOR("a", dtype, PG_IN, s.M, s.K), "m,k");
    t[1] = pg_dims_named(PG_TENSOR("b", dtype, PG_IN, s.K, s.N), "k,n");
    t[2] = pg_dims_named(PG_TENSOR("c", dtype, PG_OUT, s.M, s.N), "m,n");
    return 3;
  }
  const int64_t n = pg_param(c, "n"), rows = rows_of(c);
  t[0] = pg_dims_named(PG_TENSOR("x", dtype, PG_IN, rows, n), "row,column");
  t[1] = is(c, "long_sum") ? pg_dims_named(PG_TENSOR("y", dtype, PG_OUT, rows), "row") : pg_dims_named(PG_TENSOR("y", dtype, PG_OUT, rows, n), "row,column");
  return 2;
}

template <class T> static int launch(const pg_case *c, void *const *data, cudaStream_t stream) {
  const T *x = static_cast<const T *>(data[0]);
  T *y = static_cast<T *>(data[1]);
  if (is(c, "attention2")) {
    const int64_t S = pg_param(c, "S");
    if (S > kMostKeys) return -1;
    attend<T><<<static_cast<unsigned>(S), kThreads, 0, stream>>>(S, pg_param(c, "D"), pg_param(c, "causal"), x, y, static_cast<const T *>(data[2]), static_cast<T *>(data[3]));
    return 0;
  }
  if (is(c, "matmul")) {
    const Product s = product_of(c);
    multiply<T><<<blocks_of(s.M * s.N, kThreads), kThreads, 0, stream>>>(s, x, y, static_cast<T *>(data[2]));
    return 0;
  }
  const int64_t n = pg_param(c, "n");
  const unsigned rows = static_cast<unsigned>(rows_of(c));
  if (is(c, "long_sum")) sum_rows<T><<<rows, kThreads, 0, stream>>>(n, x, y);
  else if (is(c, "softmax2")) softmax<T><<<rows, kThreads, 0, stream>>>(n, x, y);
  else if (is(c, "norm")) normalise<T><<<rows, kThreads, 0, stream>>>(n, x, y);
  else if (is(c, "prefix")) scan<T><<<rows, 32, 0, stream>>>(n, x, y);
  else silu<T><<<blocks_of(n, kThreads), kThreads, 0, stream>>>(n, x, y);
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  switch (pg_param(c, "dtype")) {
    case PG_F16: return launch<__half>(c, data, stream_of(stream));
    case PG_BF16: return launch<__nv_bfloat16>(c, data, stream_of(stream));
    default: return launch<float>(c, data, stream_of(stream));
  }
}

__global__ void exact_product(Product s, const double *a, const double *b, double *c) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x, m = at / s.N, n = at % s.N;
  if (m >= s.M) return;
  double sum = 0;
  for (int64_t k = 0; k < s.K; k++) sum += a[m * s.K + k] * b[k * s.N + n];
  c[at] = sum;
}

__global__ void exact_attention(int64_t S, int64_t D, int64_t causal, const double *q, const double *k, const double *v, double *out) {
  __shared__ double room[32], p[kMostKeys];
  const int64_t i = blockIdx.x, seen = causal ? i + 1 : S;
  double most = -INFINITY, total = 0;
  for (int64_t j = threadIdx.x; j < seen; j += kThreads) {
    double logit = 0;
    for (int64_t d = 0; d < D; d++) logit += q[i * D + d] * k[j * D + d];
    p[j] = logit / sqrt(static_cast<double>(D));
    most = fmax(most, p[j]);
  }
  most = over_block<Max>(most, room);
  for (int64_t j = threadIdx.x; j < seen; j += kThreads) total += p[j] = exp(p[j] - most);
  total = over_block<Sum>(total, room);
  for (int64_t d = threadIdx.x; d < D; d += kThreads) {
    double o = 0;
    for (int64_t j = 0; j < seen; j++) o += p[j] * v[j * D + d];
    out[i * D + d] = o / total;
  }
}

enum Row { kSum, kSoftmax, kNorm, kPrefix, kSilu };

__global__ void exact_row(Row what, int64_t n, const double *x, double *y) {
  __shared__ double room[32];
  x += blockIdx.x * n;
  y += what == kSum ? blockIdx.x : blockIdx.x * n;
  double sum = 0, most = -INFINITY, total = 0, variance = 0;
  for (int64_t i = threadIdx.x; i < n; i += kThreads) sum += x[i], most = fmax(most, x[i]);
  sum = over_block<Sum>(sum, room);
  most = over_block<Max>(most, room);
  for (int64_t i = threadIdx.x; i < n; i += kThreads) total += exp(x[i] - most), variance += (x[i] - sum / n) * (x[i] - sum / n) / n;
  total = over_block<Sum>(total, room);
  variance = over_block<Sum>(variance, room);
  if (what == kPrefix && threadIdx.x == 0) {
    double prefix = 0;
    for (int64_t i = 0; i < n; i++) y[i] = prefix += x[i];
  }
  if (what == kSum && threadIdx.x == 0) *y = sum;
  if (what == kPrefix || what == kSum) return;
  for (int64_t i = threadIdx.x; i < n; i += kThreads) {
    y[i] = what == kSoftmax ? exp(x[i] - most) / total : what == kNorm ? (x[i] - sum / n) / sqrt(variance + 1e-5) : x[i] / (1 + exp(-x[i]));
  }
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const cudaStream_t s = stream_of(stream);
  if (is(c, "attention2")) {
    const int64_t S = pg_param(c, "S");
    exact_attention<<<static_cast<unsigned>(S), kThreads, 0, s>>>(S, pg_param(c, "D"), pg_param(c, "causal"), data[0], data[1], data[2], data[3]);
    return 0;
  }
  if (is(c, "matmul")) {
    const Product p = product_of(c);
    exact_product<<<blocks_of(p.M * p.N, kThreads), kThreads, 0, s>>>(p, data[0], data[1], data[2]);
    return 0;
  }
  const Row what = is(c, "long_sum") ? kSum : is(c, "softmax2") ? kSoftmax : is(c, "norm") ? kNorm : is(c, "prefix") ? kPrefix : kSilu;
  exact_row<<<static_cast<unsigned>(rows_of(c)), kThreads, 0, s>>>(what, pg_param(c, "n"), data[0], data[1]);
  return 0;
}
