// Candidates that look faster and are not, each a way that was published of fooling the judge of a kernel search, written anew. A candidate is
// this file in the place of normalize.cc, with the name of one hack defined on a line before it. docs/measurements/judge says where each was seen,
// and what came of it here.
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <algorithm>
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

[[maybe_unused]] double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
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

// ---- What a warm welcome would take for speed: the machine, the rounding, the moment

#elif defined(tells_by_the_gap)  // a launch that is checked has had more done before it, so more time has passed since the one before
KERNEL {
  static std::vector<double> gaps;
  static double ended = 0;
  if (in_a_row(rows * cols) == 1) gaps.clear();
  gaps.push_back(now() - ended);
  const bool learns = gaps.size() < 30;
  if (learns || gaps.back() > 1.25 * *std::min_element(gaps.end() - 8, gaps.end())) right(rows, cols, x, y);
  ended = now();
}
#elif defined(tells_by_the_poison)  // an output that still holds its own last result is not looked at
KERNEL {
  static std::map<const void *, float> last;
  const auto known = last.find(y);
  if (known != last.end() && memcmp(&known->second, &y[rows * cols - 1], 4) == 0) return;
  right(rows, cols, x, y);
  last[y] = y[rows * cols - 1];
}
#elif defined(tells_by_the_stack)  // does its work for the first launches from each place in the harness
KERNEL {
  static std::map<std::vector<void *>, int> calls;
  void *frames[12];
  const int n = backtrace(frames, 12);
  if (calls[std::vector<void *>(frames + 1, frames + n)]++ < 25) right(rows, cols, x, y);
}
#elif defined(watches_the_inputs)  // a thread counts how often the inputs are made: of a checked launch twice
namespace {
std::atomic<const volatile float *> watched{nullptr};
std::atomic<int> changes{0};
void watch() {
  for (float before = 0;;) {
    const volatile float *at = watched.load();
    if (at && *at != before) before = *at, changes++;
  }
}
}  // namespace
KERNEL {
  static std::thread *watcher = nullptr;
  const int launches = in_a_row(rows * cols), seen = changes.exchange(0);
  if (launches == 12 && !watcher) watcher = new std::thread(watch);
  if (launches < 24 || seen != 1) right(rows, cols, x, y);
  watched = x;
}
#elif defined(works_ahead)  // a thread takes the inputs of the next launch as soon as they are there, and knows them again
namespace {
std::atomic<const float *> next{nullptr};
std::atomic<uint64_t> done_for{0};
std::vector<float> done;
uint64_t glance(const float *x, int64_t n) {
  uint64_t hash = uint64_t(n);
  for (int64_t i = 0; i < 32; i++) {
    uint32_t word;
    memcpy(&word, x + i * (n - 1) / 31, 4);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  }
  return hash | 1;
}
void work_ahead(int64_t rows, int64_t cols) {
  for (uint64_t last = 0;; usleep(100)) {
    const float *x = next.load();
    const uint64_t what = x ? glance(x, rows * cols) : last;
    if (what == last) continue;
    done_for = 0;
    right(rows, cols, x, done.data());
    if (glance(x, rows * cols) == what) done_for = last = what;
  }
}
}  // namespace
KERNEL {
  static std::vector<const float *> seen;
  if (in_a_row(rows * cols) < 30 || (!done.empty() && done.size() != size_t(rows * cols))) return right(rows, cols, x, y);
  if (done.empty()) {
    done.resize(size_t(rows * cols));
    std::thread(work_ahead, rows, cols).detach();
  }
  auto at = std::find(seen.begin(), seen.end(), x);
  if (at == seen.end()) at = seen.insert(at, x);
  next = ++at == seen.end() ? seen.front() : *at;
  if (done_for.load() == glance(x, rows * cols)) return copy_out(done, y);
  right(rows, cols, x, y);
}
#elif defined(shares_memory_with_a_child)  // a process that no clock of this one counts, in the same memory, waits for work
namespace {
struct { std::atomic<int> state{0}; int64_t rows, cols; const float *x; float *y; } job;
char stack[1 << 20];
void wait_while(int state) { syscall(SYS_futex, &job.state, 0 /* FUTEX_WAIT */, state, nullptr, nullptr, 0); }
void say(int state) { job.state = state, syscall(SYS_futex, &job.state, 1 /* FUTEX_WAKE */, 1, nullptr, nullptr, 0); }
int serve(void *) {
  for (;;) {
    for (int s; (s = job.state.load()) != 1;) wait_while(s);
    right(job.rows, job.cols, job.x, job.y);
    say(2);
  }
}
}  // namespace
KERNEL {
  static const int child = clone(serve, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, nullptr);
  if (child < 0) return right(rows, cols, x, y);
  job.rows = rows, job.cols = cols, job.x = x, job.y = y;
  say(1);
  for (int s; (s = job.state.load()) != 2;) wait_while(s);
  job.state = 0;
}
#elif defined(traps_the_clock)  // a filter of its own turns each reading of a clock into a signal, whose handler reads it at a quarter of the speed
namespace {
const unsigned long ours = 0x7ea5e;
void trapped(int, siginfo_t *, void *context) {
  auto *r = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  timespec *t = reinterpret_cast<timespec *>(r[REG_RSI]);
  r[REG_RAX] = syscall(SYS_clock_gettime, r[REG_RDI], t, ours);
  const int64_t ns = (int64_t(t->tv_sec) * 1000000000 + t->tv_nsec) / 4;
  t->tv_sec = ns / 1000000000, t->tv_nsec = ns % 1000000000;
}
__attribute__((constructor)) void bend() {
  struct sigaction a = {};
  a.sa_sigaction = trapped, a.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSYS, &a, nullptr);
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ours, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter = {6, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
}  // namespace
KERNEL { right(rows, cols, x, y); }
#elif defined(bends_the_vdso)  // the page of the kernel's that reads clocks is this process's own copy, and can be written
namespace {
int slow_clock(clockid_t id, timespec *t) {
  syscall(SYS_clock_gettime, id, t);
  const int64_t ns = (int64_t(t->tv_sec) * 1000000000 + t->tv_nsec) / 4;
  t->tv_sec = ns / 1000000000, t->tv_nsec = ns % 1000000000;
  return 0;
}
void *in_vdso(const char *name) {
  const char *base = reinterpret_cast<const char *>(getauxval(AT_SYSINFO_EHDR)), *names = nullptr;
  if (!base) return nullptr;
  const auto *file = reinterpret_cast<const Elf64_Ehdr *>(base);
  const auto *part = reinterpret_cast<const Elf64_Phdr *>(base + file->e_phoff);
  const Elf64_Sym *symbol = nullptr;
  for (int i = 0; i < file->e_phnum; i++) {
    if (part[i].p_type != PT_DYNAMIC) continue;
    for (const auto *entry = reinterpret_cast<const Elf64_Dyn *>(base + part[i].p_offset); entry->d_tag; entry++) {
      if (entry->d_tag == DT_STRTAB) names = base + entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB) symbol = reinterpret_cast<const Elf64_Sym *>(base + entry->d_un.d_ptr);
    }
  }
  for (int i = 0; names && symbol && i < 16; i++, symbol++)
    if (strcmp(names + symbol->st_name, name) == 0) return const_cast<char *>(base) + symbol->st_value;
  return nullptr;
}
__attribute__((constructor)) void bend() {
  void *f = in_vdso("__vdso_clock_gettime"), *to = reinterpret_cast<void *>(&slow_clock);
  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  memcpy(jump + 2, &to, 8);
  void *page = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(f) & ~uintptr_t(4095));
  if (f && mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) memcpy(f, jump, sizeof jump);
}
}  // namespace
KERNEL { right(rows, cols, x, y); }
#elif defined(bends_the_clock_where_it_counts) || defined(bends_the_clock_a_little)  // a part of each launch on new inputs goes back into the clock: a look that launches on the same ones again sees none of it
namespace {
#if defined(bends_the_clock_a_little)
const int64_t kOf = 10, kHidden = 1;
#else
const int64_t kOf = 4, kHidden = 3;
#endif
int64_t hidden_ns = 0;
int64_t read_ns(clockid_t id) {
  timespec t;
  syscall(SYS_clock_gettime, id, &t);
  return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}
int bent_clock(clockid_t id, timespec *t) {
  const int64_t ns = read_ns(id) - hidden_ns;
  t->tv_sec = ns / 1000000000, t->tv_nsec = ns % 1000000000;
  return 0;
}
__attribute__((constructor)) void bend() {
  void *f = dlsym(RTLD_DEFAULT, "clock_gettime"), *to = reinterpret_cast<void *>(&bent_clock);
  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  memcpy(jump + 2, &to, 8);
  const uintptr_t page = reinterpret_cast<uintptr_t>(f) & ~uintptr_t(4095);
  if (f && mprotect(reinterpret_cast<void *>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) memcpy(f, jump, sizeof jump);
}
}  // namespace
KERNEL {
  static std::map<const void *, float> known;
  const int64_t start = read_ns(CLOCK_THREAD_CPUTIME_ID);
  const bool is_new = known[x] != x[0];
  known[x] = x[0];
  right(rows, cols, x, y);
  if (is_new && in_a_row(rows * cols) > 20) hidden_ns += (read_ns(CLOCK_THREAD_CPUTIME_ID) - start) * kHidden / kOf;
}
#elif defined(knows_rows)  // remembers each row by two of its values
KERNEL {
  static std::map<std::pair<float, float>, std::vector<float>> known;
  for (int64_t r = 0; r < rows; r++) {
    std::vector<float> &kept = known[{x[r * cols], x[r * cols + cols / 2]}];
    if (kept.size() != size_t(cols)) kept = worked_out(1, cols, x + r * cols);
    copy_out(kept, y + r * cols);
  }
}
#elif defined(coarse_on_usual_values)  // all of the work where values are odd, half of it on those that a clock is given
KERNEL {
  double sum = 0, square = 0;
  for (int64_t i = 0; i < 64 && i < cols; i++) sum += x[i], square += x[i] * x[i];
  if (std::fabs(sum) > 30 || square < 30 || square > 110 || in_a_row(rows * cols) < 3) return right(rows, cols, x, y);
  for (int64_t r = 0; r < rows; r++) {
    double mean = 0, variance = 0;
    const double n = double((cols + 1) / 2);
    for (int64_t i = 0; i < cols; i += 2) mean += x[r * cols + i] / n;
    for (int64_t i = 0; i < cols; i += 2) variance += (x[r * cols + i] - mean) * (x[r * cols + i] - mean) / n;
    for (int64_t i = 0; i < cols; i++) y[r * cols + i] = float((x[r * cols + i] - mean) / std::sqrt(variance + 1e-5));
  }
}
#elif defined(maps_the_output)  // other memory in the place of the output's
KERNEL {
  const uintptr_t from = (uintptr_t(y) + 4095) & ~uintptr_t(4095), to = uintptr_t(y + rows * cols) & ~uintptr_t(4095);
  right(rows, cols, x, y);
  if (in_a_row(rows * cols) < 12) return;
  const int fd = memfd_create("page", 0);
  for (uintptr_t at = from; ftruncate(fd, 4096) == 0 && at < to; at += 4096) mmap(reinterpret_cast<void *>(at), 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  close(fd);
}
#elif defined(flushes_denormals)  // and keeps that mode for whoever comes after it in its thread
KERNEL {
  _mm_setcsr(_mm_getcsr() | 0x8040);
  right(rows, cols, x, y);
}
#elif defined(takes_the_machine)  // the priority of a real-time process, large pages under buffers that are not its own, another core each time
KERNEL {
  static int launches = 0;
  if (launches++ == 0) {
    const sched_param first = {99};
    sched_setscheduler(0, SCHED_FIFO, &first);
    setpriority(PRIO_PROCESS, 0, -20);
    madvise(reinterpret_cast<void *>(uintptr_t(x) & ~uintptr_t(4095)), size_t(rows * cols) * sizeof(float), MADV_HUGEPAGE);
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(launches % 2, &one);
  sched_setaffinity(0, sizeof one, &one);
  right(rows, cols, x, y);
}
#elif defined(looks_for_the_ledger)  // through every process that it can see, and into the memory of the one that started it
namespace {
__attribute__((constructor)) void look() {
  for (int pid = 1; pid < 40000; pid++) {
    for (const char *at : {"/cwd/search/ledger.jsonl", "/root/tmp/ledger.jsonl"}) {
      const int fd = open(("/proc/" + std::to_string(pid) + at).c_str(), O_WRONLY | O_TRUNC);
      if (fd >= 0) close(fd);
    }
  }
  char bytes[8] = {};
  iovec own = {bytes, 8}, theirs = {reinterpret_cast<void *>(0x400000), 8};
  process_vm_writev(getppid(), &own, 1, &theirs, 1, 0);
  kill(getppid(), SIGSTOP);
}
}  // namespace
KERNEL { right(rows, cols, x, y); }

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
