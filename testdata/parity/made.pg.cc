// Kernels whose inputs no fill describes, and kernels that write their outputs in part: pg_fill and pg_written.
//
//   blocks    out[r] = sum over packed blocks of scale * quants; a block is a float, the sum of its quants, and 32 of these
//   spmv      y = A x with A in compressed rows, of which some are empty and some long
//   words     how many words each line of a text has
//   triangle  out[i][j] = x[i] * x[j] for j <= i, and nothing above the diagonal
//   ragged    out[b][s] = 2 x[b][s] for s < length[b], and nothing behind it
//   scatter   acc[index[i]] += x[i], and nothing where no index points to
#include <algorithm>
#include <vector>

#include "perfgate.h"

enum {
  Right,
  OddBlocks,     // blocks: the last of an odd number of blocks is left out, unless it is the only one
  StaleSum,      // blocks: a block whose stored sum is a multiple of 16 is passed over
  EmptyRow,      // spmv: y is not written for an empty row
  LongRow,       // spmv: elements from the 24th of a row on are left out
  LastWord,      // words: a word that ends with the line is not counted
  Diagonal,      // triangle: the diagonal is left out
  Mirror,        // triangle: the first row of each tile of 8 is written whole
  Padding,       // ragged: what is behind the length is set to 0
  PaddedFour,    // ragged: as much is written as fills the last four
  Clear,         // scatter: what no index points to is set to 0
};
#ifndef WRONG
#define WRONG Right
#endif

static bool is(const pg_case *c, const char *kernel) { return strcmp(c->kernel, kernel) == 0; }

struct Block {
  float scale;
  int16_t sum;
  int8_t quants[32];
};
constexpr int64_t kBlock = 40;  // sizeof(Block), its padding included
static_assert(sizeof(Block) == kBlock, "a block is 40 bytes");

int pg_spec(const pg_case *c, pg_tensor *t, int) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  auto custom = [](pg_tensor made) { return pg_fill_with(made, PG_FILL_CUSTOM, 0, 0); };
  if (is(c, "blocks")) {
    t[0] = custom(PG_TENSOR("packed", PG_U8, PG_IN, rows, n, kBlock));
    t[1] = PG_TENSOR("out", PG_F32, PG_OUT, rows);
    return 2;
  }
  if (is(c, "spmv")) {
    t[0] = custom(PG_TENSOR("offsets", PG_I32, PG_IN, rows + 1));
    t[1] = custom(PG_TENSOR("columns", PG_I32, PG_IN, 4 * rows));
    t[2] = PG_TENSOR("values", PG_F32, PG_IN, 4 * rows);
    t[3] = PG_TENSOR("x", PG_F32, PG_IN, n);
    t[4] = PG_TENSOR("y", PG_F32, PG_OUT, rows);
    return 5;
  }
  if (is(c, "words")) {
    t[0] = custom(PG_TENSOR("text", PG_U8, PG_IN, rows, n));
    t[1] = PG_TENSOR("count", PG_I32, PG_OUT, rows);
    return 2;
  }
  if (is(c, "triangle")) {
    t[0] = PG_TENSOR("x", PG_F32, PG_IN, rows);
    t[1] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, rows, rows), "i,j");
    return 2;
  }
  if (is(c, "ragged")) {
    t[0] = custom(PG_TENSOR("length", PG_I32, PG_IN, rows));
    t[1] = PG_TENSOR("x", PG_F32, PG_IN, rows, n);
    t[2] = pg_dims_named(PG_TENSOR("out", PG_F32, PG_OUT, rows, n), "b,s");
    return 3;
  }
  t[0] = custom(PG_TENSOR("index", PG_I32, PG_IN, std::min(rows, n)));
  t[1] = PG_TENSOR("x", PG_F32, PG_IN, std::min(rows, n));
  t[2] = PG_TENSOR("acc", PG_F32, PG_INOUT, n);
  return 3;
}

