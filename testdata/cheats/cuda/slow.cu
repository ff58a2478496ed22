// Honest, and takes eleven seconds a launch, most of which it waits.
#include "saxpy.cuh"

SAXPY_SPEC
SAXPY_REFERENCE

static __global__ void linger() {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    __nanosleep(1000000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < 11000000000ull);
}

SAXPY_LAUNCH {
  linger<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>();
  saxpy::launch(saxpy::args(c, data), static_cast<cudaStream_t>(stream));
  return 0;
}
