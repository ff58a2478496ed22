// The sum of n float32, in two launches: parts, then the sum of the parts.
#ifndef REDUCTION_H
#define REDUCTION_H

#include <cuda_runtime.h>

#include <cstdint>

constexpr int64_t kMaxParts = 4096;

// `parts` is workspace for kMaxParts floats.
void sum(int64_t n, const float *x, float *parts, float *result, cudaStream_t stream);

#endif
