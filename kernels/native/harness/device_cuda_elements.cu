// Filling, comparing and looking for damage, on the device.
#include <algorithm>
#include <vector>

#include "device_cuda.h"

namespace perfgate {

// Outside the unnamed namespace: nvcc warns about kernels that nobody else could name.
template <class T>
__global__ void pg_guard(typename T::Word *p, Guard g, int64_t first, int64_t count) {
  for (int64_t i = first_index(); i < count; i += stride()) p[i] = guard_word<T>(g, first + i);
}

template <class T>
__global__ void pg_guard_damage(const typename T::Word *p, Guard g, int64_t first, int64_t count, bool from_end,
                                unsigned long long *out) {
  for (int64_t i = first_index(); i < count; i += stride()) {
    if (p[i] == guard_word<T>(g, first + i)) continue;
    if (from_end) {
      atomicMax(out, static_cast<unsigned long long>(i) + 1);
    } else {
      atomicMin(out, static_cast<unsigned long long>(i));
    }
  }
}

template <class Word>
__global__ void pg_write(Word *p, Word value, int64_t count) {
  for (int64_t i = first_index(); i < count; i += stride()) p[i] = value;
}

template <class Word>
__global__ void pg_find(const Word *p, Word value, int64_t count, const uint8_t *written, unsigned long long *out) {
  for (int64_t i = first_index(); i < count; i += stride()) {
    if (p[i] == value && is_written(written, i)) atomicMin(out, static_cast<unsigned long long>(i));
  }
}

// Bytes by eights; the rest one by one, by the last thread of all.
__global__ void pg_differ(const uint8_t *a, const uint8_t *b, int64_t bytes, unsigned long long *out) {
  const uint64_t *x = reinterpret_cast<const uint64_t *>(a), *y = reinterpret_cast<const uint64_t *>(b);
  bool differ = false;
  for (int64_t i = first_index(); i < bytes / 8; i += stride()) differ = differ || x[i] != y[i];
  if (first_index() == 0) {
    for (int64_t i = bytes / 8 * 8; i < bytes; i++) differ = differ || a[i] != b[i];
  }
  if (differ) *out = 1;
}

// A sum, so that the order does not matter; every term is a bijection of its word, so no single change is lost.
__global__ void pg_digest(const uint8_t *p, int64_t bytes, unsigned long long *out) {
  const uint64_t *words = reinterpret_cast<const uint64_t *>(p);
  uint64_t sum = 0;
  for (int64_t i = first_index(); i < bytes / 8; i += stride()) sum += mix(words[i] ^ mix(static_cast<uint64_t>(i)));
  if (first_index() == 0) {
    for (int64_t i = bytes / 8 * 8; i < bytes; i++) sum += mix(p[i] ^ mix(~static_cast<uint64_t>(i)));
  }
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, lane);
  if (threadIdx.x % 32 == 0 && sum) atomicAdd(out, static_cast<unsigned long long>(sum));
}

template <class T>
__global__ void pg_fill(typename T::Word *p, Fill f, int64_t count) {
  for (int64_t i = first_index(); i < count; i += stride()) p[i] = fill_word<T>(f, f.mode, i);
}

template <class T>
__global__ void pg_find_change(const typename T::Word *p, Fill f, int64_t count, unsigned long long *out) {
  for (int64_t i = first_index(); i < count; i += stride()) {
    if (p[i] != fill_word<T>(f, f.mode, i)) atomicMin(out, static_cast<unsigned long long>(i));
  }
}

template <class T>
__global__ void pg_widen(double *to, const typename T::Word *from, int64_t count) {
  for (int64_t i = first_index(); i < count; i += stride()) to[i] = T::get(from[i]);
}

int CudaDevice::blocks(int64_t threads) const {
  const int64_t wanted = (threads + kThreads - 1) / kThreads;
  return static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(wanted, 8 * static_cast<int64_t>(sms_))));
}

