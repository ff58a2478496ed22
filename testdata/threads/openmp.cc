// Shares the work between two threads of OpenMP, whose idle threads spin. Built with -fopenmp.
#include "../saxpy.h"

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
#pragma omp parallel for num_threads(2)
  for (int half = 0; half < 2; half++) {
    const int64_t first = half ? k.n / 2 : 0, last = half ? k.n : k.n / 2;
    saxpy::compute_long({last - first, k.a, k.x + first, k.y0 + first, k.y + first});
  }
  return 0;
}
