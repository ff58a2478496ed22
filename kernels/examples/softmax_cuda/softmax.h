// softmax of the rows of a [rows, columns] matrix of float32.
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include <cuda_runtime.h>

#include <cstdint>

constexpr int64_t kMaxColumns = 8192;  // a row lies in shared memory

void softmax(int64_t rows, int64_t columns, const float *x, float *y, cudaStream_t stream);

#endif
