#pragma once
#include <cstddef>

/* y[i] = 1 + x[i]/2 + x[i]^2/4 + x[i]^3/8 + x[i]^4/16 */
void horner(const float *x, float *y, std::size_t n);
