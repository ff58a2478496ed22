// Integers, indices, and rows of a length of their own.
#include <numeric>

#include "unseen.h"

static int64_t rows(const pg_case *c) { return pg_param(c, "rows"); }
static int64_t columns(const pg_case *c) { return pg_param(c, "n"); }

// The distance of two rows of letters.
static int edit_spec(const pg_case *c, pg_tensor *t) {
  for (int i = 0; i < 2; i++) t[i] = pg_fill_with(PG_TENSOR(i ? "b" : "a", PG_I32, PG_IN, rows(c), columns(c)), PG_FILL_UNIFORM, 0, 3);
  t[2] = PG_TENSOR("distance", PG_I32, PG_OUT, rows(c));
  return 3;
}

template <class T> static int64_t edit_distance(const T *a, const T *b, int64_t n, int64_t band) {
  std::vector<int64_t> line(static_cast<size_t>(n + 1));
  std::iota(line.begin(), line.end(), 0);
  for (int64_t i = 1; i <= n; i++) {
    int64_t corner = line[0];
    line[0] = i;
    for (int64_t j = 1; j <= n; j++) {
      const int64_t kept = line[size_t(j)];
      line[size_t(j)] = std::llabs(i - j) > band ? 2 * n : std::min({kept + 1, line[size_t(j - 1)] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = kept;
    }
  }
  return line[size_t(n)];
}

static void edit(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const int64_t used = has(c, "tail7") && n % 8 == 7 ? n - 1 : n;
    at<int32_t>(d, 2)[i] = static_cast<int32_t>(edit_distance(at<int32_t>(d, 0) + i * n, at<int32_t>(d, 1) + i * n, used, has(c, "narrow_band") ? 3 : n));
  }
}

static void edit_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) d[2][i] = double(edit_distance(d[0] + i * n, d[1] + i * n, n, n));
}

// Bits that are set, and zeros in front.
static int bits_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_I32, PG_IN, rows(c), columns(c));
  if (!has(c, "sign_narrow")) t[0] = pg_fill_with(t[0], PG_FILL_UNIFORM, -2147483648.0, 2147483647.0);
  t[1] = PG_TENSOR("ones", PG_I32, PG_OUT, rows(c), columns(c));
  t[2] = PG_TENSOR("leading", PG_I32, PG_OUT, rows(c), columns(c));
  return 3;
}

static void bits(const pg_case *c, void *const *d) {
  for (int64_t i = 0; i < rows(c) * columns(c); i++) {
    const int32_t value = at<int32_t>(d, 0)[i];
    uint32_t v = static_cast<uint32_t>(value), w = v;
    if (has(c, "sign") || has(c, "sign_narrow")) w = static_cast<uint32_t>(value & 0x7fffffff);
    if (has(c, "low_half")) w &= 0xffffffu;
    w = w - ((w >> 1) & 0x55555555u);
    w = (w & 0x33333333u) + ((w >> 2) & 0x33333333u);
    at<int32_t>(d, 1)[i] = static_cast<int32_t>(((w + (w >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
    int32_t zeros = 0;
    for (int step = 16; step > 0; step /= 2) {
      if (v >> (32 - step) == 0) zeros += step, v <<= step;
    }
    at<int32_t>(d, 2)[i] = zeros + (v == 0);
  }
}

static void bits_reference(const pg_case *c, double *const *d) {
  for (int64_t i = 0; i < rows(c) * columns(c); i++) {
    const uint32_t v = static_cast<uint32_t>(static_cast<int64_t>(d[0][i]));
    int ones = 0, leading = 0;
    for (int b = 31; b >= 0; b--) ones += v >> b & 1, leading += v >> b == 0;
    d[1][i] = ones, d[2][i] = leading;
  }
}

// The sum of the values of each key, looked up in a table with open addressing.
static int table_spec(const pg_case *c, pg_tensor *t) {
  t[0] = pg_fill_with(PG_TENSOR("key", PG_I32, PG_IN, columns(c)), PG_FILL_UNIFORM, -100, 100);
  t[1] = PG_TENSOR("value", PG_I32, PG_IN, columns(c));
  t[2] = pg_fill_with(PG_TENSOR("wanted", PG_I32, PG_IN, rows(c)), PG_FILL_UNIFORM, -100, 100);
  t[3] = PG_TENSOR("sum", PG_I32, PG_OUT, rows(c));
  return 4;
}

static void table(const pg_case *c, void *const *d) {
  const size_t size = 512;
  struct Slot { bool used; int32_t key, sum; };
  std::vector<Slot> slots(size);
  auto place = [&](int32_t key) {
    const uint32_t hash = (has(c, "absolute") ? static_cast<uint32_t>(std::abs(key)) : static_cast<uint32_t>(key)) * 2654435761u;
    size_t s = hash >> 23;
    auto same = [&](int32_t other) { return has(c, "absolute") ? std::abs(other) == std::abs(key) : other == key; };
    while (slots[s].used && !same(slots[s].key)) s = (s + 1) % size;
    return s;
  };
  for (int64_t i = 0; i < columns(c); i++) {
    const int32_t key = at<int32_t>(d, 0)[i], value = at<int32_t>(d, 1)[i];
    Slot &slot = slots[place(key)];
    slot = {true, key, has(c, "last_wins") ? value : (slot.used ? slot.sum : 0) + value};
  }
  for (int64_t i = 0; i < rows(c); i++) {
    const Slot &slot = slots[place(at<int32_t>(d, 2)[i])];
    at<int32_t>(d, 3)[i] = slot.used ? slot.sum : 0;
  }
}

static void table_reference(const pg_case *c, double *const *d) {
  for (int64_t i = 0; i < rows(c); i++) {
    d[3][i] = 0;
    for (int64_t j = 0; j < columns(c); j++) d[3][i] += d[0][j] == d[2][i] ? d[1][j] : 0;
  }
}

// Running sums in 64 bits.
static int scan_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_I64, PG_IN, rows(c), columns(c));
  if (!has(c, "int32_small")) t[0] = pg_fill_with(t[0], PG_FILL_UNIFORM, -1e9, 1e9);
  t[1] = PG_TENSOR("y", PG_I64, PG_OUT, rows(c), columns(c));
  return 2;
}

static void scan(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    int64_t carry = 0;
    for (int64_t from = 0; from < n; from += 128) {
      int64_t sum = 0;
      for (int64_t j = from; j < std::min(n, from + 128); j++) {
        sum += at<int64_t>(d, 0)[i * n + j];
        at<int64_t>(d, 1)[i * n + j] = has(c, "int32") || has(c, "int32_small") ? static_cast<int32_t>(carry + sum) : carry + sum;
      }
      carry += sum;
    }
  }
}

static void scan_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) d[1][i * n + j] = sum += d[0][i * n + j];
  }
}

