// Softmax of each row: exp(x - max) / sum exp(x - max), stored as float, f16 or bf16.
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include <cstdint>

#include "half.h"

constexpr int64_t kMaxColumns = 4096;

template <class T> void softmax(int64_t rows, int64_t columns, const T *x, T *out, void *stream);

#endif
