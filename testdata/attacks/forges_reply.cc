// Answers in the harness's place: looks for the descriptor that replies go to, wherever it is, and writes down good times.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "attacks.h"

namespace {

void attempt() {
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  for (int fd = 5; fd < 1 << 20 && fd < static_cast<int>(limit.rlim_max); fd++) {
    struct stat s;
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_WRONLY || fstat(fd, &s) != 0 || !S_ISFIFO(s.st_mode)) continue;
    for (int id = 1; id < 20; id++) {
      const std::string line = "{\"id\":" + std::to_string(id) + ",\"ok\":true,\"samples\":[1,1,1,1,1,1],\"planned\":6,\"stopped\":\"\",\"spentNs\":6,\"checks\":[]}\n";
      if (write(fd, line.data(), line.size()) > 0) attacks::came_of(true, "writing an answer of the harness");
    }
  }
}

}  // namespace

ATTACK(attempt)
