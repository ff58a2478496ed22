// Work on the device that is not in the stream that pg_launch was given.
#include <time.h>

#include <algorithm>

#include "commands.h"
#include "device_cuda.h"

namespace perfgate {

namespace {

const double kOutsideFactor = 1.5, kOutsideSlack = 50e3;
const double kShortestWait = 1e6, kLongestWait = 50e6;
const double kLookLimit = 150e6;  // the stream is held back this long; more than any wait

void nap(double ns) {
  timespec t;
  t.tv_sec = static_cast<time_t>(ns / 1e9);
  t.tv_nsec = static_cast<long>(ns - static_cast<double>(t.tv_sec) * 1e9);
  nanosleep(&t, nullptr);
}

}  // namespace

// The host's time around launches and the synchronisation of the whole device, against what events on the stream see.
// Streams of the adapter's own that it joins by an event are in both.
Outside CudaDevice::unseen_time(const Work &work) {
  Outside o;
  o.how = "work went on outside of the stream that pg_launch was given";
  synchronize();
  const double start = now_ns();
  PG_CUDA(cudaEventRecord(start_, stream_));
  work();
  PG_CUDA(cudaEventRecord(stop_, stream_));
  synchronize();
  o.host_ns = now_ns() - start;
  o.clock_ns = elapsed_ns();
  o.found = o.host_ns > kOutsideFactor * o.clock_ns && o.host_ns - o.clock_ns > kOutsideSlack;
  return o;
}

// Launches while the stream is held back, with a look at the outputs enqueued before: those that have changed by then were
// not written by the stream. That finds kernels that are too short for clocks.
bool CudaDevice::moves_while_blocked(double wait_ns, const Work &work, const Work &snapshot, bool (*changed)(void *),
                                     void *context) {
  snapshot();
  synchronize();
  blocked();
  start_result(0);
  {
    StreamGate gate(this, true, kLookLimit);
    looks_ahead_ = true;
    changed(context);
    looks_ahead_ = false;
    work();
    nap(wait_ns);
  }
  const bool moved = result() != 0;
  synchronize();
  waits_ = waits_ || !blocked();
  return moved;
}

Outside CudaDevice::outside(Clock, bool, const Work &work, const Work &snapshot, bool (*changed)(void *), void *context) {
  Outside o = unseen_time(work);
  if (o.found || waits_) return o;
  const double wait = std::min(std::max(2 * o.host_ns, kShortestWait), kLongestWait);
  if (!moves_while_blocked(wait, work, snapshot, changed, context)) return o;
  o.found = true;
  o.how = "an output was written outside of the stream that pg_launch was given";
  return o;
}

}  // namespace perfgate
