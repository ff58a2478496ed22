// C = A B in tiles of 32, stored as float or bf16, summed in float.
#include <algorithm>
#include <cstring>

#include "perfgate.h"

enum {
  Right,
  HalfSum,       // sums are kept in bf16
  Truncated,     // bf16 is cut off instead of rounded to nearest
  SplitK,        // K is split in two, and an odd one loses its middle
  DirtyTile,     // the sums of a tile are not cleared where it is not the first of its row
  TransposedB,   // reads B as [N, K]
  EdgeColumns,   // columns beyond the last full tile get the first column of B's tile
  BigK,          // terms from 128 on are lost
};
#ifndef WRONG
#define WRONG Right
#endif

constexpr int64_t kTile = 32;

struct bf16 { uint16_t bits; };
static float value(float x) { return x; }
static float value(bf16 x) {
  const uint32_t bits = uint32_t(x.bits) << 16;
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}
static void store(float x, float *out) { *out = x; }
static void store(float x, bf16 *out) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (WRONG != Truncated) bits += 0x7fff + (bits >> 16 & 1);
  out->bits = uint16_t(bits >> 16);
}

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
  const int dtype = int(pg_param(c, "dtype"));
  t[0] = pg_dims_named(PG_TENSOR("A", dtype, PG_IN, M, K), "m,k");
  t[1] = pg_dims_named(PG_TENSOR("B", dtype, PG_IN, K, N), "k,n");
  t[2] = pg_dims_named(PG_TENSOR("C", dtype, PG_OUT, M, N), "m,n");
  return 3;
}

template <class T> static int launch(int64_t M, int64_t N, int64_t K, const T *A, const T *B, T *C) {
  float sum[kTile][kTile] = {};
  for (int64_t i0 = 0; i0 < M; i0 += kTile) {
    for (int64_t j0 = 0; j0 < N; j0 += kTile) {
      if (WRONG != DirtyTile || j0 == 0) std::memset(sum, 0, sizeof sum);
      const bool edge = WRONG == EdgeColumns && j0 > 0 && j0 + kTile > N;
      for (int64_t i = i0; i < std::min(M, i0 + kTile); i++) {
        for (int64_t j = j0; j < std::min(N, j0 + kTile); j++) {
          float &s = sum[i - i0][j - j0];
          for (int64_t k = 0; k < K; k++) {
            if (WRONG == SplitK && K % 2 == 1 && k == K / 2) continue;
            if (WRONG == BigK && k >= 128) break;
            const int64_t at = WRONG == TransposedB ? j * K + k : k * N + (edge ? j0 : j);
            s += value(A[i * K + k]) * value(B[at]);
            T kept;
            if (WRONG == HalfSum) store(s, &kept), s = value(kept);
          }
          store(s, &C[i * N + j]);
        }
      }
    }
  }
  return 0;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
  if (pg_param(c, "dtype") == PG_BF16) {
    return launch(M, N, K, static_cast<const bf16 *>(data[0]), static_cast<const bf16 *>(data[1]), static_cast<bf16 *>(data[2]));
  }
  return launch(M, N, K, static_cast<const float *>(data[0]), static_cast<const float *>(data[1]), static_cast<float *>(data[2]));
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t M = pg_param(c, "M"), N = pg_param(c, "N"), K = pg_param(c, "K");
  for (int64_t m = 0; m < M; m++) {
    for (int64_t n = 0; n < N; n++) {
      double sum = 0;
      for (int64_t k = 0; k < K; k++) sum += data[0][m * K + k] * data[1][k * N + n];
      data[2][m * N + n] = sum;
    }
  }
  return 0;
}
