// Attention in float16 with an online softmax over tiles of 64 keys, one block of 64 threads a query, and ways to get it wrong that
// pass on a comfortable shape.
#include "block.cuh"

enum {
  Right,
  TileEdge,         // the last key of a tile that is not full is skipped
  Padding,          // the padding of a tile that is not full takes part in the softmax, with a logit of 0
  FullTiles,        // keys after the last full tile are left out, where there is a full one: right for S = 64, 128, ...
  BatchStride,      // every batch reads the keys of the first: right for B = 1
  CausalAhead,      // a query sees one key too many
  CausalLastTile,   // the mask is applied in the first tile only
  NoMax,            // no maximum subtracted: overflows
  NoRescale,        // what was summed before is not rescaled when the maximum grows
  HeadsTransposed,  // reads [B, S, H, D]: right for one head
  MeasuredShape,    // right for S = 128 alone: elsewhere the last query gets the keys of all but the last
  NanToZero,        // no maximum subtracted, and what overflows is swept under the carpet
  LastElement,      // the very last element is not divided by the sum
  OddHead,          // the grid covers pairs of heads: the last of an odd number is not computed
  HalfSum,          // accumulates in float16
  MissingSync,      // no barrier before the probabilities of the other warp are read
  DirtyTile,        // all 64 probabilities are summed, but those beyond the last key were never written in shared memory
};

constexpr int kTile = 64;

struct Shape {
  int64_t B, H, S, D;
  bool causal;
};

static Shape shape_of(const pg_case *c) {
  return {pg_param(c, "B"), pg_param(c, "H"), pg_param(c, "S"), pg_param(c, "D"), pg_param(c, "causal") != 0};
}

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const Shape s = shape_of(c);
  const char *names[] = {"q", "k", "v", "out"};
  for (int i = 0; i < 4; i++) {
    t[i] = pg_dims_named(PG_TENSOR(names[i], PG_F16, i < 3 ? PG_IN : PG_OUT, s.B, s.H, s.S, s.D), "b,h,s,d");
  }
  return 4;
}

// How many keys of the tile at `first` query i looks at.
__device__ int64_t keys_of(const Shape &s, int64_t i, int64_t first) {
  int64_t visible = s.causal ? i + 1 : s.S;
  if (WRONG == CausalAhead) visible = min(s.S, visible + 1);
  if (WRONG == FullTiles && s.S >= kTile) visible = min(visible, s.S / kTile * kTile);
  if (WRONG == MeasuredShape && s.S != 128 && s.S > 1 && i == s.S - 1) visible = s.S - 1;
  const int64_t in_tile = min(static_cast<int64_t>(kTile), s.S - first);
  int64_t keys = min(in_tile, visible - first);
  if (WRONG == CausalLastTile && first > 0) keys = in_tile;
  if (WRONG == TileEdge && in_tile < kTile && keys == in_tile) keys--;
  return keys;
}