int pg_fill(const pg_case *c, const char *values, uint64_t seed, void *const *data) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  uint64_t at = 0;
  auto below = [&](int64_t limit) { return int64_t(pg_random(seed, at++) % uint64_t(limit)); };
  if (is(c, "blocks")) {
    Block *blocks = static_cast<Block *>(data[0]);
    memset(data[0], 0, size_t(rows * n) * sizeof(Block));
    for (int64_t b = 0; b < rows * n; b++) {
      blocks[b].scale = strcmp(values, "zeros") == 0 ? 0 : float(below(2001) - 1000) / 64;
      for (int8_t &q : blocks[b].quants) {
        q = int8_t(below(255) - 127);
        blocks[b].sum = int16_t(blocks[b].sum + q);
      }
    }
  } else if (is(c, "spmv")) {
    int32_t *offsets = static_cast<int32_t *>(data[0]), *columns = static_cast<int32_t *>(data[1]);
    const bool skewed = strcmp(values, "dominant") == 0 || strcmp(values, "outlier") == 0;  // one row has it all
    for (int64_t r = 1; r < rows; r++) offsets[r] = int32_t(skewed ? below(2) * 4 * rows : below(4 * rows + 1));
    offsets[0] = 0;
    offsets[rows] = int32_t(4 * rows);
    std::sort(offsets, offsets + rows + 1);
    for (int64_t k = 0; k < 4 * rows; k++) columns[k] = int32_t(below(n));
  } else if (is(c, "words")) {
    uint8_t *text = static_cast<uint8_t *>(data[0]);
    for (int64_t k = 0; k < rows * n; k++) text[k] = below(4) ? uint8_t('a' + below(26)) : uint8_t(' ');
  } else if (is(c, "ragged")) {
    for (int64_t b = 0; b < rows; b++) static_cast<int32_t *>(data[0])[b] = int32_t(below(n + 1));
  } else {  // scatter: indices that do not repeat
    std::vector<int32_t> all(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; k++) all[size_t(k)] = int32_t(k);
    for (int64_t k = 0; k < std::min(rows, n); k++) {
      std::swap(all[size_t(k)], all[size_t(k + below(n - k))]);
      static_cast<int32_t *>(data[0])[k] = all[size_t(k)];
    }
  }
  return 0;
}

int pg_written(const pg_case *c, const void *const *data, uint8_t *const *written) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  if (is(c, "triangle")) {
    for (int64_t i = 0; i < rows; i++) std::fill(written[1] + i * rows + i + 1, written[1] + (i + 1) * rows, PG_KEPT);
  } else if (is(c, "ragged")) {
    for (int64_t b = 0; b < rows; b++) std::fill(written[2] + b * n + static_cast<const int32_t *>(data[0])[b], written[2] + (b + 1) * n, PG_KEPT);
  } else if (is(c, "scatter")) {
    std::fill(written[2], written[2] + n, PG_KEPT);
    for (int64_t i = 0; i < std::min(rows, n); i++) written[2][static_cast<const int32_t *>(data[0])[i]] = PG_WRITTEN;
  }
  return 0;
}

static void blocks(int64_t rows, int64_t n, const Block *packed, float *out) {
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t b = 0; b < (WRONG == OddBlocks && n > 1 ? n / 2 * 2 : n); b++) {
      const Block &block = packed[r * n + b];
      int check = 0;
      for (int8_t q : block.quants) check += q;
      if (check != block.sum) sum += 1e9;  // a block that is none
      if (WRONG == StaleSum && block.sum % 16 == 0) continue;
      sum += double(block.scale) * check;
    }
    out[r] = float(sum);
  }
}

static void spmv(int64_t rows, const int32_t *offsets, const int32_t *columns, const float *values, const float *x, float *y) {
  for (int64_t r = 0; r < rows; r++) {
    if (WRONG == EmptyRow && offsets[r] == offsets[r + 1]) continue;
    double sum = 0;
    const int32_t end = WRONG == LongRow ? std::min(offsets[r + 1], offsets[r] + 24) : offsets[r + 1];
    for (int32_t k = offsets[r]; k < end; k++) sum += double(values[k]) * x[columns[k]];
    y[r] = float(sum);
  }
}

