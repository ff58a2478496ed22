// Leaves a process behind that is in no group or session of its parents, with every descriptor closed.
#include <sys/wait.h>

#include "attacks.h"

namespace {

void attempt() {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) {
      for (int fd = 0; fd < 1024; fd++) close(fd);
      for (;;) sleep(600);
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

ATTACK(attempt)
