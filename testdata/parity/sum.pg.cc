// Sums of rows, in float or double, through a scratch tensor of four partial sums a row.
#include <atomic>
#include <cstring>
#include <thread>

#include "perfgate.h"

enum {
  Right,
  Race,           // two threads add to one sum without knowing of each other
  Uninitialised,  // the partial sums are not cleared
  VectorTail,     // the elements after the last group of four are left out
  Misaligned,     // a row that does not start at a multiple of 16 bytes is read from the next one on
  FixedPoint,     // summed as integers of 2^-12: right for ordinary numbers
  ThroughFloat,   // double is summed in float
  TwoChunks,      // rows over 1024 are split in two halves, and the odd element is lost
};
#ifndef WRONG
#define WRONG Right
#endif

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  const int dtype = int(pg_param(c, "dtype"));
  t[0] = pg_dims_named(PG_TENSOR("x", dtype, PG_IN, rows, n), "row,column");
  t[1] = pg_dims_named(PG_TENSOR("out", dtype, PG_OUT, rows), "row");
  t[2] = PG_TENSOR("partial", dtype, PG_SCRATCH, rows, 4);
  return 3;
}

template <class T, class Sum> static T add_up(const T *x, int64_t n, Sum *partial) {
  if (WRONG != Uninitialised) std::memset(partial, 0, 4 * sizeof *partial);
  const int64_t end = WRONG == VectorTail ? n / 4 * 4 : n;
  int64_t first = 0;
  if (WRONG == Misaligned) first = (16 - reinterpret_cast<uintptr_t>(x) % 16) % 16 / sizeof(T);
  for (int64_t i = first; i < end; i++) {
    if (WRONG == TwoChunks && n > 1024 && n % 2 == 1 && i == n / 2) continue;
    partial[i % 4] += WRONG == FixedPoint ? T(int64_t(x[i] * 4096)) / 4096 : x[i];
  }
  return T((partial[0] + partial[1]) + (partial[2] + partial[3]));
}

// Both wait until the other has started, and each gives way between reading the sum and writing it.
template <class T> static T add_up_racing(const T *x, int64_t n) {
  std::atomic<T> sum{0};
  std::atomic<int> started{0};
  const auto half = [&](int64_t from, int64_t to) {
    for (started++; started < 2;) std::this_thread::yield();
    for (int64_t i = from; i < to; i++) {
      const T before = sum;
      if (i - from < 32) std::this_thread::yield();
      sum = before + x[i];
    }
  };
  std::thread other(half, 0, n / 2);
  half(n / 2, n);
  other.join();
  return sum;
}

template <class T> static int launch(const pg_case *c, void *const *data) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  for (int64_t r = 0; r < rows; r++) {
    const T *x = static_cast<const T *>(data[0]) + r * n;
    T *out = static_cast<T *>(data[1]) + r;
    float narrow[4];
    *out = WRONG == Race           ? add_up_racing(x, n)
           : WRONG == ThroughFloat ? add_up(x, n, narrow)
                                   : add_up(x, n, static_cast<T *>(data[2]) + 4 * r);
  }
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  return pg_param(c, "dtype") == PG_F64 ? launch<double>(c, data) : launch<float>(c, data);
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += data[0][r * n + i];
    data[1][r] = sum;
  }
  return 0;
}
