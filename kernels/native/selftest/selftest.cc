// Tests of the harness's parts that can be tested without an adapter: conversions against an oracle that knows no bits,
// the distribution of fills, guard zones byte by byte, poison, judgement, JSON. Linked with all of harness/*.cc but main.cc.
// Prints what fails and "N passed, N failed"; exits 1 when something failed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../harness/buffers.h"
#include "../harness/commands.h"
#include "../harness/device_cpu.h"
#include "../harness/dtype.h"
#include "../harness/failure.h"
#include "../harness/fill.h"
#include "../harness/json.h"

using namespace perfgate;

namespace {

int g_passed = 0, g_failed = 0;

void check(bool ok, const std::string &what) {
  ok ? g_passed++ : g_failed++;
  if (!ok && g_failed <= 50) printf("FAILED: %s\n", what.c_str());
}

std::string show(double v) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", v);
  return text;
}

bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

// A format by its definition: value = mantissa * 2^exponent by ldexp, rounding by search in the sorted list of all values.
struct Oracle {
  int exp_bits, man_bits;
  bool ieee, saturate;
  std::vector<double> values;  // of codes 0, 1, 2, ...: every finite value that is not negative, ascending

  Oracle(int e, int m, bool i, bool s) : exp_bits(e), man_bits(m), ieee(i), saturate(s) {
    const uint32_t codes = 1u << (e + m);
    for (uint32_t c = 0; c < codes; c++) {
      const double v = value(c);
      if (isfinite(v)) values.push_back(v);
    }
  }

  double value(uint32_t code) const {
    const int exp = static_cast<int>(code >> man_bits), man = static_cast<int>(code & ((1u << man_bits) - 1));
    const int bias = (1 << (exp_bits - 1)) - 1, top = (1 << exp_bits) - 1;
    if (ieee && exp == top) return man ? NAN : INFINITY;
    if (!ieee && exp == top && man == (1 << man_bits) - 1) return NAN;
    return exp ? ldexp(1 + ldexp(man, -man_bits), exp - bias) : ldexp(man, 1 - bias - man_bits);
  }

  // The value of the code nearest to v, of even code in a tie. Past the largest value the next step decides as if it existed.
  double round(double v) const {
    if (isnan(v)) return NAN;
    const double x = fabs(v), max = values.back(), step = max - values[values.size() - 2];
    double r;
    if (x > max) {
      const bool up = x - max >= step / 2;  // the largest code is odd in every format with infinity: a tie goes up
      r = up && !saturate ? INFINITY : max;
    } else {
      const size_t above = static_cast<size_t>(std::lower_bound(values.begin(), values.end(), x) - values.begin());
      if (values[above] == x) {
        r = x;
      } else {
        const double low = x - values[above - 1], high = values[above] - x;  // exact: neighbours are close
        r = low < high || (low == high && (above - 1) % 2 == 0) ? values[above - 1] : values[above];
      }
    }
    return copysign(r, v);
  }
};

template <class T>
void test_format(const char *name, const Oracle &oracle) {
  using Format = typename T::Format;
  const uint32_t codes = 1u << (1 + oracle.exp_bits + oracle.man_bits);
  for (uint32_t c = 0; c < codes; c++) {
    const double want = c >= codes / 2 ? -oracle.value(c - codes / 2) : oracle.value(c);
    const double got = Format::decode(c);
    check(same(got, want), std::string(name) + ": code " + std::to_string(c) + " reads as " + show(got));
    const uint32_t back = Format::encode(got);
    const bool kept = isnan(got) ? isnan(Format::decode(back)) : back == c || (oracle.saturate && isinf(got));
    check(kept, std::string(name) + ": code " + std::to_string(c) + " comes back as " + std::to_string(back));
  }
  auto rounds = [&](double v) {
    const double got = Format::decode(Format::encode(v)), want = oracle.round(v);
    check(same(got, want), std::string(name) + ": " + show(v) + " rounds to " + show(got) + ", not " + show(want));
    const double negative = Format::decode(Format::encode(-v));
    check(same(negative, oracle.round(-v)), std::string(name) + ": " + show(-v) + " rounds to " + show(negative));
  };
  for (size_t i = 0; i + 1 < oracle.values.size(); i++) {  // around every tie
    const double tie = oracle.values[i] / 2 + oracle.values[i + 1] / 2;
    for (double v : {tie, nextafter(tie, 0), nextafter(tie, INFINITY)}) rounds(v);
  }
  const double max = oracle.values.back(), step = max - oracle.values[oracle.values.size() - 2];
  const double half_past = max + step / 2;
  const double past[] = {half_past, nextafter(half_past, 0), max + step, 2 * max, 1e300, INFINITY, NAN, 0.0, 5e-324, 1e-310};
  for (double v : past) rounds(v);
  for (int i = 0; i < 100000; i++) {  // anywhere, all exponents of the format and some beyond
    const uint64_t bits = draw(99, i);
    const int exponent = oracle.exp_bits == 8 ? static_cast<int>(bits % 288) - 145 : static_cast<int>(bits % 64) - 40;
    rounds(ldexp(1 + uniform_value(mix(bits)), exponent));
  }
}

