// Warming up until the clock of the machine holds, told by a canary whose work never changes.
#include <stddef.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "commands.h"

namespace perfgate {

double now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double process_ns() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const size_t mid = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(mid), values.end());
  if (values.size() % 2) return values[mid];
  return (values[mid] + *std::max_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(mid))) / 2;
}

void write_canaries(const Canaries &c, JsonWriter *reply) {
  reply->key("canary").open_object().member("computeNs", c.compute_ns).member("memoryNs", c.memory_ns);
  if (c.compute_flops > 0) reply->member("computeFlops", c.compute_flops);
  if (c.memory_bytes > 0) reply->member("memoryBytes", c.memory_bytes);
  if (c.tensor_flops > 0) reply->member("tensorNs", c.tensor_ns).member("tensorFlops", c.tensor_flops);
  if (c.clock_mhz > 0) reply->member("clockMhz", c.clock_mhz);
  reply->close_object();
}

// What ran before leaves its clock behind: after kernels on tensor cores an H100 runs 2 to 5 % faster for up to 200 ms, which is noise in the case
// that follows by chance. Waiting costs nothing where the clock is right. Steps of 15 MHz stay for longer than one can wait, so 1 % is near enough.
Canaries settle(Device *device, int count) {
  const double until = now_ns() + device->settling_ns();
  for (;;) {
    const Canaries c = device->canaries(count);
    const bool near = std::abs(c.clock_mhz - device->warm_mhz) <= 0.01 * device->warm_mhz;
    if (device->warm_mhz <= 0 || near || now_ns() >= until) return c;
  }
}

namespace {

struct Reading {
  double at, value;
};

// Whether the readings of the last `span`, and at least the last five, are within 1 %.
bool holds(const std::vector<Reading> &readings, double span) {
  double low = 1e300, high = 0;
  size_t seen = 0;
  for (auto r = readings.rbegin(); r != readings.rend(); ++r) {
    low = std::min(low, r->value);
    high = std::max(high, r->value);
    if (high > low * 1.01) return false;
    if (++seen >= 5 && readings.back().at - r->at >= span) return true;
  }
  return false;
}

}  // namespace

void run_warm(Session &s, Arguments &args, JsonWriter *reply) {
  const double limit = args.number("limitNs", 0, 1e12);
  const bool fixed = args.boolean("fixed");
  args.finish();
  Device *device = s.device();
  std::vector<Reading> readings;
  bool held = false;
  const double start = now_ns();
  while (now_ns() - start < limit || readings.empty()) {
    const double value = device->pace();
    readings.push_back({now_ns(), value});
    if (fixed) continue;
    held = holds(readings, device->settling_ns());
    if (held) break;
  }
  if (fixed) held = holds(readings, 0);
  const double spent = now_ns() - start;
  reply->member("ns", spent).member("held", held);
  const Canaries c = device->canaries(5);
  device->warm_mhz = c.clock_mhz;
  write_canaries(c, reply);
}

}  // namespace perfgate
