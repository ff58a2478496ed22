// Rows in half precision over their root mean square, times a weight, a block to a row. SLOW: a number at a time, with blocks of 1024 threads,
// instead of eight at a time with as many threads as that needs.
#include "common.cuh"

constexpr int kWide = 8;

struct alignas(16) Eight {
  __half of[kWide];
};

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), columns = pg_param(c, "columns") * kWide;
  t[0] = PG_TENSOR("x", PG_F16, PG_IN, rows, columns);
  t[1] = PG_TENSOR("w", PG_F16, PG_IN, columns);
  t[2] = PG_TENSOR("y", PG_F16, PG_OUT, rows, columns);
  return 3;
}

__global__ void rms_norm(int columns, const __half *x, const __half *w, __half *y) {
  const __half *row = x + static_cast<int64_t>(blockIdx.x) * columns;
  __half *to = y + static_cast<int64_t>(blockIdx.x) * columns;
  float sum = 0;
  if (SLOW) {
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += __half2float(row[i]) * __half2float(row[i]);
  } else {
    for (int i = threadIdx.x; i < columns / kWide; i += blockDim.x) {
      const Eight v = reinterpret_cast<const Eight *>(row)[i];
#pragma unroll
      for (auto &one : v.of) sum += __half2float(one) * __half2float(one);
    }
  }
  const float scale = rsqrtf(block_sum(sum) / float(columns) + 1e-5f);
  if (SLOW) {
    for (int i = threadIdx.x; i < columns; i += blockDim.x) to[i] = __float2half(__half2float(row[i]) * scale * __half2float(w[i]));
    return;
  }
  for (int i = threadIdx.x; i < columns / kWide; i += blockDim.x) {
    Eight v = reinterpret_cast<const Eight *>(row)[i];
    const Eight by = reinterpret_cast<const Eight *>(w)[i];
#pragma unroll
    for (int k = 0; k < kWide; k++) v.of[k] = __float2half(__half2float(v.of[k]) * scale * __half2float(by.of[k]));
    reinterpret_cast<Eight *>(to)[i] = v;
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  rms_norm<<<unsigned(pg_param(c, "rows")), SLOW ? 1024 : 256, 0, stream_of(stream)>>>(int(pg_param(c, "columns") * kWide), as<__half>(data[0]), as<__half>(data[1]), as<__half>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t columns = pg_param(c, "columns") * kWide;
  const double *x = data[0], *w = data[1];
  double *y = data[2];
  return for_each(pg_param(c, "rows"), stream, [=] __device__(int64_t row) {
    double sum = 0;
    for (int64_t i = 0; i < columns; i++) sum += x[row * columns + i] * x[row * columns + i];
    for (int64_t i = 0; i < columns; i++) y[row * columns + i] = x[row * columns + i] / sqrt(sum / columns + 1e-5) * w[i];
  });
}
