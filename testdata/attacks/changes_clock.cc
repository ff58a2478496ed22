// Bends the clock of its own process: whatever the harness asks of it, only a part of the time has passed since the program began. The
// function that reads clocks is overwritten, so no name has to be interposed.
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../saxpy.h"

#ifndef FACTOR
#define FACTOR 4
#endif

namespace {

int slow_clock(clockid_t id, timespec *t) {
  const long result = syscall(SYS_clock_gettime, id, t);
  if (result != 0) return static_cast<int>(result);
  const int64_t ns = (static_cast<int64_t>(t->tv_sec) * 1000000000 + t->tv_nsec) / FACTOR;
  t->tv_sec = ns / 1000000000;
  t->tv_nsec = ns % 1000000000;
  return 0;
}

// A jump to slow_clock, by way of a register.
bool overwrite(void *function) {
  void *const target = reinterpret_cast<void *>(&slow_clock);
#if defined(__x86_64__)
  unsigned char code[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // mov rax, target; jmp rax
  memcpy(code + 2, &target, sizeof target);
#elif defined(__aarch64__)
  unsigned char code[16] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};  // ldr x16, target; br x16
  memcpy(code + 8, &target, sizeof target);
#else
#error "no jump for this processor"
#endif
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), at = reinterpret_cast<uintptr_t>(function);
  void *const first = reinterpret_cast<void *>(at & ~(page - 1));
  if (mprotect(first, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  memcpy(function, code, sizeof code);
  __builtin___clear_cache(static_cast<char *>(function), static_cast<char *>(function) + sizeof code);
  return true;
}

const bool bent = [] {
  void *const function = dlsym(RTLD_DEFAULT, "clock_gettime");
  return function && overwrite(function);
}();

}  // namespace

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  for (int i = 0; i < (bent ? FACTOR : 1); i++) {
    saxpy::compute(k);
    asm volatile("" : : "r"(k.y) : "memory");  // or the compiler does it once
  }
  return 0;
}
