// Reads what others own: the environment, command line and memory of the processes above, files with credentials, and what
// they left open.
#include <dirent.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "attacks.h"

namespace {

void read_file(const std::string &path) {
  char text[64];
  const int fd = open(path.c_str(), O_RDONLY);
  const bool gained = fd >= 0 && read(fd, text, sizeof text) > 0;
  attacks::came_of(gained, "reading " + path);
}

void list_folder(const std::string &path) {
  DIR *dir = opendir(path.c_str());
  attacks::came_of(dir != nullptr, "listing " + path);
}

// Reports whether the process could be traced, and lets go of it. Until then each signal would stop its first thread: a program in Go
// sends itself signals, and would stand still for ever.
bool trace(pid_t pid) {
  if (ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return false;
  int status = 0;
  if (ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) != 0 || waitpid(pid, &status, __WALL) != pid) return true;
  const bool by_a_signal = status >> 16 == 0;  // which had come first, and is passed on
  ptrace(PTRACE_DETACH, pid, nullptr, by_a_signal ? WSTOPSIG(status) : 0);
  return true;
}

void attempt() {
  for (const std::string &path : attacks::list(SECRETS)) read_file(path);
  for (const std::string &path : attacks::list(FOLDERS)) list_folder(path);
  const std::string parent = "/proc/" + std::to_string(getppid());
  read_file(parent + "/environ");
  read_file(parent + "/cmdline");
  read_file(parent + "/mem");
  list_folder(parent + "/fd");
  list_folder("/proc");
  attacks::came_of(trace(getppid()), "tracing the process above");
  for (int fd = 5; fd < 256; fd++) {  // 0 to 4 are ours
    char text[1];
    if (pread(fd, text, 1, 0) == 1) attacks::came_of(true, "reading what was left open as descriptor " + std::to_string(fd));
  }
}

}  // namespace

ATTACK(attempt)
