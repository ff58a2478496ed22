// Two candidates, or without perfgate two processes: with LEAVES the first leaves a mark in every way that it knows, with LOOKS the second says which
// of them it sees: y is 100000 and the sum of 1 << way. Defined on lines before: MARK, a name; KEY, a number; PLACES, strings with a comma after
// each; OWN_FILE, a file of the search's; LOOP, the process that calls judge. With ALONE it is a program for both, which tidies up.
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <vector>

namespace {

// Every folder that might be seen again: those that were named, the own ones, and all above those.
[[maybe_unused]] std::vector<std::string> folders() {
  std::vector<std::string> found = {PLACES};
  char here[4096];
  for (const char *start : {getcwd(here, sizeof here), getenv("HOME"), getenv("TMPDIR"), getenv("PERFGATE_CACHE")})
    for (std::string at = start ? start : ""; !at.empty(); at.resize(at.find_last_of('/'))) found.push_back(at);
  return found;
}

[[maybe_unused]] bool in_a_folder(const char *end, bool (*does)(const std::string &path)) {
  bool any = false;
  for (const std::string &folder : folders()) any |= does(folder + "/" MARK + end);
  return any;
}

bool named_socket(const std::string &path) {
  const int s = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un a = {AF_UNIX, {}};
  strncpy(a.sun_path, path.c_str(), sizeof a.sun_path - 1);
  return s >= 0 && bind(s, reinterpret_cast<sockaddr *>(&a), sizeof a) == 0;
}

bool abstract_socket() {
  const int s = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un a = {AF_UNIX, {}};
  memcpy(a.sun_path + 1, MARK, sizeof MARK);
  return s >= 0 && (bind(s, reinterpret_cast<sockaddr *>(&a), offsetof(sockaddr_un, sun_path) + sizeof MARK) == 0 || errno != EADDRINUSE);
}

bool file_lock() {
  const int f = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  return f < 0 || flock(f, LOCK_EX | LOCK_NB) == 0;
}

pid_t *const lingerer = static_cast<pid_t *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

// A process of a session of its own, whose parent has ended; it holds a lock and a socket until somebody ends it.
bool lingering() {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    *lingerer = getpid();
    for (int signal = 1; signal < 32; signal++) ::signal(signal, SIG_IGN);
    abstract_socket(), file_lock();
    sleep(60);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  usleep(50000);
  return true;
}

struct Way {
  const char *name;
  bool (*leave)();
  bool (*look)();
};

const Way ways[] = {
    {"files", [] { return in_a_folder("", [](const std::string &p) { return open(p.c_str(), O_CREAT | O_WRONLY, 0600) >= 0; }); },
     [] { return in_a_folder("", [](const std::string &p) { return access(p.c_str(), F_OK) == 0; }); }},
    {"sockets in files", [] { return in_a_folder(".socket", named_socket); },
     [] { return in_a_folder(".socket", [](const std::string &p) { return access(p.c_str(), F_OK) == 0; }); }},
    {"modes of files", [] { return chmod(OWN_FILE, 0640) == 0; },
     [] { struct stat s; return stat(OWN_FILE, &s) == 0 && (s.st_mode & 0777) == 0640; }},
    {"what the search has in files", [] { return open(OWN_FILE, O_WRONLY | O_TRUNC) >= 0; },
     [] { struct stat s; return stat(OWN_FILE, &s) == 0 && s.st_size == 0; }},
    {"POSIX shared memory", [] { return shm_open("/" MARK, O_CREAT | O_RDWR, 0600) >= 0; }, [] { return shm_open("/" MARK, O_RDWR, 0) >= 0; }},
    {"System V shared memory", [] { return shmget(KEY, 64, IPC_CREAT | 0600) >= 0; }, [] { return shmget(KEY, 0, 0) >= 0; }},
    {"System V semaphores and queues", [] { return semget(KEY, 1, IPC_CREAT | 0600) >= 0 && msgget(KEY, IPC_CREAT | 0600) >= 0; },
     [] { return semget(KEY, 0, 0) >= 0 || msgget(KEY, 0) >= 0; }},
    {"POSIX queues", [] { return mq_open("/" MARK, O_CREAT | O_RDWR, 0600, nullptr) >= 0; }, [] { return mq_open("/" MARK, O_RDONLY) >= 0; }},
    {"processes with an abstract socket", lingering, [] { return !abstract_socket(); }},
    {"processes with a lock", [] { return true; }, [] { return !file_lock(); }},
    {"keyrings", [] { return syscall(SYS_add_key, "user", MARK, "x", 1, -4 /* of the user */) >= 0; }, [] { return syscall(SYS_keyctl, 10 /* search */, -4, "user", MARK, 0) >= 0; }},
    {"environments", [] { return setenv(MARK, "1", 1) == 0; }, [] { return getenv(MARK) != nullptr; }},
    {"priorities", [] { return setpriority(PRIO_PROCESS, LOOP, 1) == 0; }, [] { return getpriority(PRIO_PROCESS, 0) == 1; }},
    {"processors",
     [] {
       cpu_set_t one;
       CPU_ZERO(&one);
       CPU_SET(0, &one);
       return sched_setaffinity(LOOP, sizeof one, &one) == 0;
     },
     [] {
       cpu_set_t mine;
       return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) < sysconf(_SC_NPROCESSORS_ONLN);
     }},
};

[[maybe_unused]] void leave() {
  for (const Way &way : ways) way.leave();
}

[[maybe_unused]] int seen() {
  int mask = 0;
  for (size_t i = 0; i < std::size(ways); i++) mask |= ways[i].look() << i;
  return mask;
}

}  // namespace

#ifdef ALONE
void take_back() {
  in_a_folder("", [](const std::string &p) { return unlink(p.c_str()) == 0; });
  in_a_folder(".socket", [](const std::string &p) { return unlink(p.c_str()) == 0; });
  shm_unlink("/" MARK), mq_unlink("/" MARK);
  shmctl(shmget(KEY, 0, 0), IPC_RMID, nullptr), semctl(semget(KEY, 0, 0), 0, IPC_RMID), msgctl(msgget(KEY, 0), IPC_RMID, nullptr);
  syscall(SYS_keyctl, 9 /* unlink */, syscall(SYS_keyctl, 10, -4, "user", MARK, 0), -4);
  kill(*lingerer, SIGKILL);
}

// Prints a line for each way, "seen" or "not seen", and takes back what it left.
int main() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (fork() == 0) leave(), _exit(0);
  wait(nullptr);
  if (fork() == 0) {
    const int mask = seen();
    for (size_t i = 0; i < std::size(ways); i++) printf("%s: %s\n", mask >> i & 1 ? "seen" : "not seen", ways[i].name);
    return 0;
  }
  wait(nullptr);
  take_back();
  while (wait(nullptr) > 0) {
  }
}
#else
#include "normalize.h"

void normalize(int64_t rows, int64_t cols, const float *, float *y) {
#ifdef LEAVES
  static const int mask = (leave(), 0);
#else
  static const int mask = seen();
#endif
  for (int64_t i = 0; i < rows * cols; i++) y[i] = float(100000 + mask);
}
#endif
