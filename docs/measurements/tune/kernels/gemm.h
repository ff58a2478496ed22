#ifndef GEMM_H
#define GEMM_H

#include <cstdint>

// C = A B of row-major square matrices.
void gemm(int64_t size, const float *a, const float *b, float *c);

#endif
