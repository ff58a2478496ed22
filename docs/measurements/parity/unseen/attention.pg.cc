// Attention: causal, with lengths, and rotary positions.
#include "unseen.h"

struct Sizes {
  int64_t b, h, s, d;
};

static Sizes sizes(const pg_case *c) { return {pg_param(c, "b"), pg_param(c, "h"), pg_param(c, "s"), pg_param(c, "d")}; }
static bool is_ragged(const pg_case *c) { return strncmp(c->kernel, "ragged-", 7) == 0; }
static bool is_bf16(const pg_case *c) { return strncmp(c->kernel, "flash16-", 8) == 0; }

static int attention_spec(const pg_case *c, pg_tensor *t) {
  const Sizes z = sizes(c);
  const int dtype = is_bf16(c) ? PG_BF16 : PG_F32;
  const char *names[] = {"q", "k", "v"};
  for (int i = 0; i < 3; i++) t[i] = pg_dims_named(PG_TENSOR(names[i], dtype, PG_IN, z.b, z.h, z.s, z.d), "b,h,s,d");
  t[3] = pg_dims_named(PG_TENSOR("o", dtype, PG_OUT, z.b, z.h, z.s, z.d), "b,h,s,d");
  if (!is_ragged(c)) return 4;
  t[4] = t[3];
  t[3] = pg_fill_with(PG_TENSOR("length", PG_I32, PG_IN, z.b), PG_FILL_UNIFORM, 0, double(z.s));
  return 5;
}

// The keys that a query sees: of a causal one those up to it, of a ragged one those within the length.
static int64_t seen(const pg_case *c, int64_t query, int64_t length) { return is_ragged(c) ? length : query + 1; }

static void attend(const pg_case *c, const float *q, const float *k, const float *v, float *o, int64_t keys) {
  const int64_t dim = sizes(c).d, block = has(c, "flash") || has(c, "forgets_rescale") ? 32 : 1;
  const float scale = 1 / sqrtf(static_cast<float>(dim));
  std::vector<float> sum(static_cast<size_t>(dim)), logits(static_cast<size_t>(block));
  float most = has(c, "no_maximum") ? 0 : -INFINITY, weight = 0;
  for (int64_t from = 0; from < keys; from += block) {
    const int64_t to = std::min(keys, from + block);
    float high = most;
    for (int64_t j = from; j < to; j++) {
      float &logit = logits[size_t(j - from)];
      logit = 0;
      for (int64_t e = 0; e < dim; e++) logit += q[e] * k[j * dim + e];
      logit *= scale;
      if (!has(c, "no_maximum")) high = std::max(high, logit);
    }
    const float shrink = most == -INFINITY ? 0 : expf(most - high);
    if (!(has(c, "forgets_rescale") && from == 64)) weight *= shrink;
    for (float &x : sum) x *= shrink;
    for (int64_t j = from; j < to; j++) {
      const float p = expf(logits[size_t(j - from)] - high);
      weight += p;
      for (int64_t e = 0; e < dim; e++) sum[size_t(e)] += (is_bf16(c) ? bf16(p) : p) * v[j * dim + e];
    }
    most = high;
  }
  const float share = keys == 0 && !has(c, "nan_of_none") ? 0 : 1 / weight;
  for (int64_t e = 0; e < dim; e++) o[e] = sum[size_t(e)] * share;
}

