// A product with few rows and columns and a long inner dimension. Base splits that over blocks, and a second kernel adds up what they found.
// SLOW: a block does all of it for its tile.
#include "common.cuh"

constexpr int kTile = 64, kDepth = 16, kThreads = 256, kParts = SLOW ? 1 : 32;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n") * kTile, k = pg_param(c, "k");
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, n, k);
  t[1] = PG_TENSOR("b", PG_F32, PG_IN, k, n);
  t[2] = PG_TENSOR("parts", PG_F32, PG_SCRATCH, 32, n, n);
  t[3] = PG_TENSOR("c", PG_F32, PG_OUT, n, n);
  return 4;
}

__global__ void multiply(int64_t n, int64_t inner, const float *a, const float *b, float *c) {
  __shared__ float as[kDepth][kTile + 4], bs[kDepth][kTile];
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile, column = static_cast<int64_t>(blockIdx.x) * kTile;
  const int64_t each = inner / kParts, first = blockIdx.z * each;
  const int y = threadIdx.x / 16 * 4, x = threadIdx.x % 16 * 4;
  float sum[4][4] = {};
  for (int64_t k = first; k < first + each; k += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      as[i % kDepth][i / kDepth] = a[(row + i / kDepth) * inner + k + i % kDepth];
      bs[i / kTile][i % kTile] = b[(k + i / kTile) * n + column + i % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kDepth; j++) {
      const float4 left = *reinterpret_cast<const float4 *>(&as[j][y]), right = *reinterpret_cast<const float4 *>(&bs[j][x]);
      const float l[] = {left.x, left.y, left.z, left.w};
#pragma unroll
      for (int i = 0; i < 4; i++) sum[i][0] += l[i] * right.x, sum[i][1] += l[i] * right.y, sum[i][2] += l[i] * right.z, sum[i][3] += l[i] * right.w;
    }
    __syncthreads();
  }
  c += blockIdx.z * n * n;
  for (int i = 0; i < 4; i++) *reinterpret_cast<float4 *>(c + (row + y + i) * n + column + x) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

__global__ void add_parts(int64_t n, const float *parts, float *c) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  float sum = 0;
  for (int k = 0; k < kParts; k++) sum += parts[k * n * n + i];
  c[i] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t tiles = pg_param(c, "n"), n = tiles * kTile;
  float *parts = as<float>(data[2]), *to = as<float>(data[3]);
  multiply<<<dim3(unsigned(tiles), unsigned(tiles), kParts), kThreads, 0, stream_of(stream)>>>(n, pg_param(c, "k"), as<float>(data[0]), as<float>(data[1]), SLOW ? to : parts);
  if (!SLOW) add_parts<<<blocks_of(n * n, 256), 256, 0, stream_of(stream)>>>(n, parts, to);
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n") * kTile, inner = pg_param(c, "k");
  const double *a = data[0], *b = data[1];
  double *to = data[3];
  return for_each(n * n, stream, [=] __device__(int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < inner; k++) sum += a[i / n * inner + k] * b[k * n + i % n];
    to[i] = sum;
  });
}
