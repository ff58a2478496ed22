// Softmax of rows of 2048 numbers, a warp to a row. Base keeps the row in shared memory. SLOW: in registers, 64 to a thread and more, so that
// few warps are resident.
#include "common.cuh"

constexpr int kColumns = 2048, kEach = kColumns / 32, kWarps = 4;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F16, PG_IN, pg_param(c, "rows"), kColumns);
  t[1] = PG_TENSOR("y", PG_F16, PG_OUT, pg_param(c, "rows"), kColumns);
  return 2;
}

#if SLOW
__global__ void softmax(int64_t rows, const __half *x, __half *y) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  if (row >= rows) return;
  float v[kEach], most = -INFINITY, sum = 0;
#pragma unroll
  for (int i = 0; i < kEach; i++) most = fmaxf(most, v[i] = __half2float(x[row * kColumns + i * kLanes + lane]));
  most = warp_max(most);
#pragma unroll
  for (int i = 0; i < kEach; i++) sum += v[i] = __expf(v[i] - most);
  sum = warp_sum(sum);
#pragma unroll
  for (int i = 0; i < kEach; i++) y[row * kColumns + i * kLanes + lane] = __float2half(v[i] / sum);
}
#else
__global__ void softmax(int64_t rows, const __half *x, __half *y) {
  __shared__ __half kept[kWarps][kColumns];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  __half *v = kept[threadIdx.x / kLanes];
  if (row >= rows) return;
  float most = -INFINITY, sum = 0;
#pragma unroll 8
  for (int i = 0; i < kEach; i++) {
    const __half one = x[row * kColumns + i * kLanes + lane];
    v[i * kLanes + lane] = one, most = fmaxf(most, __half2float(one));
  }
  most = warp_max(most);
#pragma unroll 8
  for (int i = 0; i < kEach; i++) sum += __expf(__half2float(v[i * kLanes + lane]) - most);
  sum = warp_sum(sum);
#pragma unroll 8
  for (int i = 0; i < kEach; i++) y[row * kColumns + i * kLanes + lane] = __float2half(__expf(__half2float(v[i * kLanes + lane]) - most) / sum);
}
#endif

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t rows = pg_param(c, "rows");
  softmax<<<blocks_of(rows, kWarps), kWarps * kLanes, 0, stream_of(stream)>>>(rows, as<__half>(data[0]), as<__half>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "rows"), stream, [=] __device__(int64_t row) {
    double most = -1e300, sum = 0;
    for (int64_t i = row * kColumns; i < (row + 1) * kColumns; i++) most = max(most, x[i]);
    for (int64_t i = row * kColumns; i < (row + 1) * kColumns; i++) sum += exp(x[i] - most);
    for (int64_t i = row * kColumns; i < (row + 1) * kColumns; i++) y[i] = exp(x[i] - most) / sum;
  });
}
