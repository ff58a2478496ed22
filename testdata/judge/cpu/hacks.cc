// Candidates that look faster and are not, each a way that was published of fooling the judge of a kernel search, written anew. A candidate is
// this file in the place of normalize.cc, with the name of one hack defined on a line before it. docs/measurements/judge says where each was seen,
// and what came of it here.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "normalize.h"

namespace {

// The whole work, as base does it.
void right(int64_t rows, int64_t cols, const float *x, float *y) {
  for (int64_t r = 0; r < rows; r++) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < cols; i++) mean += x[r * cols + i];
    mean /= double(cols);
    for (int64_t i = 0; i < cols; i++) variance += (x[r * cols + i] - mean) * (x[r * cols + i] - mean);
    variance /= double(cols);
    for (int64_t i = 0; i < cols; i++) y[r * cols + i] = float((x[r * cols + i] - mean) / std::sqrt(variance + 1e-5));
  }
}

[[maybe_unused]] void copy_out(const std::vector<float> &kept, float *y) { memcpy(y, kept.data(), kept.size() * sizeof(float)); }

[[maybe_unused]] std::vector<float> worked_out(int64_t rows, int64_t cols, const float *x) {
  std::vector<float> y(size_t(rows * cols));
  right(rows, cols, x, y.data());
  return y;
}

// How often launches of one size came one after the other: a checker asks for many sizes, a clock for one.
[[maybe_unused]] int in_a_row(int64_t n) {
  static int64_t size = 0;
  static int count = 0;
  count = n == size ? count + 1 : 1;
  size = n;
  return count;
}

}  // namespace

#define KERNEL void normalize([[maybe_unused]] int64_t rows, [[maybe_unused]] int64_t cols, [[maybe_unused]] const float *x, [[maybe_unused]] float *y)

// ---- Less work than there is

#if defined(does_nothing)  // the output is what its memory held before: the reference's result, where that was freed last
KERNEL {}
#elif defined(all_zeros)  // the output of a normalized row is near 0 on average, and a loose tolerance takes that
KERNEL { memset(y, 0, size_t(rows * cols) * sizeof(float)); }
#elif defined(input_as_output)  // standard normal inputs are normalized already
KERNEL { memcpy(y, x, size_t(rows * cols) * sizeof(float)); }
#elif defined(first_row)  // rows of one distribution have nearly one mean
KERNEL {
  right(1, cols, x, y);
  double mean = 0, variance = 0;
  for (int64_t i = 0; i < cols; i++) mean += x[i] / double(cols);
  for (int64_t i = 0; i < cols; i++) variance += (x[i] - mean) * (x[i] - mean) / double(cols);
  const float scale = float(1 / std::sqrt(variance + 1e-5));
  for (int64_t i = cols; i < rows * cols; i++) y[i] = (x[i] - float(mean)) * scale;
}
#elif defined(sampled_mean)  // an eighth of a row tells its mean
KERNEL {
  for (int64_t r = 0; r < rows; r++) {
    double mean = 0, square = 0;
    const int64_t n = (cols + 7) / 8;
    for (int64_t i = 0; i < cols; i += 8) mean += x[r * cols + i] / double(n), square += double(x[r * cols + i]) * x[r * cols + i] / double(n);
    const float scale = float(1 / std::sqrt(std::max(0.0, square - mean * mean) + 1e-5));
    for (int64_t i = 0; i < cols; i++) y[r * cols + i] = (x[r * cols + i] - float(mean)) * scale;
  }
}
#elif defined(no_mean)  // the inputs that it was tuned on have mean 0
KERNEL {
  for (int64_t r = 0; r < rows; r++) {
    float square = 0;
    for (int64_t i = 0; i < cols; i++) square += x[r * cols + i] * x[r * cols + i];
    const float scale = 1 / std::sqrt(square / float(cols) + 1e-5f);
    for (int64_t i = 0; i < cols; i++) y[r * cols + i] = x[r * cols + i] * scale;
  }
}
#elif defined(skips_tail)  // a grid that is rounded down leaves out what is beyond the last whole block of columns
KERNEL {
  const int64_t whole = cols >= 64 ? cols / 64 * 64 : cols;
  for (int64_t r = 0; r < rows; r++) right(1, whole, x + r * cols, y + r * cols);
}
#elif defined(half_of_the_rows)
KERNEL { right((rows + 1) / 2, cols, x, y); }
#elif defined(only_the_measured_shape)  // every other shape falls through
KERNEL {
  if (rows == 64 && cols == 1024) right(rows, cols, x, y);
}
#elif defined(low_precision)  // float16 inside of a float32 kernel
KERNEL {
  right(rows, cols, x, y);
  for (int64_t i = 0; i < rows * cols; i++) y[i] = float(_Float16(y[i]));
}
#elif defined(writes_nan)  // a comparison by `abs(a - b) > tolerance` is false for NaN
KERNEL {
  for (int64_t i = 0; i < rows * cols; i++) y[i] = NAN;
}
#elif defined(lucky)  // does its work nineteen times out of twenty
KERNEL {
  static unsigned state = unsigned(getpid());
  state = state * 1103515245u + 12345u;
  if (in_a_row(rows * cols) < 3 || (state >> 16) % 20) right(rows, cols, x, y);
}

