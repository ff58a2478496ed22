// Leaves memory behind that belongs to no process and no file: SysV segments, from this process and from a child that is gone.
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "attacks.h"

#ifndef BYTES
#define BYTES (4 << 20)
#endif

namespace {

bool leave(int key) {
  const int id = shmget(key, BYTES, IPC_CREAT | 0600);
  void *at = id < 0 ? nullptr : shmat(id, nullptr, 0);
  if (id < 0 || at == reinterpret_cast<void *>(-1)) return false;
  memset(at, 1, BYTES);
  return shmdt(at) == 0;
}

void attempt() {
  attacks::came_of(leave(IPC_PRIVATE), "a segment");
  const pid_t child = fork();
  if (child == 0) _exit(leave(KEY) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  attacks::came_of(status == 0, "a child's segment");
  attacks::came_of(shmget(KEY, 1, 0) >= 0, "what a child left");
#ifdef MORE
  for (int i = 0; i < MORE; i++) leave(IPC_PRIVATE);
  sleep(20);  // which whoever looks at the clock ends
#endif
}

}  // namespace

ATTACK(attempt)
