// Queries times keys on tensor cores, rows of 128 halves in shared memory. Base has them 136 apart. SLOW: 128, so that all rows begin in the same bank.
#include <mma.h>

#include "common.cuh"

using namespace nvcuda;
constexpr int kDim = 128, kStride = kDim + (SLOW ? 0 : 8), kTile = 64, kThreads = 128, kRounds = 8;

struct alignas(16) Eight {
  __half of[8];
};

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n") * kTile;
  t[0] = PG_TENSOR("q", PG_F16, PG_IN, n, kDim);
  t[1] = PG_TENSOR("k", PG_F16, PG_IN, kRounds * kTile, kDim);
  t[2] = PG_TENSOR("most", PG_F32, PG_OUT, n, kTile);
  return 3;
}

__device__ void fetch(__half (*to)[kStride], const __half *from) {
  for (int i = threadIdx.x; i < kTile * kDim / 8; i += kThreads) *reinterpret_cast<Eight *>(&to[i / (kDim / 8)][i % (kDim / 8) * 8]) = reinterpret_cast<const Eight *>(from)[i];
}

// The sum over the rounds of what each has for a row and a place.
__global__ void scores(const __half *q, const __half *k, float *out) {
  __shared__ __half qs[kTile][kStride], ks[kTile][kStride];
  const int warp = threadIdx.x / kLanes;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
  for (auto &s : sum) wmma::fill_fragment(s, 0.f);
  fetch(qs, q + static_cast<int64_t>(blockIdx.x) * kTile * kDim);
  for (int round = 0; round < kRounds; round++) {
    fetch(ks, k + round * kTile * kDim);
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDim; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
      wmma::load_matrix_sync(left, &qs[warp * 16][d], kStride);
#pragma unroll
      for (int j = 0; j < 4; j++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
        wmma::load_matrix_sync(right, &ks[j * 16][d], kStride);
        wmma::mma_sync(sum[j], left, right, sum[j]);
      }
    }
    __syncthreads();
  }
  float *to = out + (static_cast<int64_t>(blockIdx.x) * kTile + warp * 16) * kTile;
  for (int j = 0; j < 4; j++) wmma::store_matrix_sync(to + j * 16, sum[j], kTile, wmma::mem_row_major);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  scores<<<unsigned(pg_param(c, "n")), kThreads, 0, stream_of(stream)>>>(as<__half>(data[0]), as<__half>(data[1]), as<float>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *q = data[0], *k = data[1];
  double *out = data[2];
  return for_each(pg_param(c, "n") * kTile * kTile, stream, [=] __device__(int64_t i) {
    double sum = 0;
    for (int round = 0; round < kRounds; round++) {
      for (int d = 0; d < kDim; d++) sum += q[i / kTile * kDim + d] * k[(round * kTile + i % kTile) * kDim + d];
    }
    out[i] = sum;
  });
}
