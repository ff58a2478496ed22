// y[i] = 2 x[i] for the first length[0] elements. Parameter fault chooses what pg_fill, pg_written or the launch do wrong.
#include <map>
#include <utility>

#include "perfgate.h"

enum { kNone, kForgetful, kBeyond, kFails, kNoElement, kMaskBeyond, kNothing, kChangesLength, kTrespasses, kUndefined, kKnowsAgain };

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t n = pg_param(c, "n");
  t[0] = pg_fill_with(PG_TENSOR("length", PG_I32, PG_IN, 4), PG_FILL_CUSTOM, 0, 0);
  t[1] = PG_TENSOR("x", PG_F32, PG_IN, n);
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  if (pg_param(c, "fault") == kUndefined) t[2] = pg_fill_with(t[2], PG_FILL_CUSTOM, 0, 0);
  return 3;
}

int pg_fill(const pg_case *c, const char *, uint64_t seed, void *const *data) {
  static int calls = 0;
  const int64_t n = pg_param(c, "n"), fault = pg_param(c, "fault");
  int32_t *length = static_cast<int32_t *>(data[0]);
  length[0] = fault == kNothing ? 0 : int32_t(n / 2 + int64_t(pg_random(seed, 0) % uint64_t(n / 2)));
  if (fault == kForgetful) length[1] = calls++;
  if (fault == kBeyond) length[4] = 7;
  return fault == kFails || data[1] || data[2] ? 3 : 0;
}

int pg_written(const pg_case *c, const void *const *data, uint8_t *const *written) {
  const int64_t n = pg_param(c, "n"), fault = pg_param(c, "fault");
  for (int64_t i = static_cast<const int32_t *>(data[0])[0]; i < n; i++) written[2][i] = PG_KEPT;
  if (fault == kNoElement) written[2][1] = 9;
  if (fault == kMaskBeyond) written[2][n] = PG_KEPT;
  return written[0] || written[1] || data[2] ? 3 : 0;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t n = pg_param(c, "n"), fault = pg_param(c, "fault");
  int32_t *length = static_cast<int32_t *>(data[0]);
  const float *x = static_cast<const float *>(data[1]);
  float *y = static_cast<float *>(data[2]);
  for (int64_t i = 0; i < length[0]; i++) y[i] = 2 * x[i];
  if (fault == kChangesLength) length[3]++;
  if (fault == kTrespasses) y[n - 1] = 0;
  if (fault == kKnowsAgain) {
    static std::map<std::pair<int32_t, float>, int> seen;
    return ++seen[{length[0], x[0]}] > 900;
  }
  return 0;
}

int pg_reference(const pg_case *, double *const *data, void *) {
  for (int64_t i = 0; i < int64_t(data[0][0]); i++) data[2][i] = 2 * data[1][i];
  return 0;
}
