// One saxpy by several names: right, wrong, one that crashes, and one that cannot stand others beside it.
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  saxpy::compute(k);
  if (!std::strcmp(c->kernel, "wrong")) k.y[0] += 1;
  if (!std::strcmp(c->kernel, "crashes")) std::abort();
  char folder[4096];
  if (!std::strcmp(c->kernel, "crowded") && getcwd(folder, sizeof folder) && std::strstr(folder, "/kernel-")) std::abort();
  return 0;
}
