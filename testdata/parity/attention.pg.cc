// Attention with an online softmax over tiles of 64 keys, and the ways to get it wrong that pass on a comfortable shape.
#include <algorithm>
#include <cmath>
#include <vector>

#include "perfgate.h"

enum {
  Right,
  TileEdge,         // the last key of a tile that is not full is skipped
  Padding,          // the padding of a tile that is not full takes part in the softmax, with a logit of 0
  BatchStride,      // every batch reads the keys of the first
  CausalAhead,      // a query sees one key too many
  CausalLastTile,   // the mask is applied in the first tile only
  CausalShift,      // the mask is that of a query one tile of 64 further down, where there is one
  NoMax,            // no maximum subtracted: overflows
  FirstMax,         // the maximum of the first tile serves for all: overflows where a later key dominates
  NoRescale,        // what was summed before is not rescaled when the maximum grows
  HeadsTransposed,  // reads [B, S, H, D]: right for one head
  ScaleOf64,        // the scale of D = 64, whatever D is
  MeasuredShape,    // right for S = 128 alone: elsewhere the last query is copied from the one before
  NanToZero,        // no maximum subtracted, and what overflows is swept under the carpet
  LastElement,      // the very last element is not divided by the sum
  SquareV,          // reads V transposed where S = D
  LongRows,         // keys from 192 on are ignored
  OddHead,          // the last head is skipped when their number is odd and not one: its output stays unwritten
};
#ifndef WRONG
#define WRONG Right
#endif

constexpr int kTile = 64;

struct Shape { int64_t B, H, S, D; bool causal; };

static Shape shape_of(const pg_case *c) {
  return {pg_param(c, "B"), pg_param(c, "H"), pg_param(c, "S"), pg_param(c, "D"), pg_param(c, "causal") != 0};
}

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const Shape s = shape_of(c);
  const char *names[] = {"q", "k", "v", "out"};
  for (int i = 0; i < 4; i++) {
    t[i] = pg_dims_named(PG_TENSOR(names[i], PG_F32, i < 3 ? PG_IN : PG_OUT, s.B, s.H, s.S, s.D), "b,h,s,d");
  }
  return 4;
}

static void query(const Shape &s, int64_t i, const float *q, const float *k, const float *v, int64_t step, float *out) {
  const float scale = 1 / std::sqrt(WRONG == ScaleOf64 ? 64.f : float(s.D));
  int64_t visible = s.causal ? i + 1 : s.S;
  if (WRONG == CausalAhead) visible = std::min(s.S, visible + 1);
  if (WRONG == CausalShift && s.causal && i + kTile < s.S) visible += kTile;
  if (WRONG == LongRows) visible = std::min<int64_t>(visible, 192);
  const bool no_max = WRONG == NoMax || WRONG == NanToZero;

  float max = no_max ? 0 : -INFINITY, sum = 0;
  std::vector<float> acc(s.D);
  for (int64_t first = 0; first < s.S; first += kTile) {
    const int64_t in_tile = std::min<int64_t>(kTile, s.S - first);
    int64_t keys = std::min(in_tile, visible - first);
    if (WRONG == CausalLastTile && first > 0) keys = in_tile;
    if (WRONG == TileEdge && in_tile < kTile && keys == in_tile) keys--;
    if (keys <= 0) continue;

    float p[kTile] = {}, before = max;
    for (int64_t j = 0; j < keys; j++) {
      for (int64_t d = 0; d < s.D; d++) p[j] += q[d] * k[(first + j) * step + d];
      p[j] *= scale;
      if (!no_max && (WRONG != FirstMax || first == 0)) max = std::max(max, p[j]);
    }
    if (WRONG == Padding && in_tile < kTile) max = std::max(max, 0.f);
    const float shrink = WRONG == NoRescale && first > 0 ? 1 : std::exp(before - max);
    sum *= shrink;
    for (float &a : acc) a *= shrink;
    for (int64_t j = 0; j < keys; j++) {
      p[j] = std::exp(p[j] - max);
      sum += p[j];
      for (int64_t d = 0; d < s.D; d++) {
        const bool transposed = WRONG == SquareV && s.S == s.D;
        acc[d] += p[j] * (transposed ? v[d * step + first + j] : v[(first + j) * step + d]);
      }
    }
    if (WRONG == Padding) sum += float(kTile - in_tile) * std::exp(-max);
  }
  for (int64_t d = 0; d < s.D; d++) {
    out[d] = acc[d] / sum;
    if (WRONG == NanToZero && !std::isfinite(out[d])) out[d] = 0;
  }
  if (WRONG == LastElement && i == s.S - 1) out[s.D - 1] *= sum;
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const Shape s = shape_of(c);
  const auto q = static_cast<const float *>(data[0]), k = static_cast<const float *>(data[1]), v = static_cast<const float *>(data[2]);
  const auto out = static_cast<float *>(data[3]);
  const bool transposed = WRONG == HeadsTransposed;
  const int64_t step = transposed ? s.H * s.D : s.D;

  for (int64_t b = 0; b < s.B; b++) {
    for (int64_t h = 0; h < s.H; h++) {
      if (WRONG == OddHead && s.H % 2 == 1 && s.H > 1 && h == s.H - 1) continue;
      const int64_t head = transposed ? b * s.S * s.H * s.D + h * s.D : (b * s.H + h) * s.S * s.D;
      const int64_t keys = WRONG == BatchStride ? h * s.S * s.D : head;
      for (int64_t i = 0; i < s.S; i++) query(s, i, q + head + i * step, k + keys, v + head, step, out + head + i * step);
      if (WRONG == MeasuredShape && s.S != 128 && s.S > 1) {
        std::copy_n(out + head + (s.S - 2) * step, s.D, out + head + (s.S - 1) * step);
      }
    }
  }
  return 0;
}

// Four sums side by side: one would wait for each of its additions. D is a multiple of four.
static double dot(const double *a, const double *b, int64_t n) {
  double s[4] = {};
  for (int64_t d = 0; d < n; d += 4) {
    for (int e = 0; e < 4; e++) s[e] += a[d + e] * b[d + e];
  }
  return (s[0] + s[1]) + (s[2] + s[3]);
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const Shape s = shape_of(c);
  std::vector<double> p(s.S);
  const double root = std::sqrt(double(s.D));
  for (int64_t head = 0; head < s.B * s.H; head++) {
    const int64_t at = head * s.S * s.D;
    const double *q = data[0] + at, *k = data[1] + at, *v = data[2] + at;
    for (int64_t i = 0; i < s.S; i++) {
      const int64_t visible = s.causal ? i + 1 : s.S;
      double max = -INFINITY, sum = 0, *out = data[3] + at + i * s.D;
      for (int64_t j = 0; j < visible; j++) {
        p[j] = dot(q + i * s.D, k + j * s.D, s.D) / root;
        max = std::fmax(max, p[j]);
      }
      for (int64_t j = 0; j < visible; j++) sum += p[j] = std::exp(p[j] - max);
      std::fill(out, out + s.D, 0.0);
      for (int64_t j = 0; j < visible; j++) {
        for (int64_t d = 0; d < s.D; d++) out[d] += p[j] * v[j * s.D + d];
      }
      for (int64_t d = 0; d < s.D; d++) out[d] /= sum;
    }
  }
  return 0;
}
