// The largest element of each row, stored in a narrow type, where it stands, and the mean of the row: outputs of three dtypes, of
// which each has a tolerance of its own.
#include <cstring>

#include "perfgate.h"

enum {
  Right,
  IndexInBF16,   // the index goes through bf16 on its way out: right up to 256
  NextIndex,     // one index too far in the second half of a long row
  MeanInBF16,    // the mean goes through bf16
  LastOfEqual,   // the last of several largest elements
  Neighbour,     // right: a few of the largest, where they are f8e4m3, come out as the value beside
  Neighbours,    // too many of them do
};
#ifndef WRONG
#define WRONG Right
#endif

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, rows, n), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("largest", int(pg_param(c, "dtype")), PG_OUT, rows), "row");
  t[2] = pg_dims_named(PG_TENSOR("index", PG_I32, PG_OUT, rows), "row");
  t[3] = pg_dims_named(PG_TENSOR("mean", PG_F32, PG_OUT, rows), "row");
  return 4;
}

static uint16_t to_bf16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static float through_bf16(float x) {
  const uint32_t bits = uint32_t(to_bf16(x)) << 16;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

static float f8_value(int code) {  // of a positive code
  const int exponent = code >> 3, mantissa = code & 7;
  float x = exponent ? float(8 + mantissa) : float(mantissa);
  for (int e = exponent ? exponent : 1; e < 10; e++) x /= 2;
  for (int e = 10; e < exponent; e++) x *= 2;
  return x;
}
static uint8_t to_f8(float x) {
  const float size = x < 0 ? -x : x;
  int code = 0;
  while (code < 0x7e && f8_value(code + 1) <= size) code++;
  if (code < 0x7e && size - f8_value(code) > f8_value(code + 1) - size) code++;
  return uint8_t(code | (x < 0 ? 0x80 : 0));
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  for (int64_t r = 0; r < rows; r++) {
    const float *x = static_cast<const float *>(data[0]) + r * n;
    int64_t best = 0;
    double sum = x[0];
    for (int64_t i = 1; i < n; i++) {
      if (WRONG == LastOfEqual ? x[i] >= x[best] : x[i] > x[best]) best = i;
      sum += x[i];
    }
    const float mean = float(sum / double(n)), largest = x[best];
    if (pg_param(c, "dtype") == PG_BF16) {
      static_cast<uint16_t *>(data[1])[r] = to_bf16(largest);
    } else {
      const bool beside = (WRONG == Neighbour && r % 256 == 255) || (WRONG == Neighbours && r % 16 == 15);
      static_cast<uint8_t *>(data[1])[r] = uint8_t(to_f8(largest) + (beside ? 2 : 0));
    }
    if (WRONG == IndexInBF16) best = int64_t(through_bf16(float(best)));
    if (WRONG == NextIndex && best >= 512) best++;
    static_cast<int32_t *>(data[2])[r] = int32_t(best);
    static_cast<float *>(data[3])[r] = WRONG == MeanInBF16 ? through_bf16(mean) : mean;
  }
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  for (int64_t r = 0; r < rows; r++) {
    const double *x = data[0] + r * n;
    int64_t best = 0;
    double sum = x[0];
    for (int64_t i = 1; i < n; i++) {
      if (x[i] > x[best]) best = i;
      sum += x[i];
    }
    data[1][r] = x[best];
    data[2][r] = double(best);
    data[3][r] = sum / double(n);
  }
  return 0;
}