void test_conversions() {
  test_format<F16>("f16", Oracle(5, 10, true, false));
  test_format<BF16>("bf16", Oracle(8, 7, true, false));
  test_format<F8E4M3>("f8e4m3", Oracle(4, 3, false, true));
  test_format<F8E5M2>("f8e5m2", Oracle(5, 2, true, true));
  check(F16::get(0x3C00) == 1 && F16::get(0x7BFF) == 65504 && F16::get(1) == ldexp(1, -24), "f16: known values");
  check(BF16::get(0x3F80) == 1 && F8E4M3::get(0x7E) == 448 && F8E5M2::get(0x7B) == 57344, "bf16, fp8: known values");
  struct { double v; int64_t i8, u8; } const cases[] = {{0.5, 0, 0}, {1.5, 2, 2}, {2.5, 2, 2}, {-0.5, 0, 0}, {-1.5, -2, 0},
      {127.4, 127, 127}, {128, 127, 128}, {-129, -128, 0}, {300, 127, 255}, {1e30, 127, 255}, {-INFINITY, -128, 0}, {NAN, 0, 0}};
  for (const auto &c : cases) {
    check(I8::get(I8::put(c.v)) == static_cast<double>(c.i8), "i8 of " + show(c.v));
    check(U8::get(U8::put(c.v)) == static_cast<double>(c.u8), "u8 of " + show(c.v));
  }
  check(I32::put(3e9) == 0x7FFFFFFFu && I32::put(-3e9) == 0x80000000u, "i32 saturates");
  check(I64::put(1e19) == 0x7FFFFFFFFFFFFFFFull && I64::put(-1e19) == 0x8000000000000000ull, "i64 saturates");
  check(I64::put(9007199254740993.0) == 9007199254740992u, "i64 is exact up to 2^53");
}

pg_tensor tensor(int dtype, int64_t n, int role = PG_IN) { return pg_tensor_make("t", dtype, role, 1, &n); }

// The largest distance between the distribution of the sample and the normal one (Kolmogorov and Smirnov's statistic).
double distance_to_normal(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  double worst = 0;
  for (size_t i = 0; i < v.size(); i++) {
    const double p = 0.5 * erfc(-v[i] / sqrt(2.0)), n = static_cast<double>(v.size());
    worst = std::max(worst, std::max(fabs(p - static_cast<double>(i) / n), fabs(p - static_cast<double>(i + 1) / n)));
  }
  return worst;
}

void test_normal(Device *device, uint64_t seed) {
  const int64_t n = 200000;
  std::vector<double> v(static_cast<size_t>(n));
  device->fill(v.data(), make_fill(tensor(PG_F64, n), 0, seed, Values::kSpec), n);
  double sum = 0, square = 0, lag = 0, biggest = 0;
  for (size_t i = 0; i < v.size(); i++) {
    sum += v[i];
    square += v[i] * v[i];
    biggest = std::max(biggest, fabs(v[i]));
    if (i) lag += v[i] * v[i - 1];
  }
  const double root = sqrt(static_cast<double>(n)), name = static_cast<double>(seed);
  // Bounds at about 4.5 standard errors; the seeds are fixed, so this never fails by chance.
  check(fabs(sum / root) < 4.5, "normal: mean, seed " + show(name));
  check(fabs((square / static_cast<double>(n) - 1) * root / sqrt(2.0)) < 4.5, "normal: variance, seed " + show(name));
  check(fabs(lag / root) < 4.5, "normal: neighbours are independent, seed " + show(name));
  check(distance_to_normal(v) * root < 2.2, "normal: distribution, seed " + show(name));
  check(biggest > 3.9 && biggest < 6.5, "normal: tails reach as far as they should, seed " + show(name));
}