// How many values fall into each of 32 bins, the first and the last open.
static int histogram_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c));
  t[1] = PG_TENSOR("bin", PG_I32, PG_OUT, 32);
  return 2;
}

static void histogram(const pg_case *c, void *const *d) {
  const int64_t n = rows(c) * columns(c);
  int32_t counts[4][32] = {}, *out = at<int32_t>(d, 1);
  static std::mt19937 luck(99);
  for (int64_t i = 0; i < n; i++) {
    const float at8 = 8 * at<float>(d, 0)[i] + 16;
    const int bin = static_cast<int>(std::min(31.0f, std::max(0.0f, has(c, "toward_zero") ? truncf(at8 - 16) + 16 : floorf(at8))));
    if (has(c, "race") && luck() % 10000 == 0) continue;
    if (has(c, "drops_above") && at8 >= 32) continue;
    counts[i % 4][bin]++;
  }
  for (int b = 0; b < 32; b++) out[b] = counts[0][b] + counts[1][b] + counts[2][b] + (has(c, "lane_lost") && n > 1024 ? 0 : counts[3][b]);
}

static void histogram_reference(const pg_case *c, double *const *d) {
  std::fill(d[1], d[1] + 32, 0.0);
  for (int64_t i = 0; i < rows(c) * columns(c); i++) d[1][static_cast<int>(std::min(31.0, std::max(0.0, floor(8 * d[0][i] + 16))))]++;
}

// Rows of x added up by the index of each.
static int scatter_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, columns(c), 4);
  t[1] = pg_fill_with(PG_TENSOR("index", PG_I32, PG_IN, columns(c)), PG_FILL_UNIFORM, 0, double(rows(c) - 1));
  t[2] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, rows(c), 4), "row,e");
  return 3;
}

static void scatter(const pg_case *c, void *const *d) {
  float *y = at<float>(d, 2);
  std::fill(y, y + rows(c) * 4, 0.0f);
  for (int64_t i = columns(c) - 1; i >= 0; i--) {
    if (has(c, "tail7") && columns(c) % 8 == 7 && i == columns(c) - 1) continue;
    for (int64_t e = 0; e < 4; e++) {
      float *to = y + at<int32_t>(d, 1)[i] * 4 + e;
      *to = has(c, "overwrites_last") && i == 0 ? at<float>(d, 0)[e] : *to + at<float>(d, 0)[i * 4 + e];
    }
  }
}

