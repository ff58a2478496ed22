#include "gemm.h"

#ifndef ROWS
#define ROWS 1
#endif
#ifndef COLUMNS
#define COLUMNS 4
#endif
#ifndef DOWN
#define DOWN 0
#endif

namespace {

// ROWS by COLUMNS sums at once.
void full_tile(int64_t k, int64_t stride, const float *a, const float *b, float *c) {
  float sum[ROWS][COLUMNS] = {};
  for (int64_t p = 0; p < k; p++)
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++) sum[i][j] += a[i * stride + p] * b[p * stride + j];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) c[i * stride + j] = sum[i][j];
}

// m by n of them, at the edges.
void part_tile(int64_t k, int64_t stride, const float *a, const float *b, float *c, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      float sum = 0;
      for (int64_t p = 0; p < k; p++) sum += a[i * stride + p] * b[p * stride + j];
      c[i * stride + j] = sum;
    }
}

void tile(int64_t size, int64_t i, int64_t j, const float *a, const float *b, float *c) {
  if (i + ROWS <= size && j + COLUMNS <= size) full_tile(size, size, a + i * size, b + j, c + i * size + j);
  else part_tile(size, size, a + i * size, b + j, c + i * size + j, i + ROWS <= size ? ROWS : size - i, j + COLUMNS <= size ? COLUMNS : size - j);
}

}  // namespace

void gemm(int64_t size, const float *a, const float *b, float *c) {
#if DOWN
  for (int64_t j = 0; j < size; j += COLUMNS)
    for (int64_t i = 0; i < size; i += ROWS) tile(size, i, j, a, b, c);
#else
  for (int64_t i = 0; i < size; i += ROWS)
    for (int64_t j = 0; j < size; j += COLUMNS) tile(size, i, j, a, b, c);
#endif
}