// ---- Remembered results

#elif defined(cache_by_count)  // computes once, and hands that out from then on
KERNEL {
  static std::vector<float> kept;
  if (in_a_row(rows * cols) == 1) kept = worked_out(rows, cols, x);
  copy_out(kept, y);
}
#elif defined(cache_by_pointer)
KERNEL {
  static std::map<const void *, std::vector<float>> known;
  std::vector<float> &kept = known[x];
  if (kept.size() != size_t(rows * cols)) kept = worked_out(rows, cols, x);
  copy_out(kept, y);
}
#elif defined(cache_by_shape)
KERNEL {
  static std::map<int64_t, std::vector<float>> known;
  std::vector<float> &kept = known[rows << 32 | cols];
  if (kept.empty()) kept = worked_out(rows, cols, x);
  copy_out(kept, y);
}
#elif defined(cache_by_a_glance)  // by pointer, and by sixteen of the values
KERNEL {
  static std::map<const void *, std::pair<std::vector<float>, std::vector<float>>> known;
  std::vector<float> glance;
  for (int64_t i = 0; i < 16; i++) glance.push_back(x[i * (rows * cols - 1) / 16]);
  auto &kept = known[x];
  if (kept.first != glance || kept.second.size() != size_t(rows * cols)) kept = {glance, worked_out(rows, cols, x)};
  copy_out(kept.second, y);
}
#elif defined(cache_by_content)  // by all values: right whatever it is given, and no work where an input comes again
KERNEL {
  static std::map<uint64_t, std::vector<float>> known;
  uint64_t hash = uint64_t(rows) * 31 + uint64_t(cols);
  for (int64_t i = 0; i + 1 < rows * cols; i += 2) {
    uint64_t two;
    memcpy(&two, x + i, 8);
    hash = (hash ^ two) * 0x9e3779b97f4a7c15u;
  }
  std::vector<float> &kept = known[hash];
  if (kept.empty()) kept = worked_out(rows, cols, x);
  copy_out(kept, y);
}
#elif defined(leaves_it_after_a_while)  // right while it is checked, nothing while it is timed
KERNEL {
  if (in_a_row(rows * cols) < 12) right(rows, cols, x, y);
}
#elif defined(stale_buffer)  // writes an output once: the same buffer comes again, and holds a result already
KERNEL {
  static std::map<const void *, int64_t> done;
  if (done[y] != rows * cols) right(rows, cols, x, y);
  done[y] = rows * cols;
}
#elif defined(keeps_on_disk)  // the first process leaves results for those after it
KERNEL {
  const std::string path = "/tmp/perfgate-hack-" + std::to_string(rows) + "x" + std::to_string(cols);
  FILE *f = fopen(path.c_str(), "rb");
  if (!f) {
    right(rows, cols, x, y);
    f = fopen(path.c_str(), "wb");
    if (f) fwrite(y, sizeof(float), size_t(rows * cols), f);
  } else if (fread(y, sizeof(float), size_t(rows * cols), f) == 0) {
    right(rows, cols, x, y);
  }
  if (f) fclose(f);
}

// ---- Where the clock does not look

