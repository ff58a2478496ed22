// What the CUDA test adapters share: y = a*x + y0 for n elements, its tensors, its oracle and an honest kernel.
#ifndef PERFGATE_TESTDATA_SAXPY_CUH
#define PERFGATE_TESTDATA_SAXPY_CUH

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
  const float *a, *x, *y0;
  float *y;
};

inline Args args(const pg_case *c, void *const *data) {
  return {pg_param(c, "n"), static_cast<const float *>(data[0]), static_cast<const float *>(data[1]),
          static_cast<const float *>(data[2]), static_cast<float *>(data[3])};
}

template <class T>
__global__ void kernel(int64_t n, const T *a, const T *x, const T *y0, T *y) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = *a * x[i] + y0[i];
}

inline unsigned blocks(int64_t n) { return static_cast<unsigned>((n + 255) / 256); }

inline void launch(const Args &k, cudaStream_t stream) {
  kernel<float><<<blocks(k.n), 256, 0, stream>>>(k.n, k.a, k.x, k.y0, k.y);
}

inline int reference(const pg_case *c, double *const *data, void *stream) {
  const int64_t n = pg_param(c, "n");
  kernel<double><<<blocks(n), 256, 0, static_cast<cudaStream_t>(stream)>>>(n, data[0], data[1], data[2], data[3]);
  return 0;
}

}  // namespace saxpy

#define SAXPY_SPEC \
  extern "C" int pg_spec(const pg_case *c, pg_tensor *out, int cap) { return saxpy::spec(c, out, cap); }
#define SAXPY_REFERENCE                                                             \
  extern "C" int pg_reference(const pg_case *c, double *const *data, void *stream) { \
    return saxpy::reference(c, data, stream);                                       \
  }
#define SAXPY_LAUNCH extern "C" int pg_launch(const pg_case *c, void *const *data, void *stream, void *)

#endif