__global__ void attend(Shape s, const __half *q, const __half *k, const __half *v, __half *out) {
  __shared__ float p[kTile], room[2];
  constexpr bool no_max = WRONG == NoMax || WRONG == NanToZero;
  constexpr bool transposed = WRONG == HeadsTransposed;
  const int j = static_cast<int>(threadIdx.x), d = j;
  const int64_t bh = blockIdx.x / s.S, b = bh / s.H, h = bh % s.H, i = blockIdx.x % s.S;
  const int64_t step = transposed ? s.H * s.D : s.D;
  const int64_t head = transposed ? b * s.S * s.H * s.D + h * s.D : bh * s.S * s.D;
  q += head + i * step;
  k += WRONG == BatchStride ? h * s.S * s.D : head;
  v += head;

  float top = no_max ? 0 : -INFINITY, sum = 0, acc = 0;
  __half narrow = __float2half(0.f);
  for (int64_t first = 0; first < s.S; first += kTile) {
    const int64_t keys = keys_of(s, i, first);
    if (keys <= 0) continue;  // the same in all threads
    float x = -INFINITY;
    if (j < keys) {
      x = 0;
      for (int64_t e = 0; e < s.D; e++) x += __half2float(q[e]) * __half2float(k[(first + j) * step + e]);
      x /= sqrtf(static_cast<float>(s.D));
    }
    const float before = top;
    if (!no_max) top = fmaxf(top, over_block<Max>(x, room));
    if (WRONG == Padding && keys < kTile) top = fmaxf(top, 0.f);
    const float shrink = WRONG == NoRescale && first > 0 ? 1 : expf(before - top);
    // The upper warp starts with the barrier missing: it reads what the lower one has not written yet.
    if (WRONG == MissingSync && threadIdx.x < 32) __nanosleep(200);
    if (WRONG != DirtyTile || j < keys) p[j] = j < keys ? expf(x - top) : 0.f;
    if (WRONG != MissingSync) __syncthreads();
    const int64_t summed = WRONG == DirtyTile ? kTile : keys;
    float added = 0, weighted = 0;
    for (int64_t e = 0; e < summed; e++) {
      added += p[e];
      if (d < s.D && e < keys) weighted += p[e] * __half2float(v[(first + e) * step + d]);
    }
    if (WRONG == Padding) added += static_cast<float>(kTile - keys) * expf(-top);
    sum = sum * shrink + added;
    acc = acc * shrink + weighted;
    if (WRONG == HalfSum) {
      narrow = __float2half(__half2float(narrow) * shrink);
      for (int64_t e = 0; e < keys && d < s.D; e++) narrow = __hadd(narrow, __float2half(p[e] * __half2float(v[(first + e) * step + d])));
      acc = __half2float(narrow);
    }
    __syncthreads();
  }
  if (d >= s.D) return;
  float o = acc / sum;
  if (WRONG == LastElement && blockIdx.x == gridDim.x - 1 && d == s.D - 1) o = acc;
  if (WRONG == NanToZero && !isfinite(o)) o = 0;
  out[head + i * step + d] = __float2half(o);
}

int pg_launch(const pg_case *c, void *const *data, void *stream, void *) {
  const Shape s = shape_of(c);
  if (s.D > kTile) return -1;
  const int64_t heads = WRONG == OddHead && s.H > 1 ? s.B * (s.H / 2 * 2) : s.B * s.H;
  attend<<<static_cast<unsigned>(heads * s.S), kTile, 0, stream_of(stream)>>>(
      s, static_cast<const __half *>(data[0]), static_cast<const __half *>(data[1]), static_cast<const __half *>(data[2]),
      static_cast<__half *>(data[3]));
  return 0;
}

// A tile of keys at a time, so that a dot product is computed once and not by every thread: the matrix of 27 cases takes long enough.
__global__ void reference(Shape s, const double *q, const double *k, const double *v, double *out) {
  __shared__ double tile[kTile];
  const int64_t head = blockIdx.x / s.S, i = blockIdx.x % s.S, d = threadIdx.x, visible = s.causal ? i + 1 : s.S;
  q += blockIdx.x * s.D;
  k += head * s.S * s.D;
  v += head * s.S * s.D;
  double top = -INFINITY, sum = 0, o = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t first = 0; first < visible; first += s.D) {
      const int64_t keys = min(s.D, visible - first);
      if (d < keys) {
        double x = 0;
        for (int64_t e = 0; e < s.D; e++) x += q[e] * k[(first + d) * s.D + e];
        x /= sqrt(static_cast<double>(s.D));
        tile[d] = pass == 0 ? x : exp(x - top);
      }
      __syncthreads();
      for (int64_t e = 0; e < keys; e++) {
        if (pass == 0) {
          top = fmax(top, tile[e]);
        } else {
          sum += tile[e];
          o += tile[e] * v[(first + e) * s.D + d];
        }
      }
      __syncthreads();
    }
  }
  out[blockIdx.x * s.D + d] = o / sum;
}

int pg_reference(const pg_case *c, double *const *data, void *stream) {
  const Shape s = shape_of(c);
  reference<<<static_cast<unsigned>(s.B * s.H * s.S), static_cast<unsigned>(s.D), 0, stream_of(stream)>>>(s, data[0], data[1], data[2], data[3]);
  return 0;
}
