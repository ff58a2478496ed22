#include "fill.h"

namespace perfgate {

namespace {

const struct {
  const char *name;
  Values values;
} kValues[] = {{"spec", Values::kSpec},         {"normal", Values::kNormal},     {"uniform", Values::kUniform},
               {"large", Values::kLarge},       {"tiny", Values::kTiny},         {"denormal", Values::kDenormal},
               {"constant", Values::kConstant}, {"zeros", Values::kZeros},       {"outlier", Values::kOutlier},
               {"mixed", Values::kMixed},       {"dominant", Values::kDominant}, {"cancel", Values::kCancel},
               {"integers", Values::kIntegers}};

}  // namespace

bool values_from_name(const std::string &name, Values *out) {
  for (const auto &v : kValues) {
    if (name == v.name) {
      *out = v.values;
      return true;
    }
  }
  return false;
}

const char *values_name(Values values) {
  for (const auto &v : kValues) {
    if (values == v.values) return v.name;
  }
  return "spec";
}

namespace {

// The x that a tail of mass p begins at: a rational guess (Abramowitz and Stegun 26.2.23), then Newton's method.
double tail_start(double p) {
  const double t = sqrt(-2 * log(p));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int i = 0; i < 3; i++) x += (0.5 * erfc(x * M_SQRT1_2) - p) / (0.3989422804014327 * exp(-x * x / 2));
  return x;
}

const uint32_t kSegments = ((127u - 1) << (23 - kNormalShift)) - kNormalFirst + 1;  // the last one begins with mass 1/2

struct NormalTable {
  NormalSegment segments[kSegments];
  NormalTable() {
    for (uint32_t i = 0; i < kSegments; i++) {
      const double start = tail_start(static_cast<double>(bits_as<float>((i + kNormalFirst) << kNormalShift)));
      const double end = tail_start(static_cast<double>(bits_as<float>((i + 1 + kNormalFirst) << kNormalShift)));
      segments[i].start = static_cast<float>(start);
      segments[i].slope = static_cast<float>((end - start) / (1 << kNormalShift));
    }
  }
};

}  // namespace

const NormalSegment *normal_table() {
  static const NormalTable table;
  return table.segments;
}

uint32_t normal_table_size() { return kSegments; }

namespace {

void set_mode(Fill *f, Fill::Mode mode, double a, double b) {
  f->mode = mode;
  f->a = a;
  f->b = b;
}

void fill_of_spec(Fill *f, const pg_tensor &t) {
  const bool integer = dtype_is_integer(t.dtype);
  switch (t.fill) {
    case PG_FILL_NORMAL: return set_mode(f, Fill::kNormal, t.a, t.b == 0 ? 1 : t.b);
    case PG_FILL_UNIFORM:
      set_mode(f, Fill::kUniform, t.a, t.b);
      if (integer) {
        f->low = static_cast<int64_t>(ceil(t.a));
        f->high = static_cast<int64_t>(floor(t.b));
      }
      return;
    case PG_FILL_CONSTANT: return set_mode(f, Fill::kConstant, t.a, 0);
    case PG_FILL_SEQUENCE: return set_mode(f, Fill::kSequence, t.a, t.b);
    default: break;
  }
  set_mode(f, integer ? Fill::kUniform : Fill::kNormal, 0, 1);
  f->low = t.dtype == PG_U8 ? 0 : -4;
  f->high = 4;
}

// Whether a tensor may hold whatever its dtype can: quantised values, whose sums overflow where they are kept too narrow. Indices and masks have a fill, or
// are fixed.
bool is_quantised(const pg_tensor &t) { return (t.dtype == PG_I8 || t.dtype == PG_U8) && t.fill == PG_FILL_DEFAULT && !(t.flags & PG_FILL_FIXED); }

void set_range(Fill *f, int dtype) {
  f->low = dtype == PG_U8 ? 0 : -128;
  f->high = dtype == PG_U8 ? 255 : 127;
}

}  // namespace

Fill make_fill(const pg_tensor &t, int index, uint64_t seed, Values values) {
  Fill f;
  f.dtype = t.dtype;
  f.table = normal_table();
  f.key = derive(seed, static_cast<uint64_t>(index));
  f.subnormal = dtype_min_normal(t.dtype);
  if (values == Values::kSpec || (t.flags & PG_FILL_FIXED) || dtype_is_integer(t.dtype)) {
    fill_of_spec(&f, t);
    if (values == Values::kLarge && is_quantised(t)) set_range(&f, t.dtype);
    return f;
  }
  switch (values) {
    case Values::kNormal: set_mode(&f, Fill::kNormal, 0, 1); break;
    case Values::kUniform: set_mode(&f, Fill::kUniform, 0, 1); break;
    case Values::kLarge: set_mode(&f, Fill::kNormal, 0, 16); break;
    case Values::kTiny: set_mode(&f, Fill::kNormal, 0, 1.0 / 1024); break;
    case Values::kDenormal: set_mode(&f, Fill::kUniform, -f.subnormal, f.subnormal); break;
    case Values::kConstant: set_mode(&f, Fill::kConstant, 4 * uniform_value(mix(f.key)) - 2, 0); break;
    case Values::kOutlier: set_mode(&f, Fill::kOutlier, 0, 1); break;
    case Values::kDominant:
    case Values::kCancel:
      set_mode(&f, Fill::kOutlier, 0, 1);
      f.shape = values == Values::kDominant ? Fill::kDominant : Fill::kCancel;
      if (t.rank > 0 && t.shape[t.rank - 1] > 0) f.row = t.shape[t.rank - 1];
      break;
    case Values::kIntegers: set_mode(&f, Fill::kIntegers, (seed & 1) ? 1.0 / 8 : 2.0 / 3, 0); break;  // sparse, or not
    case Values::kMixed:
      set_mode(&f, Fill::kMixed, 0, 1);
      f.nonfinite = (t.flags & PG_ALLOW_NONFINITE) != 0;
      break;
    default: set_mode(&f, Fill::kConstant, 0, 0); break;
  }
  return f;
}

}  // namespace perfgate
