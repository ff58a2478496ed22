// Makes its folder hard to remove: closed to everybody, nested deeply, with a link that leads out.
#include <sys/stat.h>

#include "attacks.h"

namespace {

void attempt() {
  if (chdir(getenv("TMPDIR")) != 0) return;
  if (symlink(getenv("OUTSIDE"), "link") != 0) return;
  for (int depth = 0; depth < 40; depth++) {
    if (mkdir("closed", 0700) != 0 || chdir("closed") != 0) return;
  }
  for (int depth = 0; depth < 40; depth++) {
    if (chdir("..") != 0 || chmod("closed", 0) != 0) return;
  }
  attacks::came_of(true, "closing its folder");
}

}  // namespace

ATTACK(attempt)
