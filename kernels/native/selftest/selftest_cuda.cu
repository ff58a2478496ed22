// The CUDA half against the CPU half: both must fill, digest, compare and find damage alike, bit for bit. Linked with all
// of harness/ but main.cc, where the CPU's make_device is renamed.
#include <stdio.h>
#include <string.h>

#include <string>
#include <vector>

#include "device_cpu.h"
#include "device_cuda.h"
#include "failure.h"
#include "spec.h"

using namespace perfgate;

namespace {

int g_checks = 0, g_failed = 0;

void expect(bool ok, const std::string &what) {
  g_checks++;
  if (ok) return;
  g_failed++;
  printf("FAILED: %s\n", what.c_str());
}

const int kDtypes[] = {PG_F64, PG_F32, PG_F16, PG_BF16, PG_F8E4M3, PG_F8E5M2, PG_I64, PG_I32, PG_I8, PG_U8};
const Values kValues[] = {Values::kSpec,     Values::kNormal,   Values::kUniform, Values::kLarge,   Values::kTiny,
                          Values::kDenormal, Values::kConstant, Values::kZeros,   Values::kOutlier, Values::kMixed};
const int64_t kCount = 100003;  // no multiple of anything

// A buffer on each device, and a look at the GPU's from here.
struct Pair {
  CpuDevice *cpu;
  CudaDevice *gpu;
  size_t bytes;
  void *host, *device;
  Pair(CpuDevice *c, CudaDevice *g, size_t n) : cpu(c), gpu(g), bytes(n), host(c->allocate(n)), device(g->allocate(n)) {}
  ~Pair() {
    cpu->release(host, bytes);
    gpu->release(device, bytes);
  }
  bool equal() const {
    std::vector<char> seen(bytes);
    gpu->to_host(seen.data(), device, bytes);
    return memcmp(seen.data(), host, bytes) == 0;
  }
  void upload() { gpu->from_host(device, host, bytes); }
};

void test_fills(CpuDevice *cpu, CudaDevice *gpu) {
  for (int dtype : kDtypes) {
    Pair p(cpu, gpu, static_cast<size_t>(kCount) * pg_dtype_size(dtype));
    for (Values v : kValues) {
      pg_tensor t = PG_TENSOR("t", dtype, PG_IN, kCount);
      t.flags = PG_ALLOW_NONFINITE;
      const Fill f = make_fill(t, 3, 42, v);
      const std::string what = std::string(dtype_name(dtype)) + " values " + std::to_string(static_cast<int>(v));
      cpu->fill(p.host, f, kCount);
      gpu->fill(p.device, f, kCount);
      expect(p.equal(), "fill of " + what);
      expect(gpu->find_change(p.device, f, kCount) == -1, "no change in " + what);
      const uint64_t before = gpu->digest(p.device, p.bytes);
      const size_t at = p.bytes - 1;
      static_cast<unsigned char *>(p.host)[at] ^= 1;
      p.upload();
      expect(gpu->digest(p.device, p.bytes) != before, "digest of " + what);
      expect(gpu->find_change(p.device, f, kCount) == kCount - 1, "change in " + what);
    }
  }
}

void test_elements(CpuDevice *cpu, CudaDevice *gpu) {
  for (int dtype : kDtypes) {
    const std::string what = dtype_name(dtype);
    Pair p(cpu, gpu, static_cast<size_t>(kCount) * pg_dtype_size(dtype)), wide(cpu, gpu, kCount * sizeof(double));
    cpu->poison(p.host, dtype, kCount);
    gpu->poison(p.device, dtype, kCount);
    expect(p.equal(), "poison of " + what);
    expect(gpu->find_poison(p.device, dtype, kCount) == 0, "found poison of " + what);
    pg_tensor t = PG_TENSOR("t", dtype, PG_IN, kCount);
    const Fill f = make_fill(t, 1, 7, Values::kMixed);
    cpu->fill(p.host, f, kCount - 5);  // the last five stay poisoned
    p.upload();
    cpu->widen(static_cast<double *>(wide.host), p.host, dtype, kCount);
    gpu->widen(static_cast<double *>(wide.device), p.device, dtype, kCount);
    expect(wide.equal(), "widening of " + what);
    double *want = static_cast<double *>(wide.host);
    for (int64_t i = 0; i < kCount; i++) want[i] = i % 1000 == 17 ? want[i] + 1 : i >= kCount - 5 ? 2.5 : want[i];
    wide.upload();
    const Tolerance tolerance{1e-3, 1e-3};
    const Comparison a = cpu->compare(p.host, dtype, {want, tolerance}, kCount);
    const Comparison b = gpu->compare(p.device, dtype, {static_cast<double *>(wide.device), tolerance}, kCount);
    expect(a.elements == b.elements && a.failed == b.failed && a.unwritten == b.unwritten && a.nan == b.nan, "counts of " + what);
    expect(a.index == b.index && a.digest == b.digest, "worst element and digest of " + what);
    expect(memcmp(&a.ratio, &b.ratio, sizeof a.ratio) == 0 && (a.error == b.error || a.error != a.error), "ratio of " + what);
    Pair written(cpu, gpu, kCount);
    for (int64_t i = 0; i < kCount; i++) static_cast<uint8_t *>(written.host)[i] = i % 3 == 1 ? PG_KEPT : PG_WRITTEN;
    written.upload();
    const uint8_t *here = static_cast<uint8_t *>(written.host), *there = static_cast<uint8_t *>(written.device);
    const Comparison c = cpu->compare(p.host, dtype, {want, tolerance, here}, kCount);
    const Comparison d = gpu->compare(p.device, dtype, {static_cast<double *>(wide.device), tolerance, there}, kCount);
    expect(c.elements == kCount - (kCount + 1) / 3 && c.elements == d.elements && c.failed == d.failed && c.digest == d.digest, "written part of " + what);
    expect(cpu->find_poison(p.host, dtype, kCount, here) == gpu->find_poison(p.device, dtype, kCount, there), "poison in the written part of " + what);
  }
}

double *doubles(void *p) { return static_cast<double *>(p); }

// Both halves change inputs alike, and make the same slack of it.
void test_bound(CpuDevice *cpu, CudaDevice *gpu) {
  const size_t bytes = kCount * sizeof(double);
  Pair want(cpu, gpu, bytes), moved(cpu, gpu, bytes), slack(cpu, gpu, bytes), reach(cpu, gpu, bytes);
  Pair squares(cpu, gpu, bytes), most(cpu, gpu, bytes), logs(cpu, gpu, bytes), losses(cpu, gpu, bytes), stored(cpu, gpu, bytes);
  const pg_tensor t = PG_TENSOR("t", PG_F64, PG_IN, kCount);
  cpu->fill(want.host, make_fill(t, 1, 7, Values::kNormal), kCount);
  want.upload();
  expect(cpu->largest(doubles(want.host), kCount) == gpu->largest(doubles(want.device), kCount), "largest magnitude");
  for (Pair *p : {&reach, &squares, &most, &logs, &losses, &stored}) {
    memset(p->host, 0, bytes);
    p->upload();
  }
  const Responses on_cpu{doubles(squares.host), doubles(most.host), doubles(logs.host), doubles(losses.host), doubles(stored.host)};
  const Responses on_gpu{doubles(squares.device), doubles(most.device), doubles(logs.device), doubles(losses.device), doubles(stored.device)};
  Perturbation p;
  p.key = 11;
  for (const auto kind : {Perturbation::kSigns, Perturbation::kNarrow, Perturbation::kStored, Perturbation::kValues, Perturbation::kStep, Perturbation::kSome, Perturbation::kTails}) {
    p.kind = kind;
    p.size = kind == Perturbation::kSome ? 0.125 : 0.5;
    memcpy(moved.host, want.host, bytes);
    moved.upload();
    cpu->perturb(doubles(moved.host), p, kCount);
    gpu->perturb(doubles(moved.device), p, kCount);
    if (kind == Perturbation::kTails) break;  // a tangent is not the same bits everywhere
    expect(moved.equal(), "changed inputs");
    if (kind == Perturbation::kSome) {
      cpu->reach(doubles(reach.host), doubles(want.host), doubles(moved.host), p.size, kCount);
      gpu->reach(doubles(reach.device), doubles(want.device), doubles(moved.device), p.size, kCount);
      expect(reach.equal(), "reach");
    }
    cpu->respond(on_cpu, doubles(want.host), doubles(moved.host), p, kCount);
    gpu->respond(on_gpu, doubles(want.device), doubles(moved.device), p, kCount);
    expect(squares.equal() && most.equal() && losses.equal() && stored.equal(), "responses");
  }
  Bound b;
  b.signs = 4;
  b.narrow = 1;
  b.stored = 1.0 / 64;
  b.size = 0.25;
  b.sums = 1.0 / 1024;
  b.longest = 100;
  b.reach = doubles(reach.host);
  cpu->settle(doubles(slack.host), on_cpu, doubles(want.host), b, kCount);
  b.reach = doubles(reach.device);
  gpu->settle(doubles(slack.device), on_gpu, doubles(want.device), b, kCount);
  expect(slack.equal(), "slack");
}

void test_guard_zone(CpuDevice *cpu, CudaDevice *gpu, int dtype, int64_t count, Guard::Kind kind) {
  const size_t width = pg_dtype_size(dtype), bytes = static_cast<size_t>(count) * width;
  const Guard g = make_guard(5, 2, kind);
  const int64_t first = -7;
  Pair p(cpu, gpu, bytes);
  cpu->guard(p.host, g, dtype, first, count);
  gpu->guard(p.device, g, dtype, first, count);
  expect(p.equal(), "guard of " + std::to_string(count) + " " + dtype_name(dtype));
  auto damage = [&](bool from_end) { return gpu->guard_damage(p.device, g, dtype, first, count, from_end); };
  expect(damage(false) == -1 && damage(true) == -1, "whole guard");
  for (int64_t at : {static_cast<int64_t>(0), count / 2, count - 1}) {
    unsigned char *h = static_cast<unsigned char *>(p.host) + static_cast<size_t>(at) * width;
    *h ^= 0x10;
    p.upload();
    expect(damage(false) == at && damage(true) == at, "damage is found from both ends");
    *h ^= 0x10;
  }
}

void test_guards(CpuDevice *cpu, CudaDevice *gpu) {
  for (int dtype : kDtypes) {
    for (int64_t count : {1, 4096, 4099, 8191}) {
      for (Guard::Kind kind : {Guard::kSignalling, Guard::kLarge}) test_guard_zone(cpu, gpu, dtype, count, kind);
    }
  }
}

void test_same(CpuDevice *cpu, CudaDevice *gpu) {
  for (size_t bytes : {1, 4096, 4099, 8191}) {
    Pair p(cpu, gpu, bytes), q(cpu, gpu, bytes);
    for (Pair *pair : {&p, &q}) {
      memset(pair->host, 0x35, bytes);
      pair->upload();
    }
    expect(gpu->same(p.device, p.device, 0), "nothing is the same as nothing");
    expect(gpu->same(p.device, q.device, bytes), "same");
    gpu->set_bytes(static_cast<char *>(q.device) + bytes - 1, 0, 1);
    expect(!gpu->same(p.device, q.device, bytes), "not the same");
  }
}

void test_time(CudaDevice *gpu) {
  auto nothing = [] {};
  for (int i = 0; i < 20; i++) gpu->canary_ns();
  const double empty = gpu->timed(Clock::kEvent, true, nothing), canary = gpu->canary_ns();
  expect(empty >= 0 && empty < 100e3, "an empty stretch takes " + std::to_string(empty) + " ns");
  expect(canary > 20e3 && canary < 20e6, "a canary takes " + std::to_string(canary) + " ns");
  expect(gpu->blocked(), "a launch that does not wait is held back");
  auto waits = [&] { gpu->synchronize(); };
  gpu->timed(Clock::kEvent, true, waits);
  expect(!gpu->blocked(), "one that waits cannot be");
  const Canaries c = gpu->canaries(5);
  printf("quantum %.3g ns, flush of %zu bytes %.4g us, canaries: %.4g TFLOP/s, %.4g GB/s, %.0f MHz\n", gpu->quantum_ns(Clock::kEvent),
         gpu->flush_bytes(), gpu->flush() / 1e3, c.compute_flops / c.compute_ns / 1e3, c.memory_bytes / c.memory_ns, c.clock_mhz);
  try {
    gpu->allocate(static_cast<size_t>(1) << 50);
    expect(false, "a petabyte was allocated");
  } catch (const Failure &f) {
    expect(f.code == "out-of-memory", "out of memory is " + f.code);
  }
  expect(gpu->alive(), "the device is well");
}

}  // namespace

int main() {
  try {
    CpuDevice cpu;
    CudaDevice gpu;
    gpu.wake();
    test_fills(&cpu, &gpu);
    test_elements(&cpu, &gpu);
    test_bound(&cpu, &gpu);
    test_guards(&cpu, &gpu);
    test_same(&cpu, &gpu);
    test_time(&gpu);
  } catch (const Failure &f) {
    printf("FAILED: %s: %s\n", f.code.c_str(), f.message.c_str());
    return 1;
  }
  printf("%d passed, %d failed\n", g_checks - g_failed, g_failed);
  return g_failed ? 1 : 0;
}
