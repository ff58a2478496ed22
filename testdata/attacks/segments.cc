// Leaves memory behind that belongs to no process and no file: SysV segments, from this process and from a child that is gone.
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "attacks.h"

namespace {

// number is that of a variable; 0 where there is none.
int number(const char *variable) {
  const char *text = getenv(variable);
  return text ? atoi(text) : 0;
}

bool leave(int key) {
  const int bytes = number("BYTES"), id = shmget(key, bytes, IPC_CREAT | 0600);
  void *at = id < 0 ? nullptr : shmat(id, nullptr, 0);
  if (id < 0 || at == reinterpret_cast<void *>(-1)) return false;
  memset(at, 1, bytes);
  return shmdt(at) == 0;
}

void attempt() {
  attacks::came_of(leave(IPC_PRIVATE), "a segment");
  const pid_t child = fork();
  if (child == 0) _exit(leave(number("KEY")) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  attacks::came_of(status == 0, "a child's segment");
  attacks::came_of(shmget(number("KEY"), 1, 0) >= 0, "what a child left");
  if (number("MORE") == 0) return;
  for (int i = 0; i < number("MORE"); i++) leave(IPC_PRIVATE);
  sleep(20);  // which whoever looks at the clock ends
}

}  // namespace

ATTACK(attempt)
