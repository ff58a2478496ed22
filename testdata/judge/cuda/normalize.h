#ifndef NORMALIZE_H
#define NORMALIZE_H

#include <cuda_runtime.h>

#include <cstdint>

// Each of rows rows of cols floats less its mean, over the root of its variance and 1e-5.
void normalize(int64_t rows, int64_t cols, const float *x, float *y, cudaStream_t stream);

#endif
