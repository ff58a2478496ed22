#ifndef ROWS_H
#define ROWS_H

#include <cuda_runtime.h>

#include <cstdint>

// y[r] is the root of the mean of the squares of row r of x, which has `columns` floats. C linkage, so that a script can load it too.
extern "C" void rows_norm(int64_t rows, int64_t columns, const float *x, float *y, cudaStream_t stream);

#endif
