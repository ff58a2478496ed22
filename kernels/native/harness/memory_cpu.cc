// How much memory this process may still take.
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "device_cpu.h"

namespace perfgate {

namespace {

const uint64_t kUnknown = ~0ull;

uint64_t read_number(const char *path) {
  FILE *f = fopen(path, "re");
  if (!f) return kUnknown;
  unsigned long long v = 0;
  const bool ok = fscanf(f, "%llu", &v) == 1;  // "max" of a control group without a limit is no number
  fclose(f);
  return ok ? v : kUnknown;
}

uint64_t machine_left() {
  FILE *f = fopen("/proc/meminfo", "re");
  if (!f) return kUnknown;
  char line[128];
  unsigned long long kib = 0;
  uint64_t left = kUnknown;
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "MemAvailable: %llu", &kib) == 1) left = kib << 10;
  }
  fclose(f);
  return left;
}

// As a container sees its own group: version 2 of control groups, then version 1.
uint64_t group_left() {
  uint64_t max = read_number("/sys/fs/cgroup/memory.max"), used = read_number("/sys/fs/cgroup/memory.current");
  if (max == kUnknown) {
    max = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    used = read_number("/sys/fs/cgroup/memory/memory.usage_in_bytes");
  }
  if (max == kUnknown || used == kUnknown) return kUnknown;
  return max > used ? max - used : 0;
}

uint64_t limit_left() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnknown;
  const uint64_t pages = read_number("/proc/self/statm");
  const uint64_t used = pages == kUnknown ? 0 : pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

size_t memory_left() {
  const uint64_t left = std::min(std::min(machine_left(), group_left()), limit_left());
  return left == kUnknown ? ~static_cast<size_t>(0) >> 1 : static_cast<size_t>(left);
}

}  // namespace perfgate
