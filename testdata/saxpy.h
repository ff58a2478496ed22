// What the test adapters share: y = a*x + y0 for n elements, its tensors and its oracle. cheats/honest.cc is the same
// kernel as a user would write it, in one file.
#ifndef PERFGATE_TESTDATA_SAXPY_H
#define PERFGATE_TESTDATA_SAXPY_H

#include "perfgate.h"

namespace saxpy {

inline int spec(const pg_case *c, pg_tensor *out, int cap) {
  const int64_t n = pg_param(c, "n");
  if (n < 1 || cap < 4) return -1;
  out[0] = pg_fill_with(PG_TENSOR("a", PG_F32, PG_IN, 1), PG_FILL_UNIFORM, 1, 2);
  out[1] = PG_TENSOR("x", PG_F32, PG_IN, n);
  out[2] = PG_TENSOR("y0", PG_F32, PG_IN, n);
  out[3] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 4;
}

struct Args {
  int64_t n;
  float *a, *x, *y0, *y;
};

inline Args args(const pg_case *c, void *const *data) {
  return {pg_param(c, "n"), static_cast<float *>(data[0]), static_cast<float *>(data[1]), static_cast<float *>(data[2]),
          static_cast<float *>(data[3])};
}

inline void compute(const Args &k) {
  for (int64_t i = 0; i < k.n; i++) k.y[i] = *k.a * k.x[i] + k.y0[i];
}

// The same many times over, for those that want their work to be seen: saxpy of a small n is over before a thread wakes up.
inline void compute_long(const Args &k) {
  for (int i = 0; i < 100; i++) {
    compute(k);
    asm volatile("" : : "r"(k.y) : "memory");  // or the compiler does it once
  }
}

inline int reference(const pg_case *c, double *const *data) {
  const int64_t n = pg_param(c, "n");
  for (int64_t i = 0; i < n; i++) data[3][i] = data[0][0] * data[1][i] + data[2][i];
  return 0;
}

}  // namespace saxpy

#define SAXPY_SPEC \
  extern "C" int pg_spec(const pg_case *c, pg_tensor *out, int cap) { return saxpy::spec(c, out, cap); }
#define SAXPY_REFERENCE \
  extern "C" int pg_reference(const pg_case *c, double *const *data, void *) { return saxpy::reference(c, data); }
#define SAXPY_LAUNCH extern "C" int pg_launch(const pg_case *c, void *const *data, void *, void *)

#endif
