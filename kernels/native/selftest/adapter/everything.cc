// An adapter that uses all there is: two kernels, every role, a dtype as a parameter, setup with a workspace and its
// teardown, a case without an oracle, fixed fills, tolerances of its own. It counts its calls into the file that
// PERFGATE_SELFTEST_LOG names, if it names one.
//
//   scale/n=..,dtype=..     y = 2x through a scratch tensor; inout sum += x; f32 and f16
//   gather/n=..             y[i] = table[index[i]], integers; no oracle for odd n
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "perfgate.h"

namespace {

void log_call(const char *what) {
  const char *path = getenv("PERFGATE_SELFTEST_LOG");
  FILE *f = path ? fopen(path, "a") : nullptr;
  if (!f) return;
  fprintf(f, "%s\n", what);
  fclose(f);
}

bool is(const pg_case *c, const char *kernel) { return strcmp(c->kernel, kernel) == 0; }

struct State {
  std::vector<float> workspace;
};

// f16 by the widest road: only small integers and halves are used, which are exact.
float load_half(uint16_t h) {
  const int exponent = (h >> 10) & 31, mantissa = h & 1023;
  float v = exponent ? static_cast<float>(1024 + mantissa) : static_cast<float>(mantissa);
  for (int e = exponent ? exponent : 1; e < 25; e++) v /= 2;
  for (int e = 25; e < exponent; e++) v *= 2;
  return h & 0x8000 ? -v : v;
}

}  // namespace

extern "C" int pg_spec(const pg_case *c, pg_tensor *out, int cap) {
  if (cap < 4) return -1;
  const int64_t n = pg_param(c, "n");
  if (is(c, "scale")) {
    const int dtype = static_cast<int>(pg_param(c, "dtype"));
    if (dtype != PG_F32 && dtype != PG_F16) return -2;
    out[0] = pg_dims_named(PG_TENSOR("x", dtype, PG_IN, n, 2), "n,two");
    out[1] = PG_TENSOR("work", PG_F32, PG_SCRATCH, n, 2);
    out[2] = PG_TENSOR("sum", PG_F32, PG_INOUT, n, 2);
    out[3] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, n, 2), "n,two");
    out[3].atol = 1e-6;
    return 4;
  }
  if (is(c, "gather")) {
    out[0] = PG_TENSOR("table", PG_I32, PG_IN, 16);
    out[1] = pg_fill_with(PG_TENSOR("index", PG_I64, PG_IN, n), PG_FILL_UNIFORM, 0, 15);
    out[1].flags = PG_FILL_FIXED;
    out[2] = PG_TENSOR("y", PG_I32, PG_OUT, n);
    return 3;
  }
  return -1;
}

extern "C" int pg_setup(const pg_case *c, void *const *, void *, void **state) {
  log_call("setup");
  State *s = new State;
  s->workspace.resize(static_cast<size_t>(2 * pg_param(c, "n")));
  *state = s;
  return 0;
}

extern "C" void pg_teardown(void *state) {
  log_call("teardown");
  delete static_cast<State *>(state);
}

extern "C" int pg_launch(const pg_case *c, void *const *data, void *stream, void *state) {
  const int64_t n = pg_param(c, "n");
  if (stream || !state) return 1;
  if (is(c, "gather")) {
    const int32_t *table = static_cast<const int32_t *>(data[0]);
    const int64_t *index = static_cast<const int64_t *>(data[1]);
    int32_t *y = static_cast<int32_t *>(data[2]);
    for (int64_t i = 0; i < n; i++) y[i] = table[index[i]];
    return 0;
  }
  const bool half = pg_param(c, "dtype") == PG_F16;
  float *work = static_cast<float *>(data[1]), *sum = static_cast<float *>(data[2]), *y = static_cast<float *>(data[3]);
  for (int64_t i = 0; i < 2 * n; i++) {
    work[i] = half ? load_half(static_cast<const uint16_t *>(data[0])[i]) : static_cast<const float *>(data[0])[i];
    static_cast<State *>(state)->workspace[static_cast<size_t>(i)] = 2 * work[i];
  }
  for (int64_t i = 0; i < 2 * n; i++) {
    sum[i] += work[i];
    y[i] = static_cast<State *>(state)->workspace[static_cast<size_t>(i)];
  }
  return 0;
}

extern "C" int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t n = pg_param(c, "n");
  if (is(c, "gather")) {
    if (n % 2) return -1;
    for (int64_t i = 0; i < n; i++) data[2][i] = data[0][static_cast<int64_t>(data[1][i])];
    return 0;
  }
  if (data[1]) return 1;  // an oracle gets no scratch
  for (int64_t i = 0; i < 2 * n; i++) {
    data[2][i] += data[0][i];
    data[3][i] = 2 * data[0][i];
  }
  return 0;
}

extern "C" void pg_work(const pg_case *c, double *flops, double *bytes) {
  *flops = is(c, "gather") ? 0 : 4.0 * static_cast<double>(pg_param(c, "n"));
  *bytes = 16.0 * static_cast<double>(pg_param(c, "n"));
}
