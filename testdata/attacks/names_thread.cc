// No attack: gives a thread a name, as CUDA's driver does to its own before anything else, by writing to
// /proc/self/task/<thread>/comm. The driver does not start where that fails.
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "attacks.h"

namespace {

pid_t g_thread;
pthread_barrier_t g_known, g_named;

void *wait_for_name(void *) {
  g_thread = static_cast<pid_t>(syscall(SYS_gettid));
  pthread_barrier_wait(&g_known);
  pthread_barrier_wait(&g_named);
  return nullptr;
}

bool named() {
  pthread_t thread;
  pthread_barrier_init(&g_known, nullptr, 2);
  pthread_barrier_init(&g_named, nullptr, 2);
  if (pthread_create(&thread, nullptr, wait_for_name, nullptr) != 0) return false;
  pthread_barrier_wait(&g_known);
  const std::string path = "/proc/self/task/" + std::to_string(g_thread) + "/comm";
  const int fd = open(path.c_str(), O_RDWR | O_TRUNC);
  const bool ok = fd >= 0 && write(fd, "worker", 6) == 6;
  if (!ok) perror(path.c_str());
  pthread_barrier_wait(&g_named);
  pthread_join(thread, nullptr);
  return ok;
}

}  // namespace

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  static const bool ok = named();
  saxpy::compute(saxpy::args(c, data));
  return ok ? 0 : 1;
}
