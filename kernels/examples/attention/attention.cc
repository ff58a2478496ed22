#include "attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Planted faults, each a dose; 0 is the right kernel. Slow ones leave the result alone:
#ifndef PG_FAULT_EXTRA_PASS
#define PG_FAULT_EXTRA_PASS 0   // n: every head is computed n times more
#endif
#ifndef PG_FAULT_WORK
#define PG_FAULT_WORK 0         // percent: so many more updates of a query by a tile of keys
#endif
#ifndef PG_FAULT_STRIDED
#define PG_FAULT_STRIDED 0      // n: neighbouring keys lie n + 1 floats apart
#endif
// Wrong ones:
#ifndef PG_FAULT_WRONG_SCALE
#define PG_FAULT_WRONG_SCALE 0  // percent: logits are so much too large
#endif
#ifndef PG_FAULT_TILE_EDGE
#define PG_FAULT_TILE_EDGE 0    // n: a tile that is not full loses its last n keys
#endif
#ifndef PG_FAULT_NO_MAX
#define PG_FAULT_NO_MAX 0       // 1: no maximum is subtracted before exp, which overflows at 88
#endif

namespace {

constexpr int kTile = 32;  // queries, and keys, a tile: 32 scores are 8 SSE registers, all of K's and V's tiles fit L1
constexpr int kStride = 1 + PG_FAULT_STRIDED;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// Read at run time, so that builds of different doses differ in a number and not in how the code is laid out.
const volatile int kExtraPasses = PG_FAULT_EXTRA_PASS, kExtraWork = PG_FAULT_WORK;

float scale_of(const Attention &a) { return (1 + PG_FAULT_WRONG_SCALE / 100.f) / std::sqrt(float(a.D)); }

// Keeps the compiler from merging repeated passes into one.
void forget_memory() { asm volatile("" ::: "memory"); }

// A tile of keys and values, widened to float. K is transposed, so that one query's scores are a sum of rows: the
// additions of different keys are independent, and vectorise without reordering any sum.
struct Tile {
  int count;  // keys in it, at most kTile
  alignas(64) float k[kMaxHeadDim][kTile * kStride];
  alignas(64) float v[kTile][kMaxHeadDim];

  template <class T> void load(const T *keys, const T *values, int n, int64_t D) {
    count = n < kTile ? n - PG_FAULT_TILE_EDGE : n;
    for (int j = 0; j < kTile; j++) {
      float buffer[kMaxHeadDim] = {};  // a ragged tile is padded with zeros
      const float *row = j < n ? as_float(keys + j * D, buffer, D) : buffer;
      for (int64_t d = 0; d < D; d++) k[d][j * kStride] = row[d];
    }
    for (int j = 0; j < n; j++) widen(values + j * D, v[j], D);
  }
};

// The softmax of one query over the keys seen so far.
struct Row {
  float max, sum;
  alignas(64) float out[kMaxHeadDim];  // to be divided by sum

  void clear(int64_t D) {
    max = PG_FAULT_NO_MAX ? 0 : kMinusInfinity;
    sum = 0;
    std::fill(out, out + D, 0.f);
  }

