// A product of matrices through shared memory. Base: a thread has 8 x 8 of the result in registers. SLOW: 2 x 2, so that there are four times as many
// loads from shared memory for as many multiplications.
#include "common.cuh"

constexpr int kEach = SLOW ? 2 : 8, kSide = 16, kTile = kSide * kEach, kDepth = 8, kThreads = kSide * kSide;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n") * 128;
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, n, n);
  t[1] = PG_TENSOR("b", PG_F32, PG_IN, n, n);
  t[2] = PG_TENSOR("c", PG_F32, PG_OUT, n, n);
  return 3;
}

__global__ void multiply(int64_t n, const float *a, const float *b, float *c) {
  __shared__ float as[kDepth][kTile + 1], bs[kDepth][kTile];
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile, column = static_cast<int64_t>(blockIdx.x) * kTile;
  const int y = threadIdx.x / kSide, x = threadIdx.x % kSide;
  float sum[kEach][kEach] = {};
  for (int64_t k = 0; k < n; k += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      as[i % kDepth][i / kDepth] = a[(row + i / kDepth) * n + k + i % kDepth];
      bs[i / kTile][i % kTile] = b[(k + i / kTile) * n + column + i % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kDepth; j++) {
      float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; i++) left[i] = as[j][y + i * kSide], right[i] = bs[j][x + i * kSide];
#pragma unroll
      for (int i = 0; i < kEach * kEach; i++) sum[i / kEach][i % kEach] += left[i / kEach] * right[i % kEach];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach * kEach; i++) c[(row + y + i / kEach * kSide) * n + column + x + i % kEach * kSide] = sum[i / kEach][i % kEach];
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n") * 128;
  multiply<<<dim3(unsigned(n / kTile), unsigned(n / kTile)), kThreads, 0, stream_of(stream)>>>(n, as<float>(data[0]), as<float>(data[1]), as<float>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n") * 128;
  const double *a = data[0], *b = data[1];
  double *to = data[2];
  return for_each(n * n, stream, [=] __device__(int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += a[i / n * n + k] * b[k * n + i % n];
    to[i] = sum;
  });
}
