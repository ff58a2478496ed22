// y[c][r] = x[r][c] for a [rows, columns] matrix of float32.
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include <cuda_runtime.h>

#include <cstdint>

void transpose(int64_t rows, int64_t columns, const float *x, float *y, cudaStream_t stream);

#endif