static void attention(const pg_case *c, void *const *d) {
  const Sizes z = sizes(c);
  const size_t count = static_cast<size_t>(z.b * z.h * z.s * z.d);
  std::vector<float> in[3], out(count);
  for (int t = 0; t < 3; t++) {
    in[t].resize(count);
    for (size_t i = 0; i < count; i++) in[t][i] = is_bf16(c) ? from_bf16(at<uint16_t>(d, t)[i]) : at<float>(d, t)[i];
  }
  for (int64_t b = 0; b < z.b; b++) {
    for (int64_t h = 0; h < z.h; h++) {
      const bool swapped = has(c, "batch_for_head") && z.b == z.h;
      const int64_t head = ((swapped ? h : b) * z.h + (swapped ? b : h)) * z.s * z.d, to = (b * z.h + h) * z.s * z.d;
      const int64_t other = has(c, "last_head") && h == z.h - 1 && h > 0 ? head - z.s * z.d : head;
      const int64_t length = is_ragged(c) ? at<int32_t>(d, 3)[b] : 0;
      for (int64_t i = 0; i < z.s; i++) {
        int64_t keys = seen(c, i, length);
        if (has(c, "last_row") && i == z.s - 1 && keys > 1) keys--;
        if (has(c, "one_more")) keys = std::min(z.s, keys + 1);
        if (has(c, "multiple_of_8") && keys > 8 && keys < z.s) keys -= keys % 8 == 7;
        attend(c, &in[0][size_t(head + i * z.d)], &in[1][size_t(head)], &in[2][size_t(other)], &out[size_t(to + i * z.d)], keys);
      }
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (is_bf16(c)) at<uint16_t>(d, 3)[i] = to_bf16(out[i]);
    else at<float>(d, is_ragged(c) ? 4 : 3)[i] = out[i];
  }
}

static void attention_reference(const pg_case *c, double *const *d) {
  const Sizes z = sizes(c);
  double *o = d[is_ragged(c) ? 4 : 3];
  for (int64_t row = 0; row < z.b * z.h * z.s; row++) {
    const int64_t head = row / z.s * z.s * z.d;
    const int64_t keys = seen(c, row % z.s, is_ragged(c) ? static_cast<int64_t>(d[3][row / z.s / z.h]) : 0);
    std::vector<double> p(static_cast<size_t>(keys));
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < keys; j++) {
      double logit = 0;
      for (int64_t e = 0; e < z.d; e++) logit += d[0][row * z.d + e] * d[1][head + j * z.d + e];
      p[size_t(j)] = logit / sqrt(double(z.d));
      most = std::max(most, p[size_t(j)]);
    }
    for (double &x : p) sum += x = exp(x - most);
    for (int64_t e = 0; e < z.d; e++) {
      double value = 0;
      for (int64_t j = 0; j < keys; j++) value += p[size_t(j)] * d[2][head + j * z.d + e];
      o[row * z.d + e] = keys ? value / sum : 0;
    }
  }
}

// Rotary embedding of pairs (e, e + d / 2) at positions that are an input.
static int rope_spec(const pg_case *c, pg_tensor *t) {
  const Sizes z = sizes(c);
  t[0] = pg_dims_named(PG_TENSOR("x", PG_F32, PG_IN, z.b * z.h, z.s, z.d), "head,s,d");
  t[1] = pg_fill_with(PG_TENSOR("position", PG_I32, PG_IN, z.s), PG_FILL_UNIFORM, 0, has(c, "far") ? 8191 : 15);
  t[2] = pg_dims_named(PG_TENSOR("y", PG_F32, PG_OUT, z.b * z.h, z.s, z.d), "head,s,d");
  return 3;
}

template <class T, class P> static void rotate(const pg_case *c, const T *x, const P *position, T *y, bool right) {
  const Sizes z = sizes(c);
  const int64_t half = z.d / 2;
  for (int64_t row = 0; row < z.b * z.h * z.s; row++) {
    for (int64_t e = 0; e < half; e++) {
      P at = position[row % z.s];
      if (!right && has(c, "last_position") && row % z.s == z.s - 1) at = at + 1;
      const bool beside = !right && has(c, "interleaved_at_4") && z.d == 4;
      const T angle = static_cast<T>(at) * std::pow(static_cast<T>(!right && has(c, "base_1000") ? 1000 : 10000), static_cast<T>(-2 * e) / static_cast<T>(z.d));
      const int64_t i = row * z.d + (beside ? 2 * e : e), j = row * z.d + (beside ? 2 * e + 1 : e + half);
      y[i] = x[i] * std::cos(angle) - x[j] * std::sin(angle);
      y[j] = x[j] * std::cos(angle) + x[i] * std::sin(angle);
    }
  }
}

static void rope(const pg_case *c, void *const *d) { rotate(c, at<float>(d, 0), at<int32_t>(d, 1), at<float>(d, 2), false); }
static void rope_reference(const pg_case *c, double *const *d) { rotate(c, d[0], d[1], d[2], true); }

// Angles are made of integers, so that no unit of an input says how far off they may be.
int pg_reference_f32(const pg_case *c, double *const *d, void *) {
  if (strcmp(c->kernel, "rope-far") != 0 && strcmp(c->kernel, "rope-near") != 0) return -1;
  const Sizes z = sizes(c);
  const size_t count = static_cast<size_t>(z.b * z.h * z.s * z.d);
  std::vector<float> x(d[0], d[0] + count), y(count);
  rotate(c, x.data(), d[1], y.data(), true);
  std::copy(y.begin(), y.end(), d[2]);
  return 0;
}

const std::vector<Operation> kOperations = {
    {"causal", attention_spec, attention, attention_reference, nullptr, nullptr},
    {"ragged", attention_spec, attention, attention_reference, nullptr, nullptr},
    {"flash16", attention_spec, attention, attention_reference, nullptr, nullptr},
    {"rope", rope_spec, rope, rope_reference, nullptr, nullptr},
};
