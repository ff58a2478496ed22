// Two kernels at the two ends: saxpy is bound by memory, polynomial by arithmetic. Small ones are bound by neither.
#ifndef BASICS_H
#define BASICS_H

#include <cuda_runtime.h>

#include <cstdint>

// y = a x + y0 for n floats; `a` is one float in the memory of the device.
void saxpy(int64_t n, const float *a, const float *x, const float *y0, float *y, cudaStream_t stream);

// y = p(x) for n floats, p of `degree` - 1, all of whose coefficients are 1/2.
void polynomial(int64_t n, int64_t degree, const float *x, float *y, cudaStream_t stream);

#endif
