// The code under test. Replace it with your kernel.
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr unsigned kThreads = 256;

template <class T>
__global__ void scale_add_kernel(T a, const T *x, T *y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

unsigned blocks(int64_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

}  // namespace

void scale_add_f32(float a, const float *x, float *y, int64_t n, cudaStream_t stream) {
  scale_add_kernel<<<blocks(n), kThreads, 0, stream>>>(a, x, y, n);
}

void scale_add_f64(double a, const double *x, double *y, int64_t n, cudaStream_t stream) {
  scale_add_kernel<<<blocks(n), kThreads, 0, stream>>>(a, x, y, n);
}
