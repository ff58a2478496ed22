// A product of matrices, an element to a thread. Base goes through tiles in shared memory. SLOW: every thread loads its row and its column from
// global memory.
#include "common.cuh"

constexpr int kTile = 32;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n") * kTile;
  t[0] = PG_TENSOR("a", PG_F32, PG_IN, n, n);
  t[1] = PG_TENSOR("b", PG_F32, PG_IN, n, n);
  t[2] = PG_TENSOR("c", PG_F32, PG_OUT, n, n);
  return 3;
}

__global__ void multiply(int n, const float *a, const float *b, float *c) {
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
#if SLOW
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
#else
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  for (int k = 0; k < n; k += kTile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kTile; j++) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
#endif
  c[row * n + column] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const unsigned tiles = unsigned(pg_param(c, "n"));
  multiply<<<dim3(tiles, tiles), dim3(kTile, kTile), 0, stream_of(stream)>>>(int(tiles) * kTile, as<float>(data[0]), as<float>(data[1]), as<float>(data[2]));
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
