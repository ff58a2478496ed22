#ifndef NEWTON_H
#define NEWTON_H

#include <cuda_runtime.h>

#include <cstdint>

// y[i] is the root of 1 + 1 / (1 + abs(x[i])).
void roots(int64_t n, const float *x, float *y, cudaStream_t stream);

#endif
