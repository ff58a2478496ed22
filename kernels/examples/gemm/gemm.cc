#include "gemm.h"

#include <algorithm>

// Planted faults, each a dose; 0 is the right kernel. Slow ones leave the result alone:
#ifndef PG_FAULT_EXTRA_PASS
#define PG_FAULT_EXTRA_PASS 0   // n: every tile of C is computed n times more
#endif
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0         // percent: that share of the products of tiles is computed once more
#endif
#ifndef PG_FAULT_STRIDED
#define PG_FAULT_STRIDED 0      // n: neighbours in a row of the tile of B lie n + 1 floats apart
#endif
// Wrong ones:
#ifndef PG_FAULT_TILE_EDGE
#define PG_FAULT_TILE_EDGE 0    // n: the last n terms of the sums are lost where K does not fill its tiles
#endif
#ifndef PG_FAULT_ROUND_SUM
#define PG_FAULT_ROUND_SUM 0    // 1: sums are kept in the type of C; f16 and bf16 lose digits with every term
#endif

namespace {

constexpr int kTileM = 32, kTileN = 32, kTileK = 64;  // 20 KiB: the tiles of A, B and C stay in L1
constexpr int kStride = 1 + PG_FAULT_STRIDED;

// Read at run time, so that builds of different doses differ in a number and not in how the code is laid out.
const volatile int kExtraPasses = PG_FAULT_EXTRA_PASS, kExtraWork = PG_FAULT_WORK;

template <class T> float rounded(float x) { T t; from_float(x, &t); return to_float(t); }

// Tiles of A and B, widened to float; what lies beyond the matrix is zero, so that the loops have constant lengths.
struct Tiles {
  alignas(64) float a[kTileM][kTileK];
  alignas(64) float b[kTileK][kTileN * kStride];

  template <class T> void load(const T *A, int64_t lda, int m, const T *B, int64_t ldb, int n, int k) {
    float buffer[kTileN];
    for (int i = 0; i < kTileM; i++) {
      std::fill(a[i], a[i] + kTileK, 0.f);
      if (i < m) widen(A + i * lda, a[i], k);
    }
    for (int p = 0; p < kTileK; p++) {
      std::fill(buffer, buffer + kTileN, 0.f);
      if (p < k) widen(B + p * ldb, buffer, n);
      for (int j = 0; j < kTileN; j++) b[p][j * kStride] = buffer[j];
    }
  }

  // c += a b. A row of c is 32 floats, 8 SSE registers: it stays in them while k runs.
  template <class T> void multiply(float (*c)[kTileN]) const {
    for (int i = 0; i < kTileM; i++) {
      float row[kTileN];
      std::copy(c[i], c[i] + kTileN, row);
      for (int p = 0; p < kTileK; p++) {
        for (int j = 0; j < kTileN; j++) {
          row[j] += a[i][p] * b[p][j * kStride];
          if (PG_FAULT_ROUND_SUM) row[j] = rounded<T>(row[j]);
        }
      }
      std::copy(row, row + kTileN, c[i]);
    }
  }
};

}  // namespace

template <class T> void gemm(int64_t M, int64_t N, int64_t K, const T *A, const T *B, T *C, void *) {
  Tiles tiles;
  alignas(64) float c[kTileM][kTileN], spare[kTileM][kTileN] = {};
  const int extra = kExtraWork;
  int owed = 0;  // in percent of a product of tiles

  for (int64_t i = 0; i < M; i += kTileM) {
    const int m = int(std::min<int64_t>(kTileM, M - i));
    for (int64_t j = 0; j < N; j += kTileN) {
      const int n = int(std::min<int64_t>(kTileN, N - j));
      for (int pass = kExtraPasses; pass >= 0; pass--) {
        std::fill(c[0], c[0] + kTileM * kTileN, 0.f);
        for (int64_t p = 0; p < K; p += kTileK) {
          const int64_t left = K - p;
          const int k = left >= kTileK ? kTileK : std::max(0, int(left) - PG_FAULT_TILE_EDGE);
          tiles.load(A + i * K + p, K, m, B + p * N + j, N, n, k);
          tiles.multiply<T>(c);
          for (owed += extra; owed >= 100; owed -= 100) {
            tiles.load(A + i * K + p, K, m, B + p * N + j, N, n, k);
            tiles.multiply<T>(spare);
            asm volatile("" ::"r"(spare), "r"(&tiles) : "memory");
          }
        }
        asm volatile("" ::"r"(c) : "memory");  // passes are not to be merged into one
      }
      for (int r = 0; r < m; r++) narrow(c[r], C + (i + r) * N + j, n);
    }
  }
}

template void gemm(int64_t, int64_t, int64_t, const float *, const float *, float *, void *);
template void gemm(int64_t, int64_t, int64_t, const f16 *, const f16 *, f16 *, void *);
template void gemm(int64_t, int64_t, int64_t, const bf16 *, const bf16 *, bf16 *, void *);