  // Takes in the first `visible` keys of a tile.
  void update(const float *q, const Tile &tile, int visible, int64_t D) {
    float p[kTile] = {};
    for (int64_t d = 0; d < D; d++) {
      for (int j = 0; j < kTile; j++) p[j] += q[d] * tile.k[d][j * kStride];
    }
    const float before = max;
    if (!PG_FAULT_NO_MAX) {
      for (int j = 0; j < visible; j++) max = std::max(max, p[j]);
    }
    const float shrink = std::exp(before - max);  // what was summed so far was relative to the old maximum
    sum *= shrink;
    for (int64_t d = 0; d < D; d++) out[d] *= shrink;
    for (int j = 0; j < visible; j++) {
      p[j] = std::exp(p[j] - max);
      sum += p[j];
    }
    for (int j = 0; j < visible; j++) {
      for (int64_t d = 0; d < D; d++) out[d] += p[j] * tile.v[j][d];
    }
  }
};

template <class T>
void tiled_head(const Attention &a, const T *q, const T *k, const T *v, T *out) {
  const int S = int(a.S);
  const float scale = scale_of(a);
  alignas(64) float query[kTile][kMaxHeadDim];
  Tile tile;
  Row rows[kTile], spare;
  const int extra = kExtraWork;
  int owed = 0;  // in percent of an update

  for (int q0 = 0; q0 < S; q0 += kTile) {
    const int queries = std::min(kTile, S - q0);
    for (int i = 0; i < queries; i++) {
      widen(q + (q0 + i) * a.D, query[i], a.D);
      for (int64_t d = 0; d < a.D; d++) query[i][d] *= scale;
      rows[i].clear(a.D);
    }
    const int end = a.causal ? q0 + queries : S;
    for (int k0 = 0; k0 < end; k0 += kTile) {
      tile.load(k + k0 * a.D, v + k0 * a.D, std::min(kTile, S - k0), a.D);
      for (int i = 0; i < queries; i++) {
        const int visible = a.causal ? std::min(tile.count, q0 + i - k0 + 1) : tile.count;
        rows[i].update(query[i], tile, visible, a.D);
        for (owed += extra; owed >= 100; owed -= 100) {
          spare.clear(a.D);
          spare.update(query[i], tile, visible, a.D);
          asm volatile("" ::"r"(&spare) : "memory");
        }
      }
    }
    for (int i = 0; i < queries; i++) {
      const float norm = 1 / rows[i].sum;
      for (int64_t d = 0; d < a.D; d++) rows[i].out[d] *= norm;
      narrow(rows[i].out, out + (q0 + i) * a.D, a.D);
    }
  }
}

template <class T>
void naive_head(const Attention &a, const T *q, const T *k, const T *v, T *out, float *scores) {
  const int64_t S = a.S, D = a.D;
  const float scale = scale_of(a);
  float buffer[kMaxHeadDim], row_of_q[kMaxHeadDim], sum_of_v[kMaxHeadDim];

  for (int64_t i = 0; i < S; i++) {
    const float *x = as_float(q + i * D, row_of_q, D);
    for (int64_t j = 0; j < S; j++) {
      const float *y = as_float(k + j * D, buffer, D);
      float dot = 0;
      for (int64_t d = 0; d < D; d++) dot += x[d] * y[d];
      scores[i * S + j] = a.causal && j > i ? kMinusInfinity : dot * scale;
    }
  }
  for (int64_t i = 0; i < S; i++) {
    float *row = scores + i * S;
    const float max = PG_FAULT_NO_MAX ? 0 : *std::max_element(row, row + S);
    float sum = 0;
    for (int64_t j = 0; j < S; j++) sum += row[j] = std::exp(row[j] - max);
    for (int64_t j = 0; j < S; j++) row[j] /= sum;
  }
  for (int64_t i = 0; i < S; i++) {
    std::fill(sum_of_v, sum_of_v + D, 0.f);
    for (int64_t j = 0; j < S; j++) {
      const float *y = as_float(v + j * D, buffer, D);
      for (int64_t d = 0; d < D; d++) sum_of_v[d] += scores[i * S + j] * y[d];
    }
    narrow(sum_of_v, out + i * D, D);
  }
}

// Calls f(offset) for every head.
template <class F> void each_head(const Attention &a, F f) {
  for (int64_t head = 0; head < a.B * a.H; head++) {
    for (int pass = kExtraPasses; pass >= 0; pass--) {
      f(head * a.S * a.D);
      forget_memory();
    }
  }
}

}  // namespace

template <class T>
void attention_naive(const Attention &a, const T *q, const T *k, const T *v, T *out, float *scores, void *) {
  each_head(a, [&](int64_t at) { naive_head(a, q + at, k + at, v + at, out + at, scores); });
}

template <class T>
void attention_tiled(const Attention &a, const T *q, const T *k, const T *v, T *out, void *) {
  each_head(a, [&](int64_t at) { tiled_head(a, q + at, k + at, v + at, out + at); });
}

#define INSTANTIATE(T)                                                                                       \
  template void attention_naive(const Attention &, const T *, const T *, const T *, T *, float *, void *); \
  template void attention_tiled(const Attention &, const T *, const T *, const T *, T *, void *);
INSTANTIATE(float)
INSTANTIATE(f16)
INSTANTIATE(bf16)
