// A kernel that does something else in every sixteenth launch, as PG_FAULT_SOMETIMES says: nothing (0, what base does), sleep (1), wait for a child (2),
// wait for another thread (3), compute sixteen times as long (4).
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "perfgate.h"

#ifndef PG_FAULT_SOMETIMES
#define PG_FAULT_SOMETIMES 0
#endif

namespace {

// About 0.4 ms, of which no launch is batched.
void work(const float *x, float *y, int64_t n) {
  for (int k = 0; k < 16; k++) {
    for (int64_t i = 0; i < n; i++) y[i] = x[i] * 1.5f + 0.25f;
    asm volatile("" : : "r"(y) : "memory");
  }
}

void nap() { usleep(5000); }

}  // namespace

extern "C" int pg_spec(const pg_case *c, pg_tensor *out, int cap) {
  const int64_t n = pg_param(c, "n");
  if (n < 1 || cap < 2) return -1;
  out[0] = PG_TENSOR("x", PG_F32, PG_IN, n);
  out[1] = PG_TENSOR("y", PG_F32, PG_OUT, n);
  return 2;
}

extern "C" int pg_launch(const pg_case *c, void *const *data, void *, void *) {
  static int launches = 0;
  const float *x = static_cast<const float *>(data[0]);
  float *y = static_cast<float *>(data[1]);
  const int64_t n = pg_param(c, "n");
  const int fault = ++launches % 16 == 0 ? PG_FAULT_SOMETIMES : 0;
  if (fault == 1) nap();
  if (fault == 2) {
    const pid_t pid = fork();
    if (pid == 0) {
      nap();
      _exit(0);
    }
    waitpid(pid, nullptr, 0);
  }
  if (fault == 3) std::thread(nap).join();
  for (int k = 0; fault == 4 && k < 15; k++) work(x, y, n);
  work(x, y, n);
  return 0;
}

extern "C" int pg_reference(const pg_case *c, double *const *data, void *) {
  const int64_t n = pg_param(c, "n");
  for (int64_t i = 0; i < n; i++) data[1][i] = data[0][i] * 1.5 + 0.25;
  return 0;
}