static void scatter_reference(const pg_case *c, double *const *d) {
  std::fill(d[2], d[2] + rows(c) * 4, 0.0);
  for (int64_t i = 0; i < columns(c) * 4; i++) d[2][static_cast<int64_t>(d[1][i / 4]) * 4 + i % 4] += d[0][i];
}

// Sums of segments between offsets.
static int segments_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, columns(c));
  t[1] = pg_fill_with(PG_TENSOR("offset", PG_I32, PG_IN, rows(c) + 1), PG_FILL_CUSTOM, 0, 0);
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, rows(c));
  return 3;
}

static void segments_fill(const pg_case *c, const char *values, uint64_t seed, void *const *data) {
  int32_t *offset = at<int32_t>(data, 1);
  for (int64_t i = 0; i <= rows(c); i++) offset[i] = static_cast<int32_t>(pg_random(seed, uint64_t(i)) % uint64_t(columns(c) + 1));
  offset[0] = 0, offset[rows(c)] = static_cast<int32_t>(columns(c));
  if (strcmp(values, "dominant") == 0) std::fill(offset + 1, offset + rows(c), 0);
  std::sort(offset, offset + rows(c) + 1);
}

static void segments(const pg_case *c, void *const *d) {
  const int32_t *offset = at<int32_t>(d, 1);
  float last = 0;
  for (int64_t i = 0; i < rows(c); i++) {
    float lanes[4] = {};
    for (int32_t j = offset[i]; j < offset[i + 1]; j++) lanes[j % 4] += at<float>(d, 0)[j];
    float sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    if (has(c, "empty_repeats") && offset[i] == offset[i + 1]) sum = last;
    at<float>(d, 2)[i] = last = sum;
  }
}

static void segments_reference(const pg_case *c, double *const *d) {
  for (int64_t i = 0; i < rows(c); i++) {
    d[2][i] = 0;
    for (int64_t j = int64_t(d[1][i]); j < int64_t(d[1][i + 1]); j++) d[2][i] += d[0][j];
  }
}

// Positive values of each row moved to its front; what is behind them stays as it was.
static int compact_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c));
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, rows(c), columns(c));
  t[2] = PG_TENSOR("count", PG_I32, PG_OUT, rows(c));
  return 3;
}

static void compact(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = at<float>(d, 0) + i * n;
    float *y = at<float>(d, 1) + i * n;
    int32_t count = 0;
    for (int64_t j = 0; j < n; j++) {
      if (has(c, "keeps_zero") ? x[j] >= 0 : x[j] > 0) y[count++] = x[j];
    }
    at<int32_t>(d, 2)[i] = count;
    if (has(c, "clears") && count < n) y[count] = 0;
  }
}

static void compact_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) {
      if (d[0][i * n + j] > 0) d[1][i * n + count++] = d[0][i * n + j];
    }
    d[2][i] = double(count);
  }
}

static void compact_written(const pg_case *c, const void *const *d, uint8_t *const *written) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = static_cast<const float *>(d[0]) + i * n;
    std::fill(written[1] + i * n + std::count_if(x, x + n, [](float v) { return v > 0; }), written[1] + (i + 1) * n, PG_KEPT);
  }
}

// The order of each row, and its first eight of all.
static int sort_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c));
  t[1] = PG_TENSOR("order", PG_I32, has(c, "any_ties_values") ? PG_SCRATCH : PG_OUT, rows(c), columns(c));
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, rows(c), columns(c));
  return 3;
}

static void sort(const pg_case *c, void *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    const float *x = at<float>(d, 0) + i * n;
    int32_t *order = at<int32_t>(d, 1) + i * n;
    std::iota(order, order + n, 0);
    if (has(c, "stable") || has(c, "last_two")) std::stable_sort(order, order + n, [&](int32_t a, int32_t b) { return x[a] < x[b]; });
    else std::sort(order, order + n, [&](int32_t a, int32_t b) { return x[a] != x[b] ? x[a] < x[b] : a > b; });
    if (has(c, "last_two") && n > 100) std::swap(order[n - 2], order[n - 1]);
    for (int64_t j = 0; j < n; j++) at<float>(d, 2)[i * n + j] = x[order[j]];
  }
}

static void sort_reference(const pg_case *c, double *const *d) {
  const int64_t n = columns(c);
  for (int64_t i = 0; i < rows(c); i++) {
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return d[0][i * n + a] < d[0][i * n + b]; });
    for (int64_t j = 0; j < n; j++) {
      if (d[1]) d[1][i * n + j] = double(order[size_t(j)]);
      d[2][i * n + j] = d[0][i * n + order[size_t(j)]];
    }
  }
}