void test_fills(Device *device) {
  for (uint64_t seed : {1ull, 2ull, 7ull, 123456789ull, ~0ull}) test_normal(device, seed);
  const NormalSegment *table = normal_table();
  check(normal_value(0, table) > 6.3 && normal_value(0, table) < 6.5, "normal: the farthest value");
  check(fabs(normal_value(~0ull, table)) < 1e-6 && normal_value(1ull << 32, table) < -6.3, "normal: the nearest, and the sign");
  double worst = 0;  // against the distribution function itself, all over the range
  for (uint64_t k = 0; k < (1ull << 31); k = k + 1 + k / 500) {
    const double x = normal_value(k << 33, table), p = (static_cast<double>(k) + 0.5) * 0x1p-32;
    worst = std::max(worst, fabs(0.5 * erfc(x * M_SQRT1_2) / p - 1));
  }
  check(worst < 2e-4, "normal: tail mass is off by " + show(worst) + " of itself");

  const int64_t n = 90000;
  pg_tensor t = tensor(PG_I32, n);
  std::vector<int32_t> v(static_cast<size_t>(n));
  device->fill(v.data(), make_fill(t, 3, 5, Values::kSpec), n);
  int counts[9] = {};
  for (int32_t x : v) {
    if (x >= -4 && x <= 4) counts[x + 4]++;
  }
  double chi = 0;
  int total = 0;
  for (int c : counts) {
    chi += (c - 1e4) * (c - 1e4) / 1e4;
    total += c;
  }
  check(total == n && chi < 30, "integers: uniform from -4 to 4");
  pg_tensor quantised = tensor(PG_I8, n);
  const Fill whole = make_fill(quantised, 3, 5, Values::kLarge), plain = make_fill(t, 3, 5, Values::kLarge);
  quantised.flags = PG_FILL_FIXED;
  const Fill fixed = make_fill(quantised, 3, 5, Values::kLarge);
  check(whole.low == -128 && whole.high == 127 && plain.high == 4 && fixed.high == 4, "large integers: all of eight bits, where they may be tried with others");

  // The first two outputs of splitmix64 for seed 0, as published. Seeds must mean the same on every machine, for ever.
  check(draw(0, 0) == 0xE220A8397B1DCDAFull && draw(0, 1) == 0x6E789E6AA1B965F4ull, "the generator is splitmix64");
  check(derive(1, 2) == 0x0B95F66D327E8D78ull, "seeds are derived as they always were");

  // Another seed, tensor or element: other values. The same: the same.
  std::vector<double> a(1000), b(1000);
  auto fill = [&](std::vector<double> *to, int index, uint64_t seed) {
    device->fill(to->data(), make_fill(tensor(PG_F64, 1000), index, seed, Values::kSpec), 1000);
  };
  fill(&a, 0, 7);
  fill(&b, 0, 7);
  check(a == b, "the same seed and index fill alike");
  fill(&b, 1, 7);
  check(a != b, "another tensor is filled otherwise");
  fill(&b, 0, 8);
  check(a != b, "another seed fills otherwise");

  std::vector<char> bytes(1000);
  const uint64_t before = device->digest(bytes.data(), 1000);
  bool seen = true;
  for (char &byte : bytes) {
    byte = 1;
    seen = seen && device->digest(bytes.data(), 1000) != before;
    byte = 0;
  }
  check(seen && device->digest(bytes.data(), 999) != before, "a digest changes with every byte");

  for (int dtype = PG_F64; dtype <= PG_U8; dtype++) {
    std::vector<char> memory(8 * 5000);
    const pg_tensor any = tensor(dtype, 5000);
    for (Values values : {Values::kSpec, Values::kNormal, Values::kUniform, Values::kLarge, Values::kTiny, Values::kDenormal,
                          Values::kConstant, Values::kZeros, Values::kOutlier, Values::kMixed}) {
      const Fill f = make_fill(any, 2, 11, values);
      const std::string what = std::string(dtype_name(dtype)) + ", values " + std::to_string(static_cast<int>(values));
      device->fill(memory.data(), f, 5000);
      check(device->find_change(memory.data(), f, 5000) == -1, "a fill is found unchanged: " + what);
      std::vector<double> wide(5000);
      device->widen(wide.data(), memory.data(), dtype, 5000);
      check(std::all_of(wide.begin(), wide.end(), [](double x) { return isfinite(x); }), "a fill is finite: " + what);
      const int64_t at = 4321;
      memory[static_cast<size_t>(at) * pg_dtype_size(dtype)] ^= 1;
      check(device->find_change(memory.data(), f, 5000) == at, "a changed element is found: " + what);
    }
  }
}