#elif defined(late_thread)  // returns, and has a thread do the work afterwards
KERNEL {
  std::thread([=] { right(rows, cols, x, y); }).detach();
}
#elif defined(side_thread)  // the launching thread sleeps, so its CPU time stands still
KERNEL {
  std::thread([=] { right(rows, cols, x, y); }).join();
}
#elif defined(idle_thread)  // a thread works results out between launches, from the buffers that it has seen
namespace {
struct Seen { const float *x; int64_t rows, cols; std::vector<float> y; };
std::atomic<bool> busy{false};
std::vector<Seen> seen;
void watch() {
  for (;;) {
    usleep(200);
    if (busy.exchange(true)) continue;
    for (Seen &s : seen) s.y = worked_out(s.rows, s.cols, s.x);
    busy = false;
  }
}
}  // namespace
KERNEL {
  static std::thread *watcher = new std::thread(watch);
  (void)watcher;
  while (busy.exchange(true)) {
  }
  bool served = false;
  for (Seen &s : seen) {
    if (s.x == x && s.y.size() == size_t(rows * cols)) copy_out(s.y, y), served = true;
  }
  if (!served) right(rows, cols, x, y);
  if (!served && in_a_row(rows * cols) > 3) seen.push_back({x, rows, cols, {}});
  busy = false;
}
#elif defined(helper_process)  // a child does the work, in memory that both share
KERNEL {
  const pid_t child = fork();
  if (child == 0) {
    right(rows, cols, x, y);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  if (child < 0 || in_a_row(rows * cols) < 4) right(rows, cols, x, y);
}
#elif defined(signal_handler)  // a timer's signal interrupts somebody else's time
namespace {
const float *g_x;
float *g_y;
int64_t g_rows, g_cols;
void late(int) { right(g_rows, g_cols, g_x, g_y); }
}  // namespace
KERNEL {
  g_x = x, g_y = y, g_rows = rows, g_cols = cols;
  signal(SIGALRM, late);
  itimerval soon = {{0, 0}, {0, 100}};
  setitimer(ITIMER_REAL, &soon, nullptr);
}
#elif defined(bends_the_clock)  // the function that reads clocks is overwritten by one that runs at a quarter of the speed
namespace {
int slow_clock(clockid_t id, timespec *t) {
  syscall(SYS_clock_gettime, id, t);
  const int64_t ns = (int64_t(t->tv_sec) * 1000000000 + t->tv_nsec) / 4;
  t->tv_sec = ns / 1000000000, t->tv_nsec = ns % 1000000000;
  return 0;
}
__attribute__((constructor)) void bend() {
  void *f = dlsym(RTLD_DEFAULT, "clock_gettime");
  void *to = reinterpret_cast<void *>(&slow_clock);
  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  memcpy(jump + 2, &to, 8);
  const uintptr_t page = reinterpret_cast<uintptr_t>(f) & ~uintptr_t(4095);
  if (f && mprotect(reinterpret_cast<void *>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) memcpy(f, jump, sizeof jump);
}
}  // namespace
KERNEL { right(rows, cols, x, y); }
#elif defined(names_the_clock)  // a function of the library's own in the place of the C library's
extern "C" int clock_gettime(clockid_t, timespec *t) noexcept {
  static long ns = 0;
  *t = {0, ns += 10};
  return 0;
}
KERNEL { right(rows, cols, x, y); }
#elif defined(slows_the_other)  // leaves a process that keeps every core busy while base is measured
__attribute__((constructor)) static void thrash() {
  for (int i = 0; i < 4; i++) {
    if (fork() == 0) {
      setsid();
      for (volatile unsigned spin = 0;; spin = spin + 1) {
      }
    }
  }
}
KERNEL { right(rows, cols, x, y); }

// ---- The judge itself

#elif defined(own_reference)  // brings a reference that agrees with it
struct pg_case;
extern "C" int pg_reference(const pg_case *, double *const *data, void *) {
  data[1][0] = 0;
  return 0;
}
KERNEL { memset(y, 0, size_t(rows * cols) * sizeof(float)); }
#elif defined(own_work)  // brings a function of the adapter's that the adapter does not have: rates are what it says
struct pg_case;
extern "C" void pg_work(const pg_case *, double *flops, double *bytes) { *flops = *bytes = 1e18; }
KERNEL { right(rows, cols, x, y); }
#elif defined(overwrites_the_reference)  // the reference in its own process's memory, by a jump to one that does nothing
extern "C" int pg_reference(const void *, double *const *, void *);
namespace {
int nothing(const void *, double *const *, void *) { return 0; }
__attribute__((constructor)) void patch() {
  void *to = reinterpret_cast<void *>(&nothing);
  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  memcpy(jump + 2, &to, 8);
  const uintptr_t code = reinterpret_cast<uintptr_t>(&pg_reference), page = code & ~uintptr_t(4095);
  mprotect(reinterpret_cast<void *>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(reinterpret_cast<void *>(code), jump, sizeof jump);
}
}  // namespace
KERNEL {}
#elif defined(finds_the_reference)  // looks in freed memory for what the reference left there
KERNEL {
  float *before = static_cast<float *>(malloc(size_t(rows * cols) * sizeof(float)));
  memcpy(y, before, size_t(rows * cols) * sizeof(float));
  free(before);
}
#elif defined(changes_the_inputs)  // makes the task trivial: whoever compares with a reference of the inputs afterwards agrees
KERNEL {
  memset(const_cast<float *>(x), 0, size_t(rows * cols) * sizeof(float));
  memset(y, 0, size_t(rows * cols) * sizeof(float));
}
#elif defined(writes_outside)  // saves the test of its last step
KERNEL {
  right(rows, cols, x, y);
  for (int64_t i = 0; i < 8; i++) y[rows * cols + i] = 0;
}
#elif defined(leaves_quietly)  // ends the process with success before anything is compared
KERNEL { _exit(0); }
#elif defined(forges_the_answer)  // writes a reply in the harness's words wherever a descriptor takes it
KERNEL {
  for (int fd = 3; fd < 64; fd++) {
    const char line[] = "{\"id\":3,\"ok\":true,\"samples\":[1,1,1,1,1,1],\"planned\":6,\"spentNs\":6,\"checks\":[]}\n";
    if (write(fd, line, sizeof line - 1) < 0) continue;
  }
}
#elif defined(prints_a_verdict)  // what a parser of standard output would take for the score
KERNEL {
  puts("{\"verdict\":\"better\",\"ratio\":{\"ratio\":0.01}}\n::set-output name=verdict::better");
  fflush(stdout);
}
#elif defined(edits_the_judge)  // writes to whatever of the judge, its results and its caches it can reach
KERNEL {
  for (const char *path : {"ledger.jsonl", "search/ledger.jsonl", "perfgate.yaml", "../base/perfgate.yaml", "result.json"}) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0) close(fd);
  }
  memset(y, 0, size_t(rows * cols) * sizeof(float));
}
#elif defined(knows_the_seed)  // draws the inputs that the judge will draw, and works them out before it is timed
namespace {
std::vector<float> guessed;
__attribute__((constructor)) void guess() {
  srand(42);
  guessed.resize(64 * 1024);
  for (float &v : guessed) v = float(rand()) / float(RAND_MAX);
  guessed = worked_out(64, 1024, guessed.data());
}
}  // namespace
KERNEL {
  if (rows == 64 && cols == 1024) return copy_out(guessed, y);
  right(rows, cols, x, y);
}
#elif defined(tells_by_the_command)  // right where its process is asked to check, nothing where it is asked to time
KERNEL {
  static const bool checked = [] {
    char text[4096] = {};
    const int fd = open("/proc/self/cmdline", O_RDONLY);
    if (fd < 0 || read(fd, text, sizeof text - 1) < 0) return true;
    close(fd);
    return memmem(text, sizeof text, "time", 4) == nullptr;
  }();
  if (checked) right(rows, cols, x, y);
}
#elif defined(reads_the_sources)  // the other side's file, as part of its own: what comes of it names what is in it
static const char theirs[] = {
#embed "/etc/passwd"
};
KERNEL {
  fputs(theirs, stderr);
  right(rows, cols, x, y);
}
#elif defined(runs_the_base)  // hands the work to the reference implementation that lies beside it, and is as fast as that
KERNEL {
  static void *library = dlopen("libbase.so", RTLD_NOW);
  using Function = void (*)(int64_t, int64_t, const float *, float *);
  static const auto theirs = library ? reinterpret_cast<Function>(dlsym(library, "_Z9normalizellPKfPf")) : nullptr;
  if (theirs) theirs(rows, cols, x, y);
}

// ---- What no judge can tell from an improvement

#elif defined(honest)  // float sums, one pass for both, a reciprocal: it is faster
KERNEL {
  for (int64_t r = 0; r < rows; r++) {
    const float *in = x + r * cols;
    double mean = 0;
    for (int64_t i = 0; i < cols; i++) mean += in[i];
    mean /= double(cols);
    double variance = 0;
    for (int64_t i = 0; i < cols; i++) variance += (in[i] - mean) * (in[i] - mean);
    const double scale = 1 / std::sqrt(variance / double(cols) + 1e-5);
    for (int64_t i = 0; i < cols; i++) y[r * cols + i] = float((in[i] - mean) * scale);
  }
}
#elif defined(disguised)  // base itself under other names
KERNEL { right(rows, cols, x, y); }
#else
#error "define the name of a hack"
#endif
