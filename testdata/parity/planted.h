// Included before an adapter whose every fault is to be in one library: the process says which fault it has, by its number in the
// adapter's enum, so that the zoo is compiled once and not once for each of its kernels.
#include <stdlib.h>

static const int planted = getenv("ZOO_FAULT") ? atoi(getenv("ZOO_FAULT")) : 0;
#define WRONG planted
