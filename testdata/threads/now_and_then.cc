// Waits in every sixteenth launch, for 20 ms, in the way that the parameter "how" names: a thread's CPU clock does not run then, and a trimmed mean
// leaves these launches out.
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <thread>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

namespace {

const int kMilliseconds = 20;

void sleep() { usleep(kMilliseconds * 1000); }

void lock() {
  sem_t never;
  sem_init(&never, 0, 0);
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += kMilliseconds * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  sem_timedwait(&never, &until);
}

void input() {
  int ends[2];
  if (pipe(ends) != 0) return;
  pollfd waits = {ends[0], POLLIN, 0};
  poll(&waits, 1, kMilliseconds);
  close(ends[0]);
  close(ends[1]);
}

void child() {
  const pid_t pid = fork();
  if (pid == 0) {
    sleep();
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
}

void join() { std::thread(sleep).join(); }

void yield() {
  for (int i = 0; i < 20; i++) sched_yield();
}

void nothing() {}

}  // namespace

SAXPY_LAUNCH {
  static void (*const ways[])() = {nothing, sleep, lock, input, child, join, yield};
  static int launches = 0;
  if (++launches % 16 == 0) ways[pg_param(c, "how")]();
  saxpy::compute_long(saxpy::args(c, data));
  return 0;
}
