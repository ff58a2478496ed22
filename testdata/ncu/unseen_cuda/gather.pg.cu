// Rows of a table by index. BYTES: a thread copies its 16 bytes one by one.
#include "common.cuh"

#ifndef BYTES
#define BYTES 0
#endif

constexpr int64_t kRow = 64, kTable = 65536;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("table", PG_F32, PG_IN, kTable, kRow);
  t[1] = pg_fill_with(PG_TENSOR("index", PG_I32, PG_IN, n), PG_FILL_UNIFORM, 0, kTable - 1);
  t[1].flags = PG_FILL_FIXED;
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, n, kRow);
  return 3;
}

__global__ void gather(int64_t n, const float *table, const int32_t *index, float *y) {
  const int64_t i = thread_index();
  if (i >= n * kRow / 4) return;
  const float4 *from = reinterpret_cast<const float4 *>(table + index[i / 16] * kRow) + i % 16;
  float4 *to = reinterpret_cast<float4 *>(y) + i;
  if (!BYTES) {
    *to = *from;
    return;
  }
  const volatile char *in = reinterpret_cast<const volatile char *>(from);
  volatile char *out = reinterpret_cast<volatile char *>(to);
  for (int k = 0; k < 16; k++) out[k] = in[k];
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n");
  gather<<<blocks_of(n * kRow / 4, kThreads), kThreads, 0, stream_of(stream)>>>(n, static_cast<const float *>(data[0]), static_cast<const int32_t *>(data[1]), static_cast<float *>(data[2]));
  return 0;
}

__global__ void reference(int64_t n, const double *table, const double *index, double *y) {
  const int64_t i = thread_index();
  if (i < n * kRow) y[i] = table[static_cast<int64_t>(index[i / kRow]) * kRow + i % kRow];
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n * kRow, kThreads), kThreads, 0, stream_of(stream)>>>(n, data[0], data[1], data[2]);
  return 0;
}
