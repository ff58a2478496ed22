// Fills the disk: many small files, or with ONE_FILE a single large one.
#include <fcntl.h>
#include <stdlib.h>

#include "attacks.h"

namespace {

void attempt() {
  static char piece[1 << 20];
  memset(piece, 1, sizeof piece);
  const std::string folder = getenv("TMPDIR");
  int fd = -1;
  for (int n = 0; n < 4096; n++) {
#ifdef ONE_FILE
    if (n == 0) fd = open((folder + "/large").c_str(), O_WRONLY | O_CREAT, 0600);
#else
    fd = open((folder + "/" + std::to_string(n)).c_str(), O_WRONLY | O_CREAT, 0600);
#endif
    if (write(fd, piece, sizeof piece) < 0) break;
#ifndef ONE_FILE
    close(fd);
    usleep(10000);
#endif
  }
}

}  // namespace

ATTACK(attempt)