void test_zones(Device *device, size_t bytes, int dtype, Guard::Kind kind) {
  Buffer buffer(device, bytes);
  buffer.guard(make_guard(11, 3, kind), dtype);
  char *data = static_cast<char *>(buffer.data());
  const std::string what = "buffer of " + std::to_string(bytes) + " bytes, " + dtype_name(dtype);
  int64_t offset = 0;
  check(reinterpret_cast<uintptr_t>(data) % 4096 == 0, what + ": aligned");
  memset(data, 0x77, bytes);
  check(!buffer.broken(&offset), what + ": whole after its own bytes are written");
  const int64_t behind = static_cast<int64_t>(Buffer::footprint(bytes) - 4096 - bytes);
  check(behind >= 4096, what + ": a page at least behind it");
  bool all = true;
  for (int64_t k = -4096; k < behind; k += 1 + (k > 100 && k < behind - 100) * 16 + (k < -100) * 16) {
    char *victim = k < 0 ? data + k : data + bytes + k;
    const char before = *victim;
    *victim = static_cast<char>(before + 1);
    all = all && buffer.broken(&offset) && offset == k;
    *victim = before;
  }
  check(all, what + ": bytes of the guard zones are watched, and named");
  check(!buffer.broken(&offset), what + ": whole again");
}

// No word of one tensor's guards is what another's holds in its place, nor what arithmetic makes of them.
template <class T>
void test_guard_words(int dtype) {
  const std::string what = std::string("guards of ") + dtype_name(dtype);
  int64_t copied = 0, odd = 0, seeds = 0, places = 0;
  const int64_t kWords = 200;
  for (uint64_t seed = 0; seed < 8; seed++) {
    for (Guard::Kind kind : {Guard::kSignalling, Guard::kLarge}) {
      for (int64_t i = -kWords; i < kWords; i++) {
        const Guard first = make_guard(seed, 0, kind);
        const auto own = guard_word<T>(first, i);
        seeds += own == guard_word<T>(make_guard(seed + 1, 0, kind), i);
        places += own == guard_word<T>(first, i + 1);
        for (size_t t = 1; t < PG_MAX_TENSORS; t++) copied += own == guard_word<T>(make_guard(seed, t, kind), i);
        const double v = T::get(own);
        odd += own == T::kPoison && (T::kInteger || kind == Guard::kLarge);
        if (Infinity<T>::kWord && kind == Guard::kSignalling) odd += !isnan(v);
        if (Infinity<T>::kWord && kind == Guard::kLarge) odd += !(fabs(v) >= 256 && fabs(v) < 4096);
      }
    }
  }
  const int64_t chance = sizeof(typename T::Word) == 1 ? 8 * 2 * 2 * kWords / 20 : 8 * 2 * 2 * kWords / 40;
  check(copied == 0, what + ": another tensor's are others");
  check(odd == 0, what + ": of their kind, and no poison");
  check(seeds < chance && places < chance, what + ": another seed's and another place's are others");
}

// What the hardware makes of signalling words is never one. Of the compiler's folding nothing is left by volatile.
void test_arithmetic_on_guards() {
  volatile float one = 1, two = 2, zero = 0;
  for (uint64_t seed = 0; seed < 50; seed++) {
    for (int64_t i = 0; i < 8; i++) {
      const uint32_t word = guard_word<F32>(make_guard(seed, 1, Guard::kSignalling), i);
      volatile float x = bits_as<float>(guard_word<F32>(make_guard(seed, 0, Guard::kSignalling), i)), y = bits_as<float>(word);
      bool same = false;
      for (float v : {x + y, y + x, two * x + y, y * one, x * x, y * y, y + zero, y - x}) same = same || bits_as<uint32_t>(v) == word;
      check(!same, "arithmetic on guards does not give them back");
    }
  }
}

