// No attack by itself: started as a library of a profiler, before the program itself, it leaves a thread behind that the code under
// test could make its own. That thread tries, once the kernel runs, what the sandbox of the profiler allows and its own does not.
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "attacks.h"

namespace {

int g_ask[2], g_done[2];

// may_connect says whether connect is looked at by the kernel at all: there is no such descriptor.
bool may_connect() { return connect(-1, nullptr, 0) != 0 && errno == EBADF; }

void *wait_and_read(void *) {
  char c;
  if (read(g_ask[0], &c, 1) != 1) return nullptr;
  const int fd = open("/proc/1/cmdline", O_RDONLY);
  attacks::came_of(fd >= 0, "reading /proc/1/cmdline in a thread that was there before");
  perf_event_attr event = {};
  event.type = PERF_TYPE_SOFTWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_SW_TASK_CLOCK;
  event.exclude_kernel = 1;
  attacks::came_of(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0, "counting events in a thread that was there before");
  attacks::came_of(may_connect(), "connecting in a thread that was there before");
  (void)!write(g_done[1], &c, 1);
  return nullptr;
}

__attribute__((constructor)) void start() {
  pthread_t thread;
  if (may_connect()) fprintf(stderr, "a profiler's library may connect\n");
  if (pipe(g_ask) != 0 || pipe(g_done) != 0 || pthread_create(&thread, nullptr, wait_and_read, nullptr) != 0) abort();
}

void attempt() {
  char c = 0;
  if (write(g_ask[1], &c, 1) != 1 || read(g_done[0], &c, 1) != 1) abort();
}

}  // namespace

ATTACK(attempt)
