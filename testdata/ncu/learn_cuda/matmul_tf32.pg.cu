// A product of matrices of floats, a tile of 64 x 64 to a block. SLOW: in float32 on the ordinary cores instead of in TF32 on tensor cores.
#include <mma.h>

#include "common.cuh"

using namespace nvcuda;
constexpr int kTile = 64, kDepth = 16, kThreads = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n") * kTile;
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, n, n);
  t[1] = PG_TENSOR("b", PG_F32, PG_IN, n, n);
  t[2] = PG_TENSOR("c", PG_F32, PG_OUT, n, n);
  return 3;
}

__device__ void stage(int64_t n, int64_t row, int64_t column, int64_t k, const float *a, const float *b, float (*as)[kDepth + 4], float (*bs)[kTile + 4]) {
  for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
    as[i / kDepth][i % kDepth] = a[(row + i / kDepth) * n + k + i % kDepth];
    bs[i / kTile][i % kTile] = b[(k + i / kTile) * n + column + i % kTile];
  }
}

__global__ void matmul(int64_t n, const float *a, const float *b, float *c) {
  __shared__ float as[kTile][kDepth + 4], bs[kDepth][kTile + 4];
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile, column = static_cast<int64_t>(blockIdx.x) * kTile;
#if SLOW
  const int y = threadIdx.x / 16 * 8, x = threadIdx.x % 16 * 4;
  float sum[8][4] = {};
  for (int64_t k = 0; k < n; k += kDepth) {
    stage(n, row, column, k, a, b, as, bs);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kDepth; j++) {
      const float4 right = *reinterpret_cast<const float4 *>(&bs[j][x]);
#pragma unroll
      for (int i = 0; i < 8; i++) {
        const float left = as[y + i][j];
        sum[i][0] += left * right.x, sum[i][1] += left * right.y, sum[i][2] += left * right.z, sum[i][3] += left * right.w;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++) *reinterpret_cast<float4 *>(c + (row + y + i) * n + column + x) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
#else
  const int y = threadIdx.x / kLanes / 2 * 32, x = threadIdx.x / kLanes % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[2][2];
  for (auto &line : sum) {
    for (auto &f : line) wmma::fill_fragment(f, 0.f);
  }
  for (int64_t k = 0; k < n; k += kDepth) {
    stage(n, row, column, k, a, b, as, bs);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kDepth; j += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right[2];
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(left[i], &as[y + 16 * i][j], kDepth + 4);
        wmma::load_matrix_sync(right[i], &bs[j][x + 16 * i], kTile + 4);
        for (auto &v : left[i].x) v = wmma::__float_to_tf32(v);
        for (auto &v : right[i].x) v = wmma::__float_to_tf32(v);
      }
      for (int i = 0; i < 4; i++) wmma::mma_sync(sum[i / 2][i % 2], left[i / 2], right[i % 2], sum[i / 2][i % 2]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) wmma::store_matrix_sync(c + (row + y + i / 2 * 16) * n + column + x + i % 2 * 16, sum[i / 2][i % 2], n, wmma::mem_row_major);
#endif
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t tiles = pg_param(c, "n");
  matmul<<<dim3(unsigned(tiles), unsigned(tiles)), kThreads, 0, stream_of(stream)>>>(tiles * kTile, as<float>(data[0]), as<float>(data[1]), as<float>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n") * kTile;
  const double *a = data[0], *b = data[1];
  double *to = data[2];
  return for_each(n * n, stream, [=] __device__(int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += a[i / n * n + k] * b[k * n + i % n];
    to[i] = sum;
  });
}
