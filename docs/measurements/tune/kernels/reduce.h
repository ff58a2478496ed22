#ifndef REDUCE_H
#define REDUCE_H

#include <cstdint>

// The sum of n floats.
float reduce(int64_t n, const float *x);

#endif