void CudaDevice::start_result(int byte) { PG_CUDA(cudaMemsetAsync(result_, byte, sizeof *result_, stream_)); }

uint64_t CudaDevice::result() {
  PG_CUDA(cudaGetLastError());
  PG_CUDA(cudaMemcpyAsync(result_host_, result_, sizeof *result_, cudaMemcpyDeviceToHost, stream_));
  PG_CUDA(cudaStreamSynchronize(stream_));
  return *result_host_;
}

bool CudaDevice::same(const void *a, const void *b, size_t bytes) {
  if (bytes == 0) return true;
  if (!looks_ahead_) start_result(0);
  pg_differ<<<blocks(static_cast<int64_t>(bytes / 8)), kThreads, 0, stream_>>>(
      static_cast<const uint8_t *>(a), static_cast<const uint8_t *>(b), static_cast<int64_t>(bytes), result_);
  return looks_ahead_ || result() == 0;
}

void CudaDevice::guard(void *p, const Guard &g, int dtype, int64_t first, int64_t count) {
  if (count == 0) return;
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_guard<T><<<blocks(count), kThreads, 0, stream_>>>(static_cast<typename T::Word *>(p), g, first, count);
  });
  PG_CUDA(cudaGetLastError());
}

int64_t CudaDevice::guard_damage(const void *p, const Guard &g, int dtype, int64_t first, int64_t count, bool from_end) {
  if (count == 0) return -1;
  start_result(from_end ? 0 : 0xFF);
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_guard_damage<T><<<blocks(count), kThreads, 0, stream_>>>(static_cast<const typename T::Word *>(p), g, first, count,
                                                                from_end, result_);
  });
  const int64_t at = static_cast<int64_t>(result());  // all bits set, which is -1, for none
  return from_end ? at - 1 : at;
}

void CudaDevice::poison(void *p, int dtype, int64_t count) {
  if (count == 0) return;
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_write<<<blocks(count), kThreads, 0, stream_>>>(static_cast<typename T::Word *>(p), T::kPoison, count);
  });
  PG_CUDA(cudaGetLastError());
}

int64_t CudaDevice::find_poison(const void *p, int dtype, int64_t count, const uint8_t *written) {
  if (count == 0) return -1;
  start_result(0xFF);
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_find<<<blocks(count), kThreads, 0, stream_>>>(static_cast<const typename T::Word *>(p), T::kPoison, count, written, result_);
  });
  return static_cast<int64_t>(result());
}

void CudaDevice::fill(void *p, const Fill &f, int64_t count) {
  if (count == 0) return;
  Fill mine = f;
  mine.table = table_;
  with_dtype(f.dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_fill<T><<<blocks(count), kThreads, 0, stream_>>>(static_cast<typename T::Word *>(p), mine, count);
  });
  PG_CUDA(cudaGetLastError());
}

uint64_t CudaDevice::digest(const void *p, size_t bytes) {
  if (bytes == 0) return 0;
  start_result(0);
  pg_digest<<<blocks(static_cast<int64_t>(bytes / 8)), kThreads, 0, stream_>>>(static_cast<const uint8_t *>(p),
                                                                            static_cast<int64_t>(bytes), result_);
  return result();
}

int64_t CudaDevice::find_change(const void *p, const Fill &f, int64_t count) {
  if (count == 0) return -1;
  Fill mine = f;
  mine.table = table_;
  start_result(0xFF);
  with_dtype(f.dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_find_change<T><<<blocks(count), kThreads, 0, stream_>>>(static_cast<const typename T::Word *>(p), mine, count, result_);
  });
  return static_cast<int64_t>(result());
}

void CudaDevice::widen(double *to, const void *from, int dtype, int64_t count) {
  if (count == 0) return;
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    pg_widen<T><<<blocks(count), kThreads, 0, stream_>>>(to, static_cast<const typename T::Word *>(from), count);
  });
  PG_CUDA(cudaGetLastError());
}

}  // namespace perfgate
