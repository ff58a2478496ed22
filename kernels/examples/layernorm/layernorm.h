// Layer normalisation of each row: (x - mean) / sqrt(variance + 1e-5) * gamma + beta.
#ifndef LAYERNORM_H
#define LAYERNORM_H

#include <cstdint>

constexpr float kEpsilon = 1e-5f;

void layernorm(int64_t rows, int64_t columns, const float *x, const float *gamma, const float *beta, float *out,
               void *stream);

#endif
