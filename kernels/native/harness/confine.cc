// The harness in a sandbox of its own. A program that starts it as a child, such as a profiler, is in one already, and has to
// leave it all of /proc there: Landlock allows files by their inodes, so nobody can allow the /proc/self of a process that does
// not exist yet, and CUDA does not start where it cannot name its threads in it. Here the process exists, and gives up the rest.
//
// Profilers inject themselves as libraries whose constructors start threads, and Landlock binds the calling thread and those that it
// starts later. So this runs before constructors do (all but those of a library that insists on being the first, or of one that
// watches the loader); nothing that a constructor sets up is used.
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

#include "confine.h"

namespace perfgate {

namespace {

// Of linux/landlock.h, which is younger than compilers that CUDA supports; its numbers are the same on all architectures.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr int kRulePathBeneath = 1;
struct PathBeneath {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

// Of linux/seccomp.h: for all threads, those of libraries that watch the loader too, and without slowing down speculation.
constexpr long kModeFilter = 1, kSyncThreads = 1, kAllowSpeculation = 4;
constexpr size_t kMostInstructions = 4096;

bool g_confined = false;

bool same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

// Volatile, or the compiler makes a call of strlen of it: an injected library may have replaced that, and not be ready.
size_t length(const volatile char *text) {
  size_t n = 0;
  while (text[n]) n++;
  return n;
}

[[noreturn]] void refuse(const char *what, const char *path) {
  char number[] = ": error 000\n";
  for (int i = 10, n = errno; i > 7; i--, n /= 10) number[i] = static_cast<char>('0' + n % 10);
  const char *why = errno ? number : "\n";
  for (const char *part : {"in the sandbox: harness: cannot ", what, path, why})
    if (write(2, part, length(part)) < 0) break;
  _exit(126);
}

// The next number of a policy, in hexadecimal and followed by a blank or a 0.
uint64_t hexadecimal(const char **at, const char *end) {
  uint64_t n = 0;
  for (; *at < end && **at && **at != ' '; ++*at) n = n << 4 | static_cast<uint64_t>(**at <= '9' ? **at - '0' : **at - 'a' + 10);
  if (*at < end) ++*at;
  return n;
}

// The number of so many digits.
uint32_t digits(const char *text, int count) {
  const char *at = text;
  return static_cast<uint32_t>(hexadecimal(&at, text + count));
}

// A filter of system calls: 16 digits an instruction, of which none may be there.
struct Filter {
  sock_filter program[kMostInstructions];
  unsigned short count;

  // Reads it from a policy and passes the 0 behind it.
  void read(const char **at, const char *end, const char *file) {
    for (count = 0; end - *at > 16 && **at; *at += 16) {
      if (count == kMostInstructions) refuse("keep the filter of ", file);
      const char *i = *at;
      program[count++] = {static_cast<uint16_t>(digits(i, 4)), static_cast<uint8_t>(digits(i + 4, 2)), static_cast<uint8_t>(digits(i + 6, 2)), digits(i + 8, 8)};
    }
    ++*at;
  }

  // Takes it upon all threads.
  bool install() const {
    const sock_fprog all = {count, const_cast<sock_filter *>(program)};
    return count == 0 || syscall(SYS_seccomp, kModeFilter, kSyncThreads | kAllowSpeculation, &all) == 0 ||
           syscall(SYS_seccomp, kModeFilter, kSyncThreads, &all) == 0;
  }
};

Filter g_first, g_later;

// A policy is a filter of system calls, one more for later, what Landlock is to forbid, then for each exception what is allowed, a blank,
// and the path, all ended by a 0 (kernels/sandbox/within.go).
struct PolicyFile {
  const char *at, *end;

  explicit PolicyFile(const char *file) {
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    struct stat s;
    if (fd < 0 || fstat(fd, &s) != 0 || s.st_size <= 0) refuse("read ", file);
    size_ = static_cast<size_t>(s.st_size);
    text_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text_ == MAP_FAILED) refuse("map ", file);
    close(fd);
    at = static_cast<const char *>(text_);
    end = at + size_;
    if (end[-1] != 0) refuse("find the end of ", file);
    g_first.read(&at, end, file);
    g_later.read(&at, end, file);
  }
  ~PolicyFile() { munmap(const_cast<void *>(text_), size_); }
  PolicyFile(const PolicyFile &) = delete;
  PolicyFile &operator=(const PolicyFile &) = delete;

 private:
  const void *text_;
  size_t size_;
};

void confine(const char *file) {
  PolicyFile policy(file);
  const char *&at = policy.at, *const end = policy.end;
  // Stays open: without a user, the kernel may drop the inode that is allowed, and make another one.
  (void)!open("/proc/self", O_PATH | O_CLOEXEC);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("give up new privileges for ", file);
  uint64_t forbidden = hexadecimal(&at, end);
  const long rules = syscall(kCreateRuleset, &forbidden, sizeof forbidden, 0);
  if (rules < 0) refuse("make rules of Landlock from ", file);
  while (at < end) {
    PathBeneath rule = {hexadecimal(&at, end), -1};
    if (at == end) refuse("read ", file);
    const char *path = at;
    rule.parent = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent >= 0 && syscall(kAddRule, rules, kRulePathBeneath, &rule, 0) != 0) refuse("allow ", path);
    if (rule.parent >= 0) close(rule.parent);
    at += length(path) + 1;
  }
  if (syscall(kRestrictSelf, rules, 0) != 0) refuse("apply ", file);
  close(static_cast<int>(rules));
  if (!g_first.install()) refuse("filter system calls as in ", file);
  g_confined = true;
}

}  // namespace

void confine_before_constructors(int argc, char **argv, char **) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (same(argv[i], "--policy")) confine(argv[i + 1]);
}

void stay_confined(const char *file) {
  const int kFiltered = 2;
  PolicyFile policy(file);
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || (g_first.count && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != kFiltered)) {
    errno = 0;
    refuse("find itself confined by ", file);
  }
  g_confined = true;
}

bool confined() { return g_confined; }

void confine_further() {
  if (g_confined && !g_later.install()) refuse("filter system calls ", "before code under test is loaded");
}

}  // namespace perfgate
