// out[r] = sum of the n elements of row r of x, for float and double.
#ifndef REDUCTION_H
#define REDUCTION_H

#include <cstdint>

template <class T> void sum_rows(int64_t rows, int64_t n, const T *x, T *out, void *stream);

#endif
