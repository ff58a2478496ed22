// Comparing outputs, and what the error bound takes, on a CPU.
#include <algorithm>

#include "device_cpu.h"

namespace perfgate {

Comparison CpuDevice::compare(const void *got, int dtype, const Wanted &wanted, int64_t count) {
  return with_dtype(dtype, [&](auto kind) -> Comparison {
    using T = decltype(kind);
    const typename T::Word *w = static_cast<const typename T::Word *>(got);
    const double max = dtype_max(dtype);
    Comparison c;
    for (int64_t i = 0; i < count; i++) compare_element<T>(&c, i, w[i], wanted, max);
    return c;
  });
}

void CpuDevice::ratios(double *to, const void *got, int dtype, const Wanted &wanted, int64_t count) {
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    const typename T::Word *w = static_cast<const typename T::Word *>(got);
    for (int64_t i = 0; i < count; i++) to[i] = ratio_of<T>(i, w[i], wanted, dtype_max(dtype));
  });
}

void CpuDevice::perturb(double *x, const Perturbation &p, int64_t count) {
  for (int64_t i = 0; i < count; i++) x[i] = perturbed(x[i], p, i);
}

void CpuDevice::respond(const Responses &to, const double *want, const double *moved, const Perturbation &p, int64_t count) {
  for (int64_t i = 0; i < count; i++) add_response(to, want[i], moved[i], p, i);
}

void CpuDevice::settle(double *slack, const Responses &from, const double *want, const Bound &bound, const Pools &pools) {
  for (int64_t q = 0; q < pools.number; q++) settle_pool(slack, from, want, bound, pools.first(q), pools.size(q));
}

void CpuDevice::reach(double *to, const double *want, const double *moved, double share, const Pools &pools) {
  for (int64_t q = 0; q < pools.number; q++) reach_pool(to, want, moved, share, pools.first(q), pools.size(q));
}

double CpuDevice::largest(const double *want, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = std::max(most, finite_magnitude(want[i]));
  return most;
}

void CpuDevice::admit(uint8_t *admitted, const void *got, int dtype, const double *moved, int64_t count) {
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    const typename T::Word *w = static_cast<const typename T::Word *>(got);
    for (int64_t i = 0; i < count; i++) admitted[i] |= w[i] == T::put(moved[i]);
  });
}

void CpuDevice::sift(uint8_t *marks, const double *want, const double *once, const double *twice, int64_t count) {
  for (int64_t i = 0; i < count; i++) marks[i] = sifted(marks[i], want[i], once[i], twice[i]);
}

}  // namespace perfgate
