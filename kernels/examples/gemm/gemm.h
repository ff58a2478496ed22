// C = A B for row-major A [M, K], B [K, N] and C [M, N], stored as float, f16 or bf16, summed in float.
#ifndef GEMM_H
#define GEMM_H

#include <cstdint>

#include "half.h"

template <class T> void gemm(int64_t M, int64_t N, int64_t K, const T *A, const T *B, T *C, void *stream);

#endif
