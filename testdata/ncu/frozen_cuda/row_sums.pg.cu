// Sums of rows of 256 numbers, a block to a row and eight rows one after the other. Base adds up by shuffles. SLOW: by halves in shared memory, with a
// barrier after each.
#include "common.cuh"

constexpr int kColumns = 256, kRows = 8;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n") * kRows, kColumns);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n") * kRows);
  return 2;
}

__global__ void row_sums(const float *x, float *y) {
  __shared__ float part[kColumns];
  for (int r = 0; r < kRows; r++) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * kRows + r;
    const float v = x[row * kColumns + threadIdx.x];
    if (SLOW) {
      part[threadIdx.x] = v;
      __syncthreads();
      for (int half = kColumns / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
      }
      if (threadIdx.x == 0) y[row] = part[0];
      __syncthreads();
    } else {
      const float of_warp = warp_sum(v);
      if (threadIdx.x % kLanes == 0) part[r % 2 * kLanes + threadIdx.x / kLanes] = of_warp;
      __syncthreads();
      if (threadIdx.x < kLanes) {
        const float sum = warp_sum(threadIdx.x < kColumns / kLanes ? part[r % 2 * kLanes + threadIdx.x] : 0.f);
        if (threadIdx.x == 0) y[row] = sum;
      }
    }
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  row_sums<<<unsigned(pg_param(c, "n")), kColumns, 0, stream_of(stream)>>>(as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "n") * kRows, stream, [=] __device__(int64_t row) {
    y[row] = 0;
    for (int k = 0; k < kColumns; k++) y[row] += x[row * kColumns + k];
  });
}
