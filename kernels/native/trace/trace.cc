// Counts what a process has its GPU do: kernels, copies and fills, with their bytes and their time on the device. The driver loads this
// library into a program where CUDA_INJECTION64_PATH names it, and calls InitializeInjection. No profiler and no counters are needed.
//
// Where the program starts and stops the profiler, only what runs in between counts, else all of the process. When it stops it, and at the
// end, a process writes a line of JSON into a file of its own: the name in PERFGATE_TRACE, a dot and the process id. CUPTI is looked up at run time, so nothing of it is needed to build this. Numbers and
// places of fields are those of its cupti_callbacks.h, cupti_driver_cbid.h and cupti_activity.h, which later versions only add to.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <mutex>

namespace {

enum Kind : uint32_t { kCopy = 1, kFill = 2, kKernel = 3, kConcurrentKernel = 10 };
enum { kDriverDomain = 1, kProfilerStart = 308, kProfilerStop = 309, kEnter = 0, kExit = 1, kFlushForced = 1 };
const size_t kBufferBytes = 1 << 20;

// The first fields of a record of a copy, a fill and a kernel.
struct Record {
  uint32_t kind;
  union {
    uint8_t copy;    // what is copied where, of a copy
    uint32_t value;  // of a fill
  };
  uint64_t bytes;  // of a copy or a fill
  uint64_t start, end;  // nanoseconds
};

struct CallbackData {
  uint32_t site;
};

struct Sum {
  uint64_t count = 0, bytes = 0, ns = 0;
};

enum What { kToDevice, kToHost, kOnDevice, kOtherCopy, kFills, kKernels, kWhats };
const char *const kNames[kWhats] = {"host-to-device", "device-to-host", "device-to-device", "other-copy", "fill", "kernel"};

// What a copy's number says: 1 and 2 are copies between host and device, 8 is one within a device, 10 one between two.
What direction(uint8_t copy) { return copy == 1 ? kToDevice : copy == 2 ? kToHost : copy == 8 ? kOnDevice : kOtherCopy; }

std::mutex mutex;
Sum sums[kWhats], kept[kWhats];  // since the start; between starts and stops of the profiler
bool started;                    // the program has started the profiler

int (*next_record)(uint8_t *, size_t, Record **);
int (*flush)(uint32_t);

void give_buffer(uint8_t **buffer, size_t *size, size_t *most) {
  *buffer = static_cast<uint8_t *>(aligned_alloc(8, kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *most = 0;
}

void take_buffer(void *, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (Record *r = nullptr; next_record(buffer, valid, &r) == 0;) {
    What what = kKernels;
    if (r->kind == kCopy) what = direction(r->copy);
    else if (r->kind == kFill) what = kFills;
    else if (r->kind != kKernel && r->kind != kConcurrentKernel) continue;
    Sum &sum = sums[what];
    sum.count++;
    sum.bytes += what == kKernels ? 0 : r->bytes;
    sum.ns += r->end > r->start ? r->end - r->start : 0;
  }
  free(buffer);
}

// Writes all that is known, in place of what was written before: a process may end without a word.
void report() {
  const char *name = getenv("PERFGATE_TRACE");
  const Sum *all = started ? kept : sums;
  char line[1024], path[4096];
  int n = snprintf(line, sizeof line, "{\"region\":%s,\"sums\":[", started ? "true" : "false");
  for (int i = 0; i < kWhats; i++)
    n += snprintf(line + n, sizeof line - n, "%s{\"kind\":\"%s\",\"count\":%llu,\"bytes\":%llu,\"ns\":%llu}", i ? "," : "", kNames[i], static_cast<unsigned long long>(all[i].count),
                  static_cast<unsigned long long>(all[i].bytes), static_cast<unsigned long long>(all[i].ns));
  n += snprintf(line + n, sizeof line - n, "]}\n");
  snprintf(path, sizeof path, "%s.%d", name ? name : "", static_cast<int>(getpid()));
  const int file = name ? open(path, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  if (write(file, line, n) != n) unlink(path);  // half a line tells nothing
  close(file);
}

// What ran before the profiler was started is forgotten; what ran until it was stopped is kept.
void on_call(void *, uint32_t, uint32_t call, const CallbackData *data) {
  const bool begins = call == kProfilerStart && data->site == kExit, ends = call == kProfilerStop && data->site == kEnter;
  if (!begins && !ends) return;
  flush(kFlushForced);
  const std::lock_guard<std::mutex> lock(mutex);
  for (int i = 0; i < kWhats; i++) {
    if (ends) {
      kept[i].count += sums[i].count;
      kept[i].bytes += sums[i].bytes;
      kept[i].ns += sums[i].ns;
    }
    sums[i] = Sum();
  }
  started = true;
  if (ends) report();
}

void on_exit() {
  flush(kFlushForced);
  const std::lock_guard<std::mutex> lock(mutex);
  report();
}

void *cupti() {
  const char *named = getenv("PERFGATE_CUPTI");
  for (const char *name : {named ? named : "", "libcupti.so", "libcupti.so.13", "libcupti.so.12"})
    if (void *library = *name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr) return library;
  return nullptr;
}

template <class F> bool find(void *library, const char *name, F *f) {
  *f = reinterpret_cast<F>(dlsym(library, name));
  return *f != nullptr;
}

}  // namespace

// What the driver calls as it starts. A program runs on whatever is missing: it then leaves no line.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  void *library = cupti();
  int (*callbacks)(decltype(&give_buffer), decltype(&take_buffer));
  int (*enable)(uint32_t);
  int (*subscribe)(void **, decltype(&on_call), void *);
  int (*listen)(uint32_t, void *, uint32_t, uint32_t);
  if (!library || !find(library, "cuptiActivityRegisterCallbacks", &callbacks) || !find(library, "cuptiActivityEnable", &enable) ||
      !find(library, "cuptiSubscribe", &subscribe) || !find(library, "cuptiEnableCallback", &listen) ||
      !find(library, "cuptiActivityGetNextRecord", &next_record) || !find(library, "cuptiActivityFlushAll", &flush))
    return 1;
  void *subscriber = nullptr;
  if (subscribe(&subscriber, on_call, nullptr) != 0) return 1;  // another tool listens
  if (listen(1, subscriber, kDriverDomain, kProfilerStart) != 0 || listen(1, subscriber, kDriverDomain, kProfilerStop) != 0) return 1;
  if (callbacks(give_buffer, take_buffer) != 0) return 1;
  for (uint32_t kind : {kCopy, kFill, kConcurrentKernel})
    if (enable(kind) != 0) return 1;
  atexit(on_exit);
  return 1;
}
