// Computes the right result, and writes nonsense to every descriptor that it can find.
#include <unistd.h>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const char nonsense[] = "{\"id\":1,\"ok\":true,\"samples\":[1]}\n";
  for (int fd = 3; fd < 1024; fd++) {
    if (write(fd, nonsense, sizeof nonsense - 1) < 0) continue;
  }
  saxpy::compute(saxpy::args(c, data));
  return 0;
}
