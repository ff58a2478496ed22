#ifndef PLANTED_H
#define PLANTED_H

#include <cstdint>

// y is 2 x, after work that changes nothing.
void planted(int64_t n, const float *x, float *y);

#endif
