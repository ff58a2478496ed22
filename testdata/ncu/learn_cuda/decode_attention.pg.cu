// One query against all keys and values of 32 heads: the decode step. Base splits the keys over blocks and a second kernel merges what they
// found. SLOW: a block does all keys of a head.
#include "common.cuh"

constexpr int kHeads = 32, kDim = 128, kWarps = 4, kParts = SLOW ? 1 : 32;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t keys = pg_param(c, "keys");
  t[0] = PG_TENSOR("q", PG_F32, PG_IN, kHeads, kDim);
  t[1] = PG_TENSOR("k", PG_F16, PG_IN, kHeads, keys, kDim);
  t[2] = PG_TENSOR("v", PG_F16, PG_IN, kHeads, keys, kDim);
  t[3] = PG_TENSOR("parts", PG_F32, PG_SCRATCH, kHeads, 32, kDim + 2);
  t[4] = PG_TENSOR("o", PG_F32, PG_OUT, kHeads, kDim);
  return 5;
}

struct Four {
  __half2 a, b;
};

__device__ float4 four(const __half *p) {
  const Four f = *reinterpret_cast<const Four *>(p);
  const float2 a = __half22float2(f.a), b = __half22float2(f.b);
  return make_float4(a.x, a.y, b.x, b.y);
}

// A warp has every fourth key of its part, a lane four dimensions.
__global__ void attend(int64_t keys, const float *q, const __half *k, const __half *v, float *parts, float *o) {
  const int head = blockIdx.x, warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const int64_t each = (keys + kParts - 1) / kParts, first = blockIdx.y * each, last = min(first + each, keys);
  const float4 mine = reinterpret_cast<const float4 *>(q + head * kDim)[lane];
  float most = -1e30f, total = 0;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int64_t i = first + warp; i < last; i += kWarps) {
    const float4 key = four(k + (head * keys + i) * kDim + lane * 4), value = four(v + (head * keys + i) * kDim + lane * 4);
    const float score = warp_sum(mine.x * key.x + mine.y * key.y + mine.z * key.z + mine.w * key.w) * 0.0883883476f;
    const float next = fmaxf(most, score), old = __expf(most - next), now = __expf(score - next);
    most = next, total = total * old + now;
    sum = make_float4(sum.x * old + now * value.x, sum.y * old + now * value.y, sum.z * old + now * value.z, sum.w * old + now * value.w);
  }
  __shared__ float of[kWarps][kDim + 2];
  reinterpret_cast<float2 *>(of[warp])[lane * 2] = make_float2(sum.x, sum.y);
  reinterpret_cast<float2 *>(of[warp])[lane * 2 + 1] = make_float2(sum.z, sum.w);
  if (lane == 0) of[warp][kDim] = most, of[warp][kDim + 1] = total;
  __syncthreads();
  float top = -1e30f, whole = 0, mixed = 0;
  for (auto &w : of) top = fmaxf(top, w[kDim]);
  for (auto &w : of) whole += w[kDim + 1] * __expf(w[kDim] - top), mixed += w[threadIdx.x] * __expf(w[kDim] - top);
  if (SLOW) {
    o[head * kDim + threadIdx.x] = mixed / whole;
    return;
  }
  float *part = parts + (head * 32 + blockIdx.y) * (kDim + 2);
  part[threadIdx.x] = mixed;
  if (threadIdx.x == 0) part[kDim] = top, part[kDim + 1] = whole;
}

__global__ void merge(const float *parts, float *o) {
  const float *part = parts + blockIdx.x * 32 * (kDim + 2);
  float top = -1e30f, whole = 0, mixed = 0;
  for (int i = 0; i < kParts; i++) top = fmaxf(top, part[i * (kDim + 2) + kDim]);
  for (int i = 0; i < kParts; i++) {
    const float scale = __expf(part[i * (kDim + 2) + kDim] - top);
    whole += part[i * (kDim + 2) + kDim + 1] * scale, mixed += part[i * (kDim + 2) + threadIdx.x] * scale;
  }
  o[blockIdx.x * kDim + threadIdx.x] = mixed / whole;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  attend<<<dim3(kHeads, kParts), kDim, 0, stream_of(stream)>>>(pg_param(c, "keys"), as<float>(data[0]), as<__half>(data[1]), as<__half>(data[2]), as<float>(data[3]), as<float>(data[4]));
  if (!SLOW) merge<<<kHeads, kDim, 0, stream_of(stream)>>>(as<float>(data[3]), as<float>(data[4]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t keys = pg_param(c, "keys");
  const double *q = data[0], *k = data[1], *v = data[2];
  double *o = data[4];
  return for_each(kHeads * kDim, stream, [=] __device__(int64_t at) {
    const int64_t head = at / kDim;
    double most = -1e300, total = 0, sum = 0;
    for (int64_t i = 0; i < keys; i++) {
      double score = 0;
      for (int d = 0; d < kDim; d++) score += q[head * kDim + d] * k[(head * keys + i) * kDim + d] * 0.08838834764831845;
      const double next = max(most, score);
      total = total * exp(most - next) + exp(score - next), sum = sum * exp(most - next) + exp(score - next) * v[(head * keys + i) * kDim + at % kDim];
      most = next;
    }
    o[at] = sum / total;
  });
}