void test_guards(Device *device) {
  for (size_t elements : {0u, 1u, 2u, 63u, 512u, 1250u}) {
    for (int dtype : {PG_F64, PG_F32, PG_BF16, PG_U8}) {
      for (Guard::Kind kind : {Guard::kSignalling, Guard::kLarge}) test_zones(device, elements * pg_dtype_size(dtype), dtype, kind);
    }
  }
  for (int dtype = PG_F64; dtype <= PG_U8; dtype++) {
    with_dtype(dtype, [&](auto kind) { test_guard_words<decltype(kind)>(dtype); });
  }
  test_arithmetic_on_guards();
}

template <class T>
void test_poison(Device *device, int dtype) {
  const int64_t n = 1000;
  std::vector<typename T::Word> words(n);
  std::vector<double> want(n, 1.0);
  device->poison(words.data(), dtype, n);
  const std::string what = dtype_name(dtype);
  check(T::kInteger || isnan(T::get(T::kPoison)), what + ": poison is NaN");
  Comparison c = device->compare(words.data(), dtype, {want.data(), {1e-3, 1e-3}}, n);
  check(c.failed == n && c.unwritten == n && c.nan == 0, what + ": poison counts as unwritten");
  for (auto &w : words) w = T::put(1.0);
  words[777] = T::kPoison;
  c = device->compare(words.data(), dtype, {want.data(), {1e-3, 1e-3}}, n);
  check(c.failed == 1 && c.unwritten == 1 && c.index == 777, what + ": one unwritten element is found");
  check(device->find_poison(words.data(), dtype, n) == 777, what + ": and by find_poison");
  std::vector<uint8_t> written(n, PG_WRITTEN);
  written[777] = PG_KEPT;
  c = device->compare(words.data(), dtype, {want.data(), {1e-3, 1e-3}, written.data()}, n);
  check(c.failed == 0 && c.elements == n - 1, what + ": one that is left alone is not compared");
  check(device->find_poison(words.data(), dtype, n, written.data()) == -1, what + ": nor found");
  words[777] = T::put(2.0);
  c = device->compare(words.data(), dtype, {want.data(), {0.25, 0.25}}, n);
  check(c.failed == 1 && c.unwritten == 0 && c.ratio == 2 && c.error == 1, what + ": error and ratio");
  if (!T::kInteger) {
    words[777] = T::put(NAN);
    c = device->compare(words.data(), dtype, {want.data(), {1, 1}}, n);
    check(c.failed == 1 && c.nan == 1 && c.unwritten == 0 && isinf(c.ratio), what + ": a NaN is counted as such");
  }
}

