// Rows of 128 numbers added into the rows that an index names, half of them into one row. SLOW: a thread adds four neighbours one after
// the other instead of a warp adding 32 neighbours at a time.
#include "common.cuh"

constexpr int64_t kWidth = 128, kTo = 4096;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows, kWidth);
  t[1] = pg_fill_with(PG_TENSOR("index", PG_I32, PG_IN, rows), PG_FILL_UNIFORM, -kTo, kTo - 1);
  t[1].flags = PG_FILL_FIXED;
  t[2] = PG_TENSOR("y", PG_F32, PG_INOUT, kTo, kWidth);
  return 3;
}

__device__ int64_t row_of(int index) { return index < 0 ? 7 : index; }

__global__ void index_add(int64_t rows, const float *x, const int *index, float *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (SLOW) {
    const int64_t row = i / (kWidth / 4), at = i % (kWidth / 4) * 4;
    if (row >= rows) return;
    const float4 v = *reinterpret_cast<const float4 *>(x + row * kWidth + at);
    float *to = y + row_of(index[row]) * kWidth + at;
    atomicAdd(to, v.x), atomicAdd(to + 1, v.y), atomicAdd(to + 2, v.z), atomicAdd(to + 3, v.w);
  } else if (i < rows * kWidth) {
    atomicAdd(y + row_of(index[i / kWidth]) * kWidth + i % kWidth, x[i]);
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t rows = pg_param(c, "rows");
  index_add<<<blocks_of(rows * kWidth / (SLOW ? 4 : 1), 256), 256, 0, stream_of(stream)>>>(rows, as<float>(data[0]), as<int>(data[1]), as<float>(data[2]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t rows = pg_param(c, "rows");
  const double *x = data[0], *index = data[1];
  double *y = data[2];
  return for_each(rows * kWidth, stream, [=] __device__(int64_t i) { atomicAdd(y + (index[i / kWidth] < 0 ? 7 : int64_t(index[i / kWidth])) * kWidth + i % kWidth, x[i]); });
}
