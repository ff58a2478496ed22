#include "guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

namespace perfgate {

// Beyond what a loop over "all" descriptors finds: such loops go to the soft limit, which is raised for no longer than the
// copy takes. The exact number differs from run to run, so that nobody comes to rely on it.
int hide_descriptor(int fd) {
  rlimit before;
  if (getrlimit(RLIMIT_NOFILE, &before) != 0) return -1;
  const rlim_t kWanted = 16384, kSpread = 4096;
  rlimit raised = before;
  if (raised.rlim_cur < kWanted) raised.rlim_cur = before.rlim_max < kWanted ? before.rlim_max : kWanted;
  setrlimit(RLIMIT_NOFILE, &raised);
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const rlim_t top = raised.rlim_cur < kWanted ? raised.rlim_cur : kWanted;
  const rlim_t spread = top > 2 * kSpread ? kSpread : 1;
  const rlim_t low = top - 8 - spread + static_cast<rlim_t>(now.tv_nsec / 64) % spread;
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, static_cast<int>(low));
  setrlimit(RLIMIT_NOFILE, &before);
  if (copy >= 0 && fd > 2) close(fd);
  return copy;
}

namespace {

int g_in = -1, g_out = -1;

void in_child() {
  close(g_in);
  close(g_out);
}

// A crash must not leave the adapter's children behind. What killed us still does: perfgate tells a crash by its signal.
void on_fatal_signal(int signal) {
  kill_descendants();
  raise(signal);  // at its default by now
}

void on_exit_of_adapter() { kill_descendants(); }

}  // namespace

void close_in_children(int in, int out) {
  g_in = in;
  g_out = out;
  pthread_atfork(nullptr, nullptr, in_child);
}

void apply_limits(size_t memory) {
  signal(SIGPIPE, SIG_IGN);
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (memory) {
    rlimit limit = {memory, memory};
    setrlimit(RLIMIT_AS, &limit);
  }
}

void adopt_orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  static char stack[65536];  // a handler needs one of its own when it was the stack that ran over
  stack_t alternative;
  memset(&alternative, 0, sizeof alternative);
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_fatal_signal;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM};
  for (int s : signals) sigaction(s, &action, nullptr);
  atexit(on_exit_of_adapter);
}

namespace {

// From here on to the watcher everything works on the stack alone, since the heap may be damaged or locked when it is
// needed: no stdio, no allocation.

// The parent of a process, -1 when it is gone or dead already. `pid` is the name of its folder in /proc.
int parent_of(const char *pid) {
  char path[48] = "/proc/", text[512];
  strncat(path, pid, 20);
  strcat(path, "/stat");
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return -1;
  text[n] = 0;
  // "1234 (name) S 1 ...", where the name may hold anything, parentheses included.
  const char *after = strrchr(text, ')');
  if (!after || strlen(after) < 5 || after[2] == 'Z') return -1;
  return atoi(after + 4);
}

struct Entry {  // linux_dirent64
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

// Kills the children of process `self`; how many there were.
int kill_children(int self) {
  int killed = 0;
  const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return 0;
  alignas(8) char page[8192];
  for (;;) {
    const long n = syscall(SYS_getdents64, proc, page, sizeof page);
    if (n <= 0) break;
    for (long at = 0; at < n;) {
      const Entry *e = reinterpret_cast<const Entry *>(page + at);
      at += e->length;
      if (e->name[0] < '1' || e->name[0] > '9' || parent_of(e->name) != self) continue;
      if (kill(atoi(e->name), SIGKILL) == 0) killed++;
    }
  }
  close(proc);
  return killed;
}

}  // namespace

// A killed child leaves its own children to this process, which is why one pass after another finds whole trees.
void kill_descendants() {
  for (int pass = 0; pass < 64 && kill_children(getpid()) > 0; pass++) {
    const timespec nap = {0, 2000000};
    nanosleep(&nap, nullptr);
  }
}

void end_everything() {
  kill_descendants();
  if (getpgrp() == getpid()) kill(0, SIGKILL);
  kill(getpid(), SIGKILL);
  _exit(1);
}

namespace {

void *watch(void *) {
  pollfd p = {g_in, 0, 0};  // no events: hang-up and error are always told
  for (;;) {
    const int n = poll(&p, 1, -1);
    if (n > 0 && (p.revents & (POLLHUP | POLLERR))) {
      const timespec grace = {0, 100000000};  // for a main thread that is about to obey "quit"
      nanosleep(&grace, nullptr);
      end_everything();
    }
    if (n > 0 && (p.revents & POLLNVAL)) return nullptr;
    if (n < 0 && errno != EINTR) return nullptr;
  }
}

}  // namespace

bool watch_hangup(int in) {
  g_in = in;
  sigset_t all, before;  // signals are for the main thread
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);  // the usual 8 MiB would count against --memory-bytes
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool ok = pthread_create(&thread, &attributes, watch, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return ok;
}

}  // namespace perfgate