// What the bound allows a sum of n equal shares, by its rounding and by its slack, and that exact and admitted elements go their own way.
void test_bound(Device *device) {
  const int64_t n = 40;
  std::vector<double> want(n, 1), moved(n, 1.25), squares(n), most(n), logs(n), losses(n), stored(n), slack(n), reach(n);
  const Responses r{squares.data(), most.data(), logs.data(), losses.data(), stored.data()};
  Perturbation p;
  p.size = 0.5;
  device->respond(r, want.data(), moved.data(), p, n);
  check(squares[39] == 0.25 && most[0] == 0.5 && logs[0] == 0, "a response is relative to the change that made it");
  device->reach(reach.data(), want.data(), want.data(), 0.5, n);
  check(reach[0] == 0, "what does not change reaches nowhere");
  device->reach(reach.data(), want.data(), moved.data(), 1.0 / 8, n);
  check(reach[0] == 16 && reach[39] == 16, "what always changes with an eighth of the inputs depends on many");
  Bound b;
  b.signs = 1;
  b.size = 0.25;
  b.sums = 1.0 / 1024;
  b.longest = 9;
  b.reach = reach.data();
  device->settle(slack.data(), r, want.data(), b, n);
  const double expected = 0.25 * (0.5 + 0.5) + kAccumulator / 1024 * 3 * (1 + 0.5);
  check(fabs(slack[0] - expected) < 1e-12 && slack[0] == slack[39], "slack: two responses, and the root of nine terms");
  Perturbation loss;
  loss.kind = Perturbation::kNarrow;
  loss.size = 0.125;
  moved[20] = 1.5;  // in the pool of elements 16 to 31
  device->respond(r, want.data(), moved.data(), loss, n);
  moved[20] = 1.25;
  device->respond(r, want.data(), moved.data(), loss, n);
  check(losses[0] == 2 && losses[20] == 4 && squares[20] == 0.25, "what a narrow reference loses is kept at its most");
  b.narrow = 2;
  device->settle(slack.data(), r, want.data(), b, n);
  check(fabs(slack[0] - expected - kLosses / 1024 * 2) < 1e-12 && fabs(slack[16] - expected - kLosses / 1024 * 4) < 1e-12, "slack: what a pool has lost at most");
  b.narrow = 0;
  loss.kind = Perturbation::kStored;
  moved[20] = 1.5;
  device->respond(r, want.data(), moved.data(), loss, n);
  moved[20] = 1.25;
  check(stored[0] == 2 && stored[20] == 4 && losses[20] == 4, "what is lost by storing intermediates is kept at its most");
  b.stored = 1.0 / 32;
  device->settle(slack.data(), r, want.data(), b, n);
  check(fabs(slack[0] - expected) < 1e-12 && fabs(slack[16] - expected + 0.25 - kKept / 32 * 4) < 1e-12, "slack: what inputs or stored intermediates excuse, whichever is more");
  b.stored = 0;
  b.one_way = 1;
  device->settle(slack.data(), r, want.data(), b, n);
  check(fabs(slack[0] - 0.25 - kAccumulator / 1024 * 9 * 1.5) < 1e-12, "slack: all of nine terms where their roundings go one way");
  check(largest_partial(b, 100, 0.5, 1) == 1.5, "partial sums of terms with signs of their own");
  b.one_sign = 1;
  check(largest_partial(b, 100, 0.5, 1) == 5.25, "partial sums of a difference, each half of the terms by itself");
  check(largest_partial(b, 1, 8, 1) == 9, "partial sums of what does not cancel");
  std::vector<float> got(n, 1.125f);
  std::vector<uint8_t> marks(n, kEven);
  std::vector<double> ratios(n), twice(n, 3);
  Wanted w{want.data(), {0.125, 0}};
  w.slack = slack.data();
  device->ratios(ratios.data(), got.data(), PG_F32, w, n);
  check(device->compare(got.data(), PG_F32, w, n).failed == 0 && fabs(ratios[7] - 0.125 / (0.125 + slack[7])) < 1e-12, "slack adds to the tolerance");
  moved.assign(n, 2);
  moved[1] = 1;
  twice[1] = 1;
  twice[2] = 2.5;
  device->sift(marks.data(), want.data(), moved.data(), twice.data(), n);
  check(marks[0] == kExact && marks[1] == kEven && marks[2] == kStirred, "even steps, none, and uneven ones");
  w.exact = marks.data();
  check(device->compare(got.data(), PG_F32, w, n).failed == 0, "a sum of integers may be rounded on the way");
  const std::vector<float> far(n, 1.4f);
  check(device->compare(far.data(), PG_F32, w, n).failed == n - 2, "a sum of integers may be off by no quarter");
  std::vector<uint8_t> admitted(n, 0);
  device->admit(admitted.data(), got.data(), PG_F32, std::vector<double>(n, 1.125).data(), n);
  w.admitted = admitted.data();
  check(device->compare(got.data(), PG_F32, w, n).failed == 0, "an admitted value is right");
  want[3] = -INFINITY;
  want[4] = -7;
  check(device->largest(want.data(), n) == 7, "the largest finite magnitude");
}

void test_changes() {
  Perturbation p;
  p.size = 0.25;
  p.key = 3;
  for (const auto kind : {Perturbation::kSigns, Perturbation::kTails, Perturbation::kValues, Perturbation::kSome}) {
    p.kind = kind;
    check(isinf(perturbed(INFINITY, p, 5)) && isnan(perturbed(NAN, p, 5)), "a change leaves infinities and NaN");
  }
  p.kind = Perturbation::kSigns;
  check(fabs(perturbed(8, p, 5) - 8) == 2 && perturbed(0, p, 5) == 0, "a change by signs is relative");
  p.kind = Perturbation::kValues;
  check(perturbed(8, p, 5) == perturbed(8, p, 6) && perturbed(8, p, 5) != 8, "equal values stay equal");
}

