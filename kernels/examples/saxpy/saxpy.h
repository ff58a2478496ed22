// y = a x + y for n floats. `a` is one float in the memory of the device, as x and y are.
#ifndef SAXPY_H
#define SAXPY_H

#include <cstdint>

void saxpy(int64_t n, const float *a, const float *x, float *y, void *stream);

#endif
