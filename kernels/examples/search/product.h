#ifndef PRODUCT_H
#define PRODUCT_H

#include <cstdint>

// C = A B of row-major square matrices.
void product(int64_t n, const float *a, const float *b, float *c);

#endif
