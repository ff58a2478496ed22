// Clocks, caches and cores of the CPU device.
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "commands.h"
#include "device_cpu.h"
#include "guardian.h"

namespace perfgate {

namespace {

double read_ns(clockid_t id) {
  timespec t;
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double thread_ns() { return read_ns(CLOCK_THREAD_CPUTIME_ID); }
double wall_ns() { return read_ns(CLOCK_MONOTONIC); }

bool read_word(const char *path, char *text, int size) {
  FILE *f = fopen(path, "re");
  if (!f) return false;
  const bool ok = fgets(text, size, f) != nullptr;
  fclose(f);
  return ok;
}

template <typename Visit>
void each_thread(const Visit &visit) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) return;
  while (const dirent *entry = readdir(tasks)) {
    const long id = strtol(entry->d_name, nullptr, 10);
    if (id > 0) visit(id);
  }
  closedir(tasks);
}

// Brings the CPU times of threads that are running up to date: Linux adds them to their process's at ticks of the scheduler only,
// 4 ms apart, unless the thread's own clock is read.
void settle_threads() {
  each_thread([](long id) {
    const unsigned kPerThread = 4, kScheduled = 2;  // how Linux makes a clock of a thread's number: see clock_getcpuclockid(3)
    read_ns(static_cast<clockid_t>((~static_cast<unsigned>(id) << 3) | kPerThread | kScheduled));
  });
}

// Whether another thread of the process runs, or would if a core were free: on a busy machine its CPU time alone does not show that.
bool others_want_to_run() {
  const long own = static_cast<long>(syscall(SYS_gettid));
  bool found = false;
  each_thread([&](long id) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", id);
    if (found || id == own || !read_word(path, text, sizeof text)) return;
    const char *state = strrchr(text, ')');  // behind the name, which may hold anything
    found = state && state[1] == ' ' && state[2] == 'R';
  });
  return found;
}

// CPU time of all other threads of the process.
double others_ns() {
  settle_threads();
  const double all = read_ns(CLOCK_PROCESS_CPUTIME_ID);
  return all - thread_ns();
}

int64_t waits_so_far() {
  rusage u;
  return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_nvcsw : 0;
}

void sleep_ns(double ns) {
  timespec t;
  t.tv_sec = static_cast<time_t>(ns / 1e9);
  t.tv_nsec = static_cast<long>(ns - static_cast<double>(t.tv_sec) * 1e9);
  nanosleep(&t, nullptr);
}

// The size of the last level of data cache, as the kernel tells it; the C library's word where it does not.
size_t last_level_cache() {
  long best = 0, best_level = 0;
  for (int i = 0; i < 8; i++) {
    char path[96], type[32], level[32], size[32];
    const char *base = "/sys/devices/system/cpu/cpu0/cache/index";
    snprintf(path, sizeof path, "%s%d/type", base, i);
    if (!read_word(path, type, sizeof type)) break;
    if (type[0] == 'I') continue;  // instructions
    snprintf(path, sizeof path, "%s%d/level", base, i);
    if (!read_word(path, level, sizeof level)) continue;
    snprintf(path, sizeof path, "%s%d/size", base, i);
    if (!read_word(path, size, sizeof size)) continue;
    char *unit = nullptr;
    long bytes = strtol(size, &unit, 10);
    if (toupper(*unit) == 'K') bytes <<= 10;
    if (toupper(*unit) == 'M') bytes <<= 20;
    if (strtol(level, nullptr, 10) > best_level) {
      best_level = strtol(level, nullptr, 10);
      best = bytes;
    }
  }
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (best <= 0) best = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (best <= 0) best = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  return best > 0 ? static_cast<size_t>(best) : 32u << 20;
}

// Has the system make all pages of new memory at once, which takes two thirds of the time that making each at its first touch takes. Linux
// before 5.14 refuses, and they are made then.
void populate(void *p, size_t bytes) {
  const int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers lack
  (void)madvise(p, bytes, kPopulateWrite);
}

const size_t kMaxFlush = 128u << 20;
const size_t kLineBytes = 64;

}  // namespace

size_t CpuDevice::flush_bytes() {
  if (flush_bytes_ == 0) flush_bytes_ = std::min(2 * last_level_cache(), kMaxFlush);
  return flush_bytes_;
}

// One store per line, with ordinary stores: memset would use non-temporal ones for this much, which go past the caches
// and evict nothing.
double CpuDevice::flush() {
  const size_t bytes = flush_bytes();
  if (!flush_buffer_) {
    flush_buffer_ = allocate(bytes);
    populate(flush_buffer_, bytes);
    memset(flush_buffer_, 1, bytes);  // pages must exist before the first flush is timed
  }
  const double start = thread_ns();
  volatile uint64_t *p = static_cast<volatile uint64_t *>(flush_buffer_);
  for (size_t i = 0; i < bytes / sizeof(uint64_t); i += kLineBytes / sizeof(uint64_t)) p[i] = i;
  return thread_ns() - start;
}

// What the clock claims to resolve, unless its readings prove that it moves in bigger steps (a tick-based CPU clock).
double CpuDevice::quantum_ns(Clock clock) {
  const clockid_t id = clock == Clock::kThread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  timespec claimed;
  clock_getres(id, &claimed);
  double step = 1e12;
  for (int tries = 0; tries < 20; tries++) {
    const double start = read_ns(id);
    double now = start;
    for (int spins = 0; now <= start && spins < 20000000; spins++) now = read_ns(id);
    step = std::min(step, now - start);
    if (step < 1e4) break;
  }
  const double said = static_cast<double>(claimed.tv_sec) * 1e9 + static_cast<double>(claimed.tv_nsec);
  return step < 1e4 ? said : std::max(step, said);
}