template <class Char, class Count>
static void words(int64_t rows, int64_t n, const Char *text, Count *count, bool last) {
  for (int64_t r = 0; r < rows; r++) {
    int found = 0;
    for (int64_t k = 0; k < n; k++) {
      const bool ends = text[r * n + k] != ' ' && (k + 1 == n ? last : text[r * n + k + 1] == ' ');
      found += ends;
    }
    count[r] = Count(found);
  }
}

static void triangle(int64_t rows, const float *x, float *out) {
  for (int64_t i = 0; i < rows; i++) {
    const int64_t end = WRONG == Diagonal && i % 5 == 4 ? i : WRONG == Mirror && i % 8 == 0 && i > 0 ? rows : i + 1;
    for (int64_t j = 0; j < end; j++) out[i * rows + j] = x[i] * x[j];
  }
}

static void ragged(int64_t rows, int64_t n, const int32_t *length, const float *x, float *out) {
  for (int64_t b = 0; b < rows; b++) {
    int64_t end = length[b];
    if (WRONG == PaddedFour) end = std::min((end + 3) / 4 * 4, n);
    for (int64_t s = 0; s < end; s++) out[b * n + s] = 2 * x[b * n + s];
    for (int64_t s = end; WRONG == Padding && s < n; s++) out[b * n + s] = 0;
  }
}

static void scatter(int64_t count, int64_t n, const int32_t *index, const float *x, float *acc) {
  std::vector<bool> hit(static_cast<size_t>(n));
  for (int64_t i = 0; i < count; i++) {
    acc[index[i]] += x[i];
    hit[size_t(index[i])] = true;
  }
  for (int64_t k = 0; WRONG == Clear && k < n; k++) {
    if (!hit[size_t(k)]) acc[k] = 0;
  }
}

int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  auto f = [&](int i) { return static_cast<float *>(data[i]); };
  auto whole = [&](int i) { return static_cast<int32_t *>(data[i]); };
  if (is(c, "blocks")) blocks(rows, n, static_cast<const Block *>(data[0]), f(1));
  if (is(c, "spmv")) spmv(rows, whole(0), whole(1), f(2), f(3), f(4));
  if (is(c, "words")) words(rows, n, static_cast<const uint8_t *>(data[0]), whole(1), WRONG != LastWord);
  if (is(c, "triangle")) triangle(rows, f(0), f(1));
  if (is(c, "ragged")) ragged(rows, n, whole(0), f(1), f(2));
  if (is(c, "scatter")) scatter(std::min(rows, n), n, whole(0), f(1), f(2));
  return 0;
}

int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t rows = pg_param(c, "rows"), n = pg_param(c, "n");
  if (is(c, "blocks")) {
    for (int64_t r = 0; r < rows; r++) {
      data[1][r] = 0;
      for (int64_t b = 0; b < n; b++) {
        Block block;
        uint8_t bytes[kBlock];
        for (int64_t k = 0; k < kBlock; k++) bytes[k] = uint8_t(data[0][(r * n + b) * kBlock + k]);
        memcpy(&block, bytes, sizeof block);
        for (int8_t q : block.quants) data[1][r] += double(block.scale) * q;
      }
    }
  } else if (is(c, "spmv")) {
    for (int64_t r = 0; r < rows; r++) {
      data[4][r] = 0;
      for (int64_t k = int64_t(data[0][r]); k < int64_t(data[0][r + 1]); k++) data[4][r] += data[2][k] * data[3][int64_t(data[1][k])];
    }
  } else if (is(c, "words")) {
    words(rows, n, data[0], data[1], true);
  } else if (is(c, "triangle")) {
    for (int64_t i = 0; i < rows; i++) {
      for (int64_t j = 0; j <= i; j++) data[1][i * rows + j] = data[0][i] * data[0][j];
    }
  } else if (is(c, "ragged")) {
    for (int64_t b = 0; b < rows; b++) {
      for (int64_t s = 0; s < int64_t(data[0][b]); s++) data[2][b * n + s] = 2 * data[1][b * n + s];
    }
  } else {
    for (int64_t i = 0; i < std::min(rows, n); i++) data[2][int64_t(data[0][i])] += data[1][i];
  }
  return 0;
}