// The most likely values of a row that make up nine tenths of it together; the others become 0.
static int nucleus_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c));
  t[1] = pg_dims_named(PG_TENSOR("p", PG_F32, PG_OUT, rows(c), columns(c)), "row,n");
  return 2;
}

template <class T> static void nucleus_row(const T *x, T *p, int64_t n, bool exclusive) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return x[a] > x[b]; });
  T sum = 0, before = 0;
  for (int64_t j = 0; j < n; j++) sum += p[j] = std::exp(x[j] - x[order[0]]);
  for (int64_t j : order) {
    const bool out = exclusive && j != order[0] ? before + p[j] / sum > T(0.9) : before > T(0.9);
    before += p[j] /= sum;
    if (out) p[j] = 0;
  }
}

static void nucleus(const pg_case *c, void *const *d) {
  for (int64_t i = 0; i < rows(c); i++) nucleus_row(at<float>(d, 0) + i * columns(c), at<float>(d, 1) + i * columns(c), columns(c), has(c, "exclusive"));
}

static void nucleus_reference(const pg_case *c, double *const *d) {
  for (int64_t i = 0; i < rows(c); i++) nucleus_row(d[0] + i * columns(c), d[1] + i * columns(c), columns(c), false);
}

// Values kept by a mask, and scaled.
static int dropout_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c));
  t[1] = pg_fill_with(PG_TENSOR("mask", PG_U8, PG_IN, rows(c), columns(c)), PG_FILL_UNIFORM, 0, 1);
  t[2] = PG_TENSOR("y", PG_F32, PG_OUT, rows(c), columns(c));
  return 3;
}

static void dropout(const pg_case *c, void *const *d) {
  for (int64_t i = 0; i < rows(c) * columns(c); i++) {
    const int64_t from = has(c, "mask_again") ? i % 4096 : i;
    at<float>(d, 2)[i] = at<uint8_t>(d, 1)[from] ? at<float>(d, 0)[i] * (has(c, "scale") ? 1.111f : 1 / 0.9f) : 0;
  }
}

static void dropout_reference(const pg_case *c, double *const *d) {
  for (int64_t i = 0; i < rows(c) * columns(c); i++) d[2][i] = d[1][i] != 0 ? d[0][i] / 0.9 : 0;
}

// What only special values show: the sign of a zero, denormals, infinities, NaN.
static int special_spec(const pg_case *c, pg_tensor *t) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows(c), columns(c));
  t[0].flags = PG_ALLOW_NONFINITE;
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, rows(c), columns(c));
  return 2;
}

static void special(const pg_case *c, void *const *d) {
  for (int64_t i = 0; i < rows(c) * columns(c); i++) {
    const float x = at<float>(d, 0)[i];
    float y = copysignf(x > 1 ? x : 1, x);
    if (x != x) y = x;
    if (has(c, "nan_dropped")) y = copysignf(x > 1 ? x : 1, x);
    if (has(c, "zero_sign")) y = x != x ? x : x >= 0 ? std::max(x, 1.0f) : -1;
    if (has(c, "infinity")) y = std::min(y, 3.4028235e38f);
    if (has(c, "denormal")) y = x < 0 && x > -1.17549435e-38f ? 1 : y;
    at<float>(d, 1)[i] = y;
  }
}

static void special_reference(const pg_case *c, double *const *d) {
  for (int64_t i = 0; i < rows(c) * columns(c); i++) {
    const double x = d[0][i];
    d[1][i] = x != x ? x : copysign(x > 1 ? x : 1, x);
  }
}

const std::vector<Operation> kOperations = {
    {"edit", edit_spec, edit, edit_reference, nullptr, nullptr},
    {"bits", bits_spec, bits, bits_reference, nullptr, nullptr},
    {"table", table_spec, table, table_reference, nullptr, nullptr},
    {"scan", scan_spec, scan, scan_reference, nullptr, nullptr},
    {"histogram", histogram_spec, histogram, histogram_reference, nullptr, nullptr},
    {"scatter", scatter_spec, scatter, scatter_reference, nullptr, nullptr},
    {"segments", segments_spec, segments, segments_reference, segments_fill, nullptr},
    {"compact", compact_spec, compact, compact_reference, nullptr, compact_written},
    {"sort", sort_spec, sort, sort_reference, nullptr, nullptr},
    {"nucleus", nucleus_spec, nucleus, nucleus_reference, nullptr, nullptr},
    {"dropout", dropout_spec, dropout, dropout_reference, nullptr, nullptr},
    {"special", special_spec, special, special_reference, nullptr, nullptr},
};
