// Warming up until the clock of the machine holds, told by a canary whose work never changes.
#include <stddef.h>
#include <time.h>

#include <algorithm>

#include "commands.h"

namespace perfgate {

double now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const size_t mid = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(mid), values.end());
  if (values.size() % 2) return values[mid];
  return (values[mid] + *std::max_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(mid))) / 2;
}

std::vector<double> canary_chunks(Device *device, int count) {
  std::vector<double> chunks;
  for (int i = 0; i < count; i++) chunks.push_back(device->canary_ns());
  return chunks;
}

void run_warm(Session &s, Arguments &args, JsonWriter *reply) {
  const double limit = args.number("limitNs", 0, 1e12);
  const bool fixed = args.boolean("fixed");
  args.finish();
  const size_t kLast = 5;
  std::vector<double> chunks;
  bool held = false;
  const double start = now_ns();
  while (now_ns() - start < limit || chunks.empty()) {
    chunks.push_back(s.device()->canary_ns());
    if (chunks.size() < kLast) continue;
    const auto last = std::minmax_element(chunks.end() - kLast, chunks.end());
    held = *last.second <= *last.first * 1.01;
    if (held && !fixed) break;
  }
  const double spent = now_ns() - start;
  reply->member("ns", spent).member("held", held).key("canary").open_object();
  reply->member("computeNs", median(chunks)).member("memoryNs", 0).close_object();
}

}  // namespace perfgate
