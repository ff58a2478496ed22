// Off by one: right inside, and outside what the kernel makes of what lies there. Parameters: n; how, an index into what is
// computed; dtype; low, 1 for one element before the start, 0 for `over` past the end.
#include "perfgate.h"

extern "C" int pg_spec(const pg_case *c, pg_tensor *out, int) {
  const int64_t n = pg_param(c, "n");
  const int dtype = static_cast<int>(pg_param(c, "dtype"));
  out[0] = PG_TENSOR("x", dtype, PG_IN, n);
  out[1] = PG_TENSOR("y", dtype, PG_INOUT, n);
  return 2;
}

template <class T>
static T value(int64_t how, const T *x, const T *y) {
  switch (how) {
    case 0: return *x;
    case 1: return static_cast<T>(*x + *y);
    case 2: return static_cast<T>(*y + *x);
    case 3: return static_cast<T>(2 * *x + *y);
    case 4: return static_cast<T>(*x * *x);
    case 5: return static_cast<T>(*y * *y);
    case 6: return *y < 0 ? 0 : *y;
    case 7: return *y > 0 ? 0 : *y;
    default: return 0;
  }
}

template <class T>
static int launch(const pg_case *c, void *const *data) {
  const int64_t n = pg_param(c, "n"), how = pg_param(c, "how"), low = pg_param(c, "low");
  const T *x = static_cast<const T *>(data[0]);
  T *y = static_cast<T *>(data[1]);
  const int64_t end = low ? n : n + pg_param(c, "over");
  for (int64_t i = low ? -1 : 0; i < end; i++) y[i] = value(how, x + i, y + i);
  return 0;
}

extern "C" int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  switch (pg_param(c, "dtype")) {
    case PG_F64: return launch<double>(c, data);
    case PG_F32: return launch<float>(c, data);
    case PG_I32: return launch<int32_t>(c, data);
    default: return launch<uint8_t>(c, data);
  }
}
