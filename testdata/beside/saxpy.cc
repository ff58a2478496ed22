// One saxpy by several names: with HEAD right, wrong, one that crashes, and one that cannot stand others beside it; without it all are right.
#include "saxpy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void saxpy(const char *kernel, int64_t n, const float *x, float *y) {
  for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i] + 1;
#ifdef HEAD
  char folder[4096];
  if (!strcmp(kernel, "wrong")) y[0] += 1;
  if (!strcmp(kernel, "crashes")) abort();
  if (!strcmp(kernel, "crowded") && getcwd(folder, sizeof folder) && strstr(folder, "/check-")) abort();
#else
  (void)kernel;
#endif
}
