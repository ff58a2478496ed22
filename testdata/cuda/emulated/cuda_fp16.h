// float16 for the example kernels, on a CPU: the conversions of kernels/examples/attention/half.h, which lies beside this.
#ifndef EMULATED_CUDA_FP16_H
#define EMULATED_CUDA_FP16_H

#include "half.h"

typedef f16 __half;

inline float __half2float(__half h) { return to_float(h); }
inline __half __float2half(float x) {
  __half h;
  from_float(x, &h);
  return h;
}
inline __half __ldcg(const __half *p) { return *p; }

#endif
