#ifndef PRODUCT_H
#define PRODUCT_H

#include <cuda_runtime.h>

#include <cstdint>

// c = a b, each n rows of n floats. C linkage, so that a script can load it too.
extern "C" void product(int64_t n, const float *a, const float *b, float *c, cudaStream_t stream);

#endif
