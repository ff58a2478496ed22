// out[i] = (x[i-1] + 2 x[i] + x[i+1]) / 4; at both ends the missing neighbour is the element itself. Blocks of 128.
#include <algorithm>
#include <vector>

#include "perfgate.h"

enum {
  Right,
  ReadsPastEnd,   // the neighbour of the last element is whatever lies behind it
  BlockEdge,      // at the edges of blocks the neighbour is the element itself, as at the ends
  StaleHalo,      // the left neighbour of a block is what the block before has already written
  SingleElement,  // one element alone is left as it is poisoned
};
#ifndef WRONG
#define WRONG Right
#endif

constexpr int64_t kBlock = 128;

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"));
  t[1] = PG_TENSOR("out", PG_F32, PG_OUT, pg_param(c, "n"));
  return 2;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t n = pg_param(c, "n");
  const float *x = static_cast<const float *>(data[0]);
  float *out = static_cast<float *>(data[1]);
  if (WRONG == SingleElement && n == 1) return 0;
  for (int64_t i = 0; i < n; i++) {
    const bool first = i == 0 || (WRONG == BlockEdge && i % kBlock == 0);
    const bool last = (i == n - 1 && WRONG != ReadsPastEnd) || (WRONG == BlockEdge && i % kBlock == kBlock - 1);
    float left = first ? x[i] : x[i - 1];
    if (WRONG == StaleHalo && i > 0 && i % kBlock == 0) left = out[i - 1];
    out[i] = (left + 2 * x[i] + (last ? x[i] : x[i + 1])) / 4;
  }
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t n = pg_param(c, "n");
  const double *x = data[0];
  for (int64_t i = 0; i < n; i++) {
    data[1][i] = (x[std::max<int64_t>(i - 1, 0)] + 2 * x[i] + x[std::min(i + 1, n - 1)]) / 4;
  }
  return 0;
}