void CpuDevice::pin() {
  if (pinned_ || sched_getaffinity(0, sizeof mask_, &mask_) != 0) return;
  const int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  pinned_ = sched_setaffinity(0, sizeof one, &one) == 0;
}

void CpuDevice::unpin() {
  if (pinned_) sched_setaffinity(0, sizeof mask_, &mask_);
  pinned_ = false;
}

namespace {

// ns that pass by a clock during work. Nothing else is between its two readings.
double clocked(clockid_t id, const Work &work) {
  timespec start, stop;
  clock_gettime(id, &start);
  work();
  clock_gettime(id, &stop);
  return static_cast<double>(stop.tv_sec - start.tv_sec) * 1e9 + static_cast<double>(stop.tv_nsec - start.tv_nsec);
}

}  // namespace

double CpuDevice::timed(Clock clock, bool, const Work &work) {
  waited_ns_ = 0;
  return clock == Clock::kThread ? timed_by_thread(work) : clocked(CLOCK_MONOTONIC, work);
}

// Whoever was only kept from its core has waited for nothing: there, what the clocks differ by is the scheduler's, or a hypervisor's. Whoever gave its
// core up by itself has waited for as long as it neither ran nor stood in the queue.
double CpuDevice::timed_by_thread(const Work &work) {
  const int64_t waits = waits_so_far();
  const double queued = queued_ns(), wall = wall_ns();
  const double ns = clocked(CLOCK_THREAD_CPUTIME_ID, work);
  const double took = wall_ns() - wall, queue = queued_ns() - queued;
  if (waits_so_far() != waits) waited_ns_ = std::max(0.0, took - queue - ns);
  return ns;
}

// The second number of the file, which is of the thread that opens it: the one that launches, when it first does.
double CpuDevice::queued_ns() {
  if (!asked_for_schedstat_) {
    const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) schedstat_ = hide_descriptor(fd);
    asked_for_schedstat_ = true;
  }
  char text[96];
  const ssize_t got = schedstat_ < 0 ? -1 : pread(schedstat_, text, sizeof text - 1, 0);
  if (got <= 0) return 0;
  text[got] = 0;
  char *second = nullptr;
  strtoull(text, &second, 10);
  return static_cast<double>(strtoull(second, nullptr, 10));
}

bool CpuDevice::capture(const Work &, std::string *why) {
  *why = "a CPU has no graphs";
  return false;
}

Glance CpuDevice::glance(bool, const Work &work) {
  Glance g;
  const int64_t waits = waits_so_far();
  const double before = others_ns(), wall = wall_ns(), thread = thread_ns();
  work();
  g.launch_ns = thread_ns() - thread;
  g.wall_ns = wall_ns() - wall;
  g.others_ns = others_ns() - before;
  g.waits = waits_so_far() - waits;
  return g;
}

Outside CpuDevice::outside(Clock clock, bool spins, const Work &work, const Work &snapshot, bool (*changed)(void *),
                           void *context) {
  const double kFactor = 1.5, kSlack = 50e3;
  Outside o;
  const double before = others_ns(), wall = wall_ns(), thread = thread_ns();
  work();
  const double own = thread_ns() - thread, took = wall_ns() - wall;
  if (clock == Clock::kWall) snapshot();
  // What others of this process have burnt, first when the launch returned, then after a grace period that goes on for as
  // long as they keep at it.
  auto others = [&] { return others_ns() - before; };
  const double during = others();
  double late = during;
  const double nap = std::min(std::max(1e6, took), 20e6);
  int worked = 0, starved = 0;  // naps in which they did, and in which other processes had the cores
  while (worked < 8 && starved < 64) {
    sleep_ns(nap);
    const double now = others();
    const bool busy = now - late > nap / 20;
    late = now;
    if (busy) {
      worked++;
    } else if (others_want_to_run()) {
      starved++;
    } else {
      break;
    }
  }
  if (clock == Clock::kThread) {
    o.clock_ns = own;
    o.host_ns = own + late;
    o.how = "other threads of the process worked for the launch";
  } else {
    o.clock_ns = took;
    o.host_ns = took + (spins ? 0 : late - during);
    o.how = "work went on after pg_launch had returned";
    if (changed(context)) {
      o.found = true;
      o.host_ns = took + (late - during);
      o.how = "an output changed after pg_launch had returned";
    }
  }
  o.found = o.found || (o.host_ns > kFactor * o.clock_ns && o.host_ns - o.clock_ns > kSlack);
  return o;
}

// Four chains of dependent multiply-adds: nothing but the core's clock decides how long they take. About 0.3 ms.
double CpuDevice::canary_ns() {
  double a = 1.0, b = 1.1, c = 1.2, d = 1.3;
  const double start = thread_ns();
  for (int i = 0; i < 200000; i++) {
    a = a * 0.999999 + 1e-6;
    b = b * 0.999999 + 1e-6;
    c = c * 0.999999 + 1e-6;
    d = d * 0.999999 + 1e-6;
  }
  const double ns = thread_ns() - start;
  volatile double sink = a + b + c + d;
  (void)sink;
  return ns;
}

// The time to write the flush buffer is the canary of the memory, and comes for free with cold samples.
Canaries CpuDevice::canaries(int count) {
  Canaries c;
  std::vector<double> chunks;
  for (int i = 0; i < count; i++) chunks.push_back(canary_ns());
  c.compute_ns = median(chunks);
  return c;
}

}  // namespace perfgate
