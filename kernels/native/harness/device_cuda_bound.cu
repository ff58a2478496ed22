// Comparing outputs, and what the error bound takes, on the device.
#include <algorithm>
#include <vector>

#include "device_cuda.h"

namespace perfgate {

const int kCompareThreads = 128;

// Outside the unnamed namespace: nvcc warns about kernels that nobody else could name.
template <class T>
__global__ void pg_compare(const typename T::Word *got, Wanted wanted, int64_t count, double max, Comparison *out) {
  __shared__ __align__(16) unsigned char raw[kCompareThreads * sizeof(Comparison)];
  Comparison *all = reinterpret_cast<Comparison *>(raw);
  Comparison mine;
  for (int64_t i = first_index(); i < count; i += stride()) {
    compare_element<T>(&mine, i, got[i], wanted, max);
  }
  all[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kCompareThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) merge(&all[threadIdx.x], all[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = all[0];
}

template <class T>
__global__ void pg_ratios(double *to, const typename T::Word *got, Wanted wanted, int64_t count, double max) {
  for (int64_t i = first_index(); i < count; i += stride()) to[i] = ratio_of<T>(i, got[i], wanted, max);
}

__global__ void pg_perturb(double *x, Perturbation p, int64_t count) {
  for (int64_t i = first_index(); i < count; i += stride()) x[i] = perturbed(x[i], p, i);
}

__global__ void pg_respond(Responses to, const double *want, const double *moved, Perturbation p, int64_t count) {
  for (int64_t i = first_index(); i < count; i += stride()) add_response(to, want[i], moved[i], p, i);
}

__global__ void pg_settle(double *slack, Responses from, const double *want, Bound bound, Pools pools) {
  for (int64_t q = first_index(); q < pools.number; q += stride()) settle_pool(slack, from, want, bound, pools.first(q), pools.size(q));
}

__global__ void pg_reach(double *to, const double *want, const double *moved, double share, Pools pools) {
  for (int64_t q = first_index(); q < pools.number; q += stride()) reach_pool(to, want, moved, share, pools.first(q), pools.size(q));
}

// Magnitudes are in the order of their bits.
__global__ void pg_largest(const double *want, int64_t count, unsigned long long *out) {
  double most = 0;
  for (int64_t i = first_index(); i < count; i += stride()) most = fmax(most, finite_magnitude(want[i]));
  for (int lane = 16; lane > 0; lane /= 2) most = fmax(most, __shfl_down_sync(0xFFFFFFFFu, most, lane));
  if (threadIdx.x % 32 == 0) atomicMax(out, bits_as<unsigned long long>(most));
}

template <class T>
__global__ void pg_admit(uint8_t *admitted, const typename T::Word *got, const double *moved, int64_t count) {
  for (int64_t i = first_index(); i < count; i += stride()) admitted[i] |= got[i] == T::put(moved[i]);
}

__global__ void pg_sift(uint8_t *marks, const double *want, const double *once, const double *twice, int64_t count) {
  for (int64_t i = first_index(); i < count; i += stride()) marks[i] = sifted(marks[i], want[i], once[i], twice[i]);
}

Comparison CudaDevice::compare(const void *got, int dtype, const Wanted &wanted, int64_t count) {
  Comparison whole;
  if (count == 0) return whole;
  const int parts = std::min(blocks(count), 256);
  const double max = dtype_max(dtype);
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_compare<T><<<parts, kCompareThreads, 0, stream_>>>(static_cast<const typename T::Word *>(got), wanted, count, max, partial_);
  });
  PG_CUDA(cudaGetLastError());
  std::vector<Comparison> partial(static_cast<size_t>(parts));
  to_host(partial.data(), partial_, partial.size() * sizeof(Comparison));
  for (const Comparison &c : partial) merge(&whole, c);
  return whole;
}

void CudaDevice::ratios(double *to, const void *got, int dtype, const Wanted &wanted, int64_t count) {
  if (count == 0) return;
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_ratios<T><<<blocks(count), kThreads, 0, stream_>>>(to, static_cast<const typename T::Word *>(got), wanted, count, dtype_max(dtype));
  });
  PG_CUDA(cudaGetLastError());
}

void CudaDevice::perturb(double *x, const Perturbation &p, int64_t count) {
  if (count == 0) return;
  pg_perturb<<<blocks(count), kThreads, 0, stream_>>>(x, p, count);
  PG_CUDA(cudaGetLastError());
}

void CudaDevice::respond(const Responses &to, const double *want, const double *moved, const Perturbation &p, int64_t count) {
  if (count == 0) return;
  pg_respond<<<blocks(count), kThreads, 0, stream_>>>(to, want, moved, p, count);
  PG_CUDA(cudaGetLastError());
}

void CudaDevice::settle(double *slack, const Responses &from, const double *want, const Bound &bound, const Pools &pools) {
  if (pools.number == 0) return;
  pg_settle<<<blocks(pools.number), kThreads, 0, stream_>>>(slack, from, want, bound, pools);
  PG_CUDA(cudaGetLastError());
}

void CudaDevice::reach(double *to, const double *want, const double *moved, double share, const Pools &pools) {
  if (pools.number == 0) return;
  pg_reach<<<blocks(pools.number), kThreads, 0, stream_>>>(to, want, moved, share, pools);
  PG_CUDA(cudaGetLastError());
}

double CudaDevice::largest(const double *want, int64_t count) {
  if (count == 0) return 0;
  start_result(0);
  pg_largest<<<blocks(count), kThreads, 0, stream_>>>(want, count, result_);
  return bits_as<double>(result());
}

void CudaDevice::admit(uint8_t *admitted, const void *got, int dtype, const double *moved, int64_t count) {
  if (count == 0) return;
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_admit<T><<<blocks(count), kThreads, 0, stream_>>>(admitted, static_cast<const typename T::Word *>(got), moved, count);
  });
  PG_CUDA(cudaGetLastError());
}

void CudaDevice::sift(uint8_t *marks, const double *want, const double *once, const double *twice, int64_t count) {
  if (count == 0) return;
  pg_sift<<<blocks(count), kThreads, 0, stream_>>>(marks, want, once, twice, count);
  PG_CUDA(cudaGetLastError());
}

}  // namespace perfgate
