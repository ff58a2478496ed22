#include "device_cpu.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "failure.h"

namespace perfgate {

const char *const kDeviceName = "cpu";

std::unique_ptr<Device> make_device() { return std::unique_ptr<Device>(new CpuDevice); }

CpuDevice::~CpuDevice() {
  if (flush_buffer_) release(flush_buffer_, flush_bytes_);
}

// Pages straight from the system: page-aligned, and always fresh addresses for fresh sizes, apart from any heap that the
// adapter could corrupt.
void *CpuDevice::allocate(size_t bytes) {
  // Asking the system what is left takes a tenth of a millisecond, so a sixteenth of the answer is used up unasked.
  size_t left = ~static_cast<size_t>(0);
  if (bytes > unasked_) {
    left = memory_left();
    unasked_ = left / 16;
  } else {
    unasked_ -= bytes;
  }
  void *p = bytes > left ? MAP_FAILED
                         : mmap(nullptr, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    throw Failure("out-of-memory", "no memory for a buffer of " + std::to_string(bytes) + " bytes (" +
                                       std::to_string(memory_left()) + " bytes are left to this process)");
  }
  return p;
}

void CpuDevice::release(void *p, size_t bytes) { munmap(p, bytes ? bytes : 1); }

size_t CpuDevice::available() const { return memory_left(); }

void CpuDevice::copy(void *to, const void *from, size_t bytes) {
  if (bytes) memcpy(to, from, bytes);
}

void CpuDevice::set_bytes(void *p, uint8_t byte, size_t bytes) {
  if (bytes) memset(p, byte, bytes);
}

bool CpuDevice::same(const void *a, const void *b, size_t bytes) { return bytes == 0 || memcmp(a, b, bytes) == 0; }

void CpuDevice::guard(void *p, const Guard &g, int dtype, int64_t first, int64_t count) {
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    typename T::Word *w = static_cast<typename T::Word *>(p);
    for (int64_t i = 0; i < count; i++) w[i] = guard_word<T>(g, first + i);
  });
}

int64_t CpuDevice::guard_damage(const void *p, const Guard &g, int dtype, int64_t first, int64_t count, bool from_end) {
  return with_dtype(dtype, [&](auto kind) -> int64_t {
    using T = decltype(kind);
    const typename T::Word *w = static_cast<const typename T::Word *>(p);
    for (int64_t k = 0; k < count; k++) {
      const int64_t i = from_end ? count - 1 - k : k;
      if (w[i] != guard_word<T>(g, first + i)) return i;
    }
    return -1;
  });
}

void CpuDevice::poison(void *p, int dtype, int64_t count) {
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    typename T::Word *w = static_cast<typename T::Word *>(p);
    for (int64_t i = 0; i < count; i++) w[i] = T::kPoison;
  });
}

int64_t CpuDevice::find_poison(const void *p, int dtype, int64_t count, const uint8_t *written) {
  return with_dtype(dtype, [&](auto kind) -> int64_t {
    using T = decltype(kind);
    const typename T::Word *w = static_cast<const typename T::Word *>(p);
    for (int64_t i = 0; i < count; i++) {
      if (w[i] == T::kPoison && is_written(written, i)) return i;
    }
    return -1;
  });
}

namespace {

const int64_t kBlock = 1024;  // elements filled at a time: values first, then their conversion, both in L1

template <int Mode>
void float_block(const Fill &f, int64_t start, int64_t count, double *v) {
  for (int64_t i = 0; i < count; i++) v[i] = float_element(f, Mode, start + i);
}

// Elements [start, start + count) of a fill, count at most kBlock.
template <class T>
void fill_block(const Fill &f, int64_t start, int64_t count, typename T::Word *w) {
  if constexpr (T::kInteger) {
    if (f.mode == Fill::kUniform) {
      for (int64_t i = 0; i < count; i++) w[i] = fill_word<T>(f, Fill::kUniform, start + i);
      return;
    }
  }
  double v[kBlock];
  switch (f.mode) {
    case Fill::kNormal: float_block<Fill::kNormal>(f, start, count, v); break;
    case Fill::kUniform: float_block<Fill::kUniform>(f, start, count, v); break;
    case Fill::kSequence: float_block<Fill::kSequence>(f, start, count, v); break;
    case Fill::kOutlier: float_block<Fill::kOutlier>(f, start, count, v); break;
    case Fill::kMixed: float_block<Fill::kMixed>(f, start, count, v); break;
    case Fill::kIntegers: float_block<Fill::kIntegers>(f, start, count, v); break;
    default: float_block<Fill::kConstant>(f, start, count, v); break;
  }
  for (int64_t i = 0; i < count; i++) w[i] = T::put(v[i]);
}

}  // namespace

void CpuDevice::fill(void *p, const Fill &f, int64_t count) {
  with_dtype(f.dtype, [&](auto kind) {
    using T = decltype(kind);
    typename T::Word *w = static_cast<typename T::Word *>(p);
    for (int64_t i = 0; i < count; i += kBlock) fill_block<T>(f, i, std::min(kBlock, count - i), w + i);
  });
}

// Four chains at once, as fast as memory. Every step is a bijection of the chain, so no single change is lost.
uint64_t CpuDevice::digest(const void *p, size_t bytes) {
  const char *at = static_cast<const char *>(p), *const end = at + bytes;
  uint64_t chain[4] = {1, 2, 3, 4};
  for (; end - at >= 32; at += 32) {
    for (int k = 0; k < 4; k++) {
      uint64_t word;
      memcpy(&word, at + 8 * k, 8);
      chain[k] = (chain[k] ^ word) * 0x9E3779B97F4A7C15ull;
      chain[k] ^= chain[k] >> 32;
    }
  }
  for (; at < end; at++) chain[0] = mix(chain[0] ^ static_cast<uint8_t>(*at));
  return mix(chain[0] ^ mix(chain[1] ^ mix(chain[2] ^ mix(chain[3]))));
}

int64_t CpuDevice::find_change(const void *p, const Fill &f, int64_t count) {
  return with_dtype(f.dtype, [&](auto kind) -> int64_t {
    using T = decltype(kind);
    const typename T::Word *w = static_cast<const typename T::Word *>(p);
    typename T::Word block[kBlock];  // the fill once more
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t n = std::min(kBlock, count - i);
      fill_block<T>(f, i, n, block);
      if (memcmp(block, w + i, static_cast<size_t>(n) * sizeof block[0]) == 0) continue;
      for (int64_t k = 0; k < n; k++) {
        if (block[k] != w[i + k]) return i + k;
      }
    }
    return -1;
  });
}

void CpuDevice::widen(double *to, const void *from, int dtype, int64_t count) {
  with_dtype(dtype, [&](auto kind) {
    using T = decltype(kind);
    const typename T::Word *w = static_cast<const typename T::Word *>(from);
    for (int64_t i = 0; i < count; i++) to[i] = T::get(w[i]);
  });
}

}  // namespace perfgate
