// Tiles of a long signal, each filtered in shared memory some times. Base copies the next tile into shared memory asynchronously while it works on this
// one. SLOW: through registers, before it begins with it.
#include "common.cuh"

constexpr int kThreads = 256, kTile = kThreads * 4, kTimes = 6, kTiles = 32;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "blocks"), kTiles, kTile);
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "blocks"), kTiles, kTile);
  return 2;
}

template <class T> __host__ __device__ T filtered(T left, T middle, T right) { return left * T(0.25) + middle * T(0.5) + right * T(0.25); }

__device__ void fetch(float *to, const float *from) {
  if (SLOW) {
    *reinterpret_cast<float4 *>(to + threadIdx.x * 4) = *reinterpret_cast<const float4 *>(from + threadIdx.x * 4);
  } else {
    const unsigned there = static_cast<unsigned>(__cvta_generic_to_shared(to + threadIdx.x * 4));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;" ::"r"(there), "l"(from + threadIdx.x * 4) : "memory");
  }
}

__global__ void __launch_bounds__(kThreads) filter(const float *x, float *y) {
  extern __shared__ float tiles[];  // and room that keeps other blocks away, as a large tile would
  const float *from = x + static_cast<int64_t>(blockIdx.x) * kTiles * kTile;
  float *to = y + static_cast<int64_t>(blockIdx.x) * kTiles * kTile;
  if (!SLOW) fetch(tiles, from);
  for (int k = 0; k < kTiles; k++) {
    float *tile = tiles + (SLOW ? 0 : k % 2 * kTile);
    if (SLOW) {
      fetch(tile, from + k * kTile);
    } else if (k + 1 < kTiles) {
      fetch(tiles + (k + 1) % 2 * kTile, from + (k + 1) * kTile);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    for (int time = 0; time < kTimes; time++) {
      float v[4];
      for (int i = 0; i < 4; i++) {
        const int at = threadIdx.x + i * kThreads;
        v[i] = filtered(tile[(at + kTile - 1) % kTile], tile[at], tile[(at + 1) % kTile]);
      }
      __syncthreads();
      for (int i = 0; i < 4; i++) tile[threadIdx.x + i * kThreads] = v[i];
      __syncthreads();
    }
    for (int i = 0; i < 4; i++) to[k * kTile + threadIdx.x + i * kThreads] = tile[threadIdx.x + i * kThreads];
    __syncthreads();
  }
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  constexpr int kShared = 100 * 1024;
  cudaFuncSetAttribute(filter, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  filter<<<unsigned(pg_param(c, "blocks")), kThreads, kShared, stream_of(stream)>>>(as<float>(data[0]), as<float>(data[1]));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const double *x = data[0];
  double *y = data[1];
  return for_each(pg_param(c, "blocks") * kTiles * kTile, stream, [=] __device__(int64_t i) {
    double v[2 * kTimes + 1];
    for (int k = 0; k <= 2 * kTimes; k++) v[k] = x[i / kTile * kTile + (i % kTile + k - kTimes + kTile) % kTile];
    for (int time = kTimes; time > 0; time--) {
      for (int k = 0; k < 2 * time - 1; k++) v[k] = filtered(v[k], v[k + 1], v[k + 2]);
    }
    y[i] = v[0];
  });
}
