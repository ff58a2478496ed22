// Each layer is the sum of four that follow. ORDER: blocks go through one layer after the other instead of through all layers of a
// place, so that what four of them need has left the L2 in between.
#include "common.cuh"

#ifndef ORDER
#define ORDER 0
#endif

constexpr int kLayers = 16;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, kLayers, n);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, kLayers, n);
  return 2;
}

__global__ void layers(int64_t n, int64_t places, const float *x, float *y) {
  const int64_t block = blockIdx.x, layer = ORDER ? block / places : block % kLayers, place = ORDER ? block % places : block / kLayers;
  const int64_t i = place * kThreads + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 4; k++) sum += x[(layer + k) % kLayers * n + i];
  y[layer * n + i] = sum;
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const int64_t n = pg_param(c, "n"), places = blocks_of(n, kThreads);
  layers<<<static_cast<unsigned>(places * kLayers), kThreads, 0, stream_of(stream)>>>(n, places, static_cast<const float *>(data[0]), static_cast<float *>(data[1]));
  return 0;
}

__global__ void reference(int64_t n, const double *x, double *y) {
  const int64_t i = thread_index();
  if (i >= n * kLayers) return;
  y[i] = 0;
  for (int k = 0; k < 4; k++) y[i] += x[(i / n + k) % kLayers * n + i % n];
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  reference<<<blocks_of(n * kLayers, kThreads), kThreads, 0, stream_of(stream)>>>(n, data[0], data[1]);
  return 0;
}
