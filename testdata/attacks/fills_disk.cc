// Fills the disk: many small files, or with ONE_FILE a single large one.
#include <fcntl.h>

#include "attacks.h"

namespace {

void attempt() {
  static char piece[1 << 20];
  memset(piece, 1, sizeof piece);
  const std::string folder = getenv("TMPDIR");
  const bool one_file = ONE_FILE;
  int fd = -1;
  for (int n = 0; n < 4096; n++) {
    if (n == 0 || !one_file) fd = open((folder + "/" + std::to_string(n)).c_str(), O_WRONLY | O_CREAT, 0600);
    if (write(fd, piece, sizeof piece) < 0) break;
    if (one_file) continue;
    close(fd);
    usleep(10000);
  }
}

}  // namespace

ATTACK(attempt)
