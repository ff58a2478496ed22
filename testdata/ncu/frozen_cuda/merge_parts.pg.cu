// Partial results of attention for 32 heads: one kernel makes 256 parts of each, another merges them. Base merges with four blocks to a head, in which 16
// warps share the parts. SLOW: one block to a head, in which each thread goes through all parts.
#include "common.cuh"

constexpr int kHeads = 32, kDim = 128, kParts = 256, kWarps = 16;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("v", PG_F32, PG_IN, kHeads, kParts * pg_param(c, "each"), kDim);
  t[1] = PG_TENSOR("parts", PG_F32, PG_SCRATCH, kHeads, kParts, kDim);
  t[2] = PG_TENSOR("most", PG_F32, PG_SCRATCH, kHeads, kParts);
  t[3] = PG_TENSOR("o", PG_F32, PG_OUT, kHeads, kDim);
  return 4;
}

// The mean of a part's rows, and a score that its first number gives.
__global__ void make(int each, const float *v, float *parts, float *most) {
  const int64_t part = static_cast<int64_t>(blockIdx.x) * kParts + blockIdx.y;
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < each; i++) sum += v[(part * each + i) * kDim + threadIdx.x];
  parts[part * kDim + threadIdx.x] = sum / float(each);
  if (threadIdx.x == 0) most[part] = v[part * each * kDim];
}

__global__ void merge_serially(const float *parts, const float *most, float *o) {
  const float *part = parts + blockIdx.x * kParts * kDim, *score = most + blockIdx.x * kParts;
  float top = -1e30f, whole = 0, mixed = 0;
  for (int k = 0; k < kParts; k++) {
    const float next = fmaxf(top, score[k]), old = __expf(top - next), now = __expf(score[k] - next);
    top = next, whole = whole * old + now, mixed = mixed * old + now * part[k * kDim + threadIdx.x];
  }
  o[blockIdx.x * kDim + threadIdx.x] = mixed / whole;
}

__global__ void merge_together(const float *parts, const float *most, float *o) {
  __shared__ float tops[kWarps], wholes[kWarps], mixes[kWarps][kLanes];
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes, at = blockIdx.y * kLanes + lane;
  const float *part = parts + blockIdx.x * kParts * kDim, *score = most + blockIdx.x * kParts;
  float top = -1e30f, whole = 0, mixed = 0;
#pragma unroll 4
  for (int k = warp; k < kParts; k += kWarps) {
    const float next = fmaxf(top, score[k]), old = __expf(top - next), now = __expf(score[k] - next);
    top = next, whole = whole * old + now, mixed = mixed * old + now * part[k * kDim + at];
  }
  tops[warp] = top, wholes[warp] = whole, mixes[warp][lane] = mixed;
  __syncthreads();
  if (warp) return;
  for (float t : tops) top = fmaxf(top, t);
  whole = mixed = 0;
  for (int k = 0; k < kWarps; k++) whole += wholes[k] * __expf(tops[k] - top), mixed += mixes[k][lane] * __expf(tops[k] - top);
  o[blockIdx.x * kDim + at] = mixed / whole;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  float *parts = as<float>(data[1]), *most = as<float>(data[2]), *o = as<float>(data[3]);
  make<<<dim3(kHeads, kParts), kDim, 0, stream_of(stream)>>>(int(pg_param(c, "each")), as<float>(data[0]), parts, most);
  if (SLOW) {
    merge_serially<<<kHeads, kDim, 0, stream_of(stream)>>>(parts, most, o);
  } else {
    merge_together<<<dim3(kHeads, kDim / kLanes), kWarps * kLanes, 0, stream_of(stream)>>>(parts, most, o);
  }
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t each = pg_param(c, "each");
  const double *v = data[0];
  double *o = data[3];
  return for_each(kHeads * kDim, stream, [=] __device__(int64_t i) {
    double whole = 0, mixed = 0;
    for (int k = 0; k < kParts; k++) {
      const double *rows = v + (i / kDim * kParts + k) * each * kDim;
      double sum = 0;
      for (int r = 0; r < each; r++) sum += rows[r * kDim + i % kDim];
      whole += exp(rows[0]), mixed += exp(rows[0]) * sum / each;
    }
    o[i] = mixed / whole;
  });
}
