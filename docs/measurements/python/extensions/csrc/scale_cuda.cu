#include <c10/cuda/CUDAStream.h>

constexpr int PASSES = 1;  // planted: 3 reads and writes everything three times
constexpr long SHORT = 0;  // planted: 1 leaves the last element out

__global__ void scale_kernel(const float *x, volatile float *y, long n) {
    for (int pass = 0; pass < PASSES; pass++)
        for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n - SHORT; i += (long)gridDim.x * blockDim.x) y[i] = 2 * ((const volatile float *)x)[i] + 1;
}

void scale_launch(const float *x, float *y, long n) { scale_kernel<<<2048, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x, y, n); }