void test_judgement() {
  const Tolerance t = {0.5, 0};
  const struct { double got, want; bool passes; const char *what; } cases[] = {
      {1, 1.5, true, "at the tolerance"}, {1, 1.6, false, "past the tolerance"}, {NAN, NAN, true, "NaN against NaN"},
      {NAN, 1, false, "NaN against a number"}, {1, NAN, false, "a number against NaN"},
      {INFINITY, INFINITY, true, "the same infinity"},
      {INFINITY, -INFINITY, false, "the other infinity"}, {INFINITY, 60000, false, "infinity against what f16 can hold"},
      {INFINITY, 70000, true, "infinity against what f16 cannot hold"}, {65504, 70000, true, "the largest f16 against more"},
      {-INFINITY, 70000, false, "the other infinity against more"}, {65504, INFINITY, false, "the largest f16 against infinity"},
      {60000, INFINITY, false, "a number against infinity"}, {-0.0, 0.0, true, "negative zero"}};
  for (const auto &c : cases) {
    check((judge(c.got, c.want, t, 65504).ratio <= 1) == c.passes, std::string("judgement: ") + c.what);
  }
  check(judge(448, INFINITY, t, 448).ratio <= 1 && judge(447, INFINITY, t, 448).ratio > 1, "judgement: the largest E4M3 against infinity");
  check(judge(1, 1, {0, 0}, 65504).ratio == 0 && isinf(judge(1, 2, {0, 0}, 65504).ratio), "judgement: no tolerance at all");
}

void test_json() {
  Json j;
  std::string why;
  const bool read = parse_json(" {\"a\":[1,-2.5e3,\"\\u00e9\\ud83d\\ude00\\n\",true,null],\"b\":{}} ", &j, &why);
  check(read && j.find("a") && j.find("a")->items.size() == 5, "json: a document");
  check(j.find("a")->items[1].number == -2500 && j.find("a")->items[2].text == "\xC3\xA9\xF0\x9F\x98\x80\n", "json: its values");
  const char *const refused[] = {"", "{", "{}x", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "01", "1.", "+1", "nan", "1e999",
                                 "\"\\x\"", "\"\\ud800\"", "\"\\u0000\"", "\"\x01\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"",
                                 "\"a", "tru", "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]"};
  for (const char *bad : refused) {
    check(!parse_json(bad, &j, &why), std::string("json: refuses ") + bad);
  }
  JsonWriter w;
  w.open_object().member("s", std::string("a\"\\\n\xFF\xC3\xA9")).member("x", 0.1).member("n", NAN).member("i", int64_t{-5});
  w.key("l").open_array().value(true).open_object().close_object().close_array().close_object();
  const char *const written = "{\"s\":\"a\\\"\\\\\\u000a\xEF\xBF\xBD\xC3\xA9\",\"x\":0.1,\"n\":\"nan\",\"i\":-5,\"l\":[true,{}]}";
  check(w.str() == written, "json: writes " + w.str());
}

// A device whose clock reads as it is told, and its last reading for ever.
struct Clocked : CpuDevice {
  explicit Clocked(std::vector<double> mhz) : readings(std::move(mhz)) {}
  Canaries canaries(int) override {
    Canaries c;
    c.clock_mhz = readings[std::min(taken++, readings.size() - 1)];
    return c;
  }
  double settling_ns() override { return 2e6; }
  std::vector<double> readings;
  size_t taken = 0;
};

void test_settling() {
  const struct { double warm; std::vector<double> mhz; size_t taken; const char *what; } cases[] = {
      {1995, {1995}, 1, "the right clock"}, {1995, {1980}, 1, "a step of 15 MHz"},
      {1995, {2085, 2055, 2025, 2010}, 4, "what tensor cores leave behind"}, {1995, {1700, 1990}, 2, "a clock that was low"},
      {0, {2085}, 1, "a process that was not warmed up"}};
  for (const auto &c : cases) {
    Clocked device(c.mhz);
    device.warm_mhz = c.warm;
    check(settle(&device, 1).clock_mhz == c.mhz.back() && device.taken == c.taken, std::string("settling: ") + c.what);
  }
  Clocked never({2085});
  never.warm_mhz = 1995;
  check(settle(&never, 1).clock_mhz == 2085 && never.taken > 1, "settling: a clock that never comes back is waited for until the limit");
}

}  // namespace

int main() {
  const std::unique_ptr<Device> device = make_device();
  test_conversions();
  test_fills(device.get());
  test_guards(device.get());
  for (int dtype = PG_F64; dtype <= PG_U8; dtype++) {
    with_dtype(dtype, [&](auto kind) { test_poison<decltype(kind)>(device.get(), dtype); });
  }
  test_judgement();
  test_bound(device.get());
  test_changes();
  test_json();
  test_settling();
  printf("%d passed, %d failed\n", g_passed, g_failed);
  return g_failed ? 1 : 0;
}
