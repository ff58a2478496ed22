// How often each string has a certain byte; the strings are of very different lengths. Base: a warp to a string. SLOW: a thread to a string.
#include "common.cuh"

constexpr int64_t kMean = 256;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "strings");
  t[0] = pg_fill_with(PG_TENSOR("text", PG_U8, PG_IN, n * kMean), PG_FILL_UNIFORM, 0, 31);
  t[1] = PG_TENSOR("y", PG_I32, PG_OUT, n);
  t[0].flags = PG_FILL_FIXED;
  return 2;
}

// Of each four strings one has 5/8 of the bytes.
__host__ __device__ inline int64_t start_of(int64_t i) {
  const int64_t at[] = {0, 1, 6, 7};
  return (i / 4 * 8 + at[i % 4]) * kMean / 2;
}

__global__ void count(int64_t n, const unsigned char *text, int *y) {
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, i = SLOW ? thread : thread / kLanes;
  if (i >= n) return;
  int found = 0;
  for (int64_t at = start_of(i) + (SLOW ? 0 : threadIdx.x % kLanes), end = start_of(i + 1); at < end; at += SLOW ? 1 : kLanes) found += text[at] == 7;
  if (!SLOW) found = warp_sum(found);
  if (SLOW || threadIdx.x % kLanes == 0) y[i] = found;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "strings");
  count<<<blocks_of(n * (SLOW ? 1 : kLanes), 256), 256, 0, stream_of(stream)>>>(n, as<unsigned char>(data[0]), as<int>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *text = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "strings"), stream, [=] __device__(int64_t i) {
    y[i] = 0;
    for (int64_t at = start_of(i); at < start_of(i + 1); at++) y[i] += text[at] == 7;
  });
}
