// What it has buffered is flushed when the process ends, into a pipe whose other end is slow to read: the end takes a while, as
// under a profiler that has something to do then.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../saxpy.h"

namespace {

int g_pipe[2];

void *read_late(void *) {
  char piece[4096];
  for (bool first = true;; first = false) {
    if (read(g_pipe[0], piece, sizeof piece) <= 0) return nullptr;
    if (first) usleep(500000);
  }
}

bool begin() {
  static char buffer[1 << 20];
  if (pipe(g_pipe) != 0) return false;
  fcntl(g_pipe[1], F_SETPIPE_SZ, 4096);
  FILE *file = fdopen(g_pipe[1], "w");
  setvbuf(file, buffer, _IOFBF, sizeof buffer);
  for (int i = 0; i < 200000; i++) fputc('x', file);
  pthread_t thread;
  return pthread_create(&thread, nullptr, read_late, nullptr) == 0;
}

}  // namespace

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  static const bool ok = begin();
  saxpy::compute(saxpy::args(c, data));
  return ok ? 0 : 1;
}
