// A filter over three rows and columns for each of 64 channels, which lie next to each other. Base works on them as they are. SLOW: one kernel puts the
// channels apart, the filter works on planes, and another kernel puts them back.
#include "common.cuh"

constexpr int kChannels = 64, kTile = 32;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "side");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, n, n, kChannels);
  t[1] = PG_TENSOR("w", PG_F32, PG_IN, 9, kChannels);
  t[2] = PG_TENSOR("planes", PG_F32, PG_SCRATCH, kChannels, n, n);
  t[3] = PG_TENSOR("filtered", PG_F32, PG_SCRATCH, kChannels, n, n);
  t[4] = PG_TENSOR("y", PG_F32, PG_OUT, n, n, kChannels);
  return 5;
}

__device__ float around(int64_t n, int row, int column, int64_t row_step, int64_t column_step, const float *x, const float *w) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    const int r = row + k / 3 - 1, s = column + k % 3 - 1;
    if (r >= 0 && r < n && s >= 0 && s < n) sum += x[r * row_step + s * column_step] * w[k * kChannels];
  }
  return sum;
}

__global__ void filter_together(int64_t n, const float *x, const float *w, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n * n * kChannels) return;
  const int channel = i % kChannels, column = i / kChannels % n, row = i / kChannels / n;
  y[i] = around(n, row, column, n * kChannels, kChannels, x + channel, w + channel);
}

__global__ void filter_planes(int64_t n, const float *x, const float *w, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  y[blockIdx.y * n * n + i] = around(n, i / n, i % n, n, 1, x + blockIdx.y * n * n, w + blockIdx.y);
}

// A matrix of rows x columns turned round.
__global__ void turn(int64_t rows, int64_t columns, const float *x, float *y) {
  __shared__ float tile[kTile][kTile + 1];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kTile, column = static_cast<int64_t>(blockIdx.y) * kTile;
  for (int i = threadIdx.y; i < kTile; i += 8) {
    if (row + i < rows && column + threadIdx.x < columns) tile[i][threadIdx.x] = x[(row + i) * columns + column + threadIdx.x];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += 8) {
    if (column + i < columns && row + threadIdx.x < rows) y[(column + i) * rows + row + threadIdx.x] = tile[threadIdx.x][i];
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "side");
  const float *x = as<float>(data[0]), *w = as<float>(data[1]);
  float *planes = as<float>(data[2]), *filtered = as<float>(data[3]), *y = as<float>(data[4]);
  if (!SLOW) {
    filter_together<<<blocks_of(n * n * kChannels, 256), 256, 0, stream_of(stream)>>>(n, x, w, y);
    return 0;
  }
  turn<<<dim3(blocks_of(n * n, kTile), kChannels / kTile), dim3(kTile, 8), 0, stream_of(stream)>>>(n * n, kChannels, x, planes);
  filter_planes<<<dim3(blocks_of(n * n, 256), kChannels), 256, 0, stream_of(stream)>>>(n, planes, w, filtered);
  turn<<<dim3(kChannels / kTile, blocks_of(n * n, kTile)), dim3(kTile, 8), 0, stream_of(stream)>>>(kChannels, n * n, filtered, y);
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "side");
  const double *x = data[0], *w = data[1];
  double *y = data[4];
  return for_each(n * n * kChannels, stream, [=] __device__(int64_t i) {
    const int64_t channel = i % kChannels, column = i / kChannels % n, row = i / kChannels / n;
    y[i] = 0;
    for (int k = 0; k < 9; k++) {
      const int64_t r = row + k / 3 - 1, s = column + k % 3 - 1;
      if (r >= 0 && r < n && s >= 0 && s < n) y[i] += x[(r * n + s) * kChannels + channel] * w[k * kChannels + channel];
    }
  });
}
