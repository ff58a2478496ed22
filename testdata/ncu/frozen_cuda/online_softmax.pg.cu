// Softmax of rows that are too long to be kept. Base finds maximum and sum in one pass over a row and writes it in a second. SLOW: three passes, for the
// maximum, the sum and the result.
#include "common.cuh"

constexpr int kThreads = 512;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "rows"), pg_param(c, "columns") * 4);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "rows"), pg_param(c, "columns") * 4);
  return 2;
}


__device__ float block_max(float x) {
  __shared__ float of_warps[kLanes];
  x = warp_max(x);
  __syncthreads();
  if (threadIdx.x % kLanes == 0) of_warps[threadIdx.x / kLanes] = x;
  __syncthreads();
  return warp_max(threadIdx.x % kLanes < kThreads / kLanes ? of_warps[threadIdx.x % kLanes] : -INFINITY);
}

__global__ void __launch_bounds__(kThreads) softmax(int columns, const float4 *x, float4 *y) {
  x += static_cast<int64_t>(blockIdx.x) * columns, y += static_cast<int64_t>(blockIdx.x) * columns;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    const float4 v = x[i];
    if (SLOW) {
      most = fmaxf(fmaxf(most, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
    } else {
      const float top = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
      if (top > most) sum *= __expf(most - top), most = top;
      sum += __expf(v.x - most) + __expf(v.y - most) + __expf(v.z - most) + __expf(v.w - most);
    }
  }
  const float top = block_max(most);
  if (SLOW) {
    for (int i = threadIdx.x; i < columns; i += kThreads) {
      const float4 v = x[i];
      sum += __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top);
    }
  } else {
    sum *= __expf(most - top);
  }
  const float by = 1 / block_sum(sum);
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    const float4 v = x[i];
    y[i] = make_float4(__expf(v.x - top) * by, __expf(v.y - top) * by, __expf(v.z - top) * by, __expf(v.w - top) * by);
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  softmax<<<unsigned(pg_param(c, "rows")), kThreads, 0, stream_of(stream)>>>(int(pg_param(c, "columns")), as<float4>(data[0]), as<float4>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t columns = pg_param(c, "columns") * 4;
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "rows") * 64, stream, [=] __device__(int64_t at) {
    const int64_t row = at / 64;  // 64 threads a row, each of which looks at all of it and writes its part
    double most = -1e300, sum = 0;
    for (int64_t i = row * columns; i < (row + 1) * columns; i++) {
      const double next = max(most, x[i]);
      sum = sum * exp(most - next) + exp(x[i] - next), most = next;
    }
    for (int64_t i = row * columns + at % 64; i < (row + 1) * columns; i += 64) y[i] = exp(x[i] - most) / sum;
  });
}
