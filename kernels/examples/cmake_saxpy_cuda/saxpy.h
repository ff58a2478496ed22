// y = a x + y for n elements, on a stream.
#ifndef SAXPY_H
#define SAXPY_H

#include <cuda_runtime.h>

#include <cstdint>

void saxpy(int64_t n, const float *a, const float *x, float *y, cudaStream_t stream);

#endif
