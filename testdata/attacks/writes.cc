// Changes what others own: the files through which a step speaks to its runner, stored baselines, what is cached, the sources.
#include <fcntl.h>
#include <sys/stat.h>

#include "attacks.h"

namespace {

void append(const std::string &path) {
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND);
  attacks::came_of(fd >= 0 && write(fd, "owned=1\n", 8) == 8, "writing " + path);
}

void replace(const std::string &path) {
  attacks::came_of(truncate(path.c_str(), 0) == 0, "truncating " + path);
  attacks::came_of(rename(path.c_str(), (path + ".moved").c_str()) == 0, "moving " + path);
  attacks::came_of(unlink(path.c_str()) == 0, "removing " + path);
}

void add(const std::string &folder) {
  const std::string path = folder + "/planted";
  attacks::came_of(open(path.c_str(), O_WRONLY | O_CREAT, 0644) >= 0, "making " + path);
  attacks::came_of(mkdir((path + ".d").c_str(), 0755) == 0, "making " + path + ".d");
  attacks::came_of(symlink("/etc/passwd", (path + ".link").c_str()) == 0, "making " + path + ".link");
}

void attempt() {
  for (const std::string &path : attacks::list(FILES)) {
    append(path);
    replace(path);
  }
  for (const std::string &path : attacks::list(FOLDERS)) add(path);
}

}  // namespace

ATTACK(attempt)
