// A product of matrices through shared memory, one block to an SM. Base loads the next tiles into registers while it multiplies these. SLOW: it
// loads them when it needs them.
#include "common.cuh"

constexpr int kTile = 128, kDepth = 8, kThreads = 256;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n") * kTile;
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, n, n);  // transposed
  t[1] = PG_TENSOR("b", PG_F32, PG_IN, n, n);
  t[2] = PG_TENSOR("c", PG_F32, PG_OUT, n, n);
  return 3;
}

__global__ void __launch_bounds__(kThreads, 1) multiply(int64_t n, const float *a, const float *b, float *c) {
  __shared__ float as[2][kDepth][kTile], bs[2][kDepth][kTile];
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile, column = static_cast<int64_t>(blockIdx.x) * kTile;
  const int line = threadIdx.x / 32, at = threadIdx.x % 32 * 4, y = threadIdx.x / 16 * 4, x = threadIdx.x % 16 * 4;
  const float *from_a = a + line * n + row + at, *from_b = b + line * n + column + at;
  float sum[8][8] = {};
  float4 next_a = *reinterpret_cast<const float4 *>(from_a), next_b = *reinterpret_cast<const float4 *>(from_b);
  for (int64_t k = 0, turn = 0; k < n; k += kDepth, turn ^= SLOW ? 0 : 1) {
    if (SLOW) next_a = *reinterpret_cast<const float4 *>(from_a + k * n), next_b = *reinterpret_cast<const float4 *>(from_b + k * n);
    *reinterpret_cast<float4 *>(&as[turn][line][at]) = next_a;
    *reinterpret_cast<float4 *>(&bs[turn][line][at]) = next_b;
    __syncthreads();
    if (!SLOW && k + kDepth < n) {
      next_a = *reinterpret_cast<const float4 *>(from_a + (k + kDepth) * n);
      next_b = *reinterpret_cast<const float4 *>(from_b + (k + kDepth) * n);
    }
#pragma unroll
    for (int j = 0; j < kDepth; j++) {
      float left[8], right[8];
      for (int h = 0; h < 2; h++) {
        *reinterpret_cast<float4 *>(left + h * 4) = *reinterpret_cast<const float4 *>(&as[turn][j][y + h * 64]);
        *reinterpret_cast<float4 *>(right + h * 4) = *reinterpret_cast<const float4 *>(&bs[turn][j][x + h * 64]);
      }
#pragma unroll
      for (int i = 0; i < 64; i++) sum[i / 8][i % 8] += left[i / 8] * right[i % 8];
    }
    if (SLOW) __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    float *to = c + (row + y + i % 4 + i / 4 * 64) * n + column + x;
    *reinterpret_cast<float4 *>(to) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    *reinterpret_cast<float4 *>(to + 64) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t tiles = pg_param(c, "n");
  multiply<<<dim3(unsigned(tiles), unsigned(tiles)), kThreads, 0, stream_of(stream)>>>(tiles * kTile, as<float>(data[0]), as<float>(data[1]), as<float>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n") * kTile;
  const double *a = data[0], *b = data[1];
  double *to = data[2];
  return for_each(n * n, stream, [=] __device__(int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += a[k * n + i / n] * b[k * n + i % n];
    to[i] = sum;
  });
}
