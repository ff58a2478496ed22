// Computes the right result, and leaves a child behind that has a session of its own.
#include <unistd.h>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  static const pid_t child = fork();
  if (child == 0) {
    setsid();
    sleep(600);
    _exit(0);
  }
  saxpy::compute(saxpy::args(c, data));
  return 0;
}
